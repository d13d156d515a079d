//! A change leaves one audit line, and its dry run leaves everything as it was.

use super::examples::{self, Example};
use super::{audited, operations, shell, world};
use crate::api::Api;
use crate::servers::fixture::wait_until;
use crate::world::{World, report_skipped};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use toolscout::core::Namespace;
use toolscout::surface::operation::{Confirm, Effect, HostUse};
use toolscout_workspace::Environment;

/// Tries every fourth operation that changes something, from this one on. The four tests run in
/// parallel.
fn try_changes(part: usize) {
    let changes =
        operations().into_iter().filter(|operation| operation.spec.effect == Effect::Change);
    let mut tried = 0;
    for operation in changes.skip(part).step_by(4) {
        if operation.spec.needs_network {
            report_skipped(&format!("`{}` needs the network", operation.spec.name));
            continue;
        }
        let (examples, world) = (examples::of(operation), world());
        let changing = examples.iter().filter(|example| try_example(&world, example)).count();
        assert!(
            changing > 0,
            "no example of `{}` changes anything",
            examples[0].operation.spec.name
        );
        tried += 1;
    }
    assert!(tried >= 3, "only {tried} operations");
}

#[test]
fn a_change_writes_one_audit_entry_and_a_dry_run_changes_nothing_1() {
    try_changes(0);
}

#[test]
fn a_change_writes_one_audit_entry_and_a_dry_run_changes_nothing_2() {
    try_changes(1);
}

#[test]
fn a_change_writes_one_audit_entry_and_a_dry_run_changes_nothing_3() {
    try_changes(2);
}

#[test]
fn a_change_writes_one_audit_entry_and_a_dry_run_changes_nothing_4() {
    try_changes(3);
}

/// Tries a dry run, then the example itself; returns whether the operation changes something.
fn try_example(world: &World, example: &Example) -> bool {
    let (line, spec) = (example.line, &example.operation.spec);
    if !example.is_command() {
        return match spec.name {
            "registration add" => register_tools(world, example),
            _ => try_request(world, example),
        };
    }
    prepare(world, line);
    // Running servers and registrations are not on disk.
    let is_on_disk = ![" start ", " stop ", " restart ", " registration "]
        .into_iter()
        .any(|word| line.contains(word));
    let host = (!is_on_disk).then(|| Api::start(world));
    assert!(
        host.is_none()
            || spec.host == HostUse::Required
            || spec.commands.iter().any(|command| command.host == Some(HostUse::Required))
    );
    if let (Some(api), true) = (&host, line.contains(" registration ")) {
        register(api);
    }
    let (before, lines) = (state(world), audited(world));
    let dry_run = shell(world, &with(line, "--dry-run --json")).exits(0).json();
    assert_eq!(state(world), before, "the dry run of `{line}`");
    assert_eq!(audited(world), lines, "the dry run of `{line}`");
    let is_change = dry_run["dryRun"] == true;
    let needs_yes = spec.confirm == Confirm::Always && !line.contains("--yes");
    let done = shell(world, &if needs_yes { with(line, "--yes") } else { line.to_owned() });
    assert_eq!(done.code, 0, "{line}: {done:?}");
    drop(host);
    settle(world);
    assert_eq!(audited(world), lines + usize::from(is_change), "{line}");
    assert!(!is_change || !is_on_disk || state(world) != before, "`{line}` changed nothing");
    is_change
}

/// A command line with additional options.
fn with(line: &str, options: &str) -> String {
    match line.split_once(" -- ") {
        Some((line, rest)) => format!("{line} {options} -- {rest}"),
        None => format!("{line} {options}"),
    }
}

