//! A configured secret reaches its server and nothing else: no output, log, stored state, command
//! line of a process or error contains it, even if the server prints it.
//!
//! The secrets here are plain words, which no rule about the shape of secrets detects. Each test
//! has its own secrets, because parallel tests see each other's processes.

use super::fixture::{is_alive, wait_until};
use super::web::Web;
use crate::world::{Outcome, World};
use serde_json::{Value, json};
use std::fs;

/// Runs a command with the most verbose output, and expects none of the secrets in it.
fn quiet(world: &World, secrets: &[&str], args: &[&str]) -> Outcome {
    let all: Vec<&str> =
        ["--verbose", "--log-format", "json"].iter().chain(args).copied().collect();
    let outcome = world.run(&all);
    for secret in secrets {
        assert!(
            !outcome.out.contains(secret) && !outcome.err.contains(secret),
            "{args:?} shows {secret}: {outcome:?}"
        );
    }
    outcome
}

/// Runs all commands that show servers and their tools.
fn assert_no_secrets(world: &World, secrets: &[&str], id: &str) {
    let commands: [&[&str]; 10] = [
        &["tools"],
        &["tools", "--json"],
        &["search", "text"],
        &["server", "list"],
        &["server", "list", "--json"],
        &["server", "show", id],
        &["server", "show", id, "--json"],
        &["server", "test", id],
        &["server", "test", id, "--json"],
        &["server", "refresh"],
    ];
    commands.iter().for_each(|command| drop(quiet(world, secrets, command)));
    expect_unkept(world, secrets);
}

/// Expects none of the secrets in any file of the state folder.
fn expect_unkept(world: &World, secrets: &[&str]) {
    let mut files = 0;
    let mut folders = vec![world.temp_dir().join("state")];
    while let Some(folder) = folders.pop() {
        for entry in
            fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path())
        {
            if entry.is_dir() {
                folders.push(entry);
            } else if let Ok(bytes) = fs::read(&entry) {
                files += 1;
                secrets.iter().for_each(|secret| {
                    assert!(!holds(&bytes, secret), "{secret} is in {}", entry.display())
                });
            }
        }
    }
    assert!(files >= 2, "too few files were searched");
}

/// Expects none of the secrets in any process's command line.
fn expect_unseen(secrets: &[&str]) {
    let processes = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    for line in processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok()) {
        secrets.iter().for_each(|secret| {
            assert!(!holds(&line, secret), "{}", String::from_utf8_lossy(&line))
        });
    }
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// T33: the secret is in the environment of a well-behaved server, in every kind of reference and
/// as plain text in the file.
#[test]
fn environment_secrets_of_a_server_do_not_leak() {
    let secrets = [
        "plum-anvil-harbour",
        "walnut-anvil-harbour",
        "cherry-anvil-harbour",
        "quince-anvil-harbour",
    ];
    let env = "env = { ONE = \"env:FIRST\", TWO = \"a ${SECOND} b\", THREE = \"file:third.txt\", PASSWORD = \"quince-anvil-harbour\" }";
    let world = World::trusted()
        .var("FIRST", secrets[0])
        .var("SECOND", secrets[1])
        .file("third.txt", &format!("{}\n", secrets[2]))
        .server("fs", "env_dump", &[])
        .append_config(env);
    quiet(&world, &secrets, &["server", "refresh"]).exits(0);
    assert_no_secrets(&world, &secrets, "fs");
    // The result of this call is the environment. It proves that the server has the secret; results
    // are not redacted.
    let called =
        world.run(&["--verbose", "--log-format", "json", "run", "fs/echo", "--text", "x"]).exits(0);
    for secret in secrets {
        assert!(
            called.out.contains(secret) && !called.err.contains(secret),
            "{secret}: {called:?}"
        );
    }
    let host = world.host();
    quiet(&world, &secrets, &["server", "start", "fs"]).exits(0);
    quiet(&world, &secrets, &["server", "logs", "fs"]).exits(0);
    expect_unseen(&secrets);
    let (_, output) = host.interrupt();
    secrets.iter().for_each(|secret| assert!(!output.contains(secret), "{output}"));
    expect_unkept(&world, &secrets);
}

