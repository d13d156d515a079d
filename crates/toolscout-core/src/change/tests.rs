//! Changes, audit events and dry runs.

use super::*;
use crate::Caller;
use crate::event::{Event, EventKind, Observer, Observers};
use parking_lot::Mutex;
use std::sync::Arc;

#[derive(Default)]
struct AuditLog(Mutex<Vec<String>>);

impl Observer for AuditLog {
    fn observe(&self, event: &Event) {
        if let EventKind::Decision(decision) = &event.kind {
            let line = format!("{} {} {}", decision.kind, decision.subject, decision.action);
            self.0.lock().push(line);
        }
    }
}

fn audited() -> (Arc<AuditLog>, Cx) {
    let log = Arc::new(AuditLog::default());
    let cx = Cx { observers: Observers::new(vec![log.clone()]), ..Cx::new(Caller::Cli) };
    (log, cx)
}

fn lines(log: &AuditLog) -> Vec<String> {
    log.0.lock().clone()
}

fn add(server: &str) -> PlannedChange {
    let (kind, subject) = (ChangeKind::Server, server.to_owned());
    PlannedChange { kind, subject, action: "added", summary: format!("add server `{server}`") }
}

#[test]
fn a_committed_change_leaves_one_event_and_an_abandoned_one_none() {
    let (log, cx) = audited();
    drop(cx.change(add("a")).expect("not a dry run"));
    assert!(lines(&log).is_empty());
    cx.change(add("b")).expect("not a dry run").commit();
    assert_eq!(lines(&log), ["server b added"]);
}

#[test]
fn changes_inside_another_change_leave_no_events_of_their_own() {
    let (log, cx) = audited();
    let outer = cx.change(add("all")).expect("not a dry run");
    for part in ["a", "b", "c"] {
        let inner = outer.cx().change(add(part)).expect("not a dry run");
        inner.cx().change(add("deeper")).expect("not a dry run").commit();
        inner.commit();
    }
    outer.commit();
    cx.change(add("later")).expect("not a dry run").commit();
    assert_eq!(lines(&log), ["server all added", "server later added"]);
}

#[test]
fn a_dry_run_describes_the_change_and_is_found_behind_other_errors() {
    let (log, cx) = audited();
    let cx = Cx { dry_run: true, ..cx };
    let dry_run = cx.change(add("a")).err().expect("a dry run");
    assert_eq!(dry_run.to_string(), "dry run: would add server `a`");
    let outer: Box<dyn Error> = std::io::Error::other(dry_run.clone()).into();
    assert_eq!(DryRun::find(&dry_run), Some(&dry_run));
    assert_eq!(
        outer
            .downcast_ref()
            .and_then(std::io::Error::get_ref)
            .and_then(|downcast_ref| DryRun::find(downcast_ref)),
        Some(&dry_run)
    );
    assert!(lines(&log).is_empty());
}
