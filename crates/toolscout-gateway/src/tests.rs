//! 1. A failing source does not affect the others, and its earlier tools stay.
//! 2. No call reaches a source if its arguments are invalid or it is not authorized.
//! 3. A statically known tool is loaded when it is called, and its arguments are checked again.
//! 4. Defaults are filled in; given values stay.

mod actor;
mod authorization;
mod batch;
mod consent;
mod decisions;
mod events;
mod federation;
mod learning;
mod reconfiguring;
mod requests;
mod resumed;
mod server;
mod source_changes;
mod speed;
mod trust;
mod watching;

pub(crate) use actor::{Actor, agent, waits};
pub(crate) use requests::{ByUser, by};

use crate::policy::{LevelName, Mode, Policies};
use crate::{Error, Gateway, Query};
use futures_util::stream;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use toolscout_core::authorization::Policy;
use toolscout_core::{
    Arguments, Authorized, BoxFuture, BoxStream, Caller, Cx, DiscoveryItem, ErrorKind, PolicyRules,
    RawJson, Source, SourceError, SourceId, SourceKind, Status, Tool, ToolCall, ToolId, ToolName,
    ToolOutput,
};

/// A source in this process that counts its requests and echoes its arguments.
struct Fake {
    id: SourceId,
    origin: SourceKind,
    tools: Vec<Tool>,
    full_schema: Option<Value>,
    is_down: AtomicBool,
    loads: AtomicUsize,
    calls: AtomicUsize,
}

impl Fake {
    fn new(id: &str, tools: &[(&str, Value)]) -> Self {
        let id = SourceId::new(id).unwrap();
        let tools = tools.iter().map(|(name, schema)| {
            let mut tool = Tool::new(ToolId::new(id.clone(), ToolName::new(name).unwrap()));
            tool.input_schema = RawJson::from_value(schema);
            tool
        });
        let tools = tools.collect();
        let (loads, calls) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self {
            id,
            origin: SourceKind::Folder,
            tools,
            full_schema: None,
            is_down: AtomicBool::new(false),
            loads,
            calls,
        }
    }
}

impl Source for Fake {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn kind(&self) -> SourceKind {
        self.origin
    }

    fn discover(&self, _: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        if self.is_down.load(Ordering::SeqCst) {
            let error = SourceError::Unavailable { id: self.id.clone(), what: "down".to_owned() };
            return Box::pin(stream::iter([Err(error)]));
        }
        Box::pin(stream::iter(
            self.tools.iter().map(|tool| Ok(DiscoveryItem::Tool(Arc::new(tool.clone())))),
        ))
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        _: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        self.loads.fetch_add(1, Ordering::SeqCst);
        let mut tool = self.tools.iter().find(|tool| tool.id.name == *name).cloned();
        if let (Some(tool), Some(schema)) = (&mut tool, &self.full_schema) {
            tool.input_schema = RawJson::from_value(schema);
        }
        Box::pin(async { Ok(tool) })
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        _: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let output = ToolOutput::text(Value::Object(call.into_inner().arguments).to_string());
        Box::pin(async { Ok(output) })
    }
}

fn cli() -> Cx {
    Cx::new(Caller::Cli)
}

fn arguments(value: Value) -> Arguments {
    value.as_object().unwrap().clone()
}

fn text(output: &ToolOutput) -> String {
    output.content()[0]["text"].as_str().unwrap().to_owned()
}

async fn gateway(sources: &[&Arc<Fake>]) -> Gateway {
    let builder = sources.iter().fold(Gateway::builder(), |builder, source| {
        builder.source(Arc::clone(source) as Arc<dyn Source>)
    });
    let gateway = builder.build().unwrap();
    gateway.refresh(&cli()).await;
    gateway
}

fn url_schema() -> Value {
    json!({"type": "object", "required": ["url"], "additionalProperties": false, "properties": {
        "url": {"type": "string"},
        "format": {"enum": ["json", "csv"], "default": "json"},
        "retry": {"type": "object", "properties": {"times": {"type": "integer", "default": 3}}},
    }})
}