/// Creates the state that this example needs.
fn prepare(world: &World, line: &str) {
    let run = |words: &[&str]| drop(world.run(words).exits(0));
    let words: Vec<_> = line.split(' ').skip(1).collect();
    match words[..] {
        ["server", "add", id, ..] => run(&["server", "remove", id]),
        ["server", "logout", id] => log_in(world, id),
        ["search", "forget", ..] => {
            run(&["search", "open", "an", "issue"]);
            run(&["run", "github/create_issue", "--title", "x"]);
        }
        ["approve", tool] | ["review", "accept", tool] => {
            let tool =
                if tool.contains('/') { tool.to_owned() } else { format!("{tool}/create_issue") };
            run(&["reject", &tool]);
        }
        ["disconnect", client] => run(&["connect", client]),
        ["undo"] => run(&["connect", "cursor"]),
        ["secret", "set", ..] => fs::write(world.path("key.txt"), "k3y\n").expect("a file"),
        ["secret", "remove", name] => {
            drop(world.run_with(b"k3y", &["secret", "set", name]).exits(0));
        }
        // The example needs a server that was not imported before.
        ["import" | "init", ..] => {
            let id = format!("docs-{}", words.len());
            let file = json!({"mcpServers": {id: {"command": format!("docs-{}", words.len())}}});
            fs::write(world.path("../home/.cursor/mcp.json"), file.to_string()).expect("a file");
        }
        // The previous example has written the same files.
        ["manifest", "types", ..] => {
            let _ = fs::remove_file(world.path("tools/toolscout.d.ts"));
        }
        ["manifest", ..] => {
            fs::write(world.path("tools/manifest.json"), "{\"tools\": []}\n").expect("a file");
        }
        ["token", "revoke", name] => run(&["token", "create", "--name", name]),
        ["token", "create", ..] => drop(world.run(&["token", "revoke", words[3]])),
        ["lock"] => fs::remove_file(world.path("toolscout.lock")).expect("a lock file"),
        ["trust", "remove"] => run(&["trust"]),
        _ => {}
    }
}

