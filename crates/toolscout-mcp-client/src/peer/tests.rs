//! 1. A response reaches its request, once, regardless of other messages; ids are never reused.
//! 2. An unreadable message fails only the request it belongs to.
//! 3. An abandoned request frees its place, and is cancelled at the server by its id.
//! 4. Notifications arrive in order and at a limited rate; changes are counted through any flood.
//! 5. A server gets ping responses at a limited rate, and can send reverse requests, in
//!    [`reverse_requests`].
//! 6. When the connection is lost, all pending requests fail at once.

mod reverse_requests;

use super::super::limits::Limits;
use super::super::wire::{Outgoing, Wire, WireObserver};
use super::{Behalf, ClientError, Peer, PeerRequest, ResponseRouter};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use toolscout_core::{BoxFuture, RawJson};

type Respond = Box<dyn Fn(&Value) -> Vec<String> + Send + Sync>;

/// A wire to a simulated server: messages are recorded, and answered as the test requires.
pub(in super::super) struct FakeWire {
    observer: Arc<dyn WireObserver>,
    respond: Respond,
    sent: mpsc::UnboundedSender<Value>,
    forgotten_ids: Mutex<Vec<u64>>,
    /// The last message.
    pub(in super::super) last: Mutex<Option<Outgoing>>,
}

impl Wire for FakeWire {
    fn send(&self, message: Outgoing) -> BoxFuture<'_, Result<(), ClientError>> {
        Box::pin(async move {
            *self.last.lock() = Some(message.clone());
            let message: Value =
                serde_json::from_str(&message.body).expect("sent messages are JSON");
            // Fails if the test has dropped the receiver.
            let _ = self.sent.send(message.clone());
            for line in (self.respond)(&message) {
                self.observer.message(line.as_bytes());
            }
            Ok(())
        })
    }

    fn forget(&self, id: u64) {
        self.forgotten_ids.lock().push(id);
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// A connection to such a server.
pub(in super::super) struct World {
    pub(in super::super) peer: Arc<Peer>,
    pub(in super::super) router: Arc<ResponseRouter>,
    pub(in super::super) wire: Arc<FakeWire>,
    sent: mpsc::UnboundedReceiver<Value>,
}

impl World {
    pub(in super::super) fn new(
        limits: Limits,
        respond: impl Fn(&Value) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        let world = Self::with_random_ids(limits, respond);
        world.router.use_sequential_ids();
        world
    }

    fn with_random_ids(
        limits: Limits,
        respond: impl Fn(&Value) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        let router = ResponseRouter::new("fake", Arc::new(limits));
        let (sender, sent) = mpsc::unbounded_channel();
        let respond: Respond = Box::new(respond);
        let wire = Arc::new(FakeWire {
            observer: router.clone(),
            respond,
            sent: sender,
            forgotten_ids: Mutex::default(),
            last: Mutex::default(),
        });
        let peer = Arc::new(Peer::new(router.clone(), wire.clone()));
        Self { peer, router, wire, sent }
    }

    fn silent(limits: Limits) -> Self {
        Self::new(limits, |_| Vec::new())
    }

    /// The next sent message.
    pub(in super::super) async fn next(&mut self) -> Value {
        let next = tokio::time::timeout(Duration::from_secs(10), self.sent.recv()).await;
        next.expect("a message is sent in time").expect("the wire is open")
    }

    /// The methods of all messages sent so far.
    pub(in super::super) fn methods(&mut self) -> Vec<String> {
        let all = std::iter::from_fn(|| self.sent.try_recv().ok());
        all.map(|value| value["method"].as_str().unwrap_or("(answer)").to_owned()).collect()
    }

    pub(in super::super) fn into_peer(self) -> (Peer, mpsc::UnboundedReceiver<Value>) {
        let Self { peer, sent, .. } = self;
        (Arc::into_inner(peer).expect("no other reference exists"), sent)
    }

    fn server_sends(&self, message: Value) {
        self.router.message(message.to_string().as_bytes());
    }

    fn send(&self, method: &str) -> tokio::task::JoinHandle<Result<RawJson, ClientError>> {
        self.send_request(request(method))
    }

    fn send_request(
        &self,
        request: PeerRequest,
    ) -> tokio::task::JoinHandle<Result<RawJson, ClientError>> {
        let peer = self.peer.clone();
        #[expect(clippy::disallowed_methods, reason = "the test awaits the task")]
        tokio::spawn(async move { peer.request(request).await })
    }
}

pub(in super::super) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(10)
}

