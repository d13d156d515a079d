//! A server as a source, tested with a real process that behaves well or badly on purpose:
//!
//! 1. listing starts nothing;
//! 2. a discovery stores its result, and ends the process it started;
//! 3. a failure keeps the known tools;
//! 4. a call starts the server once for all callers, and checks the definition first;
//! 5. a server that exits is restarted, unless it was stopped;
//! 6. announcements of a server cost little, in [`changes`];
//! 7. reverse requests go to the caller, in [`reverse_requests`];
//! 8. calls beyond a share wait in turn, in [`queue`].

mod changes;
mod queue;
mod reverse_requests;

use super::*;
use crate::limits::Limits;
use crate::record::DiscoveryStatus;
use crate::stdio::tests::Shell;
use crate::{ConfigText, ConnectContext, Program, ReferenceLookup, ServerTransport};
use futures_util::StreamExt;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use toolscout_core::authorization::{AuthorizationContext, authorize};
use toolscout_core::{Caller, Digest, MemoryStore, RawJson, Store, ToolId};

/// A project with one server, and a log of the messages that the server received.
struct World {
    dir: TempDir,
    store: Arc<dyn Store>,
}

impl World {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a temporary folder"),
            store: Arc::new(MemoryStore::default()),
        }
    }

    fn log(&self) -> PathBuf {
        self.dir.path().join("log")
    }

    /// A server in this mode.
    fn server(&self, mode: &str, more: &[&str]) -> ServerConfig {
        let log = self.log().display().to_string();
        let words = ["--mode", mode, "--log", &log, "--ttl", "60", "--ttl-ms", "60000"];
        let args = words.iter().chain(more).map(|word| ConfigText::from(*word)).collect();
        let program = Program {
            command: ConfigText::from(&*hostile().display().to_string()),
            args,
            ..Program::default()
        };
        let mut server =
            ServerConfig::new(SourceId::new("it").expect("an id"), ServerTransport::Stdio(program));
        server.discovery_timeout = Some(Duration::from_secs(10));
        server
    }

    fn source(&self, server: ServerConfig) -> McpSource {
        self.source_within(server, Limits::default())
    }

    fn source_within(&self, server: ServerConfig, limits: Limits) -> McpSource {
        let mut connect_context = ConnectContext {
            lookup: ReferenceLookup::from_process(),
            ..ConnectContext::new(self.dir.path().to_owned())
        };
        connect_context.limits = Arc::new(limits);
        let context = ServerContext::new(
            self.store.clone(),
            crate::partition(self.dir.path()),
            connect_context,
        )
        .expect("a key");
        McpSource::new(server, Arc::new(context))
    }

    fn events(&self, event: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.log()).unwrap_or_default();
        let lines =
            text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
        lines.filter(|line| line["ev"] == event).collect()
    }

    fn starts(&self) -> usize {
        self.events("start").len()
    }

    fn request_count(&self, method: &str) -> usize {
        self.events("recv").iter().filter(|event| event["method"] == method).count()
    }
}

/// The server for tests: an example of this crate, next to the test executable.
fn hostile() -> PathBuf {
    let own = std::env::current_exe().expect("the path of the test executable");
    let folder = own.parent().and_then(Path::parent).expect("the target folder");
    folder.join("examples").join("mcp_hostile_server")
}

fn cx() -> Cx {
    Cx::new(Caller::Mcp).within(Duration::from_secs(20))
}

async fn listed(source: &McpSource) -> (Vec<Arc<Tool>>, Vec<Diagnostic>) {
    let (mut tools, mut problems) = (Vec::new(), Vec::new());
    let mut found = source.discover(cx());
    while let Some(found) = found.next().await {
        match found.expect("a listing") {
            DiscoveryItem::Tool(tool) => tools.push(tool),
            DiscoveryItem::Diagnostic(problem) => problems.push(problem),
            _ => {}
        }
    }
    (tools, problems)
}

async fn names(source: &McpSource) -> Vec<String> {
    listed(source).await.0.iter().map(|item| item.id.name.to_string()).collect()
}

async fn call(source: &McpSource, name: &str, arguments: Value) -> Result<ToolOutput, SourceError> {
    call_expecting(source, name, arguments, None).await
}

