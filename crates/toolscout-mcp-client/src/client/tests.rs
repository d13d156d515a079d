//! 1. A call contains the `_meta` of its era, keeps the caller's `_meta`, and returns the result
//!    byte for byte.
//! 2. Results that violate the protocol are errors; requests for more input are not.
//! 3. A server that turns out to be of the other era gets one handshake.
//! 4. Change notifications arrive as long as the connection lasts.

mod web;

use super::super::handshake::{HandshakeResult, ServerDescription};
use super::super::limits::Limits;
use super::super::peer::tests::{FakeWire, World, soon};
use super::super::stdio::tests::{Shell, until, within};
use super::super::wire::{Outgoing, WireObserver};
use super::open::OpenedConversation;
use super::{McpClient, ProtocolEra};
use crate::ClientError;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use toolscout_core::cx::Progress;
use toolscout_core::{
    BoxFuture, Caller, Cx, RawJson, ReverseChannel, RpcError, SourceId, ToolCall, ToolId, ToolName,
};

fn modern() -> ProtocolEra {
    ProtocolEra::Modern { version: "2026-07-28".to_owned() }
}

fn legacy() -> ProtocolEra {
    ProtocolEra::Legacy { version: "2025-11-25".to_owned() }
}

/// A client whose server answers as the test requires: with a result, or with an error if it has a
/// code.
struct TestConnection {
    client: McpClient,
    sent: mpsc::UnboundedReceiver<Value>,
    wire: Arc<FakeWire>,
    observer: Arc<dyn WireObserver>,
}

impl TestConnection {
    fn new(
        era: ProtocolEra,
        is_http: bool,
        respond: impl Fn(&Value) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        let limits =
            Limits { content_items: 3, probe: Duration::from_millis(50), ..Limits::default() };
        let world = World::new(limits.clone(), move |message| {
            let outcome = message.get("id").and_then(|_| respond(message));
            let key = |value: &Value| if value.get("code").is_some() { "error" } else { "result" };
            let message = outcome.map(
                |outcome| json!({"jsonrpc": "2.0", "id": message["id"], key(&outcome): outcome}),
            );
            message.into_iter().map(|item| item.to_string()).collect()
        });
        let (wire, observer) = (world.wire.clone(), world.router.clone());
        let (peer, sent) = world.into_peer();
        let opened = OpenedConversation {
            peer,
            handshake: HandshakeResult { era, description: ServerDescription::default() },
            is_http,
        };
        let client =
            McpClient::from_opened(SourceId::new("fake").expect("an id"), Arc::new(limits), opened);
        Self { client, sent, wire, observer }
    }

    async fn call(&self, call: &ToolCall, cx: &Cx) -> Result<RawJson, ClientError> {
        self.client.call_tool(call, None, cx, soon()).await
    }

    fn last(&self) -> Outgoing {
        self.wire.last.lock().clone().expect("a message was sent")
    }

    fn methods(&mut self) -> Vec<String> {
        let all = std::iter::from_fn(|| self.sent.try_recv().ok());
        all.map(|value| value["method"].as_str().unwrap_or("(answer)").to_owned()).collect()
    }
}

fn call(arguments: Value) -> ToolCall {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let id =
        ToolId::new(SourceId::new("fake").expect("an id"), ToolName::new("t").expect("a name"));
    ToolCall::new(id, arguments)
}

fn cx() -> Cx {
    Cx::new(Caller::Mcp)
}

fn complete_result() -> Option<Value> {
    Some(json!({"content": [], "resultType": "complete"}))
}

/// The `_meta` that is sent for a call whose caller wrote this `_meta`.
async fn meta_of(era: ProtocolEra, caller_meta: &str, cx: &Cx) -> Value {
    let mut connection = TestConnection::new(era, false, |_| complete_result());
    let call = ToolCall {
        meta: Some(RawJson::parse(caller_meta).expect("JSON")),
        ..call(json!({"a": 1}))
    };
    connection.call(&call, cx).await.expect("a result");
    let sent = connection.sent.recv().await.expect("it was sent");
    assert_eq!(
        (&sent["params"]["name"], &sent["params"]["arguments"]),
        (&json!("t"), &json!({"a": 1}))
    );
    sent["params"]["_meta"].clone()
}

const CALLER_META: &str = r#"{ "vendor/key": 1, "progressToken": "theirs", "traceparent": "theirs",
    "io.modelcontextprotocol/protocolVersion": "1900-01-01", "io.modelcontextprotocol/clientInfo": {"name": "them"} }"#;

