use crate::serve::{Web, library};
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::{Value, json};
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn world() -> World {
    let profiles = "[profiles.mail]\ninclude = [\"local/*email*\"]\nlisted = [\"*\"]\n\n[profiles.data]\ninclude = [\"local/sql_query\"]\nlisted = [\"*\"]\n";
    library().file("toolscout.toml", profiles)
}

/// Creates a token with these options; returns its value.
fn create(world: &World, name: &str, options: &[&str]) -> String {
    let words: Vec<&str> =
        ["token", "create", "--name", name].into_iter().chain(options.iter().copied()).collect();
    let created = world.run(&words).exits(0);
    assert!(created.err.contains("shown only now"), "{created:?}");
    assert!(!created.err.contains(created.out.trim()), "{created:?}");
    created.out.trim().to_owned()
}

fn bearer(secret: &str) -> String {
    format!("Authorization: Bearer {secret}")
}

fn status(web: &Web, secret: &str, path: &str) -> u16 {
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    // Without a session, an accepted request is a bad one.
    web.post(path, &[&bearer(secret)], &ping).status
}

fn me(web: &Web, secret: &str) -> Value {
    web.send("GET", "/api/me", &[&bearer(secret)], "").message()
}

/// Whether any file of this folder contains the text.
fn contains(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).expect("a folder").flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return contains(&path, text);
        }
        let bytes = fs::read(&path).unwrap_or_default();
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    })
}

/// V-29: a running process accepts a new token at once, and refuses the old value after a rotation,
/// and any value after the revocation. Only a hash is stored.
#[test]
fn tokens_are_created_rotated_and_revoked_while_serving() {
    let world = world();
    let web = Web::start(&world, &[]);
    let first = create(&world, "ci", &["--user", "ada"]);
    assert_eq!(me(&web, &first), json!({"role": "agent", "name": "ada"}));
    let boss = create(&world, "boss", &["--role", "operator"]);
    assert_eq!(me(&web, &boss), json!({"role": "operator", "name": "boss"}));
    let second = world.run(&["token", "rotate", "ci"]).exits(0).out.trim().to_owned();
    let refused = web.send("GET", "/api/me", &[&bearer(&first)], "");
    assert_eq!(refused.status, 401, "{refused:?}");
    let message = refused.message()["error"].as_str().unwrap_or_default().to_owned();
    assert_eq!(message, "the token is unknown, expired or revoked");
    assert_eq!(me(&web, &second)["name"], "ada");
    let list = world.run(&["token", "list", "--json"]).exits(0);
    let listed = list.json()["tokens"].as_array().expect("tokens").clone();
    let ci = listed.iter().find(|token| token["name"] == "ci").expect("the token is listed");
    assert_eq!((&ci["role"], &ci["user"]), (&json!("agent"), &json!("ada")));
    assert!(ci["lastUsed"].is_string() && ci["created"].is_string(), "{ci}");
    world.run(&["token", "revoke", "ci"]).exits(0);
    assert_eq!(web.send("GET", "/api/me", &[&bearer(&second)], "").status, 401);
    for secret in [&first, &second, &boss] {
        assert!(!contains(world.temp_dir(), secret), "a token is stored in plain text");
    }
    world.run(&["token", "revoke", "ci"]).exits(5).stderr_contains(&["there is no token `ci`"]);
    world.run(&["token", "create", "--name", "boss"]).exits(4).stderr_contains(&["already"]);
}

/// V-29: streams that were opened with a token end with it: events, and subscriptions of MCP clients.
#[test]
fn open_streams_end_when_their_token_is_revoked() {
    let world = world();
    let web = Web::start(&world, &[]);
    let secret = create(&world, "ci", &[]);
    let version = "MCP-Protocol-Version: 2026-07-28";
    let headers = [bearer(&secret), version.to_owned(), "Mcp-Method: subscriptions/listen".into()];
    let headers = headers.each_ref().map(String::as_str);
    let listen = json!({
        "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
        "params": {"notifications": {"toolsListChanged": true}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }},
    });
    let mut streams = [
        web.begin("GET", "/api/events", &headers[..1], ""),
        web.begin("POST", "/mcp", &headers, &listen.to_string()),
    ];
    for stream in &mut streams {
        let mut start = [0; 15];
        stream.read_exact(&mut start).expect("the stream opens");
        assert_eq!(String::from_utf8_lossy(&start), "HTTP/1.1 200 OK");
    }
    world.run(&["token", "revoke", "ci"]).exits(0);
    for mut stream in streams {
        stream.read_to_end(&mut Vec::new()).expect("the stream ends");
    }
}

/// V-29: the built-in tokens are rotated in their files, and cannot be revoked.
#[test]
fn built_in_tokens_are_rotated_while_serving() {
    let world = world();
    let web = Web::start(&world, &[]);
    let old = web.token();
    assert_eq!(me(&web, &old)["name"], "agent");
    let new = world.run(&["token", "rotate", "agent"]).exits(0).out.trim().to_owned();
    assert_eq!((web.token(), status(&web, &old, "/mcp")), (new.clone(), 401));
    assert_eq!(me(&web, &new)["name"], "agent");
    world.run(&["token", "revoke", "agent"]).exits(2).stderr_contains(&["token rotate agent"]);
    // A deleted file is a revoked token, until the next start creates another one.
    fs::remove_file(world.temp_dir().join("state/agent.token")).expect("remove the token");
    assert_eq!(status(&web, &new, "/mcp"), 401);
}

