//! 1. A header chooses a folder of tools, for its request and no other, in list, search and execution.
//! 2. A server is asked with the token that each request brings, and with no other.
//! 3. What is kept for one is not given to another, who knows its name.
//! 4. What cannot be configured is said when the program starts.

mod http_client;
mod vault;

use crate::world::World;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use vault::Vault;
use visitor::Visitor;

const CONFIG: &str = "[[request_tools]]\nheader = \"X-User-ID\"\npattern = \"[a-z0-9-]{1,32}\"\nfolder = \"users/{value}/tools\"\n";
const NOT_FOUND: &str =
    "Tool not found: my_saved_queries. Use tool_search to discover available tools.";

/// A trusted project in which alice and bob have tools of their own, and all have `greet`.
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

/// The program, listening; ended with this.
pub(crate) struct Serving {
    child: Child,
    visitor: Visitor,
}

impl Serving {
    pub(crate) fn start(world: &World) -> Self {
        Self::of(world.command(&[]))
    }

    /// Any program that can serve.
    pub(crate) fn of(mut command: Command) -> Self {
        command.args(["serve", "--http", "127.0.0.1:0", "--auth", "none"]);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("start the program");
        let mut lines = BufReader::new(child.stderr.take().expect("its errors")).lines();
        let place = lines.find_map(|it| {
            let line = it.expect("a line");
            Some(line.split_once("listening on http://")?.1.split('/').next()?.to_owned())
        });
        // Read on, so that it never waits for us.
        std::thread::spawn(move || lines.for_each(drop));
        let addr = place.and_then(|it| it.parse().ok()).expect("it says where it listens");
        Self { child, visitor: Visitor::new(addr).expect("it answers") }
    }

    fn ask(&mut self, who: &[(&str, &str)], method: &str, params: Value) -> Value {
        let answer = self.visitor.modern(who, method, params).expect("an answer");
        let message = answer.message();
        assert!(message.get("result").is_some(), "{method}: {answer:?}");
        message["result"].clone()
    }

    pub(crate) fn call(&mut self, who: &[(&str, &str)], name: &str, arguments: Value) -> Value {
        self.ask(who, "tools/call", json!({"name": name, "arguments": arguments}))
    }

