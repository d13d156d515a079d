//! 1. Resources and prompts are stored with the tools, and reading them starts nothing.
//! 2. A list that fails affects neither the tools nor the stored entries.
//! 3. Requests start the server and pass unmodified, in either era, over either wire.
//! 4. Subscribers receive changes, even after the server was restarted.

use super::*;
use crate::stdio::tests::Shell;
use crate::{ConfigText, ConnectContext, Program, ServerTransport};
use crate::{ServerConfig, ServerContext};
use futures_util::StreamExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use toolscout_core::{Caller, MemoryStore, SourceId, Store};

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

    fn source(&self, server: ServerConfig) -> McpSource {
        let mut context = ConnectContext::new(self.dir.path().to_owned());
        let limits = crate::limits::Limits {
            listing_interval: Duration::from_millis(50),
            ..Default::default()
        };
        context.limits = Arc::new(limits);
        McpSource::new(
            server,
            Arc::new(
                ServerContext::new(self.store.clone(), crate::partition(self.dir.path()), context)
                    .expect("a key"),
            ),
        )
    }

    fn rich(&self, era: &str) -> McpSource {
        let log = self.log().display().to_string();
        let words = ["--rich", "--era", era, "--log", &log, "--ttl", "60", "--ttl-ms", "60000"];
        let command = toolscout_hostile::example("mcp_hostile_server").display().to_string();
        let args = words.iter().map(|word| ConfigText::from(*word)).collect();
        let program = Program { command: ConfigText::from(&*command), args, ..Program::default() };
        self.source(ServerConfig::new(
            SourceId::new("it").expect("an id"),
            ServerTransport::Stdio(program),
        ))
    }

    fn events(&self, event: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.log()).unwrap_or_default();
        let lines =
            text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
        lines.filter(|line| line["ev"] == event).collect()
    }

    fn request_count(&self, method: &str) -> usize {
        self.events("recv").iter().filter(|event| event["method"] == method).count()
    }
}

fn cx() -> Cx {
    Cx::new(Caller::Mcp).within(Duration::from_secs(20))
}

fn json(value: Value) -> RawJson {
    RawJson::from_value(&value)
}

fn ids(items: &[RawJson], key: &str) -> Vec<String> {
    items.iter().map(|item| item.to_value()[key].as_str().expect("a text").to_owned()).collect()
}

/// The next event, if it arrives soon.
async fn next(events: &mut BoxStream<'_, LibraryEvent>) -> LibraryEvent {
    tokio::time::timeout(Duration::from_secs(10), events.next())
        .await
        .expect("an event arrives in time")
        .expect("the stream continues")
}

async fn call(source: &McpSource, name: &str, arguments: Value) -> Result<RawJson, SourceError> {
    // The gateway makes authorized calls; this test needs only the server.
    let params = json!({"name": name, "arguments": arguments});
    source.request("tools/call", json(params), cx()).await
}

#[tokio::test]
async fn a_library_is_discovered_with_the_tools_and_reading_it_starts_nothing() {
    for era in ["legacy", "modern"] {
        let world = World::new();
        let source = world.rich(era);
        assert_eq!(
            source.contents(&cx()).expect("the contents are empty"),
            LibraryContents::default()
        );
        assert!(world.events("start").is_empty());
        source.refresh(&cx()).await.expect("discovered");
        let contents = world.rich(era).contents(&cx()).expect("remembered");
        assert_eq!(
            ids(&contents.resources, "uri"),
            ["test://readme", "test://picture", "test://numbers"]
        );
        assert_eq!(ids(&contents.templates, "uriTemplate"), ["test://item/{id}"]);
        assert_eq!(ids(&contents.prompts, "name"), ["greet", "ask"]);
        assert_eq!(contents.instructions.as_deref(), Some("Read test://readme first."));
        assert_eq!(
            contents.capabilities.expect("capabilities").to_value()["resources"]["subscribe"],
            true
        );
        assert!(
            contents.resources[1].as_str().contains("\"x-vendor\":1.0"),
            "resources are unchanged"
        );
        assert_eq!(world.events("start").len(), 1);
    }
}

#[tokio::test]
async fn undeclared_lists_are_not_requested() {
    let (world, shell) = (World::new(), Shell::new());
    let source = world.source(shell.server("serve"));
    source.refresh(&cx()).await.expect("discovered");
    let methods: Vec<Value> = shell.log().into_iter().map(|log| log["method"].clone()).collect();
    assert_eq!(methods, ["server/discover", "tools/list"]);
    assert!(source.contents(&cx()).expect("read").resources.is_empty());
}

