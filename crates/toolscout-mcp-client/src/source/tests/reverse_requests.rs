//! A server may request input from its caller during a call: with a reverse request in the legacy
//! era, with its result in the modern era.

mod eras;

use super::*;
use crate::HttpEndpoint;
use parking_lot::Mutex;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use toolscout_core::{RawJson, Resume, ReverseChannel, RpcError};

/// A server over HTTP; stopped when the test ends.
pub(crate) struct Web(Child, String);

impl Web {
    pub(crate) fn new(words: &[&str]) -> Self {
        let mut command = Command::new(hostile());
        command.args(["--http", "0", "--ttl", "60"]).args(words).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening ").expect("an address").to_owned();
        Self(child, address)
    }

    pub(crate) fn server(&self) -> ServerConfig {
        let url = ConfigText::from(format!("http://{}/mcp", self.1).as_str());
        let transport = ServerTransport::Http(HttpEndpoint { url, ..HttpEndpoint::default() });
        ServerConfig::new(SourceId::new("web").expect("an id"), transport)
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Answers every request with its own name, and records requests and notifications.
#[derive(Default)]
struct TestCaller {
    name: &'static str,
    is_legacy: bool,
    requests: Mutex<Vec<(String, Value)>>,
    notifications: Mutex<Vec<Value>>,
}

impl ReverseChannel for TestCaller {
    fn capabilities(&self) -> RawJson {
        RawJson::from_value(
            &json!({"elicitation": {"form": {}}, "sampling": {}, "roots": {}, "tasks": {},
            "extensions": {"io.modelcontextprotocol/tasks": {}, "vendor/ui": {}}}),
        )
    }

    fn request<'a>(
        &'a self,
        method: &'a str,
        params: RawJson,
    ) -> BoxFuture<'a, Result<RawJson, RpcError>> {
        self.requests.lock().push((method.to_owned(), params.to_value()));
        let response = json!({"action": "accept", "content": {"name": self.name}});
        Box::pin(async move { Ok(RawJson::from_value(&response)) })
    }

    fn notify(&self, _: &str, params: RawJson) {
        self.notifications.lock().push(params.to_value());
    }

    fn expects_requests_during_call(&self) -> bool {
        self.is_legacy
    }
}

fn caller(name: &'static str) -> Arc<TestCaller> {
    Arc::new(TestCaller { name, ..TestCaller::default() })
}

fn cx_for(caller: &Arc<TestCaller>) -> Cx {
    Cx { reverse_channel: Some(caller.clone()), ..cx() }
}

impl World {
    fn relaying(&self, server: ServerConfig) -> McpSource {
        let context = ConnectContext {
            has_counterparts: true,
            ..ConnectContext::new(self.dir.path().to_owned())
        };
        let server_context =
            ServerContext::new(self.store.clone(), crate::partition(self.dir.path()), context)
                .expect("a key");
        McpSource::new(server, Arc::new(server_context))
    }
}

async fn call_as(
    source: &McpSource,
    cx: Cx,
    name: &str,
    arguments: Value,
) -> Result<ToolOutput, SourceError> {
    resume_as(source, cx, name, arguments, None).await
}

async fn resume_as(
    source: &McpSource,
    cx: Cx,
    name: &str,
    arguments: Value,
    resume: Option<Resume>,
) -> Result<ToolOutput, SourceError> {
    let id = ToolId::new(source.id().clone(), ToolName::new(name).expect("a name"));
    let call =
        ToolCall { resume, ..ToolCall::new(id, arguments.as_object().expect("an object").clone()) };
    source.call(authorized(call), cx).await
}

fn output_json(output: &ToolOutput) -> Value {
    serde_json::from_str(&text(output)).expect("the text is JSON")
}

/// A source of this era over pipes, and one over HTTP.
fn both(world: &World, era: &str) -> (Web, [McpSource; 2]) {
    let web = Web::new(&["--rich", "--era", era]);
    let sources = [
        world.relaying(world.server("honest", &["--rich", "--era", era])),
        world.relaying(web.server()),
    ];
    (web, sources)
}