/// V-29: also a session of the web UI ends with the token that opened it.
#[test]
fn a_session_of_the_ui_ends_with_its_token() {
    let world = world();
    let web = Web::start(&world, &[]);
    let secret = create(&world, "ui", &["--role", "operator"]);
    let body = json!({"token": secret}).to_string();
    let origin = format!("Origin: http://{}", web.addr);
    let signed_in = web.send("POST", "/signin", &[&origin], &body);
    let cookie = signed_in.header("set-cookie").expect("a cookie");
    let cookie = format!("Cookie: {}", cookie.split(';').next().unwrap_or_default());
    let key = format!("X-Toolscout-Key: {}", signed_in.message()["key"].as_str().expect("a key"));
    let get = || web.send("GET", "/api/me", &[&cookie, &key], "").status;
    assert_eq!(get(), 200);
    world.run(&["token", "revoke", "ui"]).exits(0);
    assert_eq!(get(), 401);
}

/// V-29
#[test]
fn an_expired_token_is_refused() {
    let world = world();
    let web = Web::start(&world, &[]);
    let secret = create(&world, "brief", &["--expires", "1s"]);
    wait_until("the token has expired", || status(&web, &secret, "/mcp") == 401);
    let list = world.run(&["token", "list"]).exits(0);
    assert!(list.out.contains("brief") && list.out.contains("expired 2"), "{list:?}");
    for expires in ["0s", "2020-01-01", "soon", "-1d"] {
        let expires = format!("--expires={expires}");
        let words = ["token", "create", "--name", "x", &expires];
        world.run(&words).exits(2).stderr_contains(&["is not a time in the future"]);
    }
}

/// V-30: the token decides about the profile, not the path.
#[test]
fn a_token_is_limited_to_its_profile() {
    let world = world();
    let web = Web::start(&world, &[]);
    let mail = create(&world, "mail", &["--profile", "mail"]);
    let listed = ["local__list_emails", "local__send_email"];
    for path in ["/mcp", "/mcp/mail", "/projects/project/mcp"] {
        assert_eq!(web.session(path, &[&bearer(&mail)]).listed(), listed, "{path}");
    }
    for path in ["/mcp/data", "/mcp/none", "/projects/project/mcp/data"] {
        assert_eq!(status(&web, &mail, path), 403, "{path}");
    }
    let get = |path: &str| web.send("GET", path, &[&bearer(&mail)], "");
    let tools = get("/api/tools").message();
    let names: Vec<_> = tools["tools"].as_array().expect("tools").iter().collect();
    assert!(names.len() == 2 && !tools.to_string().contains("sql_query"), "{tools}");
    assert!(!get("/api/search?q=sql").body.contains("sql_query"));
    assert!(!get("/api/context").body.contains("sql_query"));
    assert_eq!(get("/api/tools/local/sql_query").status, 404);
    let body = r#"{"name": "local/sql_query"}"#;
    assert_eq!(web.send("POST", "/api/call", &[&bearer(&mail)], body).status, 404);
    assert_eq!(get("/api/servers").status, 403);
    // A profile that does not exist, or is not served, has nothing.
    let words = ["token", "create", "--name", "lost", "--profile", "none"];
    let lost = world.run(&words).exits(0).stderr_contains(&["no such profile"]).out;
    assert_eq!(status(&web, lost.trim(), "/mcp"), 403);
    assert_eq!(get("/api/me").status, 200);
    let none = web.send("GET", "/api/tools", &[&bearer(lost.trim())], "").message();
    assert_eq!(none["tools"], json!([]));
    let data = Web::start(&world, &["--profile", "data"]);
    assert_eq!(status(&data, &mail, "/mcp"), 403);
    let words = ["token", "create", "--name", "x", "--role", "operator", "--profile", "mail"];
    world.run(&words).exits(2).stderr_contains(&["not limited to a profile"]);
}

/// V-33: audit log and metrics have the name of the token.
#[test]
fn the_name_of_a_token_is_in_the_audit_log_and_in_metrics() {
    let world = world();
    let web = Web::start(&world, &[]);
    let secret = create(&world, "ci", &["--user", "ada"]);
    let body = r#"{"name": "local/sql_query", "arguments": {}}"#;
    assert_eq!(web.send("POST", "/api/call", &[&bearer(&secret)], body).status, 200);
    let metrics = web.send("GET", "/metrics", &[&bearer(&secret)], "").body;
    let line = "toolscout_token_requests_total{token=\"ci\",kind=\"call\"} 1";
    assert!(metrics.contains(line) && !metrics.contains(&secret), "{metrics}");
    let audit = || world.run(&["audit", "show", "--json"]).exits(0).json()["entries"].clone();
    let call = |entries: &Value| {
        let entries = entries.as_array().cloned().unwrap_or_default();
        entries.into_iter().find(|entry| entry["kind"] == "call")
    };
    wait_until("the call is recorded", || call(&audit()).is_some());
    let call = call(&audit()).expect("a call");
    assert_eq!((&call["token"], &call["user"]), (&json!("ci"), &json!("ada")));
    assert!(!audit().to_string().contains(&secret));
}

/// A failed read is tried again, although the file does not change.
#[test]
fn a_token_file_that_becomes_readable_again_is_used() {
    let world = library();
    let web = Web::start(&world, &[]);
    let file = world.temp_dir().join("state/operator.token");
    let secret = fs::read_to_string(&file).expect("a token");
    let allow =
        |mode| fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("set it");
    let is_refused = || web.send("GET", "/api/me", &[&bearer(secret.trim())], "").status == 401;
    assert!(!is_refused());
    fs::write(&file, &secret).expect("write it");
    allow(0o644);
    assert!(is_refused(), "other users can read the file");
    allow(0o600);
    assert!(!is_refused());
}