/// T33: servers that fail in many ways and print their secret.
#[test]
fn errors_of_a_server_that_prints_its_secret_are_redacted() {
    let secrets = ["plum-barrel-meadow", "walnut-barrel-meadow"];
    let answers = r#"
while IFS= read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  case $line in *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"nobody knows %s","data":"%s"}}\n' "$id" "$WORD" "$PASSWORD" ;; esac
done"#;
    let env = "env = { WORD = \"env:FIRST\", PASSWORD = \"walnut-barrel-meadow\" }";
    let world = ["sh -c tells", "sh -c prints", "sh answers.sh", "/nowhere/at/all"]
        .into_iter()
        .enumerate()
        .fold(
            World::trusted().var("FIRST", secrets[0]).file("answers.sh", answers),
            |world, (at, words)| {
                let words: Vec<String> = words.split(' ').map(str::to_owned).map(script).collect();
                world.entry(&format!("bad{at}"), &words, env)
            },
        );
    let refreshed = quiet(&world, &secrets, &["server", "refresh"]).exits(3);
    assert_eq!(refreshed.out.matches("failed: ").count(), 4, "{refreshed:?}");
    refreshed.stdout_contains(&["cannot log in as [REDACTED]", "nobody knows [REDACTED]"]);
    assert_no_secrets(&world, &secrets, "bad0");
    for id in ["bad1", "bad2", "bad3"] {
        quiet(&world, &secrets, &["server", "show", id, "--json"]).exits(0);
        assert_ne!(quiet(&world, &secrets, &["run", &format!("{id}/echo")]).code, 0);
    }
    let _host = world.host();
    for id in ["bad0", "bad1", "bad2", "bad3"] {
        quiet(&world, &secrets, &["server", "start", id]).exits(3);
        quiet(&world, &secrets, &["server", "logs", id]);
    }
    quiet(&world, &secrets, &["server", "list", "--json"]).exits(0);
    expect_unkept(&world, &secrets);
}

/// The script of each server in the test above.
fn script(word: String) -> String {
    match word.as_str() {
        "tells" => "echo \"cannot log in as $WORD\" >&2; echo \"nor with $PASSWORD\" >&2; exit 1"
            .to_owned(),
        "prints" => {
            "echo \"hello, $WORD\"; echo \"{\\\"$PASSWORD\\\"\"; sleep 0.05; exit 2".to_owned()
        }
        _ => word,
    }
}

/// T33: a running server prints its secret on stderr.
#[test]
fn server_logs_redact_secrets() {
    let secrets = ["plum-candle-river"];
    let world = World::trusted().var("FIRST", secrets[0]);
    let tells = "echo \"logged in as $WORD\" >&2; exec \"$@\"".to_owned();
    let words: Vec<String> = ["sh".to_owned(), "-c".to_owned(), tells, "sh".to_owned()]
        .into_iter()
        .chain(world.hostile("fs", "honest", &[]))
        .collect();
    let world = world.entry("fs", &words, "env = { WORD = \"env:FIRST\" }");
    let _host = world.host();
    quiet(&world, &secrets, &["server", "start", "fs"]).exits(0);
    wait_until("the message is logged", || {
        world.stdout(&["server", "logs", "fs"]).contains("logged in as [REDACTED]")
    });
    quiet(&world, &secrets, &["server", "logs", "fs"]).exits(0);
}

/// T31 and T33: credentials of an HTTP server, in every supported place.
#[test]
fn http_credentials_of_a_server_do_not_leak() {
    let secrets =
        ["plumdaggervalley", "walnutdaggervalley", "cherrydaggervalley", "quincedaggervalley"];
    let modes = ["honest", "http_401_meta", "http_redirect", "http_ctype"];
    let world = World::trusted().var("FIRST", secrets[0]).var("SECOND", secrets[1]);
    let webs: Vec<Web> = modes.iter().map(|mode| Web::start(&world, mode)).collect();
    let entry = |mode: &str, web: &Web| {
        format!(
            "[servers.{}]\nurl = \"{}?key={}\"\nbearer = \"env:FIRST\"\n\
             headers = {{ X-Team = \"${{SECOND}}\", X-Api-Key = \"{}\" }}\n",
            mode.replace('_', "-"),
            web.url(),
            secrets[2],
            secrets[3],
        )
    };
    let file: String = modes.iter().zip(&webs).map(|(mode, web)| entry(mode, web)).collect();
    let world = world.file("toolscout.toml", &file);
    let refreshed = quiet(&world, &secrets, &["server", "refresh"]).exits(3);
    assert_eq!(
        (refreshed.out.matches("failed: ").count(), refreshed.out.matches("6 tools").count()),
        (3, 1)
    );
    assert_no_secrets(&world, &secrets, "honest");
    for mode in &modes[1..] {
        let id = mode.replace('_', "-");
        let commands: [&[&str]; 3] =
            [&["server", "show", &id], &["server", "test", &id], &["run", &format!("{id}/echo")]];
        commands.iter().for_each(|command| drop(quiet(&world, &secrets, command)));
    }
    quiet(&world, &secrets, &["run", "honest/echo", "--text", "x"]).exits(0);
    expect_unseen(&secrets);
    expect_unkept(&world, &secrets);
    // The log of the servers only shows that the first secret arrived.
    let log = fs::read(world.temp_dir().join("servers.log")).expect("the servers' log");
    ["\"has_auth\":true", secrets[1], secrets[2], secrets[3]]
        .iter()
        .for_each(|item| assert!(holds(&log, item), "the server did not receive {item}"));
}