/// Surfaces run requests on many threads. This test only has to compile.
#[tokio::test]
async fn request_futures_are_send() {
    fn may_move<T: Send>(_: T) {}
    let (gateway, cx) = (gateway(&[]).await, cli());
    may_move(gateway.watch(&cx));
    may_move(gateway.view(&cx));
    may_move(gateway.refresh(&cx));
    may_move(gateway.find("x", &cx));
    may_move(gateway.call("x", Arguments::new(), cli()));
    may_move(gateway.call_all(Vec::new(), cli()));
}

/// Q-30: one source fails while listing.
#[tokio::test]
async fn a_failing_source_keeps_its_earlier_tools_and_does_not_affect_others() {
    let (good, bad) = (
        Arc::new(Fake::new("good", &[("a", json!({}))])),
        Arc::new(Fake::new("bad", &[("b", json!({}))])),
    );
    let gateway = gateway(&[&bad, &good]).await;
    bad.is_down.store(true, Ordering::SeqCst);
    let refreshed = gateway.refresh(&cli()).await;
    assert_eq!(refreshed.failed.len(), 1);
    assert_eq!(refreshed.failed[0].0.as_str(), "bad");
    let hits = gateway.search(&Query::new(""));
    assert_eq!(
        hits.iter().map(|hit| hit.tool.id.to_string()).collect::<Vec<_>>(),
        ["good/a", "bad/b"]
    );
}

#[tokio::test]
async fn two_sources_with_one_id_are_an_error() {
    let one = || Arc::new(Fake::new("same", &[])) as Arc<dyn Source>;
    let error = Gateway::builder().source(one()).source(one()).build().err().unwrap();
    assert_eq!(error.to_string(), "two sources have the id `same`; change one of them");
}