/// Lists a resource and a prompt; the second time the prompts fail, and there are no templates.
const FAILING: &str = r#"
discovered='{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{},"prompts":{}}}'
on() {
    case $method in
        resources/list) reply '{"resources":[{"uri":"a:1","name":"a"},{"name":"no uri"},{"uri":"a:1"}]}' ;;
        resources/templates/list) refuse -32601 'no such method' ;;
        prompts/list) if [ -e "$LOG.again" ]; then refuse -32603 'not today'; else reply '{"prompts":[{"name":"p"}]}'; fi ;;
        *) usual ;;
    esac
}
serve"#;

#[tokio::test]
async fn a_failed_list_keeps_the_tools_and_the_stored_list() {
    let (world, shell) = (World::new(), Shell::new());
    let source = world.source(shell.server(FAILING));
    source.refresh(&cx()).await.expect("discovered");
    std::fs::write(shell.path("log.again"), "").expect("written");
    let discovered = source.refresh(&cx()).await.expect("the discovery succeeds");
    assert_eq!(discovered.tools, 1);
    let contents = source.contents(&cx()).expect("remembered");
    assert_eq!(
        (ids(&contents.resources, "uri"), ids(&contents.prompts, "name")),
        (vec!["a:1".to_owned()], vec!["p".to_owned()])
    );
    let noted = source
        .state(&cx())
        .expect("a state")
        .record
        .library
        .expect("the contents of the library")
        .excluded;
    assert!(noted.iter().any(|noted| noted.contains("not today")), "{noted:?}");
    assert!(noted.iter().any(|noted| noted.contains("it has no `uri`")), "{noted:?}");
}

/// Never answers `resources/list`.
const SILENT: &str = r#"
discovered='{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{}}}'
on() { [ $method = resources/list ] || usual; }
serve"#;

#[tokio::test]
async fn a_hanging_list_does_not_delay_the_tools() {
    let (world, shell) = (World::new(), Shell::new());
    let source = world.source(ServerConfig {
        discovery_timeout: Some(Duration::from_secs(2)),
        ..shell.server(SILENT)
    });
    assert_eq!(source.refresh(&cx()).await.expect("discovered").tools, 1);
}

#[tokio::test]
async fn requests_start_the_server_and_pass_raw() {
    for era in ["legacy", "modern"] {
        let world = World::new();
        let source = world.rich(era);
        let read = source
            .request("resources/read", json(json!({"uri": "test://item/7"})), cx())
            .await
            .expect("read");
        assert_eq!(read.to_value()["contents"][0]["text"], "text of test://item/7");
        let params = json(json!({"name": "greet", "arguments": {"who": "anna"}}));
        let prompt = source.request("prompts/get", params, cx()).await.expect("a prompt");
        assert_eq!(prompt.to_value()["messages"][0]["content"]["text"], "Greet anna");
        let reference = json!({"type": "ref/prompt", "name": "greet"});
        let params = json(json!({"ref": reference, "argument": {"name": "who", "value": "an"}}));
        let complete =
            source.request("completion/complete", params, cx()).await.expect("completed");
        assert_eq!(complete.to_value()["completion"]["values"], json!(["anna", "anton"]));
        source
            .request("logging/setLevel", json(json!({"level": "info"})), cx())
            .await
            .expect("set");
        let error = source
            .request("resources/read", json(json!({"uri": "x:1"})), cx())
            .await
            .expect_err("the resource is unknown");
        let code = if era == "modern" { -32602 } else { -32002 };
        assert!(matches!(error, SourceError::Answered { code: it, .. } if it == code), "{error}");
        assert_eq!(world.events("start").len(), 1);
        source.stop().await;
    }
}

#[tokio::test]
async fn a_prompt_that_requires_input_fails_without_a_counterpart() {
    let world = World::new();
    let source = world.rich("modern");
    let error = source
        .request("prompts/get", json(json!({"name": "ask"})), cx())
        .await
        .expect_err("the prompt needs input");
    assert!(
        error.to_string().contains("`prompts/get` needs input that this client cannot provide"),
        "{error}"
    );
}

#[tokio::test]
async fn a_barred_server_answers_no_requests() {
    let world = World::new();
    let source = world.rich("modern").barred("nobody trusts it");
    source.request("resources/list", json(json!({})), cx()).await.expect_err("refused");
    assert!(world.events("start").is_empty());
}

#[tokio::test]
async fn subscribers_are_notified_of_changed_lists_after_they_are_stored() {
    for era in ["legacy", "modern"] {
        let world = World::new();
        let source = world.rich(era);
        source.refresh(&cx()).await.expect("discovered");
        let mut events = source.events();
        call(&source, "grow", json!({})).await.expect("the server has new contents");
        let mut received = [next(&mut events).await, next(&mut events).await];
        received.sort_by_key(|item| *item == LibraryEvent::PromptsChanged);
        assert_eq!(
            received,
            [LibraryEvent::ResourcesChanged, LibraryEvent::PromptsChanged],
            "{era}"
        );
        let contents = source.contents(&cx()).expect("remembered");
        assert_eq!((contents.resources.len(), contents.prompts.len()), (4, 3));
        source.stop().await;
    }
}