async fn call_expecting(
    source: &McpSource,
    name: &str,
    arguments: Value,
    expect: Option<Digest>,
) -> Result<ToolOutput, SourceError> {
    let id = ToolId::new(source.id().clone(), ToolName::new(name).expect("a name"));
    let mut call = ToolCall::new(id, arguments.as_object().expect("an object").clone());
    call.expect = expect;
    source.call(authorized(call), cx()).await
}

fn authorized(call: ToolCall) -> Authorized<ToolCall> {
    let now =
        AuthorizationContext { digest: call.expect, ..AuthorizationContext::new(Caller::Mcp) };
    let tool = Tool::new(call.tool.clone());
    authorize(call, &tool, now).expect("an authorized call")
}

fn text(output: &ToolOutput) -> String {
    output.content()[0]["text"].as_str().expect("a text").to_owned()
}

/// Checked definitions are not checked again, unless they were modified since.
#[tokio::test]
async fn modified_definitions_are_checked_again() {
    let world = World::new();
    let source = world.source(world.server("honest", &[]));
    source.refresh(&cx()).await.expect("a discovery");
    let mut record = source.context().read(source.server(), &cx()).expect("a record");
    let definitions = &mut record.tools.as_mut().expect("its tools").definitions;
    assert_eq!(record.checked, Some(source.context().records.mark(definitions)));
    assert!(record.packed.is_some());
    let count = definitions.len();
    assert_eq!(names(&source).await.len(), count);
    let twice = r#"{"name":"twice","name":"twice","inputSchema":{"type":"object"}}"#;
    definitions[0] = RawJson::parse(twice).expect("JSON");
    source.context().write(source.server(), &cx(), &record).expect("the record is written");
    let names = names(&source).await;
    assert_eq!(names.len(), count - 1);
    assert!(!names.iter().any(|name| name == "twice"));
}

#[tokio::test]
async fn listing_an_undiscovered_server_starts_nothing_and_reports_it() {
    let world = World::new();
    let source = world.source(world.server("honest", &[]));
    let (tools, problems) = listed(&source).await;
    assert!(tools.is_empty());
    assert_eq!(problems[0].message, "the tools of `it` are not loaded yet");
    assert_eq!(problems[0].hint.as_deref(), Some("toolscout server refresh it"));
    assert_eq!(source.state(&cx()).expect("a state").state, ServerPhase::NotLoaded);
    assert_eq!(world.starts(), 0);
}

#[tokio::test]
async fn a_discovery_remembers_the_tools_and_ends_the_server() {
    let world = World::new();
    let source = world.source(world.server("honest", &[]));
    let found = source.refresh(&cx()).await.expect("discovered");
    assert_eq!((found.tools, found.changed), (6, true));
    assert_eq!(names(&source).await, ["echo", "add", "sleep", "whoami", "fail", "blob"]);
    assert_eq!(world.starts(), 1);
    assert!(
        !world.events("eof").is_empty() || !world.events("exit").is_empty(),
        "the server was asked to exit"
    );
    let state = source.state(&cx()).expect("a state");
    assert_eq!((state.state, state.staleness), (ServerPhase::Ready, None));
}

/// D-25: two concurrent discoveries start one process.
#[tokio::test]
async fn two_discoveries_at_once_start_the_server_once() {
    let world = World::new();
    let one = world.source(world.server("honest", &["--delay", "0.2"]));
    let other = world.source(world.server("honest", &["--delay", "0.2"]));
    let (first, second) =
        tokio::join!(async { one.refresh(&cx()).await.map(|refresh| refresh.tools) }, async {
            other.refresh(&cx()).await.map(|refresh| refresh.tools)
        });
    assert_eq!((first.expect("found"), second.expect("found")), (6, 6));
    assert_eq!(world.starts(), 1);
}

/// D-05, D-06: a failure keeps the known tools, and marks them as stale.
#[tokio::test]
async fn a_failed_discovery_keeps_the_stored_tools() {
    let world = World::new();
    world.source(world.server("honest", &[])).refresh(&cx()).await.expect("discovered");
    let mut broken = world.server("hang_start", &[]);
    broken.discovery_timeout = Some(Duration::from_millis(300));
    let source = world.source(broken);
    let error = source.refresh(&cx()).await.expect_err("the discovery times out");
    assert_eq!(error.kind(), toolscout_core::ErrorKind::TimedOut);
    let (tools, _) = listed(&source).await;
    assert_eq!(tools.len(), 6);
    assert!(tools.iter().all(|tool| tool.provenance.stale));
    let record = source.state(&cx()).expect("a state").record;
    assert_eq!(record.status, DiscoveryStatus::Failed);
    assert!(record.error.expect("a reason").starts_with("timeout: "), "the reason is the timeout");
}

