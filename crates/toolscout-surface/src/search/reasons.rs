//! Reasons for a poor search result: words that match no tool, and sources whose tools are
//! quarantined, stale, failing, disabled, or need a login.

use std::collections::{BTreeMap, BTreeSet};
use toolscout_core::{Diagnostic, DiagnosticKind, DiagnosticLevel, SourceId, Status, Tool, escape};
use toolscout_gateway::{
    CatalogView, Gateway, SearchRequest, SearchResponse, Snapshot, Unresolved,
};

/// The maximum number of reasons.
const MOST: usize = 12;
/// The maximum number of unknown words, and of similar names.
const NAMED: usize = 5;

/// One sentence per reason, safe to show; empty if the response is good. Reasons about the
/// query come first, then reasons about sources.
pub(super) fn reasons(
    gateway: &Gateway,
    view: &CatalogView,
    search: &SearchRequest<'_>,
    answer: &SearchResponse,
) -> Vec<String> {
    if !answer.is_weak() {
        return Vec::new();
    }
    let mut notes = about_question(view, search, answer);
    notes.extend(about_sources(view, &gateway.absent(), search.sources));
    notes
}

/// Reasons about the query itself.
fn about_question(
    view: &CatalogView,
    search: &SearchRequest<'_>,
    answer: &SearchResponse,
) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(best) = answer.hits.first() {
        notes.push(format!("none of these fits well: the best is {:.2} sure, of 1", best.score));
    }
    let reading = view.reading(search.text);
    let unknown: Vec<_> =
        reading.unknown().take(NAMED).map(|it| format!("`{}`", escape::line(it))).collect();
    if !unknown.is_empty() {
        notes.push(format!("no tool says anything of {}", unknown.join(", ")));
    }
    let nearest = nearest(&view.snapshot(), search, answer);
    if !nearest.is_empty() {
        notes.push(format!("names that look alike: {}", nearest.join(", ")));
    }
    notes
}

/// Reasons why tools of sources are hidden: of the given sources, or of all. `absent` has the
/// diagnostics of sources that are not in the catalog.
fn about_sources(
    view: &CatalogView,
    absent: &[Diagnostic],
    sources: Option<&[SourceId]>,
) -> Vec<String> {
    let is_asked = |id: &SourceId| sources.is_none_or(|it| it.contains(id));
    let is_meant = |it: &&Diagnostic| it.source.as_ref().is_none_or(is_asked);
    let snapshot = view.snapshot();
    let problems = snapshot.problems().chain(view.problems()).chain(absent).filter(is_meant);
    let mut notes = view.notes();
    notes.extend(problems.filter_map(reason));
    notes.extend(
        stale(&snapshot).filter(|it| is_asked(it)).map(|id| {
            format!("the tools of `{id}` may be outdated: `toolscout server refresh {id}`")
        }),
    );
    notes.extend(disabled(view).into_iter().filter(|(id, _)| is_asked(id)).map(|(id, count)| {
        let tools = crate::output::counted(count, "tool");
        format!("{tools} of `{id}` disabled by a policy: `toolscout policy {id}`")
    }));
    notes.extend(
        snapshot.tools().filter(|it| is_asked(&it.id.source)).filter_map(|it| unavailable(it)),
    );
    shortened(notes)
}

fn shortened(notes: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut notes: Vec<_> = notes.into_iter().filter(|it| seen.insert(it.clone())).collect();
    let left = notes.len().saturating_sub(MOST);
    notes.truncate(MOST);
    if left > 0 {
        notes.push(format!("and {left} more of this kind"));
    }
    notes
}

/// Names of tools that are similar to the query, or to a word of it, and are not among the
/// hits.
fn nearest(
    snapshot: &Snapshot,
    search: &SearchRequest<'_>,
    answer: &SearchResponse,
) -> Vec<String> {
    let text = search.text.trim();
    let joined = text.split_whitespace().collect::<Vec<_>>().join("_");
    let words = text.split_whitespace().filter(|it| it.chars().count() > 3);
    let mut found = Vec::new();
    for typed in std::iter::once(joined.as_str()).chain(words).take(1 + NAMED) {
        if let Err(Unresolved::Unknown { nearest }) = snapshot.resolve(typed) {
            found.extend(nearest);
        }
    }
    let is_new = |it: &toolscout_core::ToolId| {
        search.sources.is_none_or(|all| all.contains(&it.source))
            && !answer.hits.iter().any(|hit| hit.tool.id == *it)
    };
    let mut seen = BTreeSet::new();
    let new = found.into_iter().filter(|it| is_new(it) && seen.insert(it.clone()));
    new.take(NAMED).map(|it| format!("`{}`", escape::line(&it.to_string()))).collect()
}

/// The diagnostic as a sentence, if it hides tools.
fn reason(problem: &Diagnostic) -> Option<String> {
    let hides = matches!(
        problem.kind,
        DiagnosticKind::Source | DiagnosticKind::Unavailable | DiagnosticKind::Untrusted
    );
    if problem.level != DiagnosticLevel::Warning || !hides {
        return None;
    }
    let unnamed =
        problem.source.as_ref().filter(|id| !problem.message.contains(&format!("`{id}`")));
    let source = unnamed.map(|id| format!("`{id}`: ")).unwrap_or_default();
    let hint = problem
        .hint
        .as_deref()
        .map(|hint| format!(" ({})", escape::line(hint)))
        .unwrap_or_default();
    Some(format!("{source}{}{hint}", escape::line(&problem.message)))
}

fn stale(snapshot: &Snapshot) -> impl Iterator<Item = SourceId> {
    let stale = snapshot.tools().filter(|it| it.provenance.stale).map(|it| it.id.source.clone());
    stale.collect::<BTreeSet<_>>().into_iter()
}

/// The number of disabled tools by source.
fn disabled(view: &CatalogView) -> BTreeMap<SourceId, usize> {
    let (all, mut count) = (view.whole_snapshot(), BTreeMap::new());
    let is_disabled = |it: &&std::sync::Arc<Tool>| {
        view.policy(it).policy == toolscout_core::authorization::Policy::Disable
    };
    for tool in all.tools().filter(is_disabled) {
        *count.entry(tool.id.source.clone()).or_default() += 1;
    }
    count
}

fn unavailable(tool: &Tool) -> Option<String> {
    match &tool.status {
        Status::Unavailable(reason) | Status::Unprobed(reason) => Some(format!(
            "`{}` cannot be used now: {}",
            escape::line(&tool.id.to_string()),
            escape::line(reason)
        )),
        _ => None,
    }
}
