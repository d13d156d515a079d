//! Every decision leaves one audit event, a dry run changes nothing, and no level loosens the
//! policy of a level above.

use super::{Actor, agent, cli};
use crate::policy::{LevelName, Policies, PolicyUpdate};
use crate::{Error, Gateway};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::authorization::Policy;
use toolscout_core::change::DryRun;
use toolscout_core::event::{Event, EventKind, Observer, Observers};
use toolscout_core::{Cx, PolicyRules, SourceId, ToolId, ToolName};

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

impl AuditLog {
    fn lines(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock())
    }
}

fn audited() -> (Arc<AuditLog>, Cx) {
    let log = Arc::new(AuditLog::default());
    (log.clone(), Cx { observers: Observers::new(vec![log]), ..cli() })
}

fn tool(name: &str) -> ToolId {
    ToolId::new(SourceId::new("mail").unwrap(), ToolName::new(name).unwrap())
}

/// A source whose two tools have changed since they were approved.
async fn with_two_quarantined() -> Gateway {
    let mail = Arc::new(Actor::new("mail", &["send: Sends", "read: Reads"]).reviewed());
    let gateway = Gateway::builder().source(mail.clone()).build().unwrap();
    gateway.refresh(&cli()).await;
    mail.set_tools(&["send: Sends it all", "read: Reads it all"]);
    gateway.refresh(&cli()).await;
    assert_eq!(gateway.quarantined().len(), 2);
    gateway
}

#[tokio::test]
async fn each_decision_about_definitions_leaves_one_event() {
    let gateway = with_two_quarantined().await;
    let (log, cx) = audited();
    gateway.approve(&tool("send"), None, &cx).unwrap();
    assert_eq!(log.lines(), ["definition mail/send approved"]);
    assert!(matches!(gateway.approve(&tool("send"), None, &cx), Err(Error::NotQuarantined { .. })));
    assert!(log.lines().is_empty(), "a failed decision is not recorded");
    gateway.reject(&tool("send"), None, &cx).unwrap();
    assert_eq!(log.lines(), ["definition mail/send rejected"]);
    assert_eq!(gateway.reject_all(&tool("send").source, |_, _| true, &cx).unwrap(), 2);
    assert_eq!(log.lines(), ["definition mail/* rejected"]);
    assert_eq!(gateway.accept_all(&tool("send").source, |_, _| true, &cx).unwrap(), 2);
    assert_eq!(log.lines(), ["definition mail/* approved"]);
}

#[tokio::test]
async fn a_dry_run_describes_the_decision_and_changes_nothing() {
    let gateway = with_two_quarantined().await;
    let (log, cx) = audited();
    let dry = Cx { dry_run: true, ..cx };
    let error = gateway.approve(&tool("send"), None, &dry).unwrap_err();
    let described = DryRun::find(&error).expect("a dry run");
    assert_eq!(described.0.summary, "approve `mail/send`");
    assert!(gateway.reject_all(&tool("send").source, |_, _| true, &dry).is_err());
    assert!(gateway.delete_feedback("everything", &dry, |_| true).is_err());
    assert_eq!(gateway.quarantined().iter().filter(|tool| !tool.is_rejected).count(), 2);
    assert!(log.lines().is_empty());
}

#[tokio::test]
async fn a_definition_that_was_not_seen_is_not_rejected_and_agents_decide_nothing() {
    let gateway = with_two_quarantined().await;
    let other = gateway
        .quarantined()
        .into_iter()
        .find(|quarantined| quarantined.id == tool("read"))
        .unwrap()
        .digest;
    assert!(matches!(
        gateway.reject(&tool("send"), Some(other), &cli()),
        Err(Error::ChangedAgain { .. })
    ));
    assert!(matches!(gateway.reject(&tool("send"), None, &agent()), Err(Error::NotForAgents)));
    assert!(matches!(
        gateway.accept_all(&tool("send").source, |_, _| true, &agent()),
        Err(Error::NotForAgents)
    ));
    assert_eq!(gateway.quarantined().iter().filter(|tool| tool.is_rejected).count(), 0);
}

#[tokio::test]
async fn a_decision_about_a_source_covers_only_seen_definitions() {
    let mail = Arc::new(Actor::new("mail", &["send: Sends", "read: Reads"]).reviewed());
    let gateway = Gateway::builder().source(mail.clone()).build().unwrap();
    gateway.refresh(&cli()).await;
    mail.set_tools(&["send: Sends it all", "read: Reads it all"]);
    gateway.refresh(&cli()).await;
    let seen: BTreeMap<_, _> =
        gateway.quarantined().into_iter().map(|tool| (tool.id, tool.digest)).collect();
    let is_seen = |tool: &ToolId, digest| seen.get(tool) == Some(&digest);
    mail.set_tools(&["send: Sends it all", "read: Reads it all, and more"]);
    gateway.refresh(&cli()).await;
    let source = tool("send").source;
    let changed =
        |decided| matches!(decided, Err(Error::ChangedAgain { tool: id }) if id == tool("read"));
    assert!(changed(gateway.accept_all(&source, is_seen, &cli())));
    assert!(changed(gateway.reject_all(&source, is_seen, &cli())));
    assert_eq!(gateway.quarantined().iter().filter(|tool| !tool.is_rejected).count(), 2);
}

async fn set(
    gateway: &Gateway,
    level: LevelName,
    pattern: &str,
    policy: Option<Policy>,
    cx: &Cx,
) -> Result<(), Error> {
    let update = PolicyUpdate { level, pattern: pattern.to_owned(), policy };
    gateway.set_policy(update, cx, |_| async { Ok(()) }).await
}

#[tokio::test]
async fn a_policy_is_set_for_a_session_and_never_looser_than_its_parents() {
    let global = PolicyRules::default().rule("mail/*", Policy::Ask).rule("mail/send", Policy::Deny);
    let policies = Policies::new().with(LevelName::Global, global);
    let gateway = Gateway::builder().policies(policies).build().unwrap();
    let (log, cx) = audited();
    for pattern in ["mail/send", "mail/read", "mail/*"] {
        let error =
            set(&gateway, LevelName::Session, pattern, Some(Policy::Allow), &cx).await.unwrap_err();
        assert!(
            matches!(&error, Error::PolicyTooLoose { allowed, .. } if !allowed.contains(&Policy::Allow)),
            "{error}"
        );
    }
    assert!(
        set(&gateway, LevelName::Session, "no pattern", Some(Policy::Deny), &cx).await.is_err()
    );
    assert!(log.lines().is_empty());
    set(&gateway, LevelName::Session, "*", Some(Policy::Ask), &cx).await.unwrap();
    set(&gateway, LevelName::Session, "mail/send", Some(Policy::Disable), &cx).await.unwrap();
    set(&gateway, LevelName::Session, "*", None, &cx).await.unwrap();
    assert_eq!(log.lines(), ["policy * ask", "policy mail/send disable", "policy * unset"]);
    let session = gateway.policies().level(LevelName::Session).clone();
    assert_eq!(session.rules, [("mail/send".to_owned(), Policy::Disable)]);
}