/// Announces a change after each list.
const CONTRADICTS: &str = r#"
discovered='{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{"listChanged":true}}}'
on() {
    case $method in
        prompts/list)
            reply '{"prompts":[{"name":"p"}]}'
            printf '{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}\n' ;;
        *) usual ;;
    esac
}
serve"#;

/// T11: a storm of changes causes one list at a time, with pauses.
#[tokio::test]
async fn a_listing_that_causes_the_next_one_is_followed_by_a_pause() {
    let (world, shell) = (World::new(), Shell::new());
    let source = world.source(shell.server(CONTRADICTS));
    let _news = source.events();
    let started = Instant::now();
    call(&source, "echo", json!({})).await.expect("it runs");
    let lists = || shell.log().iter().filter(|log| log["method"] == "prompts/list").count();
    crate::stdio::tests::until(|| lists() >= 13).await;
    assert!(
        started.elapsed() >= Duration::from_millis(600),
        "thirteen lists within {:?}",
        started.elapsed()
    );
    source.stop().await;
}

/// A caller that only calls tools does not wait for a library without subscribers.
#[tokio::test]
async fn without_subscribers_a_call_lists_no_library() {
    let world = World::new();
    let source = world.rich("modern");
    call(&source, "echo", json!({"text": "hi"})).await.expect("it runs");
    call(&source, "grow", json!({})).await.expect("the server has new contents");
    call(&source, "echo", json!({"text": "hi"})).await.expect("it runs");
    assert_eq!(world.request_count("resources/list") + world.request_count("prompts/list"), 0);
    source.stop().await;
}

#[tokio::test]
async fn a_subscription_outlives_the_process_of_the_server() {
    for era in ["legacy", "modern"] {
        let world = World::new();
        let source = world.rich(era);
        let mut events = source.events();
        let uri = json!({"uri": "test://numbers"});
        source.request("resources/subscribe", json(uri.clone()), cx()).await.expect("subscribed");
        if era == "modern" {
            subscribed(&world, 1).await;
        }
        for start in 1..=2 {
            call(&source, "touch", uri.clone()).await.expect("touched");
            loop {
                match next(&mut events).await {
                    LibraryEvent::ResourceUpdated(params) => {
                        assert_eq!(params.to_value()["uri"], "test://numbers");
                        break;
                    }
                    LibraryEvent::ResourcesChanged | LibraryEvent::PromptsChanged => {}
                    other => panic!("{other:?}"),
                }
            }
            if start == 1 {
                let process = source.state(&cx()).expect("a state").process.expect("a process");
                let process =
                    rustix::process::Pid::from_raw(i32::try_from(process).expect("a process id"))
                        .expect("not zero");
                rustix::process::kill_process(process, rustix::process::Signal::KILL)
                    .expect("killed");
                subscribed(&world, 2).await;
            }
        }
        let method = if era == "legacy" { "resources/subscribe" } else { "subscriptions/listen" };
        assert!(world.request_count(method) >= 2, "{era}");
        source.request("resources/unsubscribe", json(uri), cx()).await.expect("unsubscribed");
        source.stop().await;
    }
}

/// One subscriber that leaves does not end the subscription of another.
#[tokio::test]
async fn a_resource_is_unsubscribed_when_its_last_subscriber_leaves() {
    let world = World::new();
    let source = world.rich("legacy");
    let uri = json!({"uri": "test://numbers"});
    let send = async |method: &str| {
        source.request(method, json(uri.clone()), cx()).await.expect("accepted");
    };
    send("resources/subscribe").await;
    send("resources/subscribe").await;
    send("resources/unsubscribe").await;
    assert_eq!(world.request_count("resources/unsubscribe"), 0);
    assert_eq!(source.supervisor().subscriptions().len(), 1, "it keeps the server running");
    send("resources/unsubscribe").await;
    assert_eq!(world.request_count("resources/unsubscribe"), 1);
    assert!(source.supervisor().subscriptions().is_empty());
    source.stop().await;
    // Nothing is started to unsubscribe.
    send("resources/unsubscribe").await;
    assert_eq!(world.events("start").len(), 1);
}

/// Waits until the server has received this many subscriptions to the resource.
async fn subscribed(world: &World, times: usize) {
    let is_about = |value: &Value| {
        value["params"].as_str().is_some_and(|text| text.contains("test://numbers"))
    };
    let is_asked = |value: &Value| {
        let method = value["method"].as_str().unwrap_or_default();
        matches!(method, "resources/subscribe" | "subscriptions/listen") && is_about(value)
    };
    crate::stdio::tests::until(|| {
        world.events("recv").iter().filter(|event| is_asked(event)).count() >= times
    })
    .await;
}