/// T33: the secret is stored only in the file, and a message says so.
#[test]
fn a_secret_given_on_the_command_line_is_only_in_the_file() {
    let secrets = ["plum-engine-forest"];
    let world = World::project();
    let command = world.breakable_command("fs", "honest", &[]);
    let world = world.delay_server("fs");
    let words = ["server", "add", "fs", "--env", "PASSWORD=plum-engine-forest", "--"];
    let words: Vec<&str> = words.into_iter().chain(command.iter().map(String::as_str)).collect();
    quiet(&world, &secrets, &words)
        .exits(0)
        .stderr_contains(&["the value of `PASSWORD` is stored in", "env:NAME"]);
    world.wait_until_delayed("fs");
    expect_unseen(&secrets);
    world.release_server("fs");
    wait_until("the server is discovered", || world.status("fs")["discoveryStatus"] == "success");
    assert_no_secrets(&world, &secrets, "fs");
    let holding: Vec<_> = fs::read_dir(world.path(""))
        .expect("the project")
        .map(|entry| entry.expect("a file").path())
        .collect();
    let holding = holding
        .iter()
        .filter(|holding| fs::read(holding).is_ok_and(|bytes| holds(&bytes, secrets[0])));
    assert_eq!(holding.collect::<Vec<_>>(), [&world.path("toolscout.toml")]);
}

/// O-10: at any depth.
#[test]
fn arguments_named_like_secrets_are_redacted_in_logs() {
    let schema = json!({"type": "object", "properties": {"api_token": {"type": "string"}, "user": {"type": "object"}}});
    let world = World::trusted().listing("fs", &json!([{"name": "login", "inputSchema": schema}]));
    world.run(&["server", "refresh"]).exits(0);
    let secrets = ["plum-fiddle-desert", "walnut-fiddle-desert"];
    let arguments =
        json!({"api_token": secrets[0], "user": {"name": "ada", "password": secrets[1]}})
            .to_string();
    let outcome = quiet(&world, &secrets, &["run", "fs/login", "--input", &arguments]).exits(0);
    let [called] = &outcome.events("tool_call")[..] else { panic!("not one call: {outcome:?}") };
    let logged: Value =
        serde_json::from_str(called["arguments"].as_str().expect("a text")).expect("JSON");
    assert_eq!(
        logged,
        json!({"api_token": "[REDACTED]", "user": {"name": "ada", "password": "[REDACTED]"}})
    );
    expect_unkept(&world, &secrets);
    // The arguments of a pending call are stored, but not these.
    let world = world.append_config("tools = { login = \"ask\" }");
    quiet(&world, &secrets, &["run", "fs/login", "--input", &arguments]).exits(4);
    expect_unkept(&world, &secrets);
}

/// A running server keeps the value that it was started with, so it is stopped.
#[test]
fn a_removed_secret_ends_the_servers_that_use_it() {
    let world = World::trusted().server("s", "honest", &[]);
    let world = world.append_config("env = { KEY = \"env:KEY\" }");
    world.run_with(b"a-plain-word", &["secret", "set", "KEY"]).exits(0);
    let host = world.host();
    world.run(&["server", "start", "s"]).exits(0);
    let process = *world.processes("s").last().expect("a process");
    world.run(&["secret", "remove", "KEY"]).exits(0).stderr_contains(&["s can no longer use it"]);
    assert!(!is_alive(process));
    world.run_with(b"another-word", &["secret", "set", "KEY"]).exits(0);
    world.run(&["server", "start", "s"]).exits(0);
    drop(host);
}
