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
    prompts: Arc<AtomicUsize>,
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
    World { gateway, source, prompts: Arc::default(), clock }
}

impl World {
    async fn pay(&self, to: &str, state: Option<&str>, cx: Cx) -> Result<ToolOutput, Error> {
        let tool = self.gateway.resolve("pay").unwrap();
        let mut call = ToolCall::new(tool.id.clone(), arguments(json!({"to": to})));
        call.resume = state
            .map(|state| Resume { responses: Some(responses()), state: Some(state.to_owned()) });
        self.gateway.call_tool(&tool, call, cx).await
    }

    /// A request with a user who approves, and whose approvals are counted.
    fn with_approving_user(&self, cx: Cx) -> Cx {
        let prompts = self.prompts.clone();
        let answer = move |_: PendingApproval| -> BoxFuture<'static, bool> {
            prompts.fetch_add(1, Ordering::SeqCst);
            Box::pin(async { true })
        };
        Cx { approval_prompt: Some(Arc::new(answer)), ..cx }
    }

    fn prompts(&self) -> usize {
        self.prompts.load(Ordering::SeqCst)
    }

    fn advance_clock(&self, seconds: u64) {
        self.clock.fetch_add(seconds * 1_000, Ordering::SeqCst);
    }
}

fn responses() -> RawJson {
    RawJson::from_value(&json!({"amount": {"action": "accept"}}))
}

#[tokio::test]
async fn input_requests_and_responses_pass_through_unchanged() {
    let world = world(Policy::Allow).await;
    world.source.set_answer(Answer::Wants("first"));
    let wanted = world.pay("bob", None, agent()).await.unwrap();
    assert!(wanted.wants_input() && wanted.warnings().is_empty());
    assert_eq!(wanted.raw().to_value()["requestState"], Value::from("first"));
    world.source.set_answer(Answer::Id);
    assert!(!world.pay("bob", Some("first"), agent()).await.unwrap().wants_input());
    let resume = Resume { responses: Some(responses()), state: Some("first".to_owned()) };
    assert_eq!(world.source.resumed(), [None, Some(resume)]);
}

#[tokio::test]
async fn a_resumed_call_needs_no_second_approval() {
    let world = world(Policy::Ask).await;
    for (state, next) in [(None, "one"), (Some("one"), "two"), (Some("two"), "three")] {
        world.source.set_answer(Answer::Wants(next));
        assert!(
            world
                .pay("bob", state, world.with_approving_user(agent()))
                .await
                .unwrap()
                .wants_input()
        );
    }
    world.source.set_answer(Answer::Id);
    // There is no user to ask, and none is needed.
    world.pay("bob", Some("three"), agent()).await.unwrap();
    assert_eq!((world.prompts(), world.source.called()), (1, 4));
    // The result has used it up.
    assert!(world.pay("bob", Some("three"), agent()).await.is_err());
    assert!(world.pay("bob", None, agent()).await.is_err());
    assert_eq!(world.source.called(), 4);
}

/// T22: if one byte changes, there is no approval.
#[tokio::test]
async fn resuming_another_run_needs_a_new_approval() {
    let world = world(Policy::Ask).await;
    world.source.set_answer(Answer::Wants("state"));
    let ann = || Cx { user: Some("ann".into()), ..agent() };
    world.pay("bob", None, world.with_approving_user(ann())).await.unwrap();
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
    world.source.set_tools(&["pay: Pays twice"]);
    world.gateway.refresh(&cli()).await;
    assert!(world.pay("bob", Some("state"), ann()).await.is_err(), "the definition has changed");
    world.source.set_tools(&["pay"]);
    world.gateway.refresh(&cli()).await;
    world.pay("bob", Some("state"), ann()).await.unwrap();
    assert_eq!(world.source.called(), 2);
}

#[tokio::test]
async fn resuming_does_not_extend_an_approval() {
    let world = world(Policy::Ask).await;
    world.source.set_answer(Answer::Wants("state"));
    world.pay("bob", None, world.with_approving_user(agent())).await.unwrap();
    world.advance_clock(200);
    world.pay("bob", Some("state"), agent()).await.unwrap();
    world.advance_clock(100);
    assert!(world.pay("bob", Some("state"), agent()).await.is_err());
    assert_eq!((world.prompts(), world.source.called()), (1, 2));
}

#[tokio::test]
async fn a_failure_or_a_concurrent_resume_uses_up_the_approval() {
    let world = world(Policy::Ask).await;
    world.source.set_answer(Answer::Wants("state"));
    world.pay("bob", None, world.with_approving_user(agent())).await.unwrap();
    world.source.set_answer(Answer::Down);
    assert!(world.pay("bob", Some("state"), agent()).await.is_err());
    world.source.set_answer(Answer::Wants("state"));
    assert!(world.pay("bob", Some("state"), agent()).await.is_err());
    assert_eq!(world.source.called(), 2);
    world.pay("bob", None, world.with_approving_user(agent())).await.unwrap();
    world.source.set_answer(Answer::Id);
    let (one, other) = tokio::join!(
        world.pay("bob", Some("state"), agent()),
        world.pay("bob", Some("state"), agent())
    );
    assert_eq!(usize::from(one.is_ok()) + usize::from(other.is_ok()), 1);
}

/// An approval does not override a policy that was tightened in between.
#[tokio::test]
async fn a_policy_tightened_in_between_applies() {
    let world = world(Policy::Ask).await;
    world.source.set_answer(Answer::Wants("state"));
    world.pay("bob", None, world.with_approving_user(agent())).await.unwrap();
    set_session(&world.gateway, PolicyRules::default().rule("s/pay", Policy::Deny));
    assert!(world.pay("bob", Some("state"), world.with_approving_user(agent())).await.is_err());
    assert_eq!(world.source.called(), 1);
}

#[tokio::test]
async fn a_stored_approval_covers_resumed_calls() {
    let world = world(Policy::Ask).await;
    world.source.set_answer(Answer::Wants("state"));
    assert!(world.pay("bob", None, agent()).await.is_err());
    let id = world.gateway.pending().unwrap()[0].id.clone();
    world.gateway.decide_approval(&id, true, &cli()).unwrap();
    world.pay("bob", None, agent()).await.unwrap();
    world.source.set_answer(Answer::Id);
    world.pay("bob", Some("state"), agent()).await.unwrap();
    let tool = ToolId::new(SourceId::new("s").unwrap(), ToolName::new("pay").unwrap());
    let again = world
        .gateway
        .call_all(vec![ToolCall::new(tool, arguments(json!({"to": "bob"})))], agent())
        .await;
    assert!(again[0].is_err());
}