#[tokio::test]
async fn a_discovery_of_an_exited_process_counts_as_failed() {
    let world = World::new();
    let source = world.source(world.server("hang_start", &[]));
    // Dropped midway, as if the process had been killed.
    let _ = tokio::time::timeout(Duration::from_millis(200), source.refresh(&cx())).await;
    let record = source.state(&cx()).expect("a state").record;
    assert_eq!(record.status, DiscoveryStatus::Failed);
    assert_eq!(record.error.as_deref(), Some("discovery was interrupted"));
}

#[tokio::test]
async fn a_server_that_suddenly_lists_no_tools_keeps_them() {
    let world = World::new();
    // The same tools under another configuration do not count.
    world.source(world.server("honest", &[])).refresh(&cx()).await.expect("discovered");
    let vanishing = world.source(world.server("vanish", &[]));
    vanishing.start(&cx()).await.expect("started");
    vanishing.refresh(&cx()).await.expect("the first list");
    let had = names(&vanishing).await.len();
    assert!(had > 0);
    vanishing.refresh(&cx()).await.expect("the second, empty list");
    assert_eq!(names(&vanishing).await.len(), had);
    assert_eq!(vanishing.state(&cx()).expect("a state").staleness, Some(Staleness::Vanished));
}

#[tokio::test]
async fn many_calls_at_once_share_one_server() {
    let world = World::new();
    let source = world.source(world.server("honest", &[]));
    let calls =
        (0..20).map(|index| call(&source, "echo", json!({"text": format!("call {index}")})));
    let answers: Vec<_> =
        join_all(calls).await.into_iter().map(|item| text(&item.expect("an answer"))).collect();
    assert_eq!(answers, (0..20).map(|index| format!("call {index}")).collect::<Vec<_>>());
    assert_eq!((world.starts(), world.request_count("tools/list")), (1, 1));
    assert_eq!(source.state(&cx()).expect("a state").state, ServerPhase::Idle);
    source.stop().await;
    assert_eq!(source.state(&cx()).expect("a state").state, ServerPhase::Ready);
}

/// A tool whose definition differs from the one that the caller has seen is not called.
#[tokio::test]
async fn a_changed_tool_is_not_called() {
    let world = World::new();
    let source = world.source(world.server("honest", &[]));
    source.refresh(&cx()).await.expect("discovered");
    let (tools, _) = listed(&source).await;
    let echo = tools.iter().find(|tool| tool.id.name.as_str() == "echo").expect("echo");
    let right = call_expecting(&source, "echo", json!({"text": "hi"}), Some(echo.digest())).await;
    assert_eq!(text(&right.expect("an answer")), "hi");
    let wrong = Some(Digest::of_bytes(b"another definition"));
    let error =
        call_expecting(&source, "echo", json!({"text": "hi"}), wrong).await.expect_err("refused");
    assert!(matches!(error, SourceError::Changed { .. }), "{error}");
    assert_eq!(world.request_count("tools/call"), 1);
}

/// Modern servers that never change their tools may refuse subscriptions, and still work.
#[tokio::test]
async fn a_server_without_change_notifications_can_be_called() {
    let capabilities =
        [r#"{"tools":{"listChanged":true}}"#, r#"{"tools":{"listChanged":false}}"#, "{}"];
    for (capabilities, times) in capabilities.into_iter().zip([1, 0, 0]) {
        let (world, shell) = (World::new(), Shell::new());
        let discovered =
            format!(r#"{{"supportedVersions":["2026-07-28"],"capabilities":{capabilities}}}"#);
        let script = format!(
            "on() {{ case $method in
            server/discover) reply '{discovered}' ;;
            subscriptions/listen) refuse -32601 'Method not found' ;;
            *) usual ;;
            esac; }}\nserve"
        );
        let source = world.source(shell.server(&script));
        call(&source, "echo", json!({})).await.expect("an answer");
        let requests =
            shell.log().iter().filter(|log| log["method"] == "subscriptions/listen").count();
        assert_eq!(requests, times, "with {capabilities}");
        source.stop().await;
    }
}

