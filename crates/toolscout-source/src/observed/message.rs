//! Extracts the tools that a message names.
//!
//! Claude Code begins with a message that lists all tools, `mcp__<server>__<tool>`, and names each
//! again when it is used; an application of the Agent SDK may pass on whole definitions. A gateway
//! names its tools `<server>__<tool>`. Other messages are ignored, without an error.

use super::known_names::{MCP_PREFIX, SEPARATOR};
use super::seen_tools::{SeenTool, SeenTools};
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
pub(super) fn collect_tools(line: &[u8], server: Option<&str>, seen: &mut SeenTools) {
    if !seen.may_name_unknown(line) {
        return;
    }
    let Ok(message) = serde_json::from_slice::<AgentMessage<'_>>(line) else { return };
    match (&*message.kind, message.subtype.as_deref()) {
        ("tool_use", _) => {
            let tool = message.tool.and_then(|tool| parse_definition(tool.get(), server));
            tool.into_iter().for_each(|tool| seen.add(tool));
        }
        ("system", Some("init")) => {
            let listed = message
                .tools
                .and_then(|tools| serde_json::from_str::<Vec<Value>>(tools.get()).ok());
            let names = listed
                .iter()
                .flatten()
                .filter_map(|item| item.as_str().or_else(|| item.get("name")?.as_str()));
            names.filter_map(parse_qualified_name).for_each(|item| seen.add(item));
        }
        ("assistant", _) => {
            let model_message = message
                .message
                .and_then(|message| serde_json::from_str::<ModelMessage<'_>>(message.get()).ok());
            model_message
                .iter()
                .flat_map(|item| &item.content)
                .filter_map(|content| tool_use(content))
                .for_each(|item| seen.add(item));
        }
        ("stream_event", _) => {
            let content_start = message
                .event
                .and_then(|event| serde_json::from_str::<ContentStart<'_>>(event.get()).ok());
            content_start
                .and_then(|content_start| tool_use(content_start.content_block))
                .into_iter()
                .for_each(|item| seen.add(item));
        }
        _ => {}
    }
}

/// A complete definition, as far as it is valid.
fn parse_definition(tool: &str, server: Option<&str>) -> Option<SeenTool> {
    let tool: Value = serde_json::from_str(tool).ok()?;
    let name = tool.get("name")?.as_str()?;
    let tool_by_name = parse_qualified_name(name).or_else(|| SeenTool::new(server, name))?;
    let description =
        tool.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let schema = tool.get("input_schema").filter(|input_schema| input_schema.is_object());
    let input_schema = schema.map_or(tool_by_name.input_schema, RawJson::from_value);
    Some(SeenTool { description, input_schema, ..tool_by_name })
}

/// A tool that the model uses. A client's own tools belong to no server and are ignored, since no
/// other client could have them.
fn tool_use(block: &RawValue) -> Option<SeenTool> {
    let block: ContentBlock<'_> = serde_json::from_str(block.get()).ok()?;
    (block.kind == "tool_use").then(|| parse_qualified_name(&block.name)).flatten()
}

/// A tool whose name contains its server: `mcp__<server>__<tool>` or `<server>__<tool>`.
fn parse_qualified_name(name: &str) -> Option<SeenTool> {
    let (server, name) = name.strip_prefix(MCP_PREFIX).unwrap_or(name).split_once(SEPARATOR)?;
    SeenTool::new(Some(server), name)
}
