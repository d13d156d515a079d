//! A reverse request reaches the caller of its call, and no other caller.

use super::*;
use crate::secrets::SecretValues;
use crate::{Program, ReferenceLookup, ServerConfig, ServerTransport};
use serde_json::value::RawValue;
use tokio::sync::{Semaphore, broadcast};
use tokio::task::JoinHandle;
use toolscout_core::{LibraryEvent, ReverseChannel, RpcError, SourceId};

/// A channel that records the requests it gets, and responds when the test permits.
pub(crate) struct RecordingChannel {
    capabilities: Value,
    permits: Semaphore,
    received: mpsc::UnboundedSender<(String, String)>,
    /// The number of pending requests.
    pending: Arc<Mutex<usize>>,
}

/// Increments the counter while it exists.
struct PendingGuard(Arc<Mutex<usize>>);

impl Drop for PendingGuard {
    fn drop(&mut self) {
        *self.0.lock() -= 1;
    }
}

impl ReverseChannel for RecordingChannel {
    fn capabilities(&self) -> RawJson {
        RawJson::from_value(&self.capabilities)
    }

    fn request<'a>(
        &'a self,
        method: &'a str,
        params: RawJson,
    ) -> BoxFuture<'a, Result<RawJson, RpcError>> {
        Box::pin(async move {
            let _ = self.received.send((method.to_owned(), params.as_str().to_owned()));
            *self.pending.lock() += 1;
            let _guard = PendingGuard(self.pending.clone());
            self.permits.acquire().await.expect("the semaphore is never closed").forget();
            match method {
                "roots/list" => Err(RpcError { code: -7, message: "no".to_owned(), data: None }),
                _ => Ok(RawJson::parse(r#"{ "action": "accept", "n": 1.0 }"#).expect("JSON")),
            }
        })
    }

    fn notify(&self, method: &str, params: RawJson) {
        let _ = self.received.send((method.to_owned(), params.as_str().to_owned()));
    }
}

/// A caller, and the messages it receives.
struct TestCaller {
    channel: Arc<RecordingChannel>,
    received: mpsc::UnboundedReceiver<(String, String)>,
}

impl TestCaller {
    fn new(capabilities: Value) -> Self {
        let (sender, received) = mpsc::unbounded_channel();
        let channel = RecordingChannel {
            capabilities,
            permits: Semaphore::new(0),
            received: sender,
            pending: Arc::default(),
        };
        Self { channel: Arc::new(channel), received }
    }

    /// A caller with all capabilities.
    fn with_all_capabilities() -> Self {
        Self::new(json!({"elicitation": {}, "sampling": {}, "roots": {}}))
    }

    fn behalf(&self) -> Behalf {
        Behalf::Caller(Some(self.channel.clone()))
    }

    fn permit_responses(&self, count: usize) {
        self.channel.permits.add_permits(count);
    }

    async fn next(&mut self) -> (String, String) {
        tokio::time::timeout(Duration::from_secs(10), self.received.recv())
            .await
            .expect("a request arrives in time")
            .expect("the channel is open")
    }

    fn received_nothing(&mut self) -> bool {
        self.received.try_recv().is_err()
    }

    fn pending(&self) -> usize {
        *self.channel.pending.lock()
    }
}

impl World {
    fn relaying() -> Self {
        let world = Self::silent(Limits::default());
        world.router.relay();
        world
    }

    /// Makes a call on behalf of a caller; also returns its id.
    async fn call(
        &mut self,
        behalf: Behalf,
        limit: Duration,
    ) -> (u64, JoinHandle<Result<RawJson, ClientError>>) {
        let request =
            PeerRequest { behalf, deadline: Instant::now() + limit, ..request("tools/call") };
        let call_task = self.send_request(request);
        (self.next().await["id"].as_u64().expect("a number"), call_task)
    }

    fn server_requests(&self, id: Value, method: &str) {
        self.server_sends(
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"message": "name?"}}),
        );
    }

    /// The error in the next response to the server.
    async fn refusal(&mut self) -> (i64, String) {
        let response = self.next().await;
        let error = &response["error"];
        (
            error["code"].as_i64().expect("an error"),
            error["message"].as_str().expect("a text").to_owned(),
        )
    }
}