#[tokio::test]
async fn a_modern_call_adds_client_info_and_keeps_the_callers_meta() {
    let meta = meta_of(modern(), CALLER_META, &cx()).await;
    assert_eq!(meta["vendor/key"], 1);
    assert_eq!(meta["traceparent"], "theirs");
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "toolscout");
    assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({}));
    assert_eq!(meta.get("progressToken"), None, "the caller has no progress observer");
}

/// A counterpart that receives notifications only.
struct NotificationsOnly;

impl ReverseChannel for NotificationsOnly {
    fn capabilities(&self) -> RawJson {
        RawJson::from_value(&json!([]))
    }

    fn request<'a>(
        &'a self,
        method: &'a str,
        _: RawJson,
    ) -> BoxFuture<'a, Result<RawJson, RpcError>> {
        Box::pin(async move { Err(RpcError::unsupported(method)) })
    }

    fn notify(&self, _: &str, _: RawJson) {}
}

#[tokio::test]
async fn the_log_level_is_sent_only_for_callers_with_a_counterpart() {
    let caller_meta = r#"{"io.modelcontextprotocol/logLevel": "debug"}"#;
    let received = Cx { reverse_channel: Some(Arc::new(NotificationsOnly)), ..cx() };
    for (era, cx, is_sent) in
        [(modern(), &received, true), (modern(), &cx(), false), (legacy(), &received, false)]
    {
        let meta = meta_of(era, caller_meta, cx).await;
        assert_eq!(meta.get("io.modelcontextprotocol/logLevel").is_some(), is_sent, "{meta}");
    }
    assert_eq!(
        meta_of(modern(), "{}", &received).await["io.modelcontextprotocol/clientCapabilities"],
        json!({})
    );
}

#[tokio::test]
async fn a_legacy_call_contains_no_modern_meta() {
    assert_eq!(
        meta_of(legacy(), CALLER_META, &cx()).await,
        json!({"vendor/key": 1, "traceparent": "theirs"})
    );
    assert_eq!(meta_of(legacy(), "[1]", &cx()).await, Value::Null);
}

#[tokio::test]
async fn a_call_contains_the_trace_and_its_own_progress_token() {
    let mut cx = cx();
    cx.trace = Arc::new([("traceparent".to_owned(), "00-ours".to_owned())]);
    cx.progress = Some(Arc::new(|_| ()));
    let meta = meta_of(legacy(), CALLER_META, &cx).await;
    assert_eq!(meta, json!({"vendor/key": 1, "traceparent": "00-ours", "progressToken": 1}));
}