#[tokio::test]
async fn a_reverse_request_of_a_legacy_server_reaches_its_caller() {
    let world = World::new();
    let (_web, sources) = both(&world, "legacy");
    for source in &sources {
        let anna = caller("anna");
        let output = call_as(source, cx_for(&anna), "elicit", json!({"message": "who?"}))
            .await
            .expect("a result");
        assert_eq!(
            output_json(&output)["result"],
            json!({"action": "accept", "content": {"name": "anna"}})
        );
        let (method, params) = anna.requests.lock()[0].clone();
        assert_eq!(
            (method.as_str(), &params["message"], &params["vendor"]),
            ("elicitation/create", &json!("who?"), &json!(1.0))
        );
        for tool in ["sample", "roots"] {
            call_as(source, cx_for(&anna), tool, json!({})).await.expect("a result");
        }
        let requests: Vec<String> =
            anna.requests.lock().iter().map(|item| item.0.clone()).collect();
        assert_eq!(requests, ["elicitation/create", "sampling/createMessage", "roots/list"]);
        let output = call_as(source, cx_for(&anna), "elicit", json!({"mode": "url"}))
            .await
            .expect("a result");
        assert_eq!(
            output_json(&output)["error"]["code"],
            -32602,
            "the caller does not support URL mode"
        );
        let output = call_as(source, cx(), "elicit", json!({})).await.expect("a result");
        assert_eq!(
            output_json(&output)["error"]["code"],
            -32601,
            "the caller has no reverse channel"
        );
        source.stop().await;
    }
}

#[tokio::test]
async fn a_legacy_server_gets_capabilities_only_with_counterparts() {
    let world = World::new();
    let declared = json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}});
    let server = || world.server("honest", &["--rich", "--era", "legacy"]);
    for (source, expected) in
        [(world.relaying(server()), declared), (world.source(server()), json!({}))]
    {
        let output = call_as(&source, cx_for(&caller("anna")), "capabilities", json!({}))
            .await
            .expect("a result");
        assert_eq!(output_json(&output), expected);
        source.stop().await;
    }
}

#[tokio::test]
async fn a_modern_server_gets_the_relayable_capabilities_of_the_caller() {
    let world = World::new();
    let (_web, sources) = both(&world, "modern");
    for source in &sources {
        let output = call_as(source, cx_for(&caller("anna")), "capabilities", json!({}))
            .await
            .expect("a result");
        let expected = json!({"elicitation": {"form": {}}, "sampling": {}, "roots": {}, "extensions": {"vendor/ui": {}}});
        assert_eq!(output_json(&output), expected);
        let output = call_as(source, cx(), "capabilities", json!({})).await.expect("a result");
        assert_eq!(output_json(&output), json!({}));
        source.stop().await;
    }
}

