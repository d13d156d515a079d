//! Log messages of a running tool.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Receives the log messages of a call. It must neither block nor fail.
pub type LogSink = Arc<dyn Fn(LogMessage) + Send + Sync>;

/// A log message of a running tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogMessage {
    /// The tool that logs, as people type it.
    #[serde(default)]
    pub logger: String,
    /// The severity.
    pub level: LogLevel,
    /// The text.
    pub message: String,
    /// Named values that belong to the text; usually none.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

impl LogMessage {
    /// The message as one line: `[warn] retrying {"attempt":2}`.
    pub fn to_line(&self) -> String {
        let mut line = format!("[{}] {}", self.level.as_str(), self.message);
        if !self.data.is_empty() {
            line.push(' ');
            line.push_str(&Value::Object(self.data.clone()).to_string());
        }
        line
    }
}

/// The severity of a log message, least severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Every step.
    Trace,
    /// Details for the author of the tool.
    Debug,
    /// Progress of the work.
    Info,
    /// Something unexpected that the tool can handle.
    Warn,
    /// Something failed.
    Error,
    /// The tool cannot continue.
    Fatal,
}

impl LogLevel {
    /// The name that tools use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
            Self::Fatal => "fatal",
        }
    }

    /// The level in MCP messages, which have neither `trace` nor `fatal`.
    pub fn mcp_name(self) -> &'static str {
        match self {
            Self::Trace | Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warning",
            Self::Error => "error",
            Self::Fatal => "critical",
        }
    }
}
