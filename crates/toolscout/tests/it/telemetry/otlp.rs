//! 1. A collector receives discoveries, searches and calls as spans, with their ids, parents, times
//!    and attributes.
//! 2. A trace of a client continues through toolscout to the server, and spans that are not sampled
//!    are not exported.
//! 3. A slow, busy, unreachable or redirecting collector does not affect commands.

mod decode;
mod receiver;

use crate::serve::Agent;
use crate::servers::fixture::wait_until;
use crate::world::World;
pub(super) use decode::Span;
pub(super) use receiver::Receiver;
use receiver::Request;
use serde_json::{Value, json};
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

/// A server that records how it is called.
const NOTING: &str = r#"
while IFS= read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  case $line in
  *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
  *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"say","description":"Says it","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
  *'"tools/call"'*) printf '%s\n' "$line" >> called; printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"said"}]}}\n' "$id" ;;
  esac
done"#;

/// A project with that server, which exports to this collector.
pub(super) fn world(receiver: &Receiver) -> World {
    let words = ["sh", "s.sh"].map(str::to_owned);
    let world = World::trusted().entry("s", &words, "").file("s.sh", NOTING);
    world.var("OTEL_EXPORTER_OTLP_ENDPOINT", &receiver.address())
}

fn named<'a>(spans: &'a [Span], name: &str) -> &'a Span {
    let all: Vec<_> = spans.iter().filter(|span| span.name == name).collect();
    let [one] = all[..] else { panic!("not one `{name}` in {spans:#?}") };
    one
}

/// All spans received so far.
pub(super) fn spans_of(receiver: &Receiver) -> Vec<Span> {
    receiver.requests().iter().flat_map(|request| decode::spans(&request.body)).collect()
}

fn now() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_nanos())
        .expect("the time fits into 64 bits")
}

