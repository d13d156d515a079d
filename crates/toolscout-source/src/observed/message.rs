//! Extracts the tools that a message names.
//!
//! Claude Code begins with a message that lists all tools, `mcp__<server>__<tool>`, and names each
//! again when it is used; an application of the Agent SDK may pass on whole definitions. Other
//! messages are ignored, without an error.

use super::news::MCP_PREFIX;
use super::seen::{SeenTool, SeenTools};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use toolscout_core::RawJson;

#[derive(Deserialize)]
struct AgentMessage<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    subtype: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tools: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    event: Option<&'a RawValue>,
}

/// A message of the model.
#[derive(Deserialize)]
struct ModelMessage<'a> {
    #[serde(borrow, default)]
    content: Vec<&'a RawValue>,
}

/// The start of a streamed content block.
#[derive(Deserialize)]
struct ContentStart<'a> {
    #[serde(borrow)]
    content_block: &'a RawValue,
}

#[derive(Deserialize)]
struct ContentBlock<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    name: Cow<'a, str>,
}

/// Adds the tools that this line names. `server` is assigned to those without a server in their
/// name.
pub(super) fn look(line: &[u8], server: Option<&str>, seen: &mut SeenTools) {
    if !seen.may_miss(line) {
        return;
    }
    let Ok(message) = serde_json::from_slice::<AgentMessage<'_>>(line) else { return };
    match (&*message.kind, message.subtype.as_deref()) {
        ("tool_use", _) => {
            let tool = message.tool.and_then(|it| whole(it.get(), server));
            tool.into_iter().for_each(|it| seen.add(it));
        }
        ("system", Some("init")) => {
            let listed =
                message.tools.and_then(|it| serde_json::from_str::<Vec<Value>>(it.get()).ok());
            let names = listed
                .iter()
                .flatten()
                .filter_map(|it| it.as_str().or_else(|| it.get("name")?.as_str()));
            names.filter_map(named).for_each(|it| seen.add(it));
        }
        ("assistant", _) => {
            let said = message
                .message
                .and_then(|it| serde_json::from_str::<ModelMessage<'_>>(it.get()).ok());
            said.iter()
                .flat_map(|it| &it.content)
                .filter_map(|it| used(it))
                .for_each(|it| seen.add(it));
        }
        ("stream_event", _) => {
            let piece = message
                .event
                .and_then(|it| serde_json::from_str::<ContentStart<'_>>(it.get()).ok());
            piece.and_then(|it| used(it.content_block)).into_iter().for_each(|it| seen.add(it));
        }
        _ => {}
    }
}

/// A complete definition, as far as it is valid.
fn whole(tool: &str, server: Option<&str>) -> Option<SeenTool> {
    let tool: Value = serde_json::from_str(tool).ok()?;
    let name = tool.get("name")?.as_str()?;
    let known = named(name).or_else(|| SeenTool::new(server, name))?;
    let description =
        tool.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let schema = tool.get("input_schema").filter(|it| it.is_object());
    let input_schema = schema.map_or(known.input_schema, RawJson::from_value);
    Some(SeenTool { description, input_schema, ..known })
}

/// A tool that the model uses. A client's own tools belong to no server and are ignored, since no
/// other client could have them.
fn used(block: &RawValue) -> Option<SeenTool> {
    let block: ContentBlock<'_> = serde_json::from_str(block.get()).ok()?;
    (block.kind == "tool_use").then(|| named(&block.name)).flatten()
}

fn named(name: &str) -> Option<SeenTool> {
    let (server, name) = name.strip_prefix(MCP_PREFIX)?.split_once("__")?;
    SeenTool::new(Some(server), name)
}
