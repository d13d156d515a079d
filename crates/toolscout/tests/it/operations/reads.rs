//! Every surface returns the same data.

use super::changes::register;
use super::examples::{self, Example, Request};
use super::{over_socket, parsed, shell, world};
use crate::api::Api;
use crate::world::World;
use serde_json::{Value, json};
use toolscout::surface::operation::{Effect, HostUse};

/// Fields whose values differ from one request to the next: durations, times, links and ids that
/// are created for the request.
const VOLATILE: [&str; 10] = [
    "semanticIndex",
    "latencyMs",
    "durationMs",
    "link",
    "created",
    "lastDiscovery",
    "lastUsed",
    "ended",
    "expires",
    "to",
];

#[test]
fn reads_return_the_same_json_from_cli_http_and_socket_1() {
    compare_all(0);
}

#[test]
fn reads_return_the_same_json_from_cli_http_and_socket_2() {
    compare_all(1);
}

/// Compares every second read-only operation, from this one on.
fn compare_all(part: usize) {
    // Feedback is stored per user, and each surface has a different user.
    let world = world().var("TOOLSCOUT_NO_LEARN", "1");
    world.run(&["reject", "files/add"]).exits(0);
    // The first server writes the tokens, which are listed.
    drop(Api::start(&world));
    let reads =
        super::operations().into_iter().filter(|operation| operation.spec.effect != Effect::Change);
    let examples: Vec<_> = reads.skip(part).step_by(2).flat_map(examples::of).collect();
    let alone: Vec<_> = examples.iter().map(|example| alone(&world, example)).collect();
    let api = Api::start(&world);
    let mut differences = Vec::new();
    for (example, alone) in examples.iter().zip(alone) {
        let sort = compare(&world, &api, example, alone, &mut differences);
        assert_eq!(sort, Sort::of(example), "{}", example.line);
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// The surfaces that an operation is compared on; none is left out silently.
#[derive(Debug, PartialEq)]
enum Sort {
    Everywhere,
    HttpOnly,
    Local,
    Stream,
}

impl Sort {
    fn of(example: &Example) -> Self {
        let spec = &example.operation.spec;
        match (example.operation.is_stream(), spec.route.path.is_empty(), example.is_command()) {
            (true, ..) => Self::Stream,
            (_, true, _) => Self::Local,
            (_, _, true) => Self::Everywhere,
            _ => Self::HttpOnly,
        }
    }
}

/// The output of the command if no other process runs; none if it needs one or prints a stream.
/// Runs the example exactly as it is written.
fn alone(world: &World, example: &Example) -> Option<Value> {
    let spec = &example.operation.spec;
    if !example.is_command() || spec.host == HostUse::Required {
        return None;
    }
    let plain = shell(world, example.line);
    assert_eq!(plain.code, 0, "{}: {plain:?}", example.line);
    // The journal, which these read, grows before the comparison.
    let reads_journal = spec.name.starts_with("audit") || spec.name.starts_with("stats");
    let is_stable = !example.operation.is_stream() && !reads_journal;
    is_stable.then(|| command(world, example))
}

/// The output of the command with `--json`.
fn command(world: &World, example: &Example) -> Value {
    let line = example.line.split(" > ").next().unwrap_or_default();
    let json = if line.contains(" --json") { "" } else { " --json" };
    parsed(&shell(world, &format!("{line}{json}")).exits(0).out)
}

fn compare(
    world: &World,
    api: &Api,
    example: &Example,
    alone: Option<Value>,
    differences: &mut Vec<String>,
) -> Sort {
    let (line, spec) = (example.line, &example.operation.spec);
    let started = || {
        api.done("POST", "/api/sessions", Some(json!({})))["session"]["id"]
            .as_str()
            .expect("an id")
            .to_owned()
    };
    let id = || match line {
        line if line.contains("/sessions/{id}") => started(),
        line if line.contains("/registrations/{id}") => {
            register(api);
            "billing".to_owned()
        }
        _ => String::new(),
    };
    match spec.name {
        // A stream never ends; the tests of events and of registrations cover it.
        "events" | "registration calls" => return Sort::Stream,
        // Needs a call that waits; the tests of registrations cover it.
        "registration result" => return Sort::HttpOnly,
        _ => {}
    }
    let Some(request) = example.request(world, &id()) else { return Sort::Local };
    let over_http = over_http(api, &request);
    let (method, path, body) = example.request(world, &id()).expect("the same request");
    let socket = over_socket(world, method, &path, &body);
    if example.operation.is_stream() {
        let printed = shell(world, line).exits(0).out;
        let printed: Vec<Value> = printed.lines().map(parsed).collect();
        for text in [&over_http, &socket] {
            let items = text.lines().filter_map(|line| line.strip_prefix("data: ")).map(parsed);
            assert_eq!(sorted(items.collect()), sorted(printed.clone()), "{line}");
        }
        return Sort::Stream;
    }
    if spec.media_type != "application/json" {
        // Counters increase between the requests.
        assert!(over_http.starts_with('#') && socket.starts_with('#'), "{line}: {over_http}");
        return Sort::HttpOnly;
    }
    let over_http = normal(parsed(&over_http), spec.name);
    let socket = normal(parsed(&socket), spec.name);
    if socket != over_http {
        differences.push(format!("{line} over the socket: {socket:#} is not {over_http:#}"));
    }
    if !example.is_command() {
        return Sort::HttpOnly;
    }
    let with_host = normal(command(world, example), spec.name);
    let same = |printed: &Value| {
        // A command that lists prints the list itself: one field of the output.
        *printed == over_http
            || over_http
                .as_object()
                .is_some_and(|fields| fields.values().any(|field| field == printed))
    };
    for (printed, surface) in
        [(Some(with_host), "with"), (alone.map(|alone| normal(alone, spec.name)), "without")]
    {
        if let Some(printed) = printed.filter(|printed| !same(printed)) {
            differences.push(format!("{line} {surface} a host: {printed:#} is not {over_http:#}"));
        }
    }
    Sort::Everywhere
}

fn over_http(api: &Api, (method, path, body): &Request) -> String {
    let response = api.web.send(method, path, &[&api.operator], body);
    assert!((200..300).contains(&response.status), "{method} {path} {body}: {response:?}");
    response.body
}

fn sorted(mut items: Vec<Value>) -> Vec<Value> {
    items.sort_by_key(|item| item["id"].to_string());
    items
}

/// The value without the fields that differ from one request to the next.
fn normal(mut value: Value, operation: &str) -> Value {
    let is_volatile = |name: &str| match name {
        // The name of the token that authenticated the request.
        "name" => operation == "me",
        "id" => operation.starts_with("session"),
        // On the command line the notes name commands.
        "notes" => operation == "search",
        name => VOLATILE.contains(&name),
    };
    match &mut value {
        Value::Object(fields) => {
            let remaining =
                std::mem::take(fields).into_iter().filter(|(name, _)| !is_volatile(name));
            *fields = remaining.map(|(name, field)| (name, normal(field, operation))).collect();
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| *item = normal(item.take(), operation))
        }
        _ => {}
    }
    value
}