#[tokio::test]
async fn a_result_passes_byte_for_byte() {
    let connection = TestConnection::new(legacy(), false, |_| None);
    let text = r#"{ "content":[ {"type":"text","text":"\u00e9"} ],"isError":true, "x-vendor":1.0,"b":1,"a":2 }"#;
    let tool_call = call(json!({}));
    let cx = cx();
    let (result, ()) = tokio::join!(connection.call(&tool_call, &cx), async {
        until(|| connection.client.pending() == 1).await;
        connection
            .observer
            .message(format!(r#"{{"jsonrpc":"2.0","id":1,"result":{text}}}"#).as_bytes());
    });
    assert_eq!(result.expect("a result").as_str(), text);
}

/// Hostile modes: bad_result_type, elicit_phish, many_items.
#[tokio::test]
async fn results_that_violate_the_protocol_are_errors() {
    let outcome = async |era: ProtocolEra, result: Value| {
        let connection = TestConnection::new(era, false, move |_| Some(result.clone()));
        connection.call(&call(json!({})), &cx()).await.map(|value| value.to_value())
    };
    for kind in [json!("complete "), json!("COMPLETE"), json!("task"), json!(7)] {
        let result = json!({"content": [], "resultType": kind});
        assert!(
            matches!(outcome(modern(), result.clone()).await, Err(ClientError::Protocol { .. })),
            "{result}"
        );
        assert_eq!(
            outcome(legacy(), result.clone()).await,
            Ok(result),
            "legacy servers do not have this key"
        );
    }
    for fine in [
        json!({"content": []}),
        json!({"resultType": "input_required", "inputRequests": {}}),
        json!({}),
    ] {
        assert_eq!(outcome(modern(), fine.clone()).await, Ok(fine));
    }
    for bad in [json!([]), json!("x"), json!(7)] {
        assert!(matches!(outcome(legacy(), bad).await, Err(ClientError::Protocol { .. })));
    }
    for (count, fits) in [(2, true), (3, true), (4, false)] {
        let result = json!({"content": vec![json!({"type": "text", "text": "i"}); count]});
        let outcome = outcome(legacy(), result).await;
        assert_eq!(outcome.is_ok(), fits, "{count}");
        assert!(
            outcome.is_ok()
                || outcome
                    .expect_err("the result has too many items")
                    .to_string()
                    .contains("4 content items")
        );
    }
}

#[tokio::test]
async fn progress_reaches_the_caller() {
    let connection = TestConnection::new(legacy(), false, |_| None);
    let received: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let sink = received.clone();
    let mut cx = cx();
    cx.progress = Some(Arc::new(move |value| sink.lock().push(value)));
    let tool_call = call(json!({}));
    let (result, ()) = tokio::join!(connection.call(&tool_call, &cx), async {
        until(|| connection.client.pending() == 1).await;
        for done in [1, 2] {
            let params = json!({"progressToken": 1, "progress": done, "total": 2, "message": "m"});
            let notification =
                json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
            connection.observer.message(notification.to_string().as_bytes());
        }
        connection.observer.message(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    });
    result.expect("a result");
    let done: Vec<f64> = received.lock().iter().map(|item| item.done).collect();
    assert_eq!(done, [1.0, 2.0]);
}

#[tokio::test]
async fn arguments_are_mirrored_over_modern_http_only() {
    let schema = RawJson::parse(
        r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"q":{"type":"string"}}}"#,
    )
    .expect("JSON");
    for (era, is_http, mirrored) in [(modern(), true, 1), (modern(), false, 0), (legacy(), true, 0)]
    {
        let connection = TestConnection::new(era, is_http, |_| complete_result());
        let call = call(json!({"region": "eu", "q": "x"}));
        connection.client.call_tool(&call, Some(&schema), &cx(), soon()).await.expect("a result");
        let Outgoing { name, mirrored: headers, .. } = connection.last();
        assert_eq!(name.as_deref(), Some("t"));
        assert_eq!(headers.len(), mirrored);
        assert!(headers.iter().all(|header| *header == ("Region".to_owned(), "eu".to_owned())));
    }
}

#[tokio::test]
async fn any_other_request_passes_raw() {
    let mut connection = TestConnection::new(modern(), false, |message| {
        Some(json!({"got": message["params"]["uri"]}))
    });
    let request = async |method: &str, params: Value| {
        connection.client.request(method, &RawJson::from_value(&params), &cx(), soon()).await
    };
    let result = request("resources/read", json!({"uri": "file:///x"})).await.expect("a result");
    assert_eq!(result.as_str(), r#"{"got":"file:///x"}"#);
    assert_eq!(connection.last().name.as_deref(), Some("file:///x"));
    request("ping", Value::Null).await.expect("a result");
    assert!(matches!(request("x", json!([])).await, Err(ClientError::Invalid { .. })));
    assert_eq!(connection.methods(), ["resources/read", "ping"]);
}

/// Hostile modes: era_flip.
#[tokio::test]
async fn a_server_that_turns_out_to_be_legacy_gets_one_handshake() {
    let initialized = AtomicUsize::new(0);
    let mut connection = TestConnection::new(
        modern(),
        false,
        move |message| match message["method"].as_str() {
            Some("initialize") => {
                initialized.fetch_add(1, Ordering::Relaxed);
                Some(
                    json!({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "old"}}),
                )
            }
            _ if initialized.load(Ordering::Relaxed) == 0 => {
                Some(json!({"code": -32002, "message": "Server not initialized"}))
            }
            _ => Some(json!({"tools": []})),
        },
    );
    connection.client.list_tools(soon()).await.expect("a list");
    connection.client.list_tools(soon()).await.expect("a list");
    assert_eq!(connection.client.era().version(), "2025-06-18");
    assert_eq!(connection.client.description().name.as_deref(), Some("old"));
    let expected =
        ["tools/list", "initialize", "notifications/initialized", "tools/list", "tools/list"];
    assert_eq!(connection.methods(), expected);
}

#[tokio::test]
async fn a_server_that_refuses_both_eras_is_not_retried_endlessly() {
    let mut connection = TestConnection::new(modern(), false, |_| {
        Some(json!({"code": -32002, "message": "Server not initialized"}))
    });
    for _ in 0..3 {
        let error = connection.client.list_tools(soon()).await.expect_err("refused");
        assert!(matches!(error, ClientError::Answered { code: -32002, .. }), "{error}");
    }
    assert_eq!(connection.methods(), ["tools/list", "initialize", "tools/list", "tools/list"]);
    assert!(connection.client.era().is_modern());
}

fn acknowledge(connection: &TestConnection, id: u64) {
    let params =
        json!({"_meta": {"io.modelcontextprotocol/subscriptionId": id}, "notifications": {}});
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": params});
    connection.observer.message(notification.to_string().as_bytes());
}

#[tokio::test(start_paused = true)]
async fn an_ended_subscription_is_renewed_and_counts_as_a_change() {
    let mut connection = TestConnection::new(modern(), false, |_| None);
    let (listening, ()) = tokio::join!(connection.client.listen(), async {
        tokio::task::yield_now().await;
        acknowledge(&connection, 1);
    });
    listening.expect("the subscription is acknowledged");
    connection.client.listen().await.expect("a second subscription is a no-op");
    assert_eq!(connection.client.pending(), 0, "a subscription is not a pending request");
    let request = connection.sent.recv().await.expect("a subscription request");
    assert_eq!(request["params"]["notifications"], json!({"toolsListChanged": true}));
    assert_eq!(request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    let mut changes = connection.client.list_changes();
    connection
        .observer
        .message(br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    assert_eq!(*changes.borrow_and_update(), 1);
    connection.observer.message(br#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}"#);
    assert_eq!(
        connection.sent.recv().await.expect("another subscription request")["method"],
        "subscriptions/listen"
    );
    acknowledge(&connection, 2);
    changes.changed().await.expect("a change");
    assert_eq!(*changes.borrow(), 2);
}

#[tokio::test]
async fn a_refused_subscription_is_an_error() {
    let mut connection = TestConnection::new(modern(), false, |_| {
        Some(json!({"code": -32601, "message": "Method not found"}))
    });
    assert!(matches!(
        connection.client.listen().await,
        Err(ClientError::Answered { code: -32601, .. })
    ));
    assert_eq!(connection.methods(), ["subscriptions/listen"]);
    let mut legacy_connection = TestConnection::new(legacy(), false, |_| None);
    legacy_connection.client.listen().await.expect("legacy servers have no subscriptions");
    assert_eq!(legacy_connection.methods(), [] as [&str; 0]);
}

/// F-14: both eras, over real pipes.
#[tokio::test]
async fn servers_of_both_eras_work_over_pipes() {
    let shell = Shell::new();
    let client = shell.connect("serve").await.expect("connected");
    assert_eq!(client.era(), &modern());
    assert_eq!(
        client.list_tools(within(10_000)).await.expect("a list").tools[0].name.as_str(),
        "echo"
    );
    let legacy_connection = "on() { case $method in
        server/discover) refuse -32601 'Method not found' ;;
        initialize) reply '{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{\"name\":\"old\"}}' ;;
        *) usual ;;
        esac; }\nserve";
    let client = shell.connect(legacy_connection).await.expect("connected");
    assert_eq!(
        (client.era().version(), client.description().name.as_deref()),
        ("2025-06-18", Some("old"))
    );
    assert_eq!(client.list_tools(within(10_000)).await.expect("a list").tools.len(), 1);
}

/// A cancelled call reaches the server with its own id, and no other.
#[tokio::test]
async fn a_dropped_call_is_cancelled_at_the_server() {
    let shell = Shell::new();
    let client = shell
        .connect("on() { [ $method = tools/call ] || usual; }\nserve")
        .await
        .expect("connected");
    let (call, cx) = (call(json!({})), cx());
    let tool_call = client.call_tool(&call, None, &cx, within(60_000));
    let logged = |method: &str| shell.log().into_iter().find(|log| log["method"] == method);
    tokio::select! {
        _ = tool_call => panic!("the call completed without an answer"),
        () = until(|| logged("tools/call").is_some()) => {}
    }
    until(|| logged("notifications/cancelled").is_some()).await;
    let (request, cancellation) = (
        logged("tools/call").expect("the message was received"),
        logged("notifications/cancelled").expect("the message was received"),
    );
    assert_eq!(request["id"], cancellation["params"]["requestId"]);
    assert_eq!(client.pending(), 0);
}
