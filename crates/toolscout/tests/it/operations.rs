//! What holds for every operation, whichever surface it is reached through:
//! 1. the same input gives the same JSON as a command, over HTTP and over the control socket,
//! 2. an operation for operators refuses an agent before it reads the request,
//! 3. a change leaves exactly one audit line, and a dry run leaves none and changes nothing,
//! 4. its examples work.

use crate::api::Api;
use crate::world::{Outcome, World};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

/// A project with one server and one tool of its own.
fn world() -> World {
    let world = World::trusted().server("s", "honest", &[]);
    let world = world.echo("tools/word-count.tool.toml", "word-count", "description = \"Counts words\"");
    world.run(&["server", "refresh"]).exits(0);
    world
}

/// The JSON body that the control socket answers to a GET request.
fn over_socket(world: &World, path: &str) -> Value {
    let sockets = fs::read_dir(world.outside().join("state/run")).expect("sockets").filter_map(Result::ok);
    let socket = sockets.map(|it| it.path()).find(|it| it.extension().is_some_and(|it| it == "sock"));
    let mut stream = UnixStream::connect(socket.expect("a socket")).expect("something listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    let body = response.split_once("\r\n\r\n").expect("a body").1;
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {response}"))
}

#[test]
fn reading_gives_the_same_json_as_a_command_over_http_and_over_the_socket() {
    let world = world();
    world.run(&["reject", "s/add"]).exits(0);
    // A command that lists prints the list itself: this field of the output.
    let cases: [(&[&str], &str, &str); 13] = [
        (&["tools"], "/api/tools", "tools"),
        (&["tools", "--source", "s"], "/api/tools?server=s", "tools"),
        (&["describe", "s/echo"], "/api/tools/s/echo", "tool"),
        (&["search", "count", "words"], "/api/search?q=count&q=words", "results"),
        (&["search", "learned"], "/api/feedback", "records"),
        (&["review"], "/api/reviews", "reviews"),
        (&["approval", "list"], "/api/approvals?answered=true", "approvals"),
        (&["doctor"], "/api/doctor", ""),
        (&["policy", "list"], "/api/policies", ""),
        (&["policy", "show"], "/api/policies/effective", ""),
        (&["policy", "show", "s/echo"], "/api/policies/effective?tool=s%2Fecho", ""),
        (&["server", "list"], "/api/servers", ""),
        (&["server", "show", "s"], "/api/servers/s", ""),
    ];
    let command = |words: &[&str]| world.run(&[words, &["--json"]].concat()).json();
    let alone: Vec<_> = cases.iter().map(|(words, ..)| command(words)).collect();
    let api = Api::start(&world);
    for ((words, path, field), alone) in cases.iter().zip(alone) {
        let over_http = api.get(path);
        assert_eq!(over_http, over_socket(&world, path), "{path}");
        let printed = if field.is_empty() { &over_http } else { &over_http[field] };
        assert_eq!(*printed, alone, "{words:?} without a host");
        assert_eq!(*printed, command(words), "{words:?} with a host");
    }
}

/// Every operation in the API's own document: method, path with an id filled in, and the entry.
fn operations(api: &Api) -> Vec<(String, String, Value)> {
    let paths = api.document()["paths"].as_object().expect("paths");
    let methods = |path: &str, methods: &Value| {
        let path = path.replace("{id}", "s").replace("{source}", "s").replace("{name}", "echo");
        let methods = methods.as_object().expect("methods").clone();
        methods.into_iter().map(move |(method, entry)| (method.to_uppercase(), path.clone(), entry)).collect::<Vec<_>>()
    };
    paths.iter().flat_map(|(path, entry)| methods(path, entry)).collect()
}

#[test]
fn an_operation_for_operators_refuses_an_agent_whatever_it_sends() {
    let world = world();
    let api = Api::start(&world);
    let all = operations(&api);
    let for_operators: Vec<_> = all.iter().filter(|(_, _, entry)| entry["x-role"] == "operator").collect();
    assert!(for_operators.len() >= 15, "only {} operations are for operators", for_operators.len());
    for (method, path, _) in for_operators {
        for body in ["", "{}", "nonsense"] {
            let response = api.web.send(method, path, &[&api.agent], body);
            let code = response.message()["code"].clone();
            assert_eq!((response.status, code), (403, json!("FORBIDDEN")), "{method} {path} {body}");
        }
    }
}

/// Decisions in the audit log.
fn audited(world: &World) -> usize {
    let log = world.run(&["audit", "show", "--kind", "decision", "--limit", "1000", "--json"]).exits(0).json();
    log["entries"].as_array().expect("entries").len()
}

/// Everything that a change could change: the project's file, policies, servers, and what is quarantined.
fn state(world: &World) -> (String, Vec<Value>) {
    let read = |name: &str| fs::read_to_string(world.path(name)).unwrap_or_default();
    let file = read("toolscout.toml") + &read("toolscout.lock");
    let reads: [&[&str]; 5] =
        [&["policy", "list"], &["server", "list"], &["review"], &["search", "learned"], &["trust", "list"]];
    (file, reads.iter().map(|words| world.run(&[words, &["--json"][..]].concat()).exits(0).json()).collect())
}

#[test]
fn a_change_leaves_one_audit_line_and_a_dry_run_changes_nothing() {
    let world = world();
    let added = world.hostile("t", "honest", &[]);
    let add: Vec<&str> =
        ["server", "add", "t", "--wait", "--"].into_iter().chain(added.iter().map(String::as_str)).collect();
    world.run(&["search", "gives", "back", "a", "text"]).exits(0);
    world.run(&["run", "s/echo", "--text", "x"]).exits(0);
    let changes: [(&str, &[&str]); 14] = [
        ("search_forget", &["search", "forget", "--all", "--yes"]),
        ("review_decide", &["reject", "s/echo"]),
        ("review_decide", &["approve", "s/echo"]),
        ("lock", &["lock"]),
        ("trust", &["trust"]),
        ("trust", &["trust", "remove"]),
        ("policy_set", &["policy", "set", "s/echo", "deny"]),
        ("policy_set", &["policy", "set", "*", "ask", "--level", "global"]),
        ("policy_set", &["policy", "unset", "s/echo"]),
        ("server_add", &add),
        ("server_update", &["server", "update", "t", "--cwd", "tools"]),
        ("server_control", &["server", "disable", "t"]),
        ("server_control", &["server", "enable", "t"]),
        ("server_remove", &["server", "remove", "t"]),
    ];
    for (_, words) in &changes {
        let (before, lines) = (state(&world), audited(&world));
        let dry = world.run(&[&["--dry-run", "--json"], *words].concat()).exits(0).json();
        assert_eq!(dry["dryRun"], true, "{words:?}: {dry}");
        assert_eq!((state(&world), audited(&world)), (before.clone(), lines), "the dry run of {words:?}");
        world.run(words).exits(0);
        assert_eq!(audited(&world), lines + 1, "{words:?}");
        assert_ne!(state(&world), before, "{words:?} changed nothing");
    }
    let api = Api::start(&world);
    let has_dry_run = |entry: &Value| entry["parameters"].to_string().contains("dryRun");
    let all = operations(&api).into_iter().filter(|(_, _, entry)| has_dry_run(entry));
    let changing: BTreeSet<_> =
        all.map(|(_, _, entry)| entry["operationId"].as_str().unwrap_or("?").to_owned()).collect();
    answer_an_approval(&world, &api);
    let tried = changes.iter().map(|(name, _)| (*name).to_owned()).chain(["approval_answer".to_owned()]);
    // Those that are about files of this machine are on the command line only.
    let tried: BTreeSet<_> = tried.filter(|name| !["lock", "trust"].contains(&name.as_str())).collect();
    assert_eq!(tried, changing, "every operation that changes something is tried here");
}

/// The change that has no command: it is made over HTTP.
fn answer_an_approval(world: &World, api: &Api) {
    let call = json!({"name": "s/echo", "arguments": {"text": "x"}});
    let asked = api.ask_as(&api.agent, "POST", "/api/call", Some(call)).message();
    let path = format!("/api/approvals/{}", asked["approval"].as_str().unwrap_or_else(|| panic!("{asked}")));
    let (pending, lines) = (api.get("/api/approvals"), audited(world));
    let body = Some(json!({"decision": "approve"}));
    assert_eq!(api.done("POST", &format!("{path}?dryRun=true"), body.clone())["dryRun"], true);
    assert_eq!((api.get("/api/approvals"), audited(world)), (pending, lines), "a dry run");
    assert_eq!(api.done("POST", &path, body)["decision"], "approved");
    assert_eq!((api.get("/api/approvals")["approvals"].clone(), audited(world)), (json!([]), lines + 1));
}

/// Examples that help shows. Those that reach the network are not run.
#[test]
fn every_example_in_the_help_of_an_operation_works() {
    let commands: [&[&str]; 12] = [
        &["policy"],
        &["policy", "list"],
        &["policy", "show"],
        &["policy", "set"],
        &["policy", "unset"],
        &["server", "list"],
        &["server", "show"],
        &["server", "test"],
        &["server", "refresh"],
        &["server", "disable"],
        &["server", "remove"],
        &["call"],
    ];
    let mut tried = 0;
    for command in commands {
        let world = World::trusted().server("files", "honest", &[]);
        let world = world.echo("tools/word-count.tool.toml", "word-count", "description = \"Counts words\"");
        let help = world.run(&[command, &["--help"]].concat()).exits(0).out;
        let examples = help.split("Examples:").nth(1).unwrap_or_default();
        for example in examples.lines().filter_map(|line| line.trim().strip_prefix("toolscout ")) {
            let outcome = Outcome::of(world.other("sh").args(["-c", &format!("toolscout {example}")]));
            assert_eq!(outcome.code, 0, "{example}: {outcome:?}");
            tried += 1;
        }
    }
    assert!(tried >= 12, "only {tried} examples");
}
