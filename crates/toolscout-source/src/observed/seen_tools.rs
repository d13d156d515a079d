//! The tools seen so far: each once, and limited in number and size.

use super::news::KnownToolNames;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use toolscout_core::{Moment, RawJson, ToolName};

/// Maximum number of tools.
pub(super) const MOST: usize = 10_000;
/// Maximum size of description and schema in bytes; of larger ones only the name is kept.
const LARGEST: usize = 64 << 10;
/// Maximum size of all of them together in bytes.
const ROOM: usize = 16 << 20;
/// Maximum length of a name in bytes.
const LONGEST: usize = 128;

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
    pub seen: Moment,
}

impl SeenTool {
    /// A tool of which only the name is known; none if the name is invalid.
    pub fn new(server: Option<&str>, name: &str) -> Option<Self> {
        let is_name =
            |it: &str| !it.is_empty() && it.len() <= LONGEST && !it.chars().any(char::is_control);
        let is_server = |it: &str| is_name(it) && !it.contains('/');
        if !is_name(name) || !server.is_none_or(is_server) {
            return None;
        }
        let (server, name, description) =
            (server.map(str::to_owned), name.to_owned(), String::new());
        Some(Self { server, name, description, input_schema: anything(), seen: Moment::now() })
    }

    /// The name in the source `observed`: `server/tool`, or `tool` alone.
    pub fn tool_name(&self) -> Option<ToolName> {
        let name =
            self.server.as_ref().map_or(self.name.clone(), |it| format!("{it}/{}", self.name));
        ToolName::new(&name).ok()
    }

    /// The same tool without description and schema.
    pub fn bare(self) -> Self {
        Self { description: String::new(), input_schema: anything(), ..self }
    }

    fn size(&self) -> usize {
        self.description.len() + self.input_schema.as_str().len()
    }

    fn says_something(&self) -> bool {
        !self.description.is_empty() || self.input_schema.as_str() != "{}"
    }
}

fn anything() -> RawJson {
    RawJson::from_value(&serde_json::json!({}))
}

/// All tools seen so far.
#[derive(Default)]
pub(super) struct SeenTools {
    tools: Vec<SeenTool>,
    places: HashMap<(Option<String>, String), usize>,
    known: KnownToolNames,
    size: usize,
}

impl SeenTools {
    /// Whether the line may name a tool that is not in this set.
    pub(super) fn may_miss(&self, line: &[u8]) -> bool {
        self.known.may_be_more_than(line)
    }

    /// Adds a tool. For a known tool, a message with a description or a schema replaces the earlier
    /// one.
    pub(super) fn add(&mut self, tool: SeenTool) {
        let tool = if tool.size() > LARGEST || self.size + tool.size() > ROOM {
            tool.bare()
        } else {
            tool
        };
        match self.places.get(&(tool.server.clone(), tool.name.clone())) {
            Some(at) if tool.says_something() => {
                self.size = self.size - self.tools[*at].size() + tool.size();
                self.tools[*at] = tool;
            }
            Some(at) => self.tools[*at].seen = tool.seen,
            None if self.tools.len() < MOST => {
                self.size += tool.size();
                tool.server.iter().for_each(|it| self.known.add(it, &tool.name));
                self.places.insert((tool.server.clone(), tool.name.clone()), self.tools.len());
                self.tools.push(tool);
            }
            None => {}
        }
    }

    pub(super) fn into_tools(self) -> Vec<SeenTool> {
        self.tools
    }
}
