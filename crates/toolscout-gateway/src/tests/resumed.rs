//! 1. An unfinished call reaches its tool again, with the requested input.
//! 2. A user who approved a call does not have to approve it again when it continues.
//! 3. That holds for exactly this call and this run, once per request for input, within five
//!    minutes.

use super::actor::{Actor, Answer, agent};
use super::{arguments, cli, set_session};
use crate::policy::{LevelName, Policies};
use crate::{Approvals, Error, Gateway};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use toolscout_core::authorization::{PendingApproval, Policy};
use toolscout_core::{
    BoxFuture, Caller, Cx, MemoryStore, Moment, PolicyRules, RawJson, Resume, SourceId, ToolCall,
    ToolId, ToolName, ToolOutput,
};

struct World {
    gateway: Gateway,
    source: Arc<Actor>,
    asked: Arc<AtomicUsize>,
    clock: Arc<AtomicU64>,
}

async fn world(policy: Policy) -> World {
    let (source, clock) =
        (Arc::new(Actor::new("s", &["pay"])), Arc::new(AtomicU64::new(1_000_000)));
    let now = clock.clone();
    let approvals = Approvals::new(Arc::<MemoryStore>::default(), "project");
    let approvals = approvals.by_clock(move || Moment(now.load(Ordering::SeqCst)));
    let policies =
        Policies::new().with(LevelName::Global, PolicyRules::default().rule("s/pay", policy));
    let gateway = Gateway::builder()
        .source(source.clone())
        .approvals(approvals)
        .policies(policies)
        .build()
        .unwrap();
    gateway.refresh(&cli()).await;
    World { gateway, source, asked: Arc::default(), clock }
}

impl World {
    async fn pay(&self, to: &str, state: Option<&str>, cx: Cx) -> Result<ToolOutput, Error> {
        let tool = self.gateway.resolve("pay").unwrap();
        let mut call = ToolCall::new(tool.id.clone(), arguments(json!({"to": to})));
        call.resume =
            state.map(|it| Resume { responses: Some(answers()), state: Some(it.to_owned()) });
        self.gateway.call_tool(&tool, call, cx).await
    }

    /// A request with a user who approves, and whose approvals are counted.
    fn willing(&self, cx: Cx) -> Cx {
        let asked = self.asked.clone();
        let answer = move |_: PendingApproval| -> BoxFuture<'static, bool> {
            asked.fetch_add(1, Ordering::SeqCst);
            Box::pin(async { true })
        };
        Cx { asker: Some(Arc::new(answer)), ..cx }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn later(&self, seconds: u64) {
        self.clock.fetch_add(seconds * 1_000, Ordering::SeqCst);
    }
}

fn answers() -> RawJson {
    RawJson::from_value(&json!({"amount": {"action": "accept"}}))
}

#[tokio::test]
async fn what_a_tool_wants_is_handed_out_as_it_is_and_what_it_gets_reaches_it() {
    let world = world(Policy::Allow).await;
    world.source.answers(Answer::Wants("first"));
    let wanted = world.pay("bob", None, agent()).await.unwrap();
    assert!(wanted.wants_input() && wanted.doubts().is_empty());
    assert_eq!(wanted.raw().to_value()["requestState"], Value::from("first"));
    world.source.answers(Answer::Id);
    assert!(!world.pay("bob", Some("first"), agent()).await.unwrap().wants_input());
    let resume = Resume { responses: Some(answers()), state: Some("first".to_owned()) };
    assert_eq!(world.source.resumed(), [None, Some(resume)]);
}

#[tokio::test]
async fn a_person_is_asked_once_for_a_call_however_often_its_tool_wants_something() {
    let world = world(Policy::Ask).await;
    for (state, next) in [(None, "one"), (Some("one"), "two"), (Some("two"), "three")] {
        world.source.answers(Answer::Wants(next));
        assert!(world.pay("bob", state, world.willing(agent())).await.unwrap().wants_input());
    }
    world.source.answers(Answer::Id);
    // There is no user to ask, and none is needed.
    world.pay("bob", Some("three"), agent()).await.unwrap();
    assert_eq!((world.asked(), world.source.called()), (1, 4));
    // The result has used it up.
    assert!(world.pay("bob", Some("three"), agent()).await.is_err());
    assert!(world.pay("bob", None, agent()).await.is_err());
    assert_eq!(world.source.called(), 4);
}

