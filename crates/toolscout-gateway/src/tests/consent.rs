//! 1. An approval is for one call: this caller, this definition, these arguments, within five
//!    minutes, once.
//! 2. If the client can ask the user directly, it does; then nothing is stored.
//! 3. Agents cannot decide their own requests, and secrets are not shown to the operator.

use super::server::Server;
use super::{arguments, cli};
use crate::policy::{LevelName, Policies};
use crate::{Approvals, Error, Gateway};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use toolscout_core::authorization::{AuthorizationError, PendingApproval, Policy};
use toolscout_core::cx::ApprovalAnswer;
use toolscout_core::{
    BoxFuture, Caller, Cx, Lease, MemoryStore, Moment, Namespace, PolicyRules, Store, StoreError,
};

struct World {
    gateway: Gateway,
    server: Arc<Server>,
    clock: Arc<AtomicU64>,
}

async fn world() -> World {
    world_on(Arc::new(MemoryStore::default())).await
}

async fn world_on(store: Arc<dyn Store>) -> World {
    let server = Arc::new(Server::new("server", &["pay: Pays"]));
    let clock = Arc::new(AtomicU64::new(1_000_000));
    let now = clock.clone();
    let approvals =
        Approvals::new(store, "project").by_clock(move || Moment(now.load(Ordering::SeqCst)));
    let policies = Policies::new()
        .with(LevelName::Global, PolicyRules::default().rule("server/pay", Policy::Ask));
    let gateway = Gateway::builder()
        .source(server.clone())
        .approvals(approvals)
        .policies(policies)
        .build()
        .unwrap();
    gateway.refresh(&cli()).await;
    World { gateway, server, clock }
}

impl World {
    async fn pay(&self, input: Value, cx: Cx) -> Result<(), Error> {
        self.gateway.call("pay", arguments(input), cx).await.map(|_| ())
    }

    /// The id of the pending approval that the call leaves behind.
    async fn request_approval(&self, input: Value, cx: Cx) -> String {
        match self.pay(input, cx).await {
            Err(Error::Refused(AuthorizationError::NeedsApproval {
                approval_id: Some(id),
                ..
            })) => id,
            other => panic!("{other:?}"),
        }
    }

    fn advance_clock(&self, seconds: u64) {
        self.clock.fetch_add(seconds * 1_000, Ordering::SeqCst);
    }
}

fn agent() -> Cx {
    Cx::new(Caller::Mcp)
}

fn agent_of(user: &str) -> Cx {
    Cx { user: Some(user.into()), ..agent() }
}

/// T22.
#[tokio::test]
async fn an_approval_covers_exactly_one_call() {
    let world = world().await;
    let id = world.request_approval(json!({"to": "bob", "amount": 5}), agent_of("ann")).await;
    world.gateway.decide_approval(&id, true, &cli()).unwrap();
    for (input, cx) in [
        (json!({"to": "bob", "amount": 6}), agent_of("ann")),
        (json!({"to": "bob ", "amount": 5}), agent_of("ann")),
        (json!({"to": "bob", "amount": 5, "x": null}), agent_of("ann")),
        (json!({"to": "bob", "amount": 5}), agent_of("eve")),
        (json!({"to": "bob", "amount": 5}), agent()),
        (
            json!({"to": "bob", "amount": 5}),
            Cx { user: Some("ann".into()), ..Cx::new(Caller::Http) },
        ),
    ] {
        assert!(world.pay(input.clone(), cx).await.is_err(), "{input}");
    }
    assert_eq!(world.server.executed(), 0);
    world.pay(json!({"amount": 5, "to": "bob"}), agent_of("ann")).await.unwrap();
    assert!(
        world.pay(json!({"to": "bob", "amount": 5}), agent_of("ann")).await.is_err(),
        "an approval is valid once"
    );
    assert_eq!(world.server.executed(), 1);
}

#[tokio::test]
async fn an_approval_does_not_cover_another_definition() {
    let world = world().await;
    let id = world.request_approval(json!({}), agent()).await;
    world.gateway.decide_approval(&id, true, &cli()).unwrap();
    world.server.set_tools(&["pay: Pays twice"]);
    world.gateway.refresh(&cli()).await;
    world.gateway.accept_all(world.gateway.sources()[0].id(), |_, _| true, &cli()).unwrap();
    assert!(world.pay(json!({}), agent()).await.is_err());
    assert_eq!(world.server.executed(), 0);
}

/// Y-61: replicas of a fleet whose clocks differ by a moment share pending approvals.
#[tokio::test]
async fn a_machine_whose_clock_is_behind_removes_no_decision() {
    let store = Arc::new(MemoryStore::default());
    let (world, behind) = (world_on(store.clone()).await, world_on(store).await);
    world.advance_clock(1);
    let id = world.request_approval(json!({}), agent()).await;
    world.gateway.decide_approval(&id, true, &cli()).unwrap();
    behind.gateway.pending().unwrap();
    assert_eq!(world.gateway.pending().unwrap()[0].approved, Some(true));
    world.pay(json!({}), agent()).await.unwrap();
}