fn request(method: &str) -> PeerRequest {
    PeerRequest::new(method, Map::new(), soon())
}

fn result(id: u64, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

#[tokio::test]
async fn responses_reach_their_requests_in_any_order() {
    let mut world = World::silent(Limits::default());
    let first = world.send("a");
    let first_id = world.next().await["id"].as_u64().expect("a number");
    let second = world.send("b");
    let second_id = world.next().await["id"].as_u64().expect("a number");
    assert_ne!(first_id, second_id);
    world.server_sends(result(second_id, json!({"of": "b"})));
    world.server_sends(result(first_id, json!({"of": "a"})));
    assert_eq!(second.await.expect("no panic").expect("an answer").as_str(), r#"{"of":"b"}"#);
    assert_eq!(first.await.expect("no panic").expect("an answer").as_str(), r#"{"of":"a"}"#);
    assert_eq!(world.peer.router().pending(), 0);
}

/// T08: late, duplicate and unknown responses, and those with an id of another type.
#[tokio::test]
async fn unknown_responses_are_counted_and_ignored() {
    let mut world = World::silent(Limits::default());
    let first = world.send("a");
    assert_eq!(world.next().await["id"], 1);
    world.server_sends(result(987_654, json!({})));
    world.server_sends(json!({"jsonrpc": "2.0", "id": "1", "result": {"poison": true}}));
    world.server_sends(result(1, json!({"right": true})));
    world.server_sends(result(1, json!({"poison": true})));
    assert_eq!(first.await.expect("no panic").expect("an answer").as_str(), r#"{"right":true}"#);
    let second = world.send("b");
    assert_eq!(world.next().await["id"], 2);
    world.server_sends(result(1, json!({"poison": true})));
    world.server_sends(result(2, json!({"right": true})));
    assert_eq!(second.await.expect("no panic").expect("an answer").as_str(), r#"{"right":true}"#);
    assert_eq!(world.peer.router().counts().unknown, 4);
}

#[tokio::test]
async fn an_unreadable_message_fails_only_its_request() {
    let mut world = World::silent(Limits::default());
    let (bad, good) = (world.send("a"), world.send("b"));
    let ids = [world.next().await["id"].clone(), world.next().await["id"].clone()];
    assert_eq!(ids, [json!(1), json!(2)]);
    world.router.message(br#"{"jsonrpc":"2.0","id":1,"result":{"cut"#);
    let error = bad.await.expect("no panic").expect_err("the message is invalid");
    assert!(matches!(error, ClientError::Protocol { .. }), "{error}");
    world.server_sends(result(2, json!({})));
    good.await.expect("no panic").expect("the other request succeeds");
    assert_eq!(world.peer.router().counts().unreadable, 1);
}

#[tokio::test]
async fn a_message_on_several_lines_fails_only_its_request() {
    let mut world = World::silent(Limits::default());
    let (bad, good) = (world.send("a"), world.send("b"));
    let _ = (world.next().await, world.next().await);
    let pretty =
        serde_json::to_string_pretty(&result(1, json!({"items": [{"id": 2}]}))).expect("JSON");
    for line in pretty.lines() {
        world.router.message(line.as_bytes());
    }
    let error =
        bad.await.expect("no panic").expect_err("the message spans several lines").to_string();
    assert!(error.contains("several lines"), "{error}");
    world.server_sends(result(2, json!({})));
    good.await.expect("no panic").expect("the other request succeeds");
}

#[tokio::test]
async fn lines_that_are_no_messages_are_counted() {
    let mut world = World::silent(Limits::default());
    let response = world.send("a");
    let _ = world.next().await;
    let noise = [
        "Server v1.0 started",
        "",
        "  ",
        "42",
        "\"text\"",
        "null",
        r#"{"level":"info"}"#,
        "[1,2]",
        "{",
        "}",
    ];
    for line in noise {
        world.router.message(line.as_bytes());
    }
    world.router.message(b"INFO listing {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    assert_eq!(world.peer.router().counts().noise, 9);
    world.router.message(b" {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r");
    response.await.expect("no panic").expect("the next line is read");
}

#[tokio::test]
async fn dropping_a_request_cancels_it_at_the_server() {
    let mut world = World::silent(Limits::default());
    let (remaining, dropped) = (world.send("a"), world.send("b"));
    let _ = (world.next().await, world.next().await);
    dropped.abort();
    let cancellation = world.next().await;
    assert_eq!(
        (&cancellation["method"], &cancellation["params"]["requestId"]),
        (&json!("notifications/cancelled"), &json!(2))
    );
    assert_eq!(*world.wire.forgotten_ids.lock(), [2]);
    assert_eq!(world.peer.router().pending(), 1);
    world.server_sends(result(1, json!({})));
    remaining.await.expect("no panic").expect("the other request continues");
    assert_eq!(world.methods(), [] as [&str; 0], "an answered request is not cancelled");
}

#[tokio::test]
async fn a_deadline_ends_a_request_and_cancels_it_at_the_server() {
    let mut world = World::silent(Limits::default());
    let late = PeerRequest { deadline: Instant::now() + Duration::from_millis(20), ..request("a") };
    let error = world.peer.request(late).await.expect_err("the request times out");
    assert_eq!(error.to_string(), "`a` timed out after 20 ms");
    let _ = world.next().await;
    assert_eq!(world.next().await["params"]["requestId"], 1);
    let quiet =
        PeerRequest { deadline: Instant::now() + Duration::from_millis(20), ..request("b") }
            .without_cancellation();
    world.peer.request(quiet).await.expect_err("the request times out");
    assert_eq!(world.methods(), ["b"]);
}

/// T40: ten thousand cancelled calls leave nothing behind.
#[tokio::test]
async fn many_cancelled_requests_leave_nothing() {
    let world = World::silent(Limits::default());
    for _ in 0..10_000 {
        let request_future = world.peer.request(request("a"));
        assert!(futures_util::FutureExt::now_or_never(request_future).is_none());
    }
    assert_eq!(world.peer.router().pending(), 0);
}

#[tokio::test]
async fn the_number_of_pending_requests_is_limited() {
    let mut world = World::silent(Limits { pending: 2, ..Limits::default() });
    let call = |method: &str| PeerRequest { behalf: Behalf::Caller(None), ..request(method) };
    let first = world.send_request(call("a"));
    let _second = world.send_request(call("b"));
    let _ = (world.next().await, world.next().await);
    assert!(matches!(world.peer.request(call("c")).await, Err(ClientError::Busy { .. })));
    let _ours = world.send("tools/list");
    assert_eq!(
        world.next().await["method"],
        "tools/list",
        "the limit applies only to requests for callers"
    );
    world.server_sends(result(1, json!({})));
    first.await.expect("no panic").expect("an answer");
    let _third = world.send_request(call("c"));
    assert_eq!(world.next().await["method"], "c");
}

#[tokio::test]
async fn progress_comes_in_order_upwards_and_to_its_owner() {
    let mut world = World::silent(Limits::default());
    let received: Arc<Mutex<Vec<f64>>> = Arc::default();
    let to = received.clone();
    let progress: super::ProgressCallback = Arc::new(move |value| to.lock().push(value.done));
    let (peer, request) =
        (world.peer.clone(), PeerRequest { progress: Some(progress), ..request("a") });
    #[expect(clippy::disallowed_methods, reason = "the test awaits the task")]
    let response = tokio::spawn(async move { peer.request(request).await });
    assert_eq!(world.next().await["params"]["_meta"]["progressToken"], 1);
    let progress = |token: Value, done: f64| {
        let params =
            json!({"progressToken": token, "progress": done, "total": 100, "message": "m"});
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    };
    for (token, done) in
        [(json!(1), 0.0), (json!(1), 50.0), (json!("1"), 60.0), (json!(9), 70.0), (json!(1), 20.0)]
    {
        world.server_sends(progress(token, done));
    }
    world.server_sends(progress(json!(1), 100.0));
    world.server_sends(result(1, json!({})));
    world.server_sends(progress(json!(1), 200.0));
    response.await.expect("no panic").expect("an answer");
    assert_eq!(*received.lock(), [0.0, 50.0, 100.0]);
}

/// T11: a change at the end of a flood is not lost, and the flood is only counted.
#[tokio::test]
async fn changes_are_counted_through_any_flood() {
    let world = World::silent(Limits { notifications: (1, 10), ..Limits::default() });
    let changes = world.router.changes();
    for _ in 0..1_000 {
        world.server_sends(
            json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x"}}),
        );
    }
    world.server_sends(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
    assert!(changes.has_changed().expect("the router exists"));
    assert_eq!(*changes.borrow(), 1);
    assert!(world.router.counts().dropped >= 985, "{:?}", world.router.counts());
}

/// A server that sends a thousand forbidden requests a second gets a few refusals, and then no
/// response.
#[tokio::test]
async fn pings_and_refusals_are_rate_limited() {
    let mut world = World::silent(Limits { requests: (1, 4), ..Limits::default() });
    let response = world.send("a");
    let _ = world.next().await;
    for (id, method) in [
        (json!(1), "ping"),
        (json!("x"), "sampling/createMessage"),
        (json!(2), "elicitation/create"),
    ] {
        world.server_sends(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {}}));
    }
    assert_eq!(world.next().await, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!(world.next().await["error"]["code"], -32601);
    assert_eq!(world.next().await["id"], 2);
    for id in 0..1_000 {
        world.server_sends(json!({"jsonrpc": "2.0", "id": id, "method": "roots/list"}));
    }
    let counts = world.router.counts();
    assert_eq!(counts.requests, 1_003);
    assert!(counts.unanswered >= 990, "{counts:?}");
    world.server_sends(result(1, json!({"ours": true})));
    response.await.expect("no panic").expect("ids of server requests are separate");
}

#[tokio::test]
async fn reverse_requests_of_a_modern_server_get_no_response() {
    let mut world = World::silent(Limits::default());
    world.router.set_modern(true);
    world.server_sends(json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    assert_eq!(world.router.counts().unanswered, 1);
    assert_eq!(world.methods(), [] as [&str; 0]);
}

#[tokio::test]
async fn a_lost_connection_fails_all_requests() {
    let mut world = World::silent(Limits::default());
    let response = world.send("a");
    let _ = world.next().await;
    let lost_error = ClientError::Lost { what: "it exited with code 1".to_owned() };
    world.router.lost(lost_error.clone());
    world.router.lost(ClientError::Lost { what: "later news".to_owned() });
    assert_eq!(response.await.expect("no panic"), Err(lost_error.clone()));
    assert_eq!(world.peer.request(request("b")).await, Err(lost_error.clone()));
    assert_eq!(world.router.wait_until_lost().await, lost_error);
    assert_eq!(world.router.lost_reason(), Some(lost_error));
}

#[tokio::test]
async fn a_wire_can_fail_one_request() {
    let mut world = World::silent(Limits::default());
    let response = world.send("a");
    let _ = world.next().await;
    world.router.failed(1, ClientError::Lost { what: "it has closed its input".to_owned() });
    response.await.expect("no panic").expect_err("failed");
    assert_eq!(world.router.lost_reason(), None);
}

/// V-34, and hostile mode http_length_lie: a server that sends surplus bytes cannot know the id of
/// the next request.
#[tokio::test]
async fn random_ids_are_unpredictable_and_unique() {
    let respond = |value: &Value| {
        vec![json!({"jsonrpc": "2.0", "id": value["id"], "result": {}}).to_string()]
    };
    let mut world = World::with_random_ids(Limits::default(), respond);
    let mut ids = Vec::new();
    for _ in 0..200 {
        world.send("tools/list").await.expect("no panic").expect("an answer");
        ids.push(world.next().await["id"].as_u64().expect("a number"));
    }
    assert!(ids.windows(2).all(|window| window[0] < window[1]) && ids[199] < 1 << 53, "{ids:?}");
    assert!(ids.windows(2).filter(|window| window[1] - window[0] < 1_000).count() < 3, "{ids:?}");
}

/// V-35: a server that answers requests before it receives them.
#[tokio::test]
async fn forged_responses_to_future_requests_are_dropped_and_counted() {
    let respond = |value: &Value| {
        let id = value["id"].as_u64().unwrap_or(0);
        let forged = (1..=31).map(|step| result(id + step, json!({"forged": true})).to_string());
        let own = result(id, json!({"forged": false})).to_string();
        forged.chain([own]).collect()
    };
    let world = World::with_random_ids(Limits::default(), respond);
    for _ in 0..10 {
        let response = world.send("tools/call").await.expect("no panic").expect("a response");
        assert_eq!(response.as_str(), r#"{"forged":false}"#);
    }
    assert_eq!(world.router.counts().unknown, 310);
}
