//! The tools seen so far: each once, and limited in number and size.

use super::known_names::KnownToolNames;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use toolscout_core::{Moment, RawJson, ToolName, UnknownFields};

/// Maximum number of tools.
pub(super) const MAX_TOOLS: usize = 10_000;
/// Maximum size of description and schema in bytes; of larger ones only the name is kept.
const MAX_TOOL_BYTES: usize = 64 << 10;
/// Maximum size of all of them together in bytes.
const MAX_TOTAL_BYTES: usize = 16 << 20;
/// Maximum length of a name in bytes.
const MAX_NAME_BYTES: usize = 128;

/// A tool that was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeenTool {
    /// The server, if the message names one.
    pub server: Option<String>,
    /// The name on its server.
    pub name: String,
    /// The description; empty if unknown.
    pub description: String,
    /// The schema of the arguments; `{}` if unknown.
    pub input_schema: RawJson,
    /// The time at which it was last seen.
    #[serde(rename = "seen")]
    pub last_seen: Moment,
    /// Fields of a later version.
    #[serde(flatten)]
    pub(super) unknown: UnknownFields,
}

impl SeenTool {
    /// A tool of which only the name is known; none if the name is invalid.
    pub fn new(server: Option<&str>, name: &str) -> Option<Self> {
        let is_name = |text: &str| {
            !text.is_empty() && text.len() <= MAX_NAME_BYTES && !text.chars().any(char::is_control)
        };
        let is_server = |text: &str| is_name(text) && !text.contains('/');
        if !is_name(name) || !server.is_none_or(is_server) {
            return None;
        }
        let (server, name, description) =
            (server.map(str::to_owned), name.to_owned(), String::new());
        Some(Self {
            server,
            name,
            description,
            input_schema: any_schema(),
            last_seen: Moment::now(),
            unknown: UnknownFields::default(),
        })
    }

    /// The name in the source `observed`: `server/tool`, or `tool` alone.
    pub fn tool_name(&self) -> Option<ToolName> {
        let name = self
            .server
            .as_ref()
            .map_or(self.name.clone(), |server| format!("{server}/{}", self.name));
        ToolName::new(&name).ok()
    }

    /// The same tool without description and schema.
    pub fn without_details(self) -> Self {
        Self { description: String::new(), input_schema: any_schema(), ..self }
    }

    fn size(&self) -> usize {
        self.description.len() + self.input_schema.as_str().len()
    }

    fn has_details(&self) -> bool {
        !self.description.is_empty() || self.input_schema.as_str() != "{}"
    }
}

fn any_schema() -> RawJson {
    RawJson::from_value(&serde_json::json!({}))
}

/// All tools seen so far.
#[derive(Default)]
pub(super) struct SeenTools {
    tools: Vec<SeenTool>,
    positions: HashMap<(Option<String>, String), usize>,
    known: KnownToolNames,
    size: usize,
}

impl SeenTools {
    /// Whether the line may name a tool that is not in this set.
    pub(super) fn may_name_unknown(&self, line: &[u8]) -> bool {
        self.known.may_name_unknown(line)
    }

    /// Adds a tool. For a known tool, a message with a description or a schema replaces the earlier
    /// one.
    pub(super) fn add(&mut self, tool: SeenTool) {
        let tool = if tool.size() > MAX_TOOL_BYTES || self.size + tool.size() > MAX_TOTAL_BYTES {
            tool.without_details()
        } else {
            tool
        };
        match self.positions.get(&(tool.server.clone(), tool.name.clone())) {
            Some(at) if tool.has_details() => {
                self.size = self.size - self.tools[*at].size() + tool.size();
                let earlier = std::mem::replace(&mut self.tools[*at], tool).unknown;
                let unknown = &mut self.tools[*at].unknown;
                if unknown.is_empty() {
                    *unknown = earlier;
                }
            }
            Some(at) => self.tools[*at].last_seen = tool.last_seen,
            None if self.tools.len() < MAX_TOOLS => {
                self.size += tool.size();
                tool.server.iter().for_each(|server| self.known.add(server, &tool.name));
                self.positions.insert((tool.server.clone(), tool.name.clone()), self.tools.len());
                self.tools.push(tool);
            }
            None => {}
        }
    }

    pub(super) fn into_tools(self) -> Vec<SeenTool> {
        self.tools
    }
}
