//! The description that a server gives of itself.

use serde_json::Value;
use toolscout_core::RawJson;

/// The `_meta` key under which modern servers describe themselves.
const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";
/// The number of bytes kept of each text.
const MAX_NAME: usize = 128;
const MAX_TITLE: usize = 256;
const MAX_INSTRUCTIONS: usize = 16 << 10;
const MAX_CAPABILITIES: usize = 64 << 10;

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
    pub(super) fn from_response(response: &Value) -> Self {
        let server_info = [&response["serverInfo"], &response["_meta"][SERVER_INFO_KEY]]
            .into_iter()
            .find(|info| info.is_object());
        let server_info = server_info.unwrap_or(&Value::Null);
        let capabilities = Some(&response["capabilities"])
            .filter(|capability| capability.is_object())
            .map(RawJson::from_value);
        Self {
            name: text(&server_info["name"], MAX_NAME),
            version: text(&server_info["version"], MAX_NAME),
            title: text(&server_info["title"], MAX_TITLE),
            instructions: text(&response["instructions"], MAX_INSTRUCTIONS),
            capabilities: capabilities
                .filter(|capability| capability.as_str().len() <= MAX_CAPABILITIES),
        }
    }

    /// Whether it announces changes of tools, resources or prompts.
    pub fn declares_any_list_changes(&self) -> bool {
        ["tools", "resources", "prompts"]
            .into_iter()
            .any(|capability| self.declares_list_changes(capability))
    }

    /// Whether it announces changes of these: `tools`, `resources`, `prompts`.
    pub(in super::super) fn declares_list_changes(&self, capability: &str) -> bool {
        self.capabilities
            .as_ref()
            .is_some_and(|capabilities| capabilities.to_value()[capability]["listChanged"] == true)
    }

    /// Whether it declares this capability.
    pub fn declares(&self, capability: &str) -> bool {
        self.capabilities
            .as_ref()
            .is_some_and(|capabilities| capabilities.to_value()[capability].is_object())
    }
}

fn text(value: &Value, limit: usize) -> Option<String> {
    value.as_str().map(|value| value[..value.floor_char_boundary(limit)].to_owned())
}