/// M-16b
#[test]
fn commands_export_spans() {
    let receiver = Receiver::start(&[]);
    let world = world(&receiver)
        .var("OTEL_SERVICE_NAME", "mine")
        .var("OTEL_EXPORTER_OTLP_HEADERS", "x-key=k%20v");
    let world =
        world.var("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test,service.name=other");
    let before = now();
    let outcome = world.run(&["server", "refresh"]).exits(0);
    assert_eq!(outcome.err, "");
    world.run(&["search", "say it"]).exits(0);
    world.run(&["run", "s/say"]).exits(0);
    let requests = receiver.requests();
    for request in &requests {
        assert_eq!(request.line, "POST /v1/traces HTTP/1.1");
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert_eq!(request.header("x-key"), Some("k v"));
        let resource = decode::resource(&request.body);
        assert_eq!(
            (&resource["service.name"], &resource["deployment.environment"]),
            (&json!("mine"), &json!("test"))
        );
    }
    let spans: Vec<Span> =
        requests.iter().flat_map(|request| decode::spans(&request.body)).collect();
    // The call starts the server and lists its tools again; the first span is the explicit
    // discovery.
    let discovery = spans.iter().find(|span| span.name == "tool-discovery").expect("a discovery");
    assert_eq!(discovery.attributes["toolscout.server"], "s");
    assert_eq!(discovery.attributes["langfuse.observation.metadata.byServer"], r#"{"s":1}"#);
    assert_eq!(discovery.attributes["toolscout.tool.names"], json!(["say"]));
    assert_eq!(discovery.attributes["toolscout.needs_discovery"], true);
    let search = named(&spans, "tool-search");
    assert_eq!(search.attributes["langfuse.observation.type"], "retriever");
    assert_eq!(search.attributes["toolscout.search.results"], json!(["s/say"]));
    assert_eq!(search.attributes["langfuse.observation.metadata.cacheHitRatio"], 1.0);
    assert!(
        !search.attributes.contains_key("langfuse.observation.input"),
        "the input is exported only on request"
    );
    for span in [discovery, search] {
        assert_eq!(span.attributes["langfuse.observation.metadata.mcpServers"], r#"["s"]"#);
    }
    assert_eq!(search.attributes["langfuse.observation.metadata.needsDiscovery"], false);
    let call = named(&spans, "tool-call");
    assert_eq!(call.attributes["gen_ai.tool.name"], "say");
    assert_eq!((call.status, call.kind), (0, 1));
    for span in &spans {
        assert!(
            span.start >= before / 1_000_000 * 1_000_000
                && span.start <= span.end
                && span.end <= now(),
            "{span:?}"
        );
        assert_eq!((span.trace.len(), span.id.len()), (32, 16));
    }
}

#[test]
fn trace_context_is_propagated_to_the_server() {
    let receiver = Receiver::start(&[]);
    let world = world(&receiver);
    world.run(&["server", "refresh"]).exits(0);
    let (trace, parent) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
    let call = |id: u32, sampled: &str| {
        let meta = json!({"traceparent": format!("00-{trace}-{parent}-{sampled}")});
        let params = json!({"name": "s__say", "_meta": meta});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
            + "\n"
    };
    world.run_with((call(1, "01") + &call(2, "00")).as_bytes(), &["serve"]).exits(0);
    let spans = spans_of(&receiver);
    // The second trace was not sampled.
    let span = named(&spans, "tool-call");
    assert_eq!((&*span.trace, span.parent.as_deref()), (trace, Some(parent)));
    assert!(span.attributes.contains_key("langfuse.session.id"), "{span:?}");
    let called = fs::read_to_string(world.path("called")).expect("the tool was called");
    let called = called.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut passed: Vec<_> =
        called.map(|value| value["params"]["_meta"]["traceparent"].to_string()).collect();
    // The two calls may arrive in either order.
    passed.sort_by_key(|item| item.ends_with("-00\""));
    assert_eq!(
        passed[0],
        format!("\"00-{trace}-{}-01\"", span.id),
        "the server's spans have ours as parent"
    );
    assert!(
        passed[1].starts_with(&format!("\"00-{trace}-")) && passed[1].ends_with("-00\""),
        "{passed:?}"
    );
}

#[test]
fn a_busy_collector_is_retried_and_redirects_are_not_followed() {
    let elsewhere = Receiver::start(&[]);
    let moved = format!(
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n",
        elsewhere.address()
    );
    let receiver = Receiver::start(&[&moved]);
    let world = world(&receiver);
    let outcome = world.run(&["server", "refresh"]).exits(0);
    assert!(
        outcome.err.contains("traces could not be sent") && outcome.err.contains("307"),
        "{outcome:?}"
    );
    assert!(elsewhere.requests().is_empty());
    // A short command does not wait for a retry; a running `serve` has time for it.
    let busy = "HTTP/1.1 503 Busy\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n";
    let receiver = Receiver::start(&[busy, busy]);
    let world = self::world(&receiver);
    world.run(&["server", "refresh"]).exits(0).stderr_contains(&["answered 503"]);
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(agent.text("s__say", json!({})), "said");
    let has_call = |request: &Request| {
        decode::spans(&request.body).iter().any(|span| span.name == "tool-call")
    };
    wait_until("the call is exported", || receiver.requests().iter().any(has_call));
    assert_eq!(agent.end().0, 0);
}

#[test]
fn an_unavailable_collector_is_reported_once_and_breaks_nothing() {
    let silent = Receiver::silent();
    let unreachable = "http://127.0.0.1:9".to_owned();
    for address in [unreachable, silent.address()] {
        let words = ["sh", "s.sh"].map(str::to_owned);
        let world = World::trusted().entry("s", &words, "").file("s.sh", NOTING);
        let world = world.var("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", &format!("{address}/own/path"));
        world.run(&["server", "refresh"]).exits(0);
        let outcome = world.run(&["run", "s/say"]).exits(0);
        assert_eq!(outcome.out, "said\n");
        assert!(outcome.err.matches("traces could not be sent").count() <= 1, "{outcome:?}");
    }
}

#[test]
fn only_the_user_configuration_may_set_the_collector() {
    let receiver = Receiver::start(&[]);
    let words = ["sh", "s.sh"].map(str::to_owned);
    let world = World::trusted().entry("s", &words, "").file("s.sh", NOTING);
    let table = format!(
        "[telemetry]\notlp = \"{}/\"\nheaders = {{ Authorization = \"Basic ${{COLLECTOR_KEY}}\" }}\nservice = \"mine\"\ncontent = true\n",
        receiver.address()
    );
    let config = world.temp_dir().join("config");
    fs::create_dir_all(&config).expect("a folder");
    fs::write(config.join("config.toml"), &table).expect("written");
    let world = world
        .var("COLLECTOR_KEY", "plaincollectorkey")
        .var("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip");
    world.run(&["server", "refresh"]).exits(0);
    let outcome = world
        .run(&["--verbose", "--log-format", "json", "search", "say plaincollectorkey"])
        .exits(0);
    // The terminal may repeat the typed query; the log is redacted, because others read it.
    let log = outcome.err.lines().filter(|line| line.starts_with('{'));
    assert!(!log.collect::<String>().contains("plaincollectorkey"), "{outcome:?}");
    let requests = receiver.requests();
    let spans: Vec<Span> =
        requests.iter().flat_map(|request| decode::spans(&request.body)).collect();
    assert!(
        requests
            .iter()
            .all(|request| request.header("authorization") == Some("Basic plaincollectorkey"))
    );
    assert!(requests.iter().all(|request| request.header("content-encoding") == Some("gzip")));
    assert_eq!(decode::resource(&requests[0].body)["service.name"], "mine");
    assert_eq!(
        named(&spans, "tool-search").attributes["langfuse.observation.input"],
        "say [REDACTED]"
    );
    let of_project = World::project().file("toolscout.toml", &table).run(&["tools"]).exits(0);
    of_project
        .stderr_contains(&["`telemetry` is set, which is allowed only in your user configuration"]);
}
