//! Reasons for a poor search result: words that match no tool, and sources whose tools are
//! quarantined, stale, failing, disabled, or need a login.

use std::collections::{BTreeMap, BTreeSet};
use toolscout_core::{Diagnostic, DiagnosticKind, DiagnosticLevel, SourceId, Status, Tool, escape};
use toolscout_gateway::{
    CatalogView, Gateway, SearchRequest, SearchResponse, Snapshot, Unresolved,
};

/// The maximum number of reasons.
const MAX_REASONS: usize = 12;
/// The maximum number of unknown words, and of similar names.
const MAX_NAMES: usize = 5;

/// One sentence per reason, safe to show; empty if the response is good. Reasons about the
/// query come first, then reasons about sources.
pub(super) fn reasons(
    gateway: &Gateway,
    view: &CatalogView,
    request: &SearchRequest<'_>,
    response: &SearchResponse,
) -> Vec<String> {
    if !response.is_weak() {
        return Vec::new();
    }
    let mut notes = query_reasons(view, request, response);
    notes.extend(source_reasons(view, &gateway.absent(), request.sources));
    notes
}

/// Reasons about the query itself.
fn query_reasons(
    view: &CatalogView,
    request: &SearchRequest<'_>,
    response: &SearchResponse,
) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(best) = response.hits.first() {
        notes.push(format!("no good match: the best score is {:.2} of 1", best.score));
    }
    let reading = view.reading(request.text);
    let unknown: Vec<_> = reading
        .unknown()
        .take(MAX_NAMES)
        .map(|unknown| format!("`{}`", escape::line(unknown)))
        .collect();
    if !unknown.is_empty() {
        notes.push(format!("no tool mentions {}", unknown.join(", ")));
    }
    let nearest = nearest(&view.snapshot(), request, response);
    if !nearest.is_empty() {
        notes.push(format!("similar names: {}", nearest.join(", ")));
    }
    notes
}

/// Reasons why tools of sources are hidden: of the given sources, or of all. `absent` has the
/// diagnostics of sources that are not in the catalog.
fn source_reasons(
    view: &CatalogView,
    absent: &[Diagnostic],
    sources: Option<&[SourceId]>,
) -> Vec<String> {
    let is_requested = |id: &SourceId| sources.is_none_or(|sources| sources.contains(id));
    let is_relevant =
        |diagnostic: &&Diagnostic| diagnostic.source.as_ref().is_none_or(is_requested);
    let snapshot = view.snapshot();
    let diagnostics =
        snapshot.diagnostics().chain(view.diagnostics()).chain(absent).filter(is_relevant);
    let mut notes = view.notes();
    notes.extend(diagnostics.filter_map(sentence));
    notes.extend(
        stale(&snapshot).filter(|id| is_requested(id)).map(|id| {
            format!("the tools of `{id}` may be outdated: `toolscout server refresh {id}`")
        }),
    );
    notes.extend(disabled(view).into_iter().filter(|(id, _)| is_requested(id)).map(
        |(id, count)| {
            let tools = crate::output::counted(count, "tool");
            format!("{tools} of `{id}` disabled by a policy: `toolscout policy {id}`")
        },
    ));
    notes.extend(
        snapshot
            .tools()
            .filter(|tool| is_requested(&tool.id.source))
            .filter_map(|tool| unavailable(tool)),
    );
    shortened(notes)
}

fn shortened(notes: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut notes: Vec<_> = notes.into_iter().filter(|note| seen.insert(note.clone())).collect();
    let omitted = notes.len().saturating_sub(MAX_REASONS);
    notes.truncate(MAX_REASONS);
    if omitted > 0 {
        notes.push(format!("{} not shown", crate::output::counted(omitted, "more note")));
    }
    notes
}

/// Names of tools that are similar to the query, or to a word of it, and are not among the
/// hits.
fn nearest(
    snapshot: &Snapshot,
    request: &SearchRequest<'_>,
    response: &SearchResponse,
) -> Vec<String> {
    let text = request.text.trim();
    let joined = text.split_whitespace().collect::<Vec<_>>().join("_");
    let words = text.split_whitespace().filter(|word| word.chars().count() > 3);
    let mut found = Vec::new();
    for typed in std::iter::once(joined.as_str()).chain(words).take(1 + MAX_NAMES) {
        if let Err(Unresolved::Unknown { nearest }) = snapshot.resolve(typed) {
            found.extend(nearest);
        }
    }
    let is_new = |tool_id: &toolscout_core::ToolId| {
        request.sources.is_none_or(|all| all.contains(&tool_id.source))
            && !response.hits.iter().any(|hit| hit.tool.id == *tool_id)
    };
    let mut seen = BTreeSet::new();
    let new = found.into_iter().filter(|item| is_new(item) && seen.insert(item.clone()));
    new.take(MAX_NAMES).map(|item| format!("`{}`", escape::line(&item.to_string()))).collect()
}

/// The diagnostic as a sentence, if it hides tools.
fn sentence(diagnostic: &Diagnostic) -> Option<String> {
    let hides = matches!(
        diagnostic.kind,
        DiagnosticKind::Source | DiagnosticKind::Unavailable | DiagnosticKind::Untrusted
    );
    if diagnostic.level != DiagnosticLevel::Warning || !hides {
        return None;
    }
    let unnamed =
        diagnostic.source.as_ref().filter(|id| !diagnostic.message.contains(&format!("`{id}`")));
    let source = unnamed.map(|id| format!("`{id}`: ")).unwrap_or_default();
    let hint = diagnostic
        .hint
        .as_deref()
        .map(|hint| format!(" ({})", escape::line(hint)))
        .unwrap_or_default();
    Some(format!("{source}{}{hint}", escape::line(&diagnostic.message)))
}

fn stale(snapshot: &Snapshot) -> impl Iterator<Item = SourceId> {
    let stale =
        snapshot.tools().filter(|tool| tool.provenance.stale).map(|tool| tool.id.source.clone());
    stale.collect::<BTreeSet<_>>().into_iter()
}

/// The number of disabled tools by source.
fn disabled(view: &CatalogView) -> BTreeMap<SourceId, usize> {
    let (all, mut count) = (view.full_snapshot(), BTreeMap::new());
    let is_disabled = |tool: &&std::sync::Arc<Tool>| {
        view.policy(tool).policy == toolscout_core::authorization::Policy::Disable
    };
    for tool in all.tools().filter(is_disabled) {
        *count.entry(tool.id.source.clone()).or_default() += 1;
    }
    count
}

fn unavailable(tool: &Tool) -> Option<String> {
    match &tool.status {
        // A note about its source says so already.
        _ if tool.provenance.placeholder => None,
        Status::Unavailable(reason) | Status::Unprobed(reason) => Some(format!(
            "`{}` is unavailable: {}",
            escape::line(&tool.id.to_string()),
            escape::line(reason)
        )),
        _ => None,
    }
}
