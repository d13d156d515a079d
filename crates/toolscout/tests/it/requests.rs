//! 1. A header selects a folder of tools for its request only, in the list, in search and in calls.
//! 2. A server receives the token of each request, and no other token.
//! 3. Stored data of one caller is not available to another caller who knows its id.
//! 4. An invalid configuration is reported at startup.

mod http_client;
mod vault;

use crate::world::World;
use http_client::HttpClient;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use vault::Vault;

const CONFIG: &str = "[[request_tools]]\nheader = \"X-User-ID\"\npattern = \"[a-z0-9-]{1,32}\"\nfolder = \"users/{value}/tools\"\n";
const NOT_FOUND: &str =
    "Tool not found: my_saved_queries. Use tool_search to discover available tools.";

/// A trusted project in which alice and bob have their own tools, and everyone has `greet`.
fn world(more: &str) -> World {
    let mut world = World::trusted().file("toolscout.toml", &format!("{CONFIG}{more}")).echo(
        "tools/greet.tool.toml",
        "greet",
        "",
    );
    for user in ["alice", "bob"] {
        let about = format!("description = \"The saved queries of {user}\"");
        let listed = format!("visibility = \"listed\"\ndescription = \"About {user}\"");
        let big = format!(
            "name = \"big\"\n[run]\ncommand = [\"sh\", \"-c\", \"yes {user} | head -c 1500000\"]\n"
        );
        world = world
            .echo(&format!("users/{user}/tools/saved.tool.toml"), "my_saved_queries", &about)
            .echo(&format!("users/{user}/tools/me.tool.toml"), "about_me", &listed)
            .file(&format!("users/{user}/tools/big.tool.toml"), &big);
    }
    world
}

/// The running HTTP server. Dropping it stops the process.
pub(crate) struct Serving {
    child: Child,
    client: HttpClient,
}

impl Serving {
    pub(crate) fn start(world: &World) -> Self {
        Self::spawn(world.command(&[]))
    }

    /// Starts any program that serves over HTTP.
    pub(crate) fn spawn(mut command: Command) -> Self {
        command.args(["serve", "--http", "127.0.0.1:0", "--auth", "none"]);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("start the program");
        let mut lines = BufReader::new(child.stderr.take().expect("its errors")).lines();
        let address = lines.find_map(|item| {
            let line = item.expect("a line");
            Some(line.split_once("listening on http://")?.1.split('/').next()?.to_owned())
        });
        // Drains the output, so that the program never blocks on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let addr = address
            .and_then(|address| address.parse().ok())
            .expect("the server prints its address");
        Self { child, client: HttpClient::new(addr).expect("the server accepts connections") }
    }

    fn send_request(&mut self, caller: &[(&str, &str)], method: &str, params: Value) -> Value {
        let answer = self.client.modern(caller, method, params).expect("an answer");
        let message = answer.message();
        assert!(message.get("result").is_some(), "{method}: {answer:?}");
        message["result"].clone()
    }

    pub(crate) fn call(&mut self, caller: &[(&str, &str)], name: &str, arguments: Value) -> Value {
        self.send_request(caller, "tools/call", json!({"name": name, "arguments": arguments}))
    }