/// F-15: a server that is killed restarts soon, unless it was stopped.
#[tokio::test]
async fn a_crashed_server_is_restarted_until_it_is_stopped() {
    let world = World::new();
    let source = world.source(world.server("honest", &[]));
    source.start(&cx()).await.expect("started");
    let first = source.state(&cx()).expect("a state").process.expect("a process");
    kill(first);
    until(|| source.state(&cx()).expect("a state").state == ServerPhase::Failed).await;
    until(|| source.state(&cx()).expect("a state").process.is_some_and(|process| process != first))
        .await;
    assert_eq!(world.starts(), 2);
    kill(source.state(&cx()).expect("a state").process.expect("a process"));
    until(|| source.state(&cx()).expect("a state").state == ServerPhase::Failed).await;
    source.stop().await;
    // Every timer of the next minute fires at once: a restart that is still planned would happen
    // now.
    tokio::time::pause();
    tokio::time::sleep(Duration::from_secs(60)).await;
    tokio::time::resume();
    assert_eq!(
        source.state(&cx()).expect("a state").process,
        None,
        "a stopped server stays stopped"
    );
    assert_eq!(world.starts(), 2, "a stopped server stays stopped");
}

#[tokio::test]
async fn a_server_that_is_stopped_while_starting_stays_stopped() {
    let world = World::new();
    let source = world.source(world.server("hang_start", &[]));
    let cx = cx();
    let stop = async {
        until(|| world.starts() == 1).await;
        source.stop().await;
    };
    let (started, ()) = tokio::join!(source.start(&cx), stop);
    let error = started.expect_err("the start ends").to_string();
    assert!(error.contains("it was stopped while it was starting"), "{error}");
    assert_eq!(world.starts(), 1);
}

#[tokio::test]
async fn an_idle_server_is_stopped() {
    let world = World::new();
    let mut server = world.server("honest", &[]);
    server.idle_timeout = Some(Duration::from_millis(150));
    let source = world.source(server);
    call(&source, "echo", json!({"text": "hi"})).await.expect("an answer");
    until(|| source.state(&cx()).expect("a state").state == ServerPhase::Ready).await;
    until(|| !world.events("eof").is_empty() || !world.events("exit").is_empty()).await;
}

/// Calls do not restart a server over and over if it exits at once.
#[tokio::test]
async fn repeated_calls_of_agents_do_not_bypass_the_backoff() {
    let world = World::new();
    let source = world.source(world.server("exit_now", &[]));
    let first = call(&source, "echo", json!({})).await.expect_err("the server exits");
    assert!(first.to_string().contains("fatal: cannot load config"), "{first}");
    for _ in 0..20 {
        let error = call(&source, "echo", json!({})).await.expect_err("restarts are delayed");
        assert!(matches!(error, SourceError::Busy { .. }), "{error}");
    }
    assert_eq!(world.starts(), 1);
}

/// A result that requests input is an error if there is no counterpart, and the server's text is
/// not repeated.
#[tokio::test]
async fn a_request_for_input_is_not_a_result() {
    let world = World::new();
    let source = world.source(world.server("elicit_phish", &[]));
    let error = call(&source, "echo", json!({"text": "hi"}))
        .await
        .expect_err("the call needs input")
        .to_string();
    assert!(
        error.contains("`echo` needs input that this client cannot provide: a form (elicitation)"),
        "{error}"
    );
    assert!(!error.contains("password") && !error.contains("javascript"), "{error}");
}

#[tokio::test]
async fn a_barred_server_is_not_started() {
    let world = World::new();
    let source = world.source(world.server("honest", &[])).barred("nobody trusts it");
    for refused in [
        source.refresh(&cx()).await.map(drop),
        source.start(&cx()).await,
        call(&source, "echo", json!({})).await.map(drop),
    ] {
        assert_eq!(refused.expect_err("refused").to_string(), "nobody trusts it");
    }
    assert_eq!(world.starts(), 0);
}

fn kill(process: u32) {
    let process = rustix::process::Pid::from_raw(i32::try_from(process).expect("a process id"))
        .expect("not zero");
    rustix::process::kill_process(process, rustix::process::Signal::KILL).expect("killed");
}

/// Waits for the condition; fails after ten seconds.
async fn until(is_so: impl Fn() -> bool) {
    let limit = Instant::now() + Duration::from_secs(10);
    while !is_so() {
        assert!(Instant::now() < limit, "waited for ten seconds");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
