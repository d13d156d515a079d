//! The definitions in a registration: an entry of an MCP tool list each, plus keywords and
//! visibility.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::{Provenance, RawJson, SourceId, Tool, ToolName, Visibility, escape};
use toolscout_mcp_client::ToolDefinition;
use toolscout_mcp_client::limits::Limits;

/// A definition as the program sent it.
pub(crate) type Definition = Map<String, Value>;

/// The tools of these definitions, and a warning for each definition that cannot be used. Of two
/// tools with the same name the later one is used.
pub(crate) fn parse(id: &SourceId, definitions: &[Definition]) -> (Vec<Arc<Tool>>, Vec<String>) {
    let mut tools: BTreeMap<ToolName, Arc<Tool>> = BTreeMap::new();
    let mut warnings = Vec::new();
    for (index, definition) in definitions.iter().enumerate() {
        let label = || match definition.get("name").and_then(Value::as_str) {
            Some(name) => format!("tool `{}`", escape::line(name)),
            None => format!("tool {} of the list", index + 1),
        };
        match tool(id, definition) {
            Ok(tool) => {
                if tools.insert(tool.id.name.clone(), Arc::new(tool)).is_some() {
                    warnings.push(format!("{} is defined twice; the last one is used", label()));
                }
            }
            Err(reason) => warnings.push(format!("{} is ignored: {reason}", label())),
        }
    }
    (tools.into_values().collect(), warnings)
}

fn tool(id: &SourceId, definition: &Definition) -> Result<Tool, String> {
    let mut members = definition.clone();
    let keywords = members.shift_remove("keywords").map(serde_json::from_value).transpose();
    let visibility = members.shift_remove("visibility").map(serde_json::from_value).transpose();
    let keywords: Option<Vec<String>> =
        keywords.map_err(|_| "its keywords are not a list of strings")?;
    let visibility: Option<Visibility> =
        visibility.map_err(|_| "its visibility is neither `searchable` nor `listed`")?;
    members.entry("inputSchema").or_insert_with(|| RawJson::no_arguments().to_value());
    let raw = RawJson::from_value(&Value::Object(members));
    let parsed = ToolDefinition::parse(raw, &Limits::default())?;
    Ok(Tool {
        keywords: keywords.unwrap_or_default(),
        visibility: visibility.unwrap_or_default(),
        provenance: Provenance { trusted: true, ..Provenance::default() },
        ..parsed.tool(id)
    })
}
