//! The description that a server gives of itself.

use serde_json::Value;
use toolscout_core::RawJson;

/// The `_meta` key under which modern servers describe themselves.
const WHO: &str = "io.modelcontextprotocol/serverInfo";
/// The number of bytes kept of each text.
const NAME: usize = 128;
const TITLE: usize = 256;
const INSTRUCTIONS: usize = 16 << 10;
const CAPABILITIES: usize = 64 << 10;

/// The description that a server gives of itself. It is neither verified nor escaped.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServerDescription {
    /// The name that its author chose.
    pub name: Option<String>,
    /// The version of the server.
    pub version: Option<String>,
    /// The display name.
    pub title: Option<String>,
    /// Instructions for agents, as the server wrote them.
    pub instructions: Option<String>,
    /// Its declared capabilities.
    pub capabilities: Option<RawJson>,
}

impl ServerDescription {
    /// Reads the response to `server/discover` or `initialize`; members of a wrong type are
    /// ignored.
    pub(super) fn of(answer: &Value) -> Self {
        let who =
            [&answer["serverInfo"], &answer["_meta"][WHO]].into_iter().find(|it| it.is_object());
        let who = who.unwrap_or(&Value::Null);
        let capabilities =
            Some(&answer["capabilities"]).filter(|it| it.is_object()).map(RawJson::from_value);
        Self {
            name: text(&who["name"], NAME),
            version: text(&who["version"], NAME),
            title: text(&who["title"], TITLE),
            instructions: text(&answer["instructions"], INSTRUCTIONS),
            capabilities: capabilities.filter(|it| it.as_str().len() <= CAPABILITIES),
        }
    }

    /// Whether it announces changes of tools, resources or prompts.
    pub fn tells_of_changes(&self) -> bool {
        ["tools", "resources", "prompts"].into_iter().any(|it| self.tells_of(it))
    }

    /// Whether it announces changes of these: `tools`, `resources`, `prompts`.
    pub(in super::super) fn tells_of(&self, things: &str) -> bool {
        self.capabilities.as_ref().is_some_and(|it| it.to_value()[things]["listChanged"] == true)
    }

    /// Whether it declares this capability.
    pub fn declares(&self, things: &str) -> bool {
        self.capabilities.as_ref().is_some_and(|it| it.to_value()[things].is_object())
    }
}

fn text(value: &Value, limit: usize) -> Option<String> {
    value.as_str().map(|it| it[..it.floor_char_boundary(limit)].to_owned())
}