#[tokio::test]
async fn an_input_required_result_is_resumed_with_the_response() {
    let world = World::new();
    let (_web, sources) = both(&world, "modern");
    for source in &sources {
        let anna = caller("anna");
        let output = call_as(source, cx_for(&anna), "elicit", json!({"message": "who?"}))
            .await
            .expect("a question");
        assert!(output.wants_input());
        let question = output.raw().to_value();
        assert_eq!(question["inputRequests"]["it"]["params"]["message"], "who?");
        let resume = Resume {
            responses: RawJson::parse(r#"{"it":{ "action":"accept", "n":1.0 }}"#).ok(),
            state: question["requestState"].as_str().map(str::to_owned),
        };
        let output = resume_as(source, cx_for(&anna), "elicit", json!({}), Some(resume))
            .await
            .expect("a result");
        assert!(!output.wants_input());
        let got = json!({"inputResponses": {"it": {"action": "accept", "n": 1.0}}, "requestState": "st-1"});
        assert_eq!(output_json(&output), got);
        assert!(anna.requests.lock().is_empty(), "the caller answers input requests itself");
        let error =
            call_as(source, cx(), "elicit", json!({})).await.expect_err("no listener").to_string();
        assert!(error.contains("needs input that this client cannot provide"), "{error}");
        source.stop().await;
    }
}

/// T28, T32: over HTTP each reverse request arrives on the stream of its call.
#[tokio::test]
async fn concurrent_callers_get_only_their_own_reverse_requests() {
    let world = World::new();
    let web = Web::new(&["--rich", "--era", "legacy"]);
    let source = world.relaying(web.server());
    let people: Vec<_> = ["anna", "bert", "cleo", "dora"].map(caller).into();
    let calls = people
        .iter()
        .map(|people| call_as(&source, cx_for(people), "elicit", json!({"message": people.name})));
    for (caller, output) in people.iter().zip(join_all(calls).await) {
        assert_eq!(
            output_json(&output.expect("a result"))["result"]["content"]["name"],
            caller.name
        );
        let requests = caller.requests.lock();
        assert_eq!((requests.len(), &requests[0].1["message"]), (1, &json!(caller.name)));
    }
    source.stop().await;
}

/// T28, T32: over pipes a reverse request cannot be attributed, so it is refused unless there is
/// only one caller.
#[tokio::test]
async fn over_pipes_ambiguous_reverse_requests_are_refused() {
    let world = World::new();
    let source = world.relaying(world.server("honest", &["--rich", "--era", "legacy"]));
    let (anna, bert) = (caller("anna"), caller("bert"));
    call_as(&source, cx_for(&anna), "echo", json!({"text": "hi"})).await.expect("it runs");
    let calls = tokio::join!(
        call_as(&source, cx_for(&bert), "sleep", json!({"seconds": 0.5})),
        call_as(&source, cx_for(&anna), "elicit", json!({})),
    );
    let refusal = output_json(&calls.1.expect("a result"))["error"]["message"].to_string();
    assert!(refusal.contains("several calls are in progress"), "{refusal}");
    assert!(anna.requests.lock().is_empty() && bert.requests.lock().is_empty());
    source.stop().await;
}

#[tokio::test]
async fn a_cancelled_reverse_request_gets_no_response() {
    struct Slow(tokio::sync::mpsc::UnboundedSender<()>);
    impl ReverseChannel for Slow {
        fn capabilities(&self) -> RawJson {
            RawJson::from_value(&json!({"elicitation": {}}))
        }
        fn request<'a>(
            &'a self,
            _: &'a str,
            _: RawJson,
        ) -> BoxFuture<'a, Result<RawJson, RpcError>> {
            let _ = self.0.send(());
            Box::pin(std::future::pending())
        }
        fn notify(&self, _: &str, _: RawJson) {}
    }
    let world = World::new();
    let (_web, sources) = both(&world, "legacy");
    for source in &sources {
        let (sender, mut requests) = tokio::sync::mpsc::unbounded_channel();
        let cx = Cx { reverse_channel: Some(Arc::new(Slow(sender))), ..cx() };
        let output =
            call_as(source, cx, "elicit", json!({"withdraw": true})).await.expect("a result");
        assert_eq!(text(&output), "withdrawn");
        requests.try_recv().expect("the request was forwarded first");
        source.stop().await;
    }
}

#[tokio::test]
async fn log_messages_and_progress_reach_the_caller_in_order() {
    let world = World::new();
    for era in ["legacy", "modern"] {
        let (_web, sources) = both(&world, era);
        for source in &sources {
            let anna = caller("anna");
            let steps: Arc<Mutex<Vec<f64>>> = Arc::default();
            let to = steps.clone();
            let cx = Cx {
                progress: Some(Arc::new(move |value| to.lock().push(value.done))),
                ..cx_for(&anna)
            };
            call_as(source, cx.clone(), "log", json!({"count": 20})).await.expect("a result");
            let received: Vec<u64> = anna
                .notifications
                .lock()
                .iter()
                .filter_map(|item| item["data"]["number"].as_u64())
                .collect();
            assert_eq!(received, (0..20).collect::<Vec<_>>(), "{era}");
            call_as(source, cx, "progress", json!({"steps": 3})).await.expect("a result");
            assert_eq!(*steps.lock(), [1.0, 2.0, 3.0]);
            source.stop().await;
        }
    }
}

/// Results with any content pass byte for byte.
#[tokio::test]
async fn a_result_with_all_content_types_passes_unmodified() {
    let world = World::new();
    for era in ["legacy", "modern"] {
        let (_web, sources) = both(&world, era);
        for source in &sources {
            let output = call_as(source, cx(), "everything", json!({})).await.expect("a result");
            let raw = output.raw().as_str();
            for part in [
                "\"x-vendor\"",
                "\"resource_link\"",
                "\"audio\"",
                "\"vendor/key\":{\"b\":1,\"a\":2}",
                "\"n\":1.5",
            ] {
                assert!(raw.contains(part), "{part} in {raw}");
            }
            source.stop().await;
        }
    }
}
