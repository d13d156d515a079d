//! A tool outside a scope cannot be listed, found, named or called, and all scopes share one
//! catalog and one index.

use super::*;
use crate::tests::{Actor, agent};
use crate::{Error, Query};
use toolscout_core::Arguments;
use toolscout_core::authorization::Policy;

fn source(id: &str) -> SourceId {
    SourceId::new(id).expect("an id")
}

fn patterns_of(patterns: &[&str]) -> ToolPatterns {
    ToolPatterns::parse(patterns).expect("patterns")
}

fn only(patterns: &[&str]) -> Scope {
    Scope { include: Some(patterns_of(patterns)), ..Scope::default() }
}

fn names(gateway: &Gateway) -> Vec<String> {
    gateway.snapshot().tools().map(|tool| tool.id.to_string()).collect()
}

async fn two_sources() -> (Arc<Gateway>, Arc<Actor>) {
    let mail = Arc::new(Actor::new("mail", &["send: Sends a message", "read: Reads a message"]));
    let files =
        Arc::new(Actor::new("files", &["read_file: Reads a file", "write_file: Writes a file"]));
    let gateway = Gateway::builder().source(mail.clone()).source(files).build().expect("two ids");
    gateway.refresh(&agent()).await;
    (Arc::new(gateway), mail)
}

#[test]
fn sources_are_in_scope_whole_in_part_or_not_at_all() {
    let scope = Scope {
        exclude: patterns_of(&["web/x", "gone"]),
        ..only(&["fs/read_*", "web/*", "mail", "gone"])
    };
    let has = |id: &str| {
        let id = source(id);
        (scope.has_source(&id), scope.has_library_of(&id), scope.has_every_tool_of(&id))
    };
    assert_eq!(has("fs"), (true, false, false));
    assert_eq!(has("web"), (true, true, false));
    assert_eq!(has("mail"), (true, true, true));
    assert_eq!(has("gone"), (false, false, false));
    assert_eq!(has("other"), (false, false, false));
}

#[tokio::test]
async fn a_tool_outside_the_scope_is_unknown_everywhere() {
    let (gateway, mail) = two_sources().await;
    gateway.set_scopes(Scope::default(), [("files".to_owned(), only(&["files/read_*"]))]);
    let scoped = gateway.within("files");
    assert_eq!(names(&scoped), ["files/read_file"]);
    assert_eq!(names(&gateway).len(), 4);
    let hits = scoped.search(&Query::new("reads a message"));
    assert_eq!(
        hits.iter().map(|hit| hit.tool.id.to_string()).collect::<Vec<_>>(),
        ["files/read_file"]
    );
    for name in ["mail/send", "mail__send", "send", "files/write_file"] {
        assert!(
            matches!(scoped.find(name, &agent()).await, Err(Error::UnknownTool { .. })),
            "{name}"
        );
        let called = scoped.call(name, Arguments::new(), agent()).await;
        assert!(matches!(called, Err(Error::UnknownTool { .. })), "{name}");
    }
    let known = gateway.resolve("mail/send").expect("the tool exists outside the scope");
    let called = scoped.call_tool(
        &known,
        toolscout_core::ToolCall::new(known.id.clone(), Arguments::new()),
        agent(),
    );
    assert!(matches!(called.await, Err(Error::UnknownTool { .. })));
    assert_eq!(mail.called(), 0);
    gateway
        .call("mail/send", Arguments::new(), agent())
        .await
        .expect("the call succeeds outside the scope");
}

#[tokio::test]
async fn a_scope_tightens_policies_and_lists_tools_for_itself_only() {
    let (gateway, _) = two_sources().await;
    let listed = patterns_of(&["mail/send"]);
    let rules = PolicyRules::default().rule("mail/read", Policy::Disable);
    gateway.set_scopes(
        Scope::default(),
        [("mail".to_owned(), Scope { listed, rules, ..only(&["mail"]) })],
    );
    let scoped = gateway.within("mail");
    assert_eq!(names(&scoped), ["mail/send"]);
    let visibility =
        |gateway: &Gateway| gateway.resolve("mail/send").expect("the tool exists").visibility;
    assert_eq!(visibility(&scoped), Visibility::Listed);
    assert_eq!(visibility(&gateway), Visibility::Searchable);
    assert!(gateway.resolve("mail/read").is_ok());
}

#[tokio::test]
async fn scoped_catalogs_are_cached_and_follow_changes() {
    let (gateway, _) = two_sources().await;
    let scoped = gateway.within("some");
    assert!(names(&scoped).is_empty(), "there is no such scope yet");
    gateway.set_scopes(Scope::default(), [("some".to_owned(), only(&["mail/send"]))]);
    let (first, again) = (scoped.snapshot(), scoped.snapshot());
    assert!(Arc::ptr_eq(&first, &again));
    let mut changes = gateway.changes();
    changes.mark_unchanged();
    gateway.set_scopes(Scope::default(), [("some".to_owned(), only(&["mail"]))]);
    assert!(changes.has_changed().expect("the channel is open"));
    assert_eq!(names(&scoped), ["mail/send", "mail/read"]);
    gateway.remove_source(&source("mail"));
    assert!(names(&scoped).is_empty());
}
