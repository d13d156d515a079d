//! What a server says about itself.

use serde_json::Value;
use toolscout_core::RawJson;

/// Where servers of the modern era say who they are.
const WHO: &str = "io.modelcontextprotocol/serverInfo";
/// Bytes that are kept.
const NAME: usize = 128;
const TITLE: usize = 256;
const INSTRUCTIONS: usize = 16 << 10;
const CAPABILITIES: usize = 64 << 10;

/// What a server says about itself. None of it is true because it is said, and none of it is escaped.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServerDescription {
    /// What its author calls it.
    pub name: Option<String>,
    /// Which version of it this is.
    pub version: Option<String>,
    /// A name for people.
    pub title: Option<String>,
    /// How agents should use it, in its own words.
    pub instructions: Option<String>,
    /// What it says it can do.
    pub capabilities: Option<RawJson>,
}

impl ServerDescription {
    /// Read from the answer to `server/discover` or `initialize`; what is of the wrong type was not said.
    pub(super) fn of(answer: &Value) -> Self {
        let who = [&answer["serverInfo"], &answer["_meta"][WHO]].into_iter().find(|it| it.is_object());
        let who = who.unwrap_or(&Value::Null);
        let capabilities = Some(&answer["capabilities"]).filter(|it| it.is_object()).map(RawJson::from_value);
        Self {
            name: text(&who["name"], NAME),
            version: text(&who["version"], NAME),
            title: text(&who["title"], TITLE),
            instructions: text(&answer["instructions"], INSTRUCTIONS),
            capabilities: capabilities.filter(|it| it.as_str().len() <= CAPABILITIES),
        }
    }

    /// Whether it says that it tells when its tools, or whatever else it has, change.
    pub fn tells_of_changes(&self) -> bool {
        ["tools", "resources", "prompts"].into_iter().any(|it| self.tells_of(it))
    }

    /// Whether it says that it tells when these change: `tools`, `resources`, `prompts`.
    pub(in super::super) fn tells_of(&self, things: &str) -> bool {
        self.capabilities.as_ref().is_some_and(|it| it.to_value()[things]["listChanged"] == true)
    }

    /// Whether it says that it has such things.
    pub fn declares(&self, things: &str) -> bool {
        self.capabilities.as_ref().is_some_and(|it| it.to_value()[things].is_object())
    }
}

fn text(value: &Value, limit: usize) -> Option<String> {
    value.as_str().map(|it| it[..it.floor_char_boundary(limit)].to_owned())
}
