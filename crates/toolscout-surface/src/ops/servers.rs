//! Which servers there are, and how they are.

use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;
use toolscout_core::{Moment, Tool, escape};

/// A server as `server list --json` shows it. Others build on these names.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerView {
    /// What it is called.
    pub id: String,
    /// Of its last discovery: `never`, `discovering`, `success`, `failed`.
    pub status: &'static str,
    /// Why it failed; null where it did not.
    pub error: Option<String>,
    /// Whether its tools may not be as they are remembered.
    pub stale: bool,
    /// RFC 3339; null where there was none.
    pub last_discovery: Option<String>,
    /// How many tools are remembered, without those that its entry leaves out.
    pub tool_count: usize,
    /// What it is doing: `configured`, `known`, `starting`, `running`, `idle`, `failed`, or `disabled`.
    pub state: &'static str,
    /// `stdio`, `http` or `sse`.
    pub transport: &'static str,
    /// When it was last asked; for people.
    #[serde(skip)]
    pub asked: Option<Moment>,
    /// Whether it wants to be asked before each use, so that its tools are stale as soon as they are known. That is how it
    /// is meant, and nothing to warn people of.
    #[serde(skip)]
    pub asks_each_time: bool,
}

/// More about one server, for `server show`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerDetail {
    /// As in the list.
    #[serde(flatten)]
    pub view: ServerView,
    /// Its program and arguments, or its address; references as written, never what they refer to.
    pub runs: String,
    /// The file that says so.
    pub configured_in: Option<String>,
    /// Since when it is in its state.
    pub since: Option<String>,
    /// Why its tools may be different by now.
    pub stale_because: Option<&'static str>,
    /// The version of the protocol it speaks.
    pub protocol: Option<String>,
    /// Its process, where it runs.
    pub process: Option<u32>,
    /// Definitions that could not be used, and why.
    pub excluded: Vec<String>,
    /// Its tools, as the catalogue shows them.
    pub tools: Vec<CatalogEntry>,
}

/// A tool of a server in the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogEntry {
    /// `server/tool`.
    pub name: String,
    /// What it does; `server tool: name` where nobody said.
    pub description: String,
    /// `mcp`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// What a person set for this tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configured_policy: Option<&'static str>,
    /// Of the server's last discovery.
    pub discovery_status: &'static str,
    /// When the tool was last listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_discovered: Option<String>,
    /// `ready`, `held` …
    pub status: &'static str,
    /// Why it is not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl CatalogEntry {
    /// The tool of a server whose last discovery went this way.
    pub fn new(tool: &Tool, discovery_status: &'static str, configured_policy: Option<&'static str>) -> Self {
        let described = tool.description.clone().filter(|it| !it.is_empty());
        Self {
            name: tool.id.to_string(),
            description: described.unwrap_or_else(|| format!("{} tool: {}", tool.id.source, tool.id.name)),
            kind: "mcp",
            configured_policy,
            discovery_status,
            last_discovered: tool.provenance.seen.map(|it| it.to_string()),
            status: tool.status.word(),
            reason: tool.status.reason().map(str::to_owned),
        }
    }
}

/// What came of trying a server out, as `server test --json` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tested {
    /// Whether it answered.
    pub ok: bool,
    /// How long that took.
    pub latency_ms: u64,
    /// How many tools it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_count: Option<usize>,
    /// Which revision of the protocol it speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Why it did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The next thing to type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Tested {
    /// It did not answer.
    pub fn failed(latency_ms: u64, error: String, hint: String) -> Self {
        let (error, hint) = (Some(error), Some(hint));
        Self { ok: false, latency_ms, tool_count: None, protocol: None, error, hint }
    }
}

/// For people: a line a server, with the reason under it where there is one.
pub fn lines(views: &[ServerView], now: Moment) -> String {
    let width = views.iter().map(|it| it.id.len()).max().unwrap_or(0);
    let mut out = String::new();
    for view in views {
        let tools = super::list::counted(view.tool_count, "tool");
        let age = match view.asked {
            _ if view.status == "discovering" => "being asked".to_owned(),
            Some(asked) => format!("asked {} ago", age(asked.age(now))),
            None => "never asked".to_owned(),
        };
        let stale = if view.stale && !view.asks_each_time { ", stale" } else { "" };
        out += &format!("  {:<width$}  {:<10}  {:<9}  {}, {age}{stale}\n", view.id, view.state, tools, view.transport);
        if let Some(error) = &view.error {
            out += &format!("  {:<width$}  {}\n", "", escape::line(error));
        }
    }
    out
}

/// For people: everything about one server.
pub fn page(detail: &ServerDetail) -> String {
    let view = &detail.view;
    let mut out = format!("{}\n", view.id);
    let mut row = |name: &str, value: &str| out += &format!("  {name:<14} {}\n", escape::line(value));
    row("state", view.state);
    row("runs", &detail.runs);
    let rows = [
        ("configured in", detail.configured_in.clone()),
        ("since", detail.since.clone()),
        ("process", detail.process.map(|it| it.to_string())),
        ("protocol", detail.protocol.clone()),
        ("discovery", Some(view.status.to_owned())),
        ("discovered", view.last_discovery.clone()),
        ("error", view.error.clone()),
        ("stale", detail.stale_because.map(str::to_owned)),
    ];
    rows.iter().for_each(|(name, value)| value.iter().for_each(|it| row(name, it)));
    detail.excluded.iter().for_each(|it| row("left out", it));
    out += &format!("  {}\n", super::list::counted(detail.tools.len(), "tool"));
    for tool in &detail.tools {
        let first = tool.description.trim().lines().next().unwrap_or_default();
        let state = match &tool.reason {
            Some(reason) => format!(" ({}: {})", tool.status, escape::line(reason)),
            None => String::new(),
        };
        out += &format!("    {} - {}{state}\n", escape::line(&tool.name), escape::line(first));
    }
    out
}

/// `40 s`, `3 min`, `5 h`, `2 days`: as people say it.
pub fn age(age: Duration) -> String {
    match age.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3_600 => format!("{} min", seconds / 60),
        seconds @ 3_600..172_800 => format!("{} h", seconds / 3_600),
        seconds => format!("{} days", seconds / 86_400),
    }
}
