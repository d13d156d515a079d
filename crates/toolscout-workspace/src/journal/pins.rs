//! Suggests tools to list: those that sessions search for again and again, if their definition has
//! fewer tokens than the search results.

use crate::{AppError, Environment};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use toolscout_config::{Config, ConfigScope, Document, DocumentFormat};
use toolscout_core::{Tool, ToolId, Visibility};
use toolscout_gateway::Gateway;
use toolscout_surface::tokens;
use toolscout_telemetry::stats::{self, PinSuggestion, PinSuggestions};

/// The tools that agents of this project should see without searching, and the tokens that would
/// save.
pub fn suggest_pins(
    config: &Config,
    environment: &Environment,
    gateway: &Gateway,
    project: Option<&Path>,
    since: Option<&str>,
) -> Result<PinSuggestions, AppError> {
    let counter = stats::count(super::folder(environment).as_deref(), since)?;
    let project = project.map(|project| project.display().to_string());
    let snapshot = gateway.full_snapshot();
    let tools: BTreeMap<String, &Tool> =
        snapshot.tools().map(|tool| (tool.id.to_string(), &**tool)).collect();
    let is_pinned = |tool: &Tool| config.listed.matches(&tool.id);
    let cost = |id: &str| {
        tools.get(id).filter(|tool| !is_pinned(tool)).and_then(|tool| definition_tokens(tool))
    };
    let mut pins = stats::suggest(&counter, project.as_deref(), cost);
    if pins.pins.is_empty() {
        return Ok(pins);
    }
    let file = config.own_file(ConfigScope::Project)?;
    pins.line = Some(setting_line(&file, &pins.pins)?);
    pins.file = Some(file.display().to_string());
    Ok(pins)
}

/// The tokens of a definition as it would be listed; none if it is listed already.
fn definition_tokens(tool: &Tool) -> Option<u64> {
    let ToolId { source, name } = &tool.id;
    let listing = || tool.listing(&format!("{source}__{name}"));
    (tool.visibility != Visibility::Listed).then(|| tokens::at_most(listing().as_str()) as u64)
}

/// The setting to write, with the tools that are listed already.
fn setting_line(file: &Path, pins: &[PinSuggestion]) -> Result<String, AppError> {
    let listed = Document::read(file)?.and_then(|mut document| document.map.remove("listed"));
    let listed =
        listed.as_ref().and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut names: Vec<&str> = listed.collect();
    names.extend(pins.iter().map(|pin| pin.tool.as_str()));
    let list = Value::from(names).to_string().replace("\",\"", "\", \"");
    Ok(match DocumentFormat::from_path(file) {
        DocumentFormat::Toml => format!("listed = {list}"),
        DocumentFormat::Json => format!("\"listed\": {list}"),
        DocumentFormat::Yaml => format!("listed: {list}"),
    })
}