    pub(crate) fn listed(&mut self, caller: &[(&str, &str)]) -> Vec<String> {
        let list = self.send_request(caller, "tools/list", json!({}));
        let tools = list["tools"].as_array().expect("a list");
        tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

const ALICE: [(&str, &str); 1] = [("X-User-ID", "alice")];
const BOB: [(&str, &str); 1] = [("x-user-id", "bob")];

/// P-01, P-02, P-06: the list, search and calls of the user include the tools.
#[test]
fn a_header_selects_tools_for_its_request_only() {
    let world = world("");
    let mut serving = Serving::start(&world);
    for (caller, name) in [(ALICE, "alice"), (BOB, "bob"), (ALICE, "alice")] {
        let found = serving.call(&caller, "tool_search", json!({"query": "saved"}));
        let hits: Value = serde_json::from_str(text(&found)).expect("JSON");
        assert_eq!(hits[0]["name"], "my_saved_queries");
        assert_eq!(hits[0]["description"], format!("The saved queries of {name}"));
        let list = serving.send_request(&caller, "tools/list", json!({}));
        assert_eq!(list["cacheScope"], "private");
        let hello = serving.send_request(&caller, "server/discover", json!({}));
        assert_eq!(hello["cacheScope"], "private");
        assert!(list["tools"].to_string().contains(&format!("About {name}")), "{list}");
        assert_eq!(serving.listed(&caller), ["execute_tool", "own__about_me", "tool_search"]);
        let ran = serving.call(
            &caller,
            "execute_tool",
            json!({"name": "my_saved_queries", "arguments": {"q": 1}}),
        );
        assert_eq!(text(&ran).trim(), r#"{"q":1}"#);
        assert!(
            serving.call(&caller, "own__my_saved_queries", json!({}))["isError"] != true,
            "also when called directly"
        );
    }
    let others: [&[(&str, &str)]; 5] = [
        &[],
        &[("X-User-ID", "carol")],
        &[("X-User-ID", "../users/alice")],
        &[("X-User-ID", "ALICE")],
        &[("X-User-ID", "alice"), ("X-User-ID", "bob")],
    ];
    for caller in others {
        let found = serving.call(caller, "tool_search", json!({"query": "saved"}));
        assert!(text(&found).starts_with("No tools found."), "{caller:?}: {found}");
        assert_eq!(serving.listed(caller), ["execute_tool", "tool_search"]);
        let ran = serving.call(caller, "execute_tool", json!({"name": "my_saved_queries"}));
        assert_eq!((text(&ran), &ran["isError"]), (NOT_FOUND, &json!(true)));
    }
    assert_eq!(serving.send_request(&[], "tools/list", json!({}))["cacheScope"], "public");
}

/// The feedback of one user changes the search results of that user only.
#[test]
fn feedback_is_separate_for_each_tenant() {
    let about = |what: &str| format!("description = \"{what} the weekly report\"");
    // Keyword search ranks the two tools equally.
    let world =
        world("[search]\nsemantic = false\n").echo("tools/a.tool.toml", "aa_file", &about("Files"));
    let world = world.echo("tools/c.tool.toml", "cc_mail", &about("Mails"));
    let mut serving = Serving::start(&world);
    let mut first = |caller: &[(&str, &str)], is_called: bool| {
        let found = serving.call(
            caller,
            "tool_search",
            json!({"query": "weekly report", "detail": "names"}),
        );
        if is_called {
            let ran = serving.call(caller, "execute_tool", json!({"name": "local/cc_mail"}));
            assert!(ran["isError"] != true, "{ran}");
        }
        text(&found).lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(first(&ALICE, true), "local/aa_file");
    let started = std::time::Instant::now();
    while first(&ALICE, false) != "local/cc_mail" {
        assert!(
            started.elapsed() < std::time::Duration::from_secs(20),
            "alice's feedback has no effect"
        );
    }
    let others: [&[(&str, &str)]; 3] = [&BOB, &[("X-User-ID", "carol")], &[]];
    for other in others {
        assert_eq!(first(other, false), "local/aa_file", "{other:?}");
    }
    let learned = world.run(&["search", "learned", "--json"]).exits(0);
    assert_eq!(learned.json(), json!([]), "the command line does not list it");
}

/// P-01 in the legacy era: knowing the id of a session is not enough to use it.
#[test]
fn a_session_is_accessible_only_to_its_owner() {
    let world = world("");
    let mut serving = Serving::start(&world);
    let client = &mut serving.client;
    let session = client.greet(&ALICE).expect("a session");
    let mut list = |caller: &[(&str, &str)]| {
        client.legacy(caller, &session, "tools/list", json!({})).expect("an answer")
    };
    assert!(list(&ALICE).body.contains("About alice"));
    for other in [list(&BOB), list(&[])] {
        assert_eq!(other.status, 404);
        assert!(!other.body.contains("alice"), "{other:?}");
    }
    assert!(list(&ALICE).body.contains("About alice"), "the session continues");
}

/// T28, T32: only the caller who received the beginning of a large result can read the rest.
#[test]
fn a_stored_result_is_accessible_only_to_its_caller() {
    let world = world("");
    let mut serving = Serving::start(&world);
    let cut = serving.call(&ALICE, "execute_tool", json!({"name": "big"}));
    let note = cut["content"][1]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("not truncated: {}", cut["content"][0]));
    let handle = note
        .split("\"result\":\"")
        .nth(1)
        .and_then(|part| part.split('"').next())
        .expect("a handle")
        .to_owned();
    let read = json!({"name": "toolscout__read_result", "arguments": {"result": handle, "offset": 100_000}});
    for other in [&BOB[..], &[]] {
        let refused = serving.call(other, "execute_tool", read.clone());
        assert_eq!(refused["isError"], true);
        assert!(!text(&refused).contains("alice"), "{refused}");
    }
    let rest = serving.call(&ALICE, "execute_tool", read);
    assert!(text(&rest).contains("alice"));
}

/// T22, T28, T32: a pending call resumes only for the caller who made it. Other callers, who see a
/// tool of the same name, get an error.
#[test]
fn a_pending_call_is_resumed_only_by_its_caller() {
    let world = world("[policies]\n\"own/my_saved_queries\" = \"ask\"\n")
        .file("../config/config.toml", "[serve]\napprovals = \"client\"\n");
    let mut serving = Serving::start(&world);
    let mut params = json!({"name": "own__my_saved_queries", "arguments": {"q": 1}});
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});
    let input_request = serving.send_request(&ALICE, "tools/call", params.clone());
    let (name, _) = input_request["inputRequests"]
        .as_object()
        .and_then(|object| object.iter().next())
        .expect("a question");
    params["inputResponses"] = json!({name: {"action": "accept", "content": {}}});
    params["requestState"] = input_request["requestState"].clone();
    for other in [&BOB[..], &[]] {
        let answer = serving.client.modern(other, "tools/call", params.clone()).expect("an answer");
        assert_eq!(answer.message()["error"]["code"], -32602, "{answer:?}");
    }
    let result = serving.send_request(&ALICE, "tools/call", params);
    assert_eq!((text(&result).trim(), &result["resultType"]), (r#"{"q":1}"#, &json!("complete")));
}

fn vault_config(vault: &Vault) -> String {
    format!("[servers.vault]\nurl = \"{}\"\nbearer = \"request:x-vault-token\"\n", vault.url())
}

/// T30, T32: two users have one token each, and neither token is used for the other user.
#[test]
fn the_token_of_a_request_is_forwarded_to_its_server() {
    let vault = Vault::open().expect("loopback");
    let world = world(&vault_config(&vault));
    let mut serving = Serving::start(&world);
    let users = [[("x-vault-token", "secret-of-ann")], [("x-vault-token", "secret-of-ben")]];
    for _ in 0..10 {
        for caller in &users {
            let name = caller[0].1.trim_start_matches("secret-of-");
            let found = serving.call(caller, "tool_search", json!({"query": "open vault"}));
            assert!(text(&found).contains(&format!("Opens the vault of {name}")), "{found}");
            let ran = serving.call(caller, "execute_tool", json!({"name": "vault/open_vault"}));
            assert_eq!(text(&ran), format!("in it: what {name} has"));
        }
    }
    let seen = vault.seen();
    let mut tokens: Vec<_> = seen.tokens.keys().map(String::as_str).collect();
    tokens.sort_unstable();
    assert_eq!(tokens, ["Bearer secret-of-ann", "Bearer secret-of-ben"]);
    assert_eq!((seen.mixed, seen.passed_on.as_slice()), (0, &[][..]));
    // The token is not written to disk.
    let state = world.temp_dir().join("state");
    assert_eq!(files_with(&state, "secret-of-"), Vec::<std::path::PathBuf>::new());
}

/// The error names the required header.
#[test]
fn a_request_without_the_required_token_is_refused() {
    let vault = Vault::open().expect("loopback");
    let world = world(&vault_config(&vault));
    let mut serving = Serving::start(&world);
    let found = serving.call(&[], "tool_search", json!({"query": "zzzz"}));
    let notes = found["structuredContent"]["notes"].to_string();
    assert!(
        notes.contains("`vault` needs your own token, sent as header `x-vault-token`"),
        "{found}"
    );
    let ran = serving.call(&[], "execute_tool", json!({"name": "open_vault"}));
    assert!(text(&ran).starts_with("Tool not found: open_vault."), "{ran}");
    assert!(vault.seen().tokens.is_empty());
    let listed = world.run(&["server", "test", "vault"]);
    assert!(listed.code != 0 && listed.err.contains("from each HTTP request"), "{listed:?}");
}

/// T30: the header that authenticates a client to toolscout is never forwarded, and a request
/// header cannot choose the URL or the arguments of a server.
#[test]
fn request_headers_cannot_set_the_url_or_use_our_token() {
    for (entry, output) in [
        (
            "url = \"http://localhost:1/\"\nbearer = \"request:Authorization\"",
            "reserved for toolscout",
        ),
        ("url = \"request:x-url\"", "only"),
        ("command = \"cat\"\nargs = [\"request:x-arg\"]", "`headers` and `bearer` of HTTP servers"),
    ] {
        let world = World::trusted().file("toolscout.toml", &format!("[servers.it]\n{entry}\n"));
        let listed = world.run(&["server", "list"]);
        assert!(listed.err.contains(output) && listed.err.contains("is skipped"), "{listed:?}");
    }
}

/// V-88.
#[test]
fn invalid_request_tools_settings_are_reported_at_startup() {
    for (entry, output) in [
        ("header = \"Cookie\"\npattern = \"a\"\nfolder = \"u/{value}\"", "reserved for toolscout"),
        ("header = \"x\"\npattern = \"(\"\nfolder = \"u/{value}\"", "invalid pattern"),
        (
            "header = \"x\"\npattern = \"a\"\nfolder = \"../{value}\"",
            "must be a relative path below the project",
        ),
        ("header = \"x\"\npattern = \"a\"\nfolder = \"u\"", "the same for all requests"),
        ("header = \"x\"\npattern = \"a\"", "`request_tools.folder` is missing"),
        (
            "header = \"x\"\npatern = \"a\"\nfolder = \"u/{value}\"",
            "`request_tools.pattern` is missing",
        ),
        (
            "header = \"x\"\npattern = \"a\"\nfolder = \"u/{value}\"\nsource = \"local\"",
            "reserved for toolscout",
        ),
    ] {
        let world =
            World::trusted().file("toolscout.toml", &format!("[[request_tools]]\n{entry}\n"));
        // A setting of the wrong form makes the file invalid; a wrong value only skips the entry.
        let code = if output.contains("is missing") { 2 } else { 0 };
        let ran = world.run(&["tools"]);
        assert!(ran.code == code && ran.err.contains(output), "{entry}: {ran:?}");
    }
}

fn files_with(folder: &std::path::Path, text: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, text))
        } else {
            let content = std::fs::read(&path).unwrap_or_default();
            found.extend(
                content.windows(text.len()).any(|window| window == text.as_bytes()).then_some(path),
            );
        }
    }
    found
}