    pub(crate) fn listed(&mut self, who: &[(&str, &str)]) -> Vec<String> {
        let list = self.ask(who, "tools/list", json!({}));
        let tools = list["tools"].as_array().expect("a list");
        tools.iter().map(|it| it["name"].as_str().unwrap_or_default().to_owned()).collect()
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

/// P-01, P-02, P-06: found, listed and run by who it is for.
#[test]
fn a_header_chooses_tools_for_its_request_and_for_no_other() {
    let world = world("");
    let mut serving = Serving::start(&world);
    for (who, name) in [(ALICE, "alice"), (BOB, "bob"), (ALICE, "alice")] {
        let found = serving.call(&who, "tool_search", json!({"query": "saved"}));
        let hits: Value = serde_json::from_str(text(&found)).expect("JSON");
        assert_eq!(hits[0]["name"], "my_saved_queries");
        assert_eq!(hits[0]["description"], format!("The saved queries of {name}"));
        let list = serving.ask(&who, "tools/list", json!({}));
        assert_eq!(list["cacheScope"], "private");
        assert!(list["tools"].to_string().contains(&format!("About {name}")), "{list}");
        assert_eq!(serving.listed(&who), ["execute_tool", "own__about_me", "tool_search"]);
        let ran = serving.call(
            &who,
            "execute_tool",
            json!({"name": "my_saved_queries", "arguments": {"q": 1}}),
        );
        assert_eq!(text(&ran).trim(), r#"{"q":1}"#);
        assert!(
            serving.call(&who, "own__my_saved_queries", json!({}))["isError"] != true,
            "also directly"
        );
    }
    let nobody: [&[(&str, &str)]; 5] = [
        &[],
        &[("X-User-ID", "carol")],
        &[("X-User-ID", "../users/alice")],
        &[("X-User-ID", "ALICE")],
        &[("X-User-ID", "alice"), ("X-User-ID", "bob")],
    ];
    for who in nobody {
        let found = serving.call(who, "tool_search", json!({"query": "saved"}));
        assert!(text(&found).starts_with("No tools found."), "{who:?}: {found}");
        assert_eq!(serving.listed(who), ["execute_tool", "tool_search"]);
        let ran = serving.call(who, "execute_tool", json!({"name": "my_saved_queries"}));
        assert_eq!((text(&ran), &ran["isError"]), (NOT_FOUND, &json!(true)));
    }
    assert_eq!(serving.ask(&[], "tools/list", json!({}))["cacheScope"], "public");
}

/// What somebody calls after a question changes what they find, and nothing for anybody else.
#[test]
fn what_one_tenant_teaches_is_nothing_to_another() {
    let about = |what: &str| format!("description = \"{what} the weekly report\"");
    // By words the two are alike.
    let world =
        world("[search]\nsemantic = false\n").echo("tools/a.tool.toml", "aa_file", &about("Files"));
    let world = world.echo("tools/c.tool.toml", "cc_mail", &about("Mails"));
    let mut serving = Serving::start(&world);
    let mut first = |who: &[(&str, &str)], is_called: bool| {
        let found =
            serving.call(who, "tool_search", json!({"query": "weekly report", "detail": "names"}));
        if is_called {
            let ran = serving.call(who, "execute_tool", json!({"name": "local/cc_mail"}));
            assert!(ran["isError"] != true, "{ran}");
        }
        text(&found).lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(first(&ALICE, true), "local/aa_file");
    let begun = std::time::Instant::now();
    while first(&ALICE, false) != "local/cc_mail" {
        assert!(begun.elapsed() < std::time::Duration::from_secs(20), "alice has learned nothing");
    }
    let others: [&[(&str, &str)]; 3] = [&BOB, &[("X-User-ID", "carol")], &[]];
    for other in others {
        assert_eq!(first(other, false), "local/aa_file", "{other:?}");
    }
    let learned = world.run(&["search", "learned", "--json"]).exits(0);
    assert_eq!(learned.json(), json!([]), "nor to who looks here");
}

/// P-01 in the old era: a session is for who began it, whoever else knows its name.
#[test]
fn a_session_is_for_who_began_it() {
    let world = world("");
    let mut serving = Serving::start(&world);
    let visitor = &mut serving.visitor;
    let session = visitor.greet(&ALICE).expect("a session");
    let mut list = |who: &[(&str, &str)]| {
        visitor.legacy(who, &session, "tools/list", json!({})).expect("an answer")
    };
    assert!(list(&ALICE).body.contains("About alice"));
    for other in [list(&BOB), list(&[])] {
        assert_eq!(other.status, 404);
        assert!(!other.body.contains("alice"), "{other:?}");
    }
    assert!(list(&ALICE).body.contains("About alice"), "and it goes on");
}

/// T28, T32: the rest of a large result is for who got its beginning.
#[test]
fn the_rest_of_a_large_result_is_for_who_got_its_beginning() {
    let world = world("");
    let mut serving = Serving::start(&world);
    let cut = serving.call(&ALICE, "execute_tool", json!({"name": "big"}));
    let note = cut["content"][1]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("not cut: {}", cut["content"][0]));
    let handle = note
        .split("\"result\":\"")
        .nth(1)
        .and_then(|it| it.split('"').next())
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

/// T22, T28, T32: a call that waits for a person goes on for who made it; to others of the same name it is another one's.
#[test]
fn a_call_that_waits_goes_on_for_who_made_it() {
    let world = world("[policies]\n\"own/my_saved_queries\" = \"ask\"\n");
    let mut serving = Serving::start(&world);
    let mut params = json!({"name": "own__my_saved_queries", "arguments": {"q": 1}});
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});
    let wish = serving.ask(&ALICE, "tools/call", params.clone());
    let (name, _) =
        wish["inputRequests"].as_object().and_then(|it| it.iter().next()).expect("a question");
    params["inputResponses"] = json!({name: {"action": "accept", "content": {}}});
    params["requestState"] = wish["requestState"].clone();
    for other in [&BOB[..], &[]] {
        let answer =
            serving.visitor.modern(other, "tools/call", params.clone()).expect("an answer");
        assert_eq!(answer.message()["error"]["code"], -32602, "{answer:?}");
    }
    let result = serving.ask(&ALICE, "tools/call", params);
    assert_eq!((text(&result).trim(), &result["resultType"]), (r#"{"q":1}"#, &json!("complete")));
}

fn vault_config(vault: &Vault) -> String {
    format!("[servers.vault]\nurl = \"{}\"\nbearer = \"request:x-vault-token\"\n", vault.url())
}

/// T30, T32: two users, each with a token of their own; none of it reaches the other.
#[test]
fn a_server_is_asked_with_the_token_that_the_request_brings() {
    let vault = Vault::open().expect("loopback");
    let world = world(&vault_config(&vault));
    let mut serving = Serving::start(&world);
    let users = [[("x-vault-token", "secret-of-ann")], [("x-vault-token", "secret-of-ben")]];
    for _ in 0..10 {
        for who in &users {
            let name = who[0].1.trim_start_matches("secret-of-");
            let found = serving.call(who, "tool_search", json!({"query": "open vault"}));
            assert!(text(&found).contains(&format!("Opens the vault of {name}")), "{found}");
            let ran = serving.call(who, "execute_tool", json!({"name": "vault/open_vault"}));
            assert_eq!(text(&ran), format!("in it: what {name} has"));
        }
    }
    let seen = vault.seen();
    let mut tokens: Vec<_> = seen.tokens.keys().map(String::as_str).collect();
    tokens.sort_unstable();
    assert_eq!(tokens, ["Bearer secret-of-ann", "Bearer secret-of-ben"]);
    assert_eq!((seen.mixed, seen.passed_on.as_slice()), (0, &[][..]));
    // Nothing of it is written down.
    let state = world.outside().join("state");
    assert_eq!(files_with(&state, "secret-of-"), Vec::<std::path::PathBuf>::new());
}

/// Who brings no token is told what to bring.
#[test]
fn who_brings_no_token_is_told_so() {
    let vault = Vault::open().expect("loopback");
    let world = world(&vault_config(&vault));
    let mut serving = Serving::start(&world);
    let found = serving.call(&[], "tool_search", json!({"query": "zzzz"}));
    let notes = found["structuredContent"]["notes"].to_string();
    assert!(
        notes.contains(
            "`vault` needs a login: it is asked with your own token, sent as header `x-vault-token`"
        ),
        "{found}"
    );
    let ran = serving.call(&[], "execute_tool", json!({"name": "open_vault"}));
    assert!(text(&ran).starts_with("Tool not found: open_vault."), "{ran}");
    assert!(vault.seen().tokens.is_empty());
    let listed = world.run(&["server", "test", "vault"]);
    assert!(listed.code != 0 && listed.err.contains("from each HTTP request"), "{listed:?}");
}

/// T30: what says who somebody is to us goes to nobody else, and an address is not for a request to choose.
#[test]
fn a_request_chooses_neither_an_address_nor_our_own_token() {
    for (entry, said) in [
        (
            "url = \"http://localhost:1/\"\nbearer = \"request:Authorization\"",
            "reserved for toolscout",
        ),
        ("url = \"request:x-url\"", "only"),
        ("command = \"cat\"\nargs = [\"request:x-arg\"]", "the same for all requests"),
    ] {
        let world = World::trusted().file("toolscout.toml", &format!("[servers.it]\n{entry}\n"));
        let listed = world.run(&["server", "list"]);
        assert!(listed.err.contains(said) && listed.err.contains("it is left out"), "{listed:?}");
    }
}

#[test]
fn what_cannot_choose_a_folder_is_said_at_once() {
    for (entry, said) in [
        ("header = \"Cookie\"\npattern = \"a\"\nfolder = \"u/{value}\"", "reserved for toolscout"),
        ("header = \"x\"\npattern = \"(\"\nfolder = \"u/{value}\"", "cannot be used"),
        ("header = \"x\"\npattern = \"a\"\nfolder = \"../{value}\"", "must lie below the project"),
        ("header = \"x\"\npattern = \"a\"\nfolder = \"u\"", "the same for everybody"),
        ("header = \"x\"\npattern = \"a\"", "`request_tools.folder` is missing"),
        (
            "header = \"x\"\npatern = \"a\"\nfolder = \"u/{value}\"",
            "`request_tools.pattern` is missing",
        ),
        (
            "header = \"x\"\npattern = \"a\"\nfolder = \"u/{value}\"\nsource = \"local\"",
            "toolscout's own",
        ),
    ] {
        let world =
            World::trusted().file("toolscout.toml", &format!("[[request_tools]]\n{entry}\n"));
        let ran = world.run(&["tools"]);
        assert!(ran.code == 2 && ran.err.contains(said), "{entry}: {ran:?}");
    }
}

fn files_with(folder: &std::path::Path, text: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(files_with(&path, text)),
            false => {
                let content = std::fs::read(&path).unwrap_or_default();
                found.extend(
                    content.windows(text.len()).any(|it| it == text.as_bytes()).then_some(path),
                );
            }
        }
    }
    found
}
