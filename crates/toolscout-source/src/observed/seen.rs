//! What was seen so far: each tool once, and never more than there is room for.

use super::news::KnownToolNames;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use toolscout_core::{Moment, RawJson, ToolName};

/// So many tools are taken note of.
pub(super) const MOST: usize = 10_000;
/// Bytes of a description and schema; of what is longer only the name is kept.
const LARGEST: usize = 64 << 10;
/// Bytes of all of them together.
const ROOM: usize = 16 << 20;
/// Bytes of a name.
const LONGEST: usize = 128;

/// A tool that was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeenTool {
    /// Whose it is, where that was said.
    pub server: Option<String>,
    /// What its server calls it.
    pub name: String,
    /// What it does; empty where nobody said.
    pub description: String,
    /// Of its arguments; `{}` where nobody said.
    pub input_schema: RawJson,
    /// When it was seen.
    pub seen: Moment,
}

impl SeenTool {
    /// A tool of which only the name is known; none where it cannot be one.
    pub fn new(server: Option<&str>, name: &str) -> Option<Self> {
        let is_name = |it: &str| !it.is_empty() && it.len() <= LONGEST && !it.chars().any(char::is_control);
        let is_server = |it: &str| is_name(it) && !it.contains('/');
        if !is_name(name) || !server.is_none_or(is_server) {
            return None;
        }
        let (server, name, description) = (server.map(str::to_owned), name.to_owned(), String::new());
        Some(Self { server, name, description, input_schema: anything(), seen: Moment::now() })
    }

    /// What it is called among all that was seen: `server/tool`, or `tool` alone.
    pub fn tool_name(&self) -> Option<ToolName> {
        let name = self.server.as_ref().map_or(self.name.clone(), |it| format!("{it}/{}", self.name));
        ToolName::new(&name).ok()
    }

    /// Without what somebody says about it.
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

/// Everything so far.
#[derive(Default)]
pub(super) struct SeenTools {
    tools: Vec<SeenTool>,
    places: HashMap<(Option<String>, String), usize>,
    known: KnownToolNames,
    size: usize,
}

impl SeenTools {
    /// Whether the line may name a tool that is not here.
    pub(super) fn may_miss(&self, line: &[u8]) -> bool {
        self.known.may_be_more_than(line)
    }

    /// Adds a tool. Of one that is there already, who says more about it is believed.
    pub(super) fn add(&mut self, tool: SeenTool) {
        let tool = if tool.size() > LARGEST || self.size + tool.size() > ROOM { tool.bare() } else { tool };
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
