//! A server may request input from its caller during a call: with a reverse request in the legacy
//! era, with its result in the modern era.

use super::*;
use crate::HttpEndpoint;
use parking_lot::Mutex;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use toolscout_core::{Counterpart, RawJson, Resume, RpcError};

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
struct Person {
    name: &'static str,
    asked: Mutex<Vec<(String, Value)>>,
    told: Mutex<Vec<Value>>,
}

impl Counterpart for Person {
    fn capabilities(&self) -> RawJson {
        RawJson::from_value(
            &json!({"elicitation": {"form": {}}, "sampling": {}, "roots": {}, "tasks": {},
            "extensions": {"io.modelcontextprotocol/tasks": {}, "vendor/ui": {}}}),
        )
    }

    fn ask<'a>(
        &'a self,
        method: &'a str,
        params: RawJson,
    ) -> BoxFuture<'a, Result<RawJson, RpcError>> {
        self.asked.lock().push((method.to_owned(), params.to_value()));
        let answer = json!({"action": "accept", "content": {"name": self.name}});
        Box::pin(async move { Ok(RawJson::from_value(&answer)) })
    }

    fn tell(&self, _: &str, params: RawJson) {
        self.told.lock().push(params.to_value());
    }
}

fn person(name: &'static str) -> Arc<Person> {
    Arc::new(Person { name, ..Person::default() })
}

fn of(person: &Arc<Person>) -> Cx {
    Cx { counterpart: Some(person.clone()), ..cx() }
}

impl World {
    fn relaying(&self, server: ServerConfig) -> McpSource {
        let dial = ConnectContext {
            has_counterparts: true,
            ..ConnectContext::new(self.dir.path().to_owned())
        };
        let shared = ServerContext::new(self.store.clone(), self.dir.path(), dial).expect("a key");
        McpSource::new(server, Arc::new(shared))
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
    source.call_running(call, cx).await
}

fn said(output: &ToolOutput) -> Value {
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
async fn a_legacy_server_asks_its_caller_and_gets_the_answer() {
    let world = World::new();
    let (_web, sources) = both(&world, "legacy");
    for source in &sources {
        let anna = person("anna");
        let output = call_as(source, of(&anna), "elicit", json!({"message": "who?"}))
            .await
            .expect("a result");
        assert_eq!(
            said(&output)["result"],
            json!({"action": "accept", "content": {"name": "anna"}})
        );
        let (method, params) = anna.asked.lock()[0].clone();
        assert_eq!(
            (method.as_str(), &params["message"], &params["vendor"]),
            ("elicitation/create", &json!("who?"), &json!(1.0))
        );
        for tool in ["sample", "roots"] {
            call_as(source, of(&anna), tool, json!({})).await.expect("a result");
        }
        let asked: Vec<String> = anna.asked.lock().iter().map(|it| it.0.clone()).collect();
        assert_eq!(asked, ["elicitation/create", "sampling/createMessage", "roots/list"]);
        let output =
            call_as(source, of(&anna), "elicit", json!({"mode": "url"})).await.expect("a result");
        assert_eq!(said(&output)["error"]["code"], -32602, "not what this caller can do");
        let output = call_as(source, cx(), "elicit", json!({})).await.expect("a result");
        assert_eq!(said(&output)["error"]["code"], -32601, "nobody is there");
        source.stop().await;
    }
}

#[tokio::test]
async fn a_legacy_server_is_told_what_callers_can_do_only_where_there_are_some() {
    let world = World::new();
    let declared = json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}});
    let server = || world.server("honest", &["--rich", "--era", "legacy"]);
    for (source, expected) in
        [(world.relaying(server()), declared), (world.source(server()), json!({}))]
    {
        let output = call_as(&source, of(&person("anna")), "capabilities", json!({}))
            .await
            .expect("a result");
        assert_eq!(said(&output), expected);
        source.stop().await;
    }
}

#[tokio::test]
async fn a_modern_server_is_told_what_this_caller_can_do_through_us() {
    let world = World::new();
    let (_web, sources) = both(&world, "modern");
    for source in &sources {
        let output = call_as(source, of(&person("anna")), "capabilities", json!({}))
            .await
            .expect("a result");
        let expected = json!({"elicitation": {"form": {}}, "sampling": {}, "roots": {}, "extensions": {"vendor/ui": {}}});
        assert_eq!(said(&output), expected);
        let output = call_as(source, cx(), "capabilities", json!({})).await.expect("a result");
        assert_eq!(said(&output), json!({}));
        source.stop().await;
    }
}

