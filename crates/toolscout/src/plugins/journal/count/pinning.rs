//! Which tools would better be listed: those that sessions search for again and again, and whose definition takes less than the
//! answers to those searches.

use super::ledger::Ledger;
use super::session::Session;
use crate::config::edit::Editor;
use crate::config::{Config, Document, Format, filter};
use crate::{AppError, Options, Surroundings};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use toolscout_core::{Tool, ToolId, Visibility};
use toolscout_gateway::Gateway;
use toolscout_surface::ops::stats::{PinSuggestion, Pins};
use toolscout_surface::tokens;

/// A tool that was searched for less often may never be again.
const SEARCHES: u64 = 2;
/// A list of everything is what searching is there to avoid.
const MOST: usize = 20;

/// What agents of this project would better see without searching, and what that would save them.
pub(in super::super) fn pins(
    options: &Options,
    surroundings: &Surroundings,
    gateway: &Gateway,
    project: Option<&Path>,
    since: Option<&str>,
) -> Result<Pins, AppError> {
    let ledger = super::read(surroundings, since)?;
    let project = project.map(|it| it.display().to_string());
    let snapshot = gateway.whole_snapshot();
    let tools: BTreeMap<String, &Tool> = snapshot.tools().map(|it| (it.id.to_string(), &**it)).collect();
    let config = Config::of(options, surroundings)?;
    let is_pinned = |it: &Tool| filter(&config.listed, &it.id.source).lets(&it.id.name);
    let cost = |id: &str| tools.get(id).filter(|it| !is_pinned(it)).and_then(|it| definition(it));
    let mut pins = proposed(&ledger, project.as_deref(), cost);
    if pins.pins.is_empty() {
        return Ok(pins);
    }
    let file = Editor::own_file(&config, surroundings, false)?;
    pins.line = Some(line(&file, &pins.pins)?);
    pins.file = Some(file.display().to_string());
    Ok(pins)
}

/// Tokens of a definition as it would be listed; none where it is already.
fn definition(tool: &Tool) -> Option<u64> {
    let ToolId { source, name } = &tool.id;
    let listing = || tool.listing(&format!("{source}__{name}"));
    (tool.visibility != Visibility::Listed).then(|| tokens::at_most(listing().as_str()) as u64)
}

/// What would save something, given the tokens of each definition; none where a tool cannot be proposed.
pub(in super::super) fn proposed(
    ledger: &Ledger,
    project: Option<&str>,
    definition: impl Fn(&str) -> Option<u64>,
) -> Pins {
    let is_meant = |it: &&Session| it.is_of_agent && (project.is_none() || it.project.as_deref() == project);
    let sessions: Vec<_> = ledger.sessions.values().filter(is_meant).collect();
    let count = sessions.len() as u64;
    let mut pins: Vec<_> = needed(&sessions)
        .into_iter()
        .filter(|(_, (searches, _))| *searches >= SEARCHES)
        .filter_map(|(tool, (searches, tokens))| {
            let definition_tokens = definition(tool)?;
            let search_tokens = tokens / count.max(1);
            let saves_tokens = search_tokens as i64 - definition_tokens as i64;
            let callers = sessions.iter().filter(|it| it.called.contains(tool)).count() as u64;
            let tool = tool.to_owned();
            Some(PinSuggestion { tool, sessions: callers, searches, search_tokens, definition_tokens, saves_tokens })
        })
        .filter(|it| it.saves_tokens > 0)
        .collect();
    pins.sort_by(|one, other| (other.saves_tokens, &one.tool).cmp(&(one.saves_tokens, &other.tool)));
    pins.truncate(MOST);
    Pins { sessions: count, pins, ..Pins::default() }
}

/// By tool, how many searches nobody would have needed if it had been listed, and the tokens of their answers. A search that
/// led to several tools is still needed for the others.
fn needed<'a>(sessions: &[&'a Session]) -> BTreeMap<&'a str, (u64, u64)> {
    let mut needed: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for asked in sessions.iter().flat_map(|it| &it.led) {
        if let (1, Some(tool), Some(tokens)) = (asked.called.len(), asked.called.first(), asked.tokens) {
            let (searches, sum) = needed.entry(tool).or_default();
            (*searches, *sum) = (*searches + 1, *sum + tokens);
        }
    }
    needed
}

/// What to write, with what is listed there already.
fn line(file: &Path, pins: &[PinSuggestion]) -> Result<String, AppError> {
    let there = Document::read(file)?.and_then(|mut it| it.map.remove("listed"));
    let there = there.as_ref().and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut names: Vec<&str> = there.collect();
    names.extend(pins.iter().map(|it| it.tool.as_str()));
    let list = Value::from(names).to_string().replace("\",\"", "\", \"");
    Ok(match Format::of(file) {
        Format::Toml => format!("listed = {list}"),
        Format::Json => format!("\"listed\": {list}"),
        Format::Yaml => format!("listed: {list}"),
    })
}