#[tokio::test]
async fn pending_approvals_and_decisions_expire_after_five_minutes() {
    let world = world().await;
    let id = world.request_approval(json!({}), agent()).await;
    world.advance_clock(299);
    world.gateway.decide_approval(&id, true, &cli()).unwrap();
    world.advance_clock(299);
    world.pay(json!({}), agent()).await.unwrap();
    let id = world.request_approval(json!({}), agent()).await;
    world.gateway.decide_approval(&id, true, &cli()).unwrap();
    world.advance_clock(300);
    assert!(world.pay(json!({}), agent()).await.is_err());
    world.advance_clock(300);
    assert!(world.gateway.pending().unwrap().is_empty());
    assert!(matches!(
        world.gateway.decide_approval(&id, true, &cli()),
        Err(Error::UnknownApproval { .. })
    ));
    let id = world.request_approval(json!({}), agent()).await;
    world.gateway.decide_approval(&id, true, &cli()).unwrap();
    world.clock.fetch_sub(3_600_000, Ordering::SeqCst);
    assert!(
        world.pay(json!({}), agent()).await.is_err(),
        "setting the clock back does not extend an approval"
    );
    assert_eq!(world.server.executed(), 1);
}

/// T23, O-10.
#[tokio::test]
async fn the_operator_sees_all_arguments_except_secrets() {
    let world = world().await;
    let long = "x".repeat(5_000);
    let id = world
        .request_approval(
            json!({"to": long, "api_token": "hush", "nested": [{"password": "hush"}]}),
            agent_of("ann"),
        )
        .await;
    let [pending] = &world.gateway.pending().unwrap()[..] else { panic!() };
    let expected =
        json!({"to": long, "api_token": "[REDACTED]", "nested": [{"password": "[REDACTED]"}]});
    assert_eq!(pending.arguments, expected);
    assert_eq!((pending.id.as_str(), pending.user.as_deref()), (id.as_str(), Some("ann")));
    assert_eq!(pending.approved, None);
}

#[tokio::test]
async fn agents_cannot_decide_and_rejections_are_final() {
    let world = world().await;
    let id = world.request_approval(json!({}), agent()).await;
    assert!(matches!(world.gateway.decide_approval(&id, true, &agent()), Err(Error::NotForAgents)));
    assert_eq!(
        world.request_approval(json!({}), agent()).await,
        id,
        "the pending approval is reused"
    );
    world.gateway.decide_approval(&id, false, &cli()).unwrap();
    let error = world.pay(json!({}), agent()).await.unwrap_err();
    assert_eq!(error.to_string(), "`server/pay` is denied because a user rejected this call");
    let error = world.pay(json!({"other": 1}), agent()).await.unwrap_err();
    assert!(error.hint().unwrap().contains("toolscout approve "), "{:?}", error.hint());
}

#[tokio::test]
async fn a_reachable_user_is_prompted_and_nothing_is_stored() {
    let world = world().await;
    let prompts = Arc::new(AtomicUsize::new(0));
    let answering = |approves: bool| {
        let prompts = prompts.clone();
        let answer = move |question: PendingApproval| -> BoxFuture<'static, bool> {
            assert_eq!(question.tool.to_string(), "server/pay");
            prompts.fetch_add(1, Ordering::SeqCst);
            Box::pin(async move { approves })
        };
        Cx { approval_prompt: Some(Arc::new(answer)), ..agent() }
    };
    world.pay(json!({}), answering(true)).await.unwrap();
    let error = world.pay(json!({}), answering(false)).await.unwrap_err();
    assert_eq!(error.to_string(), "`server/pay` is denied because the user rejected this call");
    assert_eq!((prompts.load(Ordering::SeqCst), world.server.executed()), (2, 1));
    assert!(world.gateway.pending().unwrap().is_empty());
}