#[tokio::test]
async fn a_modern_server_answers_with_its_question_and_is_called_again_with_the_answer() {
    let world = World::new();
    let (_web, sources) = both(&world, "modern");
    for source in &sources {
        let anna = person("anna");
        let output = call_as(source, of(&anna), "elicit", json!({"message": "who?"}))
            .await
            .expect("a question");
        assert!(output.wants_input());
        let question = output.raw().to_value();
        assert_eq!(question["inputRequests"]["it"]["params"]["message"], "who?");
        let resume = Resume {
            responses: RawJson::parse(r#"{"it":{ "action":"accept", "n":1.0 }}"#).ok(),
            state: question["requestState"].as_str().map(str::to_owned),
        };
        let output = resume_as(source, of(&anna), "elicit", json!({}), Some(resume))
            .await
            .expect("a result");
        assert!(!output.wants_input());
        let got = json!({"inputResponses": {"it": {"action": "accept", "n": 1.0}}, "requestState": "st-1"});
        assert_eq!(said(&output), got);
        assert!(anna.asked.lock().is_empty(), "whoever called puts the question");
        let error = call_as(source, cx(), "elicit", json!({}))
            .await
            .expect_err("nobody is there")
            .to_string();
        assert!(error.contains("needs input that this client cannot give"), "{error}");
        source.stop().await;
    }
}

/// T28, T32: over HTTP each reverse request arrives on the stream of its call.
#[tokio::test]
async fn callers_at_the_same_time_are_asked_what_their_own_call_wants_to_know() {
    let world = World::new();
    let web = Web::new(&["--rich", "--era", "legacy"]);
    let source = world.relaying(web.server());
    let people: Vec<_> = ["anna", "bert", "cleo", "dora"].map(person).into();
    let calls =
        people.iter().map(|it| call_as(&source, of(it), "elicit", json!({"message": it.name})));
    for (person, output) in people.iter().zip(join_all(calls).await) {
        assert_eq!(said(&output.expect("a result"))["result"]["content"]["name"], person.name);
        let asked = person.asked.lock();
        assert_eq!((asked.len(), &asked[0].1["message"]), (1, &json!(person.name)));
    }
    source.stop().await;
}

/// T28, T32: over pipes a reverse request cannot be attributed, so it is refused unless there is
/// only one caller.
#[tokio::test]
async fn over_pipes_nobody_is_asked_what_may_be_anothers_question() {
    let world = World::new();
    let source = world.relaying(world.server("honest", &["--rich", "--era", "legacy"]));
    let (anna, bert) = (person("anna"), person("bert"));
    call_as(&source, of(&anna), "echo", json!({"text": "hi"})).await.expect("it runs");
    let calls = tokio::join!(
        call_as(&source, of(&bert), "sleep", json!({"seconds": 0.5})),
        call_as(&source, of(&anna), "elicit", json!({})),
    );
    let refusal = said(&calls.1.expect("a result"))["error"]["message"].to_string();
    assert!(refusal.contains("several calls are in progress"), "{refusal}");
    assert!(anna.asked.lock().is_empty() && bert.asked.lock().is_empty());
    source.stop().await;
}

#[tokio::test]
async fn a_question_that_is_withdrawn_gets_no_answer() {
    struct Slow(tokio::sync::mpsc::UnboundedSender<()>);
    impl Counterpart for Slow {
        fn capabilities(&self) -> RawJson {
            RawJson::from_value(&json!({"elicitation": {}}))
        }
        fn ask<'a>(&'a self, _: &'a str, _: RawJson) -> BoxFuture<'a, Result<RawJson, RpcError>> {
            let _ = self.0.send(());
            Box::pin(std::future::pending())
        }
        fn tell(&self, _: &str, _: RawJson) {}
    }
    let world = World::new();
    let (_web, sources) = both(&world, "legacy");
    for source in &sources {
        let (sender, mut asked) = tokio::sync::mpsc::unbounded_channel();
        let cx = Cx { counterpart: Some(Arc::new(Slow(sender))), ..cx() };
        let output =
            call_as(source, cx, "elicit", json!({"withdraw": true})).await.expect("a result");
        assert_eq!(text(&output), "withdrawn");
        asked.try_recv().expect("it was put first");
        source.stop().await;
    }
}

#[tokio::test]
async fn what_is_logged_and_reported_during_a_call_reaches_its_caller_in_order() {
    let world = World::new();
    for era in ["legacy", "modern"] {
        let (_web, sources) = both(&world, era);
        for source in &sources {
            let anna = person("anna");
            let steps: Arc<Mutex<Vec<f64>>> = Arc::default();
            let to = steps.clone();
            let cx =
                Cx { progress: Some(Arc::new(move |it| to.lock().push(it.done))), ..of(&anna) };
            call_as(source, cx.clone(), "log", json!({"count": 20})).await.expect("a result");
            let told: Vec<u64> =
                anna.told.lock().iter().filter_map(|it| it["data"]["number"].as_u64()).collect();
            assert_eq!(told, (0..20).collect::<Vec<_>>(), "{era}");
            call_as(source, cx, "progress", json!({"steps": 3})).await.expect("a result");
            assert_eq!(*steps.lock(), [1.0, 2.0, 3.0]);
            source.stop().await;
        }
    }
}

/// Results with any content pass byte for byte.
#[tokio::test]
async fn a_result_with_everything_in_it_comes_whole() {
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