#[tokio::test]
async fn defaults_are_filled_in_and_given_values_stay() {
    let source = Arc::new(Fake::new("s", &[("fetch", url_schema())]));
    let gateway = gateway(&[&source]).await;
    let output =
        gateway.call("fetch", arguments(json!({"url": "", "retry": {}})), cli()).await.unwrap();
    assert_eq!(text(&output), r#"{"url":"","retry":{"times":3},"format":"json"}"#);
}

#[tokio::test]
async fn invalid_arguments_never_reach_the_source_and_all_violations_are_reported() {
    let source = Arc::new(Fake::new("s", &[("fetch", url_schema())]));
    let gateway = gateway(&[&source]).await;
    let error = gateway
        .call("fetch", arguments(json!({"format": "xml", "x": 1})), cli())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let Error::InvalidArguments { violations, .. } = &error else { panic!("{error}") };
    assert_eq!(violations.len(), 3, "{error}");
    assert!(violations.iter().any(|violation| violation.missing.as_deref() == Some("url")));
    assert_eq!(source.calls.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_static_tool_is_loaded_before_its_first_call_and_its_arguments_checked_again() {
    let mut fake = Fake::new("s", &[("fetch", json!({"type": "object"}))]);
    fake.tools[0].status = Status::Static;
    fake.full_schema = Some(url_schema());
    let source = Arc::new(fake);
    let gateway = gateway(&[&source]).await;
    assert!(gateway.call("fetch", arguments(json!({"format": "csv"})), cli()).await.is_err());
    assert_eq!((source.loads.load(Ordering::SeqCst), source.calls.load(Ordering::SeqCst)), (1, 0));
    let output = gateway.call("fetch", arguments(json!({"url": "u"})), cli()).await.unwrap();
    assert_eq!(text(&output), r#"{"url":"u","format":"json"}"#);
}

/// L-02, L-03.
#[tokio::test]
async fn a_denied_tool_is_listed_and_refused_and_a_disabled_one_is_absent() {
    let source = Arc::new(Fake::new("s", &[("no", json!({})), ("gone", json!({}))]));
    let rules = PolicyRules::default().rule("s/no", Policy::Deny).rule("s/gone", Policy::Disable);
    let policies = Policies::new().with(LevelName::Project, rules);
    let gateway = Gateway::builder().source(source.clone()).policies(policies).build().unwrap();
    gateway.refresh(&cli()).await;
    let error = gateway.call("no", Arguments::new(), cli()).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::Refused, "`s/no` is denied by the project rule `s/no`")
    );
    let error = gateway.call("gone", Arguments::new(), cli()).await.unwrap_err();
    assert_eq!(error.to_string(), "`s/gone` is disabled by the project rule `s/gone`");
    let names =
        |tools: Vec<Arc<Tool>>| tools.iter().map(|tool| tool.id.to_string()).collect::<Vec<_>>();
    assert_eq!(names(gateway.snapshot().tools().cloned().collect()), ["s/no"]);
    assert_eq!(
        names(gateway.search(&Query::new("")).into_iter().map(|item| item.tool).collect()),
        ["s/no"]
    );
    assert_eq!(gateway.full_snapshot().len(), 2);
    assert_eq!(source.calls.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn agents_may_not_call_untrusted_tools_and_users_may() {
    let source = Arc::new(Fake::new("s", &[("t", json!({}))]));
    let gateway = gateway(&[&source]).await;
    let error = gateway.call("t", Arguments::new(), Cx::new(Caller::Mcp)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(gateway.call("t", Arguments::new(), cli()).await.is_ok());
}

#[tokio::test]
async fn a_call_that_expects_another_definition_is_refused() {
    let source = Arc::new(Fake::new("s", &[("t", json!({}))]));
    let gateway = gateway(&[&source]).await;
    let tool = gateway.resolve("t").unwrap();
    let mut call = ToolCall::new(tool.id.clone(), Arguments::new());
    call.expect = Some(tool.digest());
    assert!(gateway.call_tool(&tool, call.clone(), cli()).await.is_ok());
    call.expect = Some(toolscout_core::Digest::of_bytes(b"another"));
    assert_eq!(
        gateway.call_tool(&tool, call, cli()).await.unwrap_err().to_string(),
        "the definition of `s/t` has changed since the caller read it"
    );
}

#[tokio::test]
async fn a_reference_that_leaves_the_schema_is_refused_not_fetched() {
    let schema =
        json!({"type": "object", "properties": {"x": {"$ref": "http://127.0.0.1:9/schema.json"}}});
    let source = Arc::new(Fake::new("s", &[("t", schema)]));
    let gateway = gateway(&[&source]).await;
    let error = gateway.call("t", Arguments::new(), cli()).await.unwrap_err();
    assert!(matches!(error, Error::InvalidSchema { .. }), "{error}");
}

/// R-07: the strongest source is found and called; the others stay reachable by their full names.
#[tokio::test]
async fn a_registered_tool_wins_over_server_and_request_tools() {
    let with = |id: &str, origin| {
        let mut fake = Fake::new(id, &[("x", json!({}))]);
        fake.origin = origin;
        Arc::new(fake)
    };
    let (request, server, code) = (
        with("request", SourceKind::Request),
        with("server", SourceKind::Mcp),
        with("code", SourceKind::Code),
    );
    let gateway = gateway(&[&request, &server, &code]).await;
    gateway.call("x", Arguments::new(), cli()).await.unwrap();
    assert_eq!(code.calls.load(Ordering::SeqCst), 1);
    gateway.call("server/x", Arguments::new(), cli()).await.unwrap();
    assert_eq!(server.calls.load(Ordering::SeqCst), 1);
}

/// Sets the policies of the session.
fn set_session(gateway: &Gateway, rules: PolicyRules) {
    gateway.set_policies(Policies::clone(&gateway.policies()).with(LevelName::Session, rules));
}

/// Sets the mode in which policies are applied.
fn set_mode(gateway: &Gateway, mode: Mode) {
    gateway.set_policies(Policies::clone(&gateway.policies()).in_mode(mode));
}