/// An approval does not cover a definition that changes while the user decides.
#[tokio::test]
async fn a_definition_that_changes_during_the_prompt_is_not_executed() {
    let world = Arc::new(world().await);
    let during = world.clone();
    let answer = move |_: PendingApproval| -> BoxFuture<'static, bool> {
        let during = during.clone();
        Box::pin(async move {
            during.server.set_tools(&["pay: Pays twice"]);
            during.gateway.refresh(&cli()).await;
            true
        })
    };
    let cx = Cx { approval_prompt: Some(Arc::new(answer)), ..agent() };
    assert!(world.pay(json!({}), cx).await.is_err());
    assert_eq!(world.server.executed(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_times_out_leaves_a_pending_approval() {
    let world = world().await;
    let answer =
        |_: PendingApproval| -> BoxFuture<'static, bool> { Box::pin(std::future::pending()) };
    let cx =
        Cx { approval_prompt: Some(Arc::new(answer)), ..agent() }.within(Duration::from_secs(2));
    world.request_approval(json!({}), cx).await;
    assert_eq!(world.gateway.pending().unwrap().len(), 1);
}

/// As [`world`], with calls that stay open for a decision.
async fn waiting_world(wait: Duration) -> World {
    let world = world().await;
    let policies = Policies::clone(&world.gateway.policies()).waiting(wait);
    world.gateway.set_policies(policies);
    world
}

/// Decides the pending approval as soon as there is one.
async fn decide_next(world: &World, approve: bool) -> String {
    loop {
        if let [pending] = &world.gateway.pending().unwrap()[..] {
            world.gateway.decide_approval(&pending.id, approve, &cli()).unwrap();
            return pending.id.clone();
        }
        tokio::task::yield_now().await;
    }
}

/// Y-20.
#[tokio::test(start_paused = true)]
async fn a_call_stays_open_until_it_is_decided() {
    let world = waiting_world(Duration::from_secs(60)).await;
    let (paid, _) = tokio::join!(world.pay(json!({}), agent()), decide_next(&world, true));
    paid.unwrap();
    assert_eq!(world.server.executed(), 1);
    assert!(world.gateway.pending().unwrap().is_empty(), "the approval is used up");
    let (paid, _) = tokio::join!(world.pay(json!({}), agent()), decide_next(&world, false));
    assert!(paid.unwrap_err().to_string().contains("a user rejected this call"));
    // Two clients wait for the same decision: it is for one call.
    let both = async {
        tokio::join!(world.pay(json!({"x": 1}), agent()), {
            world.pay(json!({"x": 1}), agent().within(Duration::from_secs(2)))
        })
    };
    let deciding = async {
        while world.gateway.pending().unwrap().iter().all(|pending| pending.approved.is_some()) {
            tokio::task::yield_now().await;
        }
        let pending = world.gateway.pending().unwrap();
        let open = pending.iter().find(|pending| pending.approved.is_none()).unwrap();
        world.gateway.decide_approval(&open.id, true, &cli()).unwrap();
    };
    let limited = tokio::time::timeout(Duration::from_secs(10), both);
    let (both, ()) = tokio::join!(limited, deciding);
    assert_eq!(world.server.executed(), 2, "{both:?}");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_not_decided_in_time_fails_with_its_id() {
    let world = waiting_world(Duration::from_secs(60)).await;
    let started = tokio::time::Instant::now();
    world.request_approval(json!({}), agent()).await;
    assert_eq!(started.elapsed().as_secs(), 60);
    let started = tokio::time::Instant::now();
    world.request_approval(json!({"x": 1}), agent().within(Duration::from_secs(5))).await;
    assert!(started.elapsed() <= Duration::from_secs(5), "its own deadline is nearer");
}

/// A client of the modern era: the prompt only notes the question, and the answer comes with a
/// repetition of the call.
fn repeating(answer: ApprovalAnswer) -> Cx {
    let ask = |pending: PendingApproval| -> BoxFuture<'static, bool> {
        assert!(!pending.id.is_empty());
        Box::pin(async { false })
    };
    Cx { approval_prompt: Some(Arc::new(ask)), approval_answer: Some(answer), ..agent() }
}

fn answered(id: &str, is_approved: bool) -> Cx {
    repeating(ApprovalAnswer::Given { approval_id: id.into(), is_approved })
}

/// Y-19.
#[tokio::test]
async fn the_answer_in_a_repeated_call_is_valid_once_for_that_call() {
    let world = world().await;
    let id = world.request_approval(json!({}), repeating(ApprovalAnswer::Awaited)).await;
    let other = world.pay(json!({"x": 1}), answered(&id, true)).await;
    assert!(other.is_err(), "another call");
    let unmarked = Cx { approval_prompt: None, ..answered(&id, true) };
    assert!(world.pay(json!({}), unmarked).await.is_err(), "a client that must not approve");
    world.pay(json!({}), answered(&id, true)).await.unwrap();
    assert!(world.pay(json!({}), answered(&id, true)).await.is_err(), "once");
    assert_eq!(world.server.executed(), 1);
}

#[tokio::test]
async fn a_declined_question_can_be_asked_again_and_an_operator_can_reject_it() {
    let world = world().await;
    let id = world.request_approval(json!({}), repeating(ApprovalAnswer::Awaited)).await;
    let declined = world.pay(json!({}), answered(&id, false)).await.unwrap_err();
    assert!(declined.to_string().contains("the user rejected this call"), "{declined}");
    assert!(world.gateway.pending().unwrap().is_empty());
    assert_eq!(world.request_approval(json!({}), repeating(ApprovalAnswer::Awaited)).await, id);
    world.gateway.decide_approval(&id, false, &cli()).unwrap();
    assert!(world.pay(json!({}), answered(&id, true)).await.is_err(), "the operator rejected it");
    assert_eq!(world.server.executed(), 0);
}

#[tokio::test]
async fn pending_approvals_are_limited() {
    let world = world().await;
    for at in 0..120 {
        assert!(world.pay(json!({"at": at}), agent()).await.is_err());
    }
    assert_eq!(world.gateway.pending().unwrap().len(), 100);
}

/// V-77: with the same token and with another one; decided calls do not count.
#[tokio::test]
async fn pending_approvals_of_a_greedy_client_leave_room_for_others() {
    let world = world().await;
    let client = |user: Option<&str>, session: &str| Cx {
        user: user.map(Into::into),
        session: Some(session.into()),
        ..agent()
    };
    for at in 0..120 {
        assert!(world.pay(json!({"at": at}), client(None, "greedy")).await.is_err());
    }
    assert_eq!(world.gateway.pending().unwrap().len(), 100);
    let refused = world.pay(json!({"at": 1_000}), client(None, "greedy")).await;
    let refused = refused.expect_err("refused").to_string();
    assert!(refused.contains("busy, retry after 5 min"), "{refused}");
    for (user, session) in [(None, "honest"), (Some("bob"), "greedy")] {
        world.request_approval(json!({"to": "bob"}), client(user, session)).await;
    }
    let pending = world.gateway.pending().unwrap();
    assert_eq!(pending.len(), 102);
    for one in pending.iter().take(50) {
        world.gateway.decide_approval(&one.id, false, &cli()).unwrap();
    }
    for at in 1_000..1_020 {
        world.request_approval(json!({"at": at}), client(None, "greedy")).await;
    }
    assert_eq!(world.gateway.pending().unwrap().len(), 122);
}

#[tokio::test]
async fn a_plan_requests_no_approval() {
    let world = world().await;
    let tool = world.gateway.resolve("pay").unwrap();
    let call = toolscout_core::ToolCall::new(tool.id.clone(), arguments(json!({"to": "bob"})));
    assert!(world.gateway.plan(&tool, call, &agent()).is_ok());
    assert!(world.gateway.pending().unwrap().is_empty());
}

/// T22: the second user of an approval finds it used up.
#[tokio::test]
async fn an_approval_used_by_another_process_is_void() {
    let world = world_on(Arc::new(Outrun(MemoryStore::default()))).await;
    let id = world.request_approval(json!({}), agent()).await;
    world.gateway.decide_approval(&id, true, &cli()).unwrap();
    assert!(world.pay(json!({}), agent()).await.is_err());
    assert_eq!(world.server.executed(), 0);
}

/// A store in which another process always removes rows first.
struct Outrun(MemoryStore);

impl Store for Outrun {
    fn read(&self, namespace: Namespace, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.read(namespace, key)
    }
    fn write(&self, namespace: Namespace, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.0.write(namespace, key, value)
    }
    fn remove(&self, namespace: Namespace, key: &str) -> Result<bool, StoreError> {
        self.0.remove(namespace, key)
    }
    fn keys(&self, namespace: Namespace) -> Result<Vec<String>, StoreError> {
        self.0.keys(namespace)
    }
    fn swap(
        &self,
        namespace: Namespace,
        key: &str,
        seen: Option<&[u8]>,
        next: Option<&[u8]>,
    ) -> Result<bool, StoreError> {
        let is_done = self.0.swap(namespace, key, seen, next)?;
        Ok(is_done && next.is_some())
    }
    fn lease(&self, name: &str) -> Result<Option<Lease>, StoreError> {
        self.0.lease(name)
    }
    fn is_leased(&self, name: &str) -> Result<bool, StoreError> {
        self.0.is_leased(name)
    }
    fn key(&self) -> Result<[u8; 32], StoreError> {
        self.0.key()
    }
}

/// T22: one approval, a thousand concurrent calls.
#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn one_approval_allows_one_of_a_thousand_concurrent_calls() {
    let world = Arc::new(world().await);
    let id = world.request_approval(json!({}), agent()).await;
    world.gateway.decide_approval(&id, true, &cli()).unwrap();
    let mut racers = JoinSet::new();
    for _ in 0..1_000 {
        let world = world.clone();
        racers.spawn(async move { world.pay(json!({}), agent()).await.is_ok() });
    }
    let won = racers.join_all().await.into_iter().filter(|item| *item).count();
    assert_eq!((won, world.server.executed()), (1, 1));
}