/// T22: if one byte changes, there is no approval.
#[tokio::test]
async fn going_on_with_anything_but_the_very_same_run_is_asked_about() {
    let world = world(Policy::Ask).await;
    world.source.answers(Answer::Wants("state"));
    let ann = || Cx { user: Some("ann".into()), ..agent() };
    world.pay("bob", None, world.willing(ann())).await.unwrap();
    for (to, state, cx) in [
        ("eve", Some("state"), ann()),
        ("bob", Some("other"), ann()),
        ("bob", None, ann()),
        ("bob", Some("state"), agent()),
        ("bob", Some("state"), Cx { user: Some("eve".into()), ..agent() }),
        ("bob", Some("state"), Cx { user: Some("ann".into()), ..Cx::new(Caller::Http) }),
    ] {
        assert!(world.pay(to, state, cx).await.is_err(), "{to} {state:?}");
    }
    assert_eq!(world.source.called(), 1);
    world.source.has(&["pay: Pays twice"]);
    world.gateway.refresh(&cli()).await;
    assert!(world.pay("bob", Some("state"), ann()).await.is_err(), "another definition");
    world.source.has(&["pay"]);
    world.gateway.refresh(&cli()).await;
    world.pay("bob", Some("state"), ann()).await.unwrap();
    assert_eq!(world.source.called(), 2);
}

#[tokio::test]
async fn a_yes_gets_no_younger_by_going_on() {
    let world = world(Policy::Ask).await;
    world.source.answers(Answer::Wants("state"));
    world.pay("bob", None, world.willing(agent())).await.unwrap();
    world.later(200);
    world.pay("bob", Some("state"), agent()).await.unwrap();
    world.later(100);
    assert!(world.pay("bob", Some("state"), agent()).await.is_err());
    assert_eq!((world.asked(), world.source.called()), (1, 2));
}

#[tokio::test]
async fn a_failure_uses_a_yes_up_and_so_does_who_was_quicker() {
    let world = world(Policy::Ask).await;
    world.source.answers(Answer::Wants("state"));
    world.pay("bob", None, world.willing(agent())).await.unwrap();
    world.source.answers(Answer::Down);
    assert!(world.pay("bob", Some("state"), agent()).await.is_err());
    world.source.answers(Answer::Wants("state"));
    assert!(world.pay("bob", Some("state"), agent()).await.is_err());
    assert_eq!(world.source.called(), 2);
    world.pay("bob", None, world.willing(agent())).await.unwrap();
    world.source.answers(Answer::Id);
    let (one, other) = tokio::join!(
        world.pay("bob", Some("state"), agent()),
        world.pay("bob", Some("state"), agent())
    );
    assert_eq!(usize::from(one.is_ok()) + usize::from(other.is_ok()), 1);
}

/// An approval does not override a policy that was tightened in between.
#[tokio::test]
async fn a_policy_that_tightens_meanwhile_counts() {
    let world = world(Policy::Ask).await;
    world.source.answers(Answer::Wants("state"));
    world.pay("bob", None, world.willing(agent())).await.unwrap();
    set_session(&world.gateway, PolicyRules::default().rule("s/pay", Policy::Deny));
    assert!(world.pay("bob", Some("state"), world.willing(agent())).await.is_err());
    assert_eq!(world.source.called(), 1);
}

#[tokio::test]
async fn a_yes_that_waited_in_the_store_carries_as_far() {
    let world = world(Policy::Ask).await;
    world.source.answers(Answer::Wants("state"));
    assert!(world.pay("bob", None, agent()).await.is_err());
    let id = world.gateway.pending().unwrap()[0].id.clone();
    world.gateway.answer_approval(&id, true, &cli()).unwrap();
    world.pay("bob", None, agent()).await.unwrap();
    world.source.answers(Answer::Id);
    world.pay("bob", Some("state"), agent()).await.unwrap();
    let tool = ToolId::new(SourceId::new("s").unwrap(), ToolName::new("pay").unwrap());
    let again = world
        .gateway
        .call_all(vec![ToolCall::new(tool, arguments(json!({"to": "bob"})))], agent())
        .await;
    assert!(again[0].is_err());
}