/// Turns a server into an HTTP server with a saved login.
fn log_in(world: &World, id: &str) {
    let url = "https://localhost:9/mcp";
    world.run(&["server", "remove", id]).exits(0);
    world.run(&["server", "add", id, url, "--bearer", "env:NO_SUCH_TOKEN"]).exits(0);
    let mut hash = blake3::Hasher::new();
    for part in [id, url] {
        hash.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    let tokens = world.temp_dir().join("state/tokens");
    fs::create_dir_all(&tokens).expect("a folder");
    fs::write(tokens.join(format!("login-{}.json", &hash.finalize().to_hex()[..32])), "{}")
        .expect("a login");
    settle(world);
}

/// Waits for background discoveries, which write to the cache.
fn settle(world: &World) {
    let is_settled = |server: &Value| {
        server["enabled"] == false
            || !["never", "discovering"]
                .contains(&server["discoveryStatus"].as_str().unwrap_or_default())
    };
    wait_until("all servers are discovered", || {
        let servers = world.run(&["server", "list", "--json"]).exits(0).json();
        servers["servers"].as_array().expect("servers").iter().all(is_settled)
    });
}

/// Registers the tools of a program, as the example of the operation does.
pub(super) fn register(api: &Api) {
    let tools = json!([{"name": "invoice"}]);
    let body =
        json!({"source": "billing", "callback": "http://127.0.0.1:9000/call", "tools": tools});
    api.done("POST", "/api/tools", Some(body));
}

/// A registration has no command; the test makes it over HTTP. Registering the same tools again is
/// no change.
fn register_tools(world: &World, example: &Example) -> bool {
    let api = Api::start(world);
    let (method, path, body) = example.request(world, "").expect("a route");
    let body: Value = serde_json::from_str(&body).expect("a body");
    let (before, lines) = (state(world), audited(world));
    let dry_run = api.done(method, &format!("{path}?dryRun=true"), Some(body.clone()));
    assert_eq!(dry_run["dryRun"], true);
    assert_eq!((state(world), audited(world)), (before, lines), "a dry run");
    assert_eq!(api.get("/api/registrations")["registrations"], json!([]));
    for _ in 0..2 {
        api.done(method, &path, Some(body.clone()));
        assert_eq!(audited(world), lines + 1);
    }
    true
}

/// A change that has no command; the test makes it over HTTP.
fn try_request(world: &World, example: &Example) -> bool {
    world.run(&["policy", "set", "files/echo", "ask"]).exits(0);
    let api = Api::start(world);
    let is_of_session = example.line.contains("/sessions/{id}");
    let id = if is_of_session { started_session(&api) } else { pending_approval(&api) };
    let (method, path, body) = example.request(world, &id).expect("a route");
    let body: Value = match example.operation.spec.name {
        "trust accept" => waiting_for_trust(world, &api),
        _ => serde_json::from_str(&body).expect("a body"),
    };
    let (before, lines) = (state(world), audited(world));
    assert_eq!(
        api.done(method, &format!("{path}?dryRun=true"), Some(body.clone()))["dryRun"],
        true
    );
    assert_eq!((state(world), audited(world)), (before.clone(), lines), "a dry run");
    let done = api.done(method, &path, Some(body));
    assert!(!path.contains("/approvals/") || done["decision"] == "approved", "{done}");
    assert_eq!(audited(world), lines + 1);
    // The set of running servers is not on disk.
    assert!(is_of_session || state(world) != before, "`{}` changed nothing", example.line);
    true
}

/// The request that accepts everything that waits for trust, which is at least a new file.
fn waiting_for_trust(world: &World, api: &Api) -> Value {
    fs::write(world.path("tools/later.py"), "# tool: later\n").expect("a file");
    let shown = api.get("/api/trust");
    let of_kind = |kind: &str| -> Value {
        let changes = shown["changes"].as_array().expect("a list").iter();
        let of_kind = changes.filter(|change| change["kind"] == kind);
        of_kind
            .map(|change| {
                (change["name"].as_str().unwrap_or_default().to_owned(), change["digest"].clone())
            })
            .collect()
    };
    json!({"files": of_kind("file"), "servers": of_kind("server")})
}

fn started_session(api: &Api) -> String {
    let session = api.done("POST", "/api/sessions", Some(json!({})));
    session["session"]["id"].as_str().expect("an id").to_owned()
}

fn pending_approval(api: &Api) -> String {
    let call = json!({"name": "files/echo", "arguments": {"text": "x"}});
    let pending = api.request_as(&api.agent, "POST", "/api/call", Some(call)).message();
    pending["approval"].as_str().unwrap_or_else(|| panic!("{pending}")).to_owned()
}

type State = (BTreeMap<PathBuf, Vec<u8>>, BTreeMap<(&'static str, String), Vec<u8>>);

/// Everything that a change could change: all files of the project, the home folder, the
/// configuration and the state, and the content of the databases. It excludes caches, which can be
/// rebuilt from files and servers.
fn state(world: &World) -> State {
    let mut files = BTreeMap::new();
    for folder in ["project", "home", "config", "state/tokens"] {
        read_all(&world.temp_dir().join(folder), &mut files);
    }
    let agent_token = world.temp_dir().join("state/agent.token");
    files.extend(fs::read(&agent_token).map(|token| (agent_token, token)));
    let folder = world.temp_dir().join("state").display().to_string();
    let store = Environment::captured(world.temp_dir(), &[("TOOLSCOUT_STATE_DIR", &folder)])
        .0
        .persistent()
        .store();
    let namespaces = [
        Namespace::Trust,
        Namespace::Approval,
        Namespace::Pending,
        Namespace::Backup,
        Namespace::AccessToken,
        Namespace::Feedback,
        Namespace::Observed,
        Namespace::Name,
    ];
    let rows = namespaces.into_iter().flat_map(|namespace| {
        let keys = store.keys(namespace).expect("keys");
        let row = |key: String| {
            (
                (namespace.as_str(), key.clone()),
                store.read(namespace, &key).ok().flatten().unwrap_or_default(),
            )
        };
        keys.into_iter().map(row).collect::<Vec<_>>()
    });
    (files, rows.collect())
}

fn read_all(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            read_all(&path, files);
        } else {
            files.insert(path.clone(), fs::read(&path).unwrap_or_default());
        }
    }
}