const LONG: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_reverse_request_reaches_the_only_caller_and_its_response_is_unmodified() {
    let (mut world, mut caller) = (World::relaying(), TestCaller::with_all_capabilities());
    let (call_id, call_task) = world.call(caller.behalf(), LONG).await;
    world
        .router
        .message(br#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{ "message":"n?", "x":1.0 }}"#);
    assert_eq!(
        caller.next().await,
        ("elicitation/create".to_owned(), r#"{ "message":"n?", "x":1.0 }"#.to_owned())
    );
    caller.permit_responses(1);
    world.next().await;
    let sent = world.wire.last.lock().clone().expect("sent").body;
    assert_eq!(sent, r#"{"jsonrpc":"2.0","id":"q","result":{ "action": "accept", "n": 1.0 }}"#);
    world.server_requests(json!(7), "roots/list");
    caller.permit_responses(1);
    assert_eq!(world.refusal().await, (-7, "no".to_owned()));
    world.server_sends(result(call_id, json!({"done": true})));
    call_task.await.expect("no panic").expect("a result");
}

/// T28, T32: the wire knows which request a message came for.
#[tokio::test]
async fn a_reverse_request_of_a_known_call_reaches_its_caller() {
    let (mut world, mut one, mut other) = (
        World::relaying(),
        TestCaller::with_all_capabilities(),
        TestCaller::with_all_capabilities(),
    );
    let (_, _calling) = world.call(one.behalf(), LONG).await;
    let (second, _other_calling) = world.call(other.behalf(), LONG).await;
    let request =
        json!({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": {}})
            .to_string();
    world.router.message_for(second, request.as_bytes());
    assert_eq!(other.next().await.0, "sampling/createMessage");
    assert!(one.received_nothing());
    world.router.message_for(987_654, request.as_bytes());
    assert!(world.refusal().await.1.contains("no call is in progress"));
}

/// T28, T32: a reverse request that cannot be attributed is refused.
#[tokio::test]
async fn an_ambiguous_reverse_request_is_refused() {
    let (mut world, mut one, mut other) = (
        World::relaying(),
        TestCaller::with_all_capabilities(),
        TestCaller::with_all_capabilities(),
    );
    let (first, call_task) = world.call(one.behalf(), LONG).await;
    let (_, _other_calling) = world.call(other.behalf(), LONG).await;
    world.server_requests(json!(1), "elicitation/create");
    assert!(world.refusal().await.1.contains("several calls are in progress"));
    assert!(one.received_nothing() && other.received_nothing());
    world.server_sends(result(first, json!({})));
    call_task.await.expect("no panic").expect("a result");
    world.server_requests(json!(2), "elicitation/create");
    assert_eq!(other.next().await.0, "elicitation/create");
}

#[tokio::test]
async fn a_caller_without_a_counterpart_counts_in_attribution() {
    let (mut world, mut caller) = (World::relaying(), TestCaller::with_all_capabilities());
    let (_, _mute) = world.call(Behalf::Caller(None), LONG).await;
    world.server_requests(json!(1), "elicitation/create");
    assert_eq!(world.refusal().await.0, RpcError::METHOD);
    let (_, _calling) = world.call(caller.behalf(), LONG).await;
    world.server_requests(json!(2), "elicitation/create");
    assert!(world.refusal().await.1.contains("several calls are in progress"));
    assert!(caller.received_nothing());
}

#[tokio::test]
async fn requests_of_the_client_itself_do_not_count_in_attribution() {
    let (mut world, mut caller) = (World::relaying(), TestCaller::with_all_capabilities());
    let _listing = world.send("tools/list");
    let _ = world.next().await;
    world.server_requests(json!(1), "elicitation/create");
    assert!(world.refusal().await.1.contains("no call is in progress"));
    let (_, _calling) = world.call(caller.behalf(), LONG).await;
    world.server_requests(json!(2), "elicitation/create");
    assert_eq!(caller.next().await.0, "elicitation/create");
}

#[tokio::test]
async fn unsupported_reverse_requests_are_refused_without_relaying() {
    let url = json!({"message": "m", "mode": "url"});
    let form = json!({"message": "m"});
    let cases = [
        (json!({}), "elicitation/create", &form, -32601),
        (json!({"elicitation": {}}), "sampling/createMessage", &form, -32601),
        (json!({"elicitation": {}}), "roots/list", &form, -32601),
        (json!({"elicitation": {}}), "elicitation/create", &url, -32602),
        (json!({"elicitation": {"url": {}}}), "elicitation/create", &form, -32602),
        (json!({"elicitation": {}}), "tasks/get", &form, -32601),
    ];
    for (capabilities, method, params, code) in cases {
        let (mut world, mut caller) = (World::relaying(), TestCaller::new(capabilities.clone()));
        let (_, _calling) = world.call(caller.behalf(), LONG).await;
        world.server_sends(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        assert_eq!(world.refusal().await.0, code, "{capabilities} {method}");
        assert!(caller.received_nothing());
    }
    for capabilities in
        [json!({"elicitation": {"form": {}, "url": {}}}), json!({"elicitation": {"url": {}}})]
    {
        let (mut world, mut caller) = (World::relaying(), TestCaller::new(capabilities));
        let (_, _calling) = world.call(caller.behalf(), LONG).await;
        world.server_sends(
            json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": url}),
        );
        caller.next().await;
    }
}

#[tokio::test]
async fn without_relaying_reverse_requests_are_refused() {
    let (mut world, mut caller) =
        (World::silent(Limits::default()), TestCaller::with_all_capabilities());
    let (_, _calling) = world.call(caller.behalf(), LONG).await;
    world.server_requests(json!(1), "elicitation/create");
    assert_eq!(world.refusal().await.0, -32601);
    assert!(caller.received_nothing());
}

#[tokio::test]
async fn a_reverse_request_ends_with_its_call() {
    let (mut world, mut caller) = (World::relaying(), TestCaller::with_all_capabilities());
    let (call_id, call_task) = world.call(caller.behalf(), LONG).await;
    world.server_requests(json!(1), "elicitation/create");
    caller.next().await;
    assert_eq!(caller.pending(), 1);
    world.server_sends(result(call_id, json!({})));
    call_task.await.expect("no panic").expect("a result");
    assert_eq!(caller.pending(), 0);
    let (_, abandoned) = world.call(caller.behalf(), LONG).await;
    world.server_requests(json!(2), "elicitation/create");
    caller.next().await;
    abandoned.abort();
    let _ = abandoned.await;
    assert_eq!(caller.pending(), 0);
}

#[tokio::test]
async fn a_cancelled_reverse_request_is_dropped_without_a_response() {
    let (mut world, mut caller) = (World::relaying(), TestCaller::with_all_capabilities());
    let (_, _calling) = world.call(caller.behalf(), LONG).await;
    for id in [json!("a"), json!("b")] {
        world.server_requests(id, "elicitation/create");
        caller.next().await;
    }
    world.server_sends(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "a"}}));
    while caller.pending() > 1 {
        tokio::task::yield_now().await;
    }
    caller.permit_responses(2);
    assert_eq!(world.next().await["id"], "b");
    assert_eq!(world.methods(), [] as [&str; 0]);
}

#[tokio::test]
async fn the_number_of_pending_reverse_requests_is_limited() {
    let (mut world, mut caller) = (World::relaying(), TestCaller::with_all_capabilities());
    let (_, _calling) = world.call(caller.behalf(), LONG).await;
    for id in 0..8 {
        world.server_requests(json!(id), "elicitation/create");
        caller.next().await;
    }
    world.server_requests(json!(8), "elicitation/create");
    assert!(world.refusal().await.1.contains("too many concurrent requests"));
    assert_eq!(caller.pending(), 8);
}

/// A user takes longer than a tool.
#[tokio::test]
async fn time_of_pending_reverse_requests_does_not_count() {
    let (mut world, mut caller) = (World::relaying(), TestCaller::with_all_capabilities());
    let (call_id, call_task) = world.call(caller.behalf(), Duration::from_millis(300)).await;
    world.server_requests(json!(1), "elicitation/create");
    caller.next().await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_millis(600)).await;
    tokio::time::resume();
    caller.permit_responses(1);
    assert_eq!(world.next().await["result"]["action"], "accept");
    world.server_sends(result(call_id, json!({})));
    call_task.await.expect("no panic").expect("the deadline pauses for the reverse request");
    let (_, late) = world.call(caller.behalf(), Duration::from_millis(100)).await;
    world.server_requests(json!(2), "elicitation/create");
    caller.permit_responses(1);
    let error = late.await.expect("no panic").expect_err("the deadline resumes after the response");
    assert!(matches!(error, ClientError::TimedOut { .. }), "{error}");
}

/// T28: a reverse request of an abandoned call is not shown to the next caller.
#[tokio::test]
async fn an_abandoned_call_makes_attribution_ambiguous_until_answered() {
    let (mut world, previous, mut next) = (
        World::relaying(),
        TestCaller::with_all_capabilities(),
        TestCaller::with_all_capabilities(),
    );
    let (first, abandoned) = world.call(previous.behalf(), LONG).await;
    abandoned.abort();
    let _ = abandoned.await;
    assert_eq!(world.next().await["method"], "notifications/cancelled");
    let (_, _calling) = world.call(next.behalf(), LONG).await;
    world.server_requests(json!(1), "elicitation/create");
    assert!(world.refusal().await.1.contains("several calls are in progress"));
    assert!(next.received_nothing());
    world.server_sends(result(first, json!({"late": true})));
    world.server_requests(json!(2), "elicitation/create");
    assert_eq!(next.next().await.0, "elicitation/create");
}

#[tokio::test]
async fn log_messages_go_to_their_caller_or_to_all_subscribers() {
    let (mut world, mut one, mut other) = (
        World::relaying(),
        TestCaller::with_all_capabilities(),
        TestCaller::with_all_capabilities(),
    );
    let (events, mut receiver) = broadcast::channel(8);
    world.router.set_event_sender(events);
    let log = |text: &str| json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": text}});
    let (first, _calling) = world.call(one.behalf(), LONG).await;
    world.server_sends(log("only one"));
    assert_eq!(
        one.next().await,
        ("notifications/message".to_owned(), r#"{"data":"only one"}"#.to_owned())
    );
    let (_, _other) = world.call(other.behalf(), LONG).await;
    world.router.message_for(first, log("his").to_string().as_bytes());
    assert_eq!(one.next().await.1, r#"{"data":"his"}"#);
    assert!(receiver.try_recv().is_err(), "messages of a call reach only its caller");
    world.server_sends(log("whose?"));
    assert!(one.received_nothing() && other.received_nothing());
    let Ok(LibraryEvent::Logged(params)) = receiver.try_recv() else {
        panic!("expected a log message")
    };
    assert_eq!(params.as_str(), r#"{"data":"whose?"}"#);
}

/// The secrets of a server's configuration are redacted in its messages to the caller.
#[tokio::test]
async fn reverse_requests_and_logs_are_redacted() {
    let (mut world, mut caller) = (World::relaying(), TestCaller::with_all_capabilities());
    let mut program = Program::default();
    program.env.insert("API_TOKEN".to_owned(), "orange boat".into());
    let server =
        ServerConfig::new(SourceId::new("it").expect("an id"), ServerTransport::Stdio(program));
    world.router.set_secrets(SecretValues::from_config(&server, &ReferenceLookup::new(|_| None)));
    let (_, _calling) = world.call(caller.behalf(), LONG).await;
    for method in ["elicitation/create", "sampling/createMessage"] {
        world
            .server_sends(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": "is orange boat right?"}}));
    }
    world.server_sends(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "orange boat"}}));
    for _ in 0..3 {
        let (method, params) = caller.next().await;
        assert!(params.contains("[REDACTED]") && !params.contains("orange"), "{method} {params}");
    }
}

#[tokio::test]
async fn resource_updates_are_events_and_list_changes_are_counted() {
    let world = World::silent(Limits { notifications: (1, 1), ..Limits::default() });
    let (events, mut receiver) = broadcast::channel(8);
    world.router.set_event_sender(events);
    let changes = world.router.library_changes();
    world.server_sends(json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "a"}}));
    let Ok(LibraryEvent::ResourceUpdated(params)) = receiver.try_recv() else {
        panic!("expected a resource update")
    };
    assert_eq!(params.as_str(), r#"{"uri":"a"}"#);
    for method in ["resources", "prompts", "prompts"] {
        world.server_sends(
            json!({"jsonrpc": "2.0", "method": format!("notifications/{method}/list_changed")}),
        );
    }
    assert_eq!((changes.borrow().resources, changes.borrow().prompts), (1, 2));
}

#[tokio::test]
async fn ids_of_reverse_requests_are_returned_unmodified() {
    let (mut world, caller) = (World::relaying(), TestCaller::with_all_capabilities());
    let (_, _calling) = world.call(caller.behalf(), LONG).await;
    caller.permit_responses(2);
    for id in ["-5", r#""\u0061""#] {
        let raw = RawValue::from_string(id.to_owned()).expect("JSON");
        let line = format!(r#"{{"jsonrpc":"2.0","id":{raw},"method":"elicitation/create"}}"#);
        world.router.message(line.as_bytes());
        world.next().await;
        let sent = world.wire.last.lock().clone().expect("sent").body;
        assert!(sent.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"#)), "{sent}");
    }
}
