//! Why a search may have found nothing: what is held, stale, failing, or waits for a login.

use std::collections::BTreeMap;
use toolscout_core::{Level, Problem, ProblemKind, Status, escape};
use toolscout_gateway::Snapshot;

/// More would be no help.
const MOST: usize = 12;

/// A sentence each, safe to show: what the gateway says, then what the catalog shows.
pub(super) fn notes(snapshot: &Snapshot, problems: &[Problem], said: Vec<String>) -> Vec<String> {
    let mut notes = said;
    notes.extend(snapshot.problems().chain(problems).filter_map(reason));
    notes.extend(stale(snapshot));
    notes.extend(unavailable(snapshot));
    let mut seen = Vec::new();
    for note in notes {
        if !seen.contains(&note) {
            seen.push(note);
        }
    }
    let left = seen.len().saturating_sub(MOST);
    seen.truncate(MOST);
    if left > 0 {
        seen.push(format!("and {left} more of this kind"));
    }
    seen
}

/// The problem in a sentence, if it is one that hides tools.
fn reason(problem: &Problem) -> Option<String> {
    let hides = matches!(problem.kind, ProblemKind::Source | ProblemKind::Unavailable | ProblemKind::Untrusted);
    if problem.level != Level::Warning || !hides {
        return None;
    }
    let unnamed = problem.source.as_ref().filter(|id| !problem.message.contains(&format!("`{id}`")));
    let source = unnamed.map(|id| format!("`{id}`: ")).unwrap_or_default();
    let hint = problem.hint.as_deref().map(|hint| format!(" ({})", escape::line(hint))).unwrap_or_default();
    Some(format!("{source}{}{hint}", escape::line(&problem.message)))
}

fn stale(snapshot: &Snapshot) -> impl Iterator<Item = String> {
    let stale = snapshot.tools().filter(|it| it.provenance.stale).map(|it| &it.id.source);
    let sources: BTreeMap<_, ()> = stale.map(|it| (it, ())).collect();
    let told = |id| format!("what is known of `{id}` may be old: `toolscout server refresh {id}`");
    sources.into_keys().map(told).collect::<Vec<_>>().into_iter()
}

fn unavailable(snapshot: &Snapshot) -> impl Iterator<Item = String> {
    snapshot.tools().filter_map(|it| match &it.status {
        Status::Unavailable(reason) | Status::Unprobed(reason) => {
            Some(format!("`{}` cannot be used now: {}", escape::line(&it.id.to_string()), escape::line(reason)))
        }
        _ => None,
    })
}
