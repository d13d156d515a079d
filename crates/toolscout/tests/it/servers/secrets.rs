//! A secret that a server is configured with is where the server can use it and nowhere else: not in what is printed, said
//! or logged, not in what is remembered, not in the command line of any process, and not in errors, even where the server
//! itself says it aloud.
//!
//! The secrets here look like nothing: no rule about their shape would find them. Each test has its own, since tests that
//! run at the same time see each other's processes.

use super::scene::until;
use super::web::Web;
use crate::world::{Outcome, World};
use serde_json::{Value, json};
use std::fs;

/// Runs it as talkative as can be, and expects none of the secrets in what comes.
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

/// All that shows something about servers and their tools.
fn look_everywhere(world: &World, secrets: &[&str], id: &str) {
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
    commands.iter().for_each(|it| drop(quiet(world, secrets, it)));
    expect_unkept(world, secrets);
}

/// Expects none of the secrets in any file of the state folder.
fn expect_unkept(world: &World, secrets: &[&str]) {
    let mut files = 0;
    let mut folders = vec![world.outside().join("state")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").map(|it| it.expect("an entry").path())
        {
            if entry.is_dir() {
                folders.push(entry);
            } else if let Ok(bytes) = fs::read(&entry) {
                files += 1;
                secrets
                    .iter()
                    .for_each(|it| assert!(!holds(&bytes, it), "{it} is in {}", entry.display()));
            }
        }
    }
    assert!(files >= 2, "there is more than that to look at");
}

/// Expects none of the secrets in any process's command line.
fn expect_unseen(secrets: &[&str]) {
    let processes = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    for line in processes.filter_map(|it| fs::read(it.path().join("cmdline")).ok()) {
        secrets
            .iter()
            .for_each(|it| assert!(!holds(&line, it), "{}", String::from_utf8_lossy(&line)));
    }
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|it| it == text.as_bytes())
}

/// T33: in the environment of a server that behaves, referred to in every way, and written into the file itself.
#[test]
fn secrets_in_the_environment_of_a_server_are_nowhere_else() {
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
        .more(env);
    quiet(&world, &secrets, &["server", "refresh"]).exits(0);
    look_everywhere(&world, &secrets, "fs");
    // A call gives the environment, so it is known that the server has it; that is a result like any other.
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
    let (_, said) = host.interrupted();
    secrets.iter().for_each(|it| assert!(!said.contains(it), "{said}"));
    expect_unkept(&world, &secrets);
}

/// T33: servers that fail in many ways, and say their secret aloud while they do.
#[test]
fn a_failing_server_that_tells_its_secret_is_not_quoted_with_it() {
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
    refreshed.prints(&["cannot log in as [REDACTED]", "nobody knows [REDACTED]"]);
    look_everywhere(&world, &secrets, "bad0");
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

/// What the programs of the test above do.
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

/// T33: a server that runs, and tells its secret beside the protocol.
#[test]
fn what_a_running_server_says_is_shown_without_its_secret() {
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
    until("it has said so", || {
        world.out(&["server", "logs", "fs"]).contains("logged in as [REDACTED]")
    });
    quiet(&world, &secrets, &["server", "logs", "fs"]).exits(0);
}

/// T31 and T33: credentials for a server on the web, in every place that can hold one.
#[test]
fn credentials_for_a_server_on_the_web_are_nowhere_else() {
    let secrets =
        ["plumdaggervalley", "walnutdaggervalley", "cherrydaggervalley", "quincedaggervalley"];
    let modes = ["honest", "http_401_meta", "http_redirect", "http_ctype"];
    let world = World::trusted().var("FIRST", secrets[0]).var("SECOND", secrets[1]);
    let webs: Vec<Web> = modes.iter().map(|it| Web::start(&world, it)).collect();
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
    look_everywhere(&world, &secrets, "honest");
    for mode in &modes[1..] {
        let id = mode.replace('_', "-");
        let commands: [&[&str]; 3] =
            [&["server", "show", &id], &["server", "test", &id], &["run", &format!("{id}/echo")]];
        commands.iter().for_each(|it| drop(quiet(&world, &secrets, it)));
    }
    quiet(&world, &secrets, &["run", "honest/echo", "--text", "x"]).exits(0);
    expect_unseen(&secrets);
    expect_unkept(&world, &secrets);
    // Of the first, the servers' own log says only that it came.
    let log = fs::read(world.outside().join("servers.log")).expect("the servers' log");
    ["\"has_auth\":true", secrets[1], secrets[2], secrets[3]]
        .iter()
        .for_each(|it| assert!(holds(&log, it), "no {it} came"));
}

/// T33: typed once on the command line; it is in the file then, which is said, and in no other place.
#[test]
fn a_secret_that_is_typed_is_written_into_the_file_and_nowhere_else() {
    let secrets = ["plum-engine-forest"];
    let world = World::project();
    let command = world.breakable_words("fs", "honest", &[]);
    let world = world.holds("fs");
    let words = ["server", "add", "fs", "--env", "PASSWORD=plum-engine-forest", "--"];
    let words: Vec<&str> = words.into_iter().chain(command.iter().map(String::as_str)).collect();
    quiet(&world, &secrets, &words)
        .exits(0)
        .says(&["the value of `PASSWORD` is now in", "env:NAME"]);
    world.until_held("fs");
    expect_unseen(&secrets);
    world.lets_go("fs");
    until("the server is known", || world.status("fs")["discoveryStatus"] == "success");
    look_everywhere(&world, &secrets, "fs");
    let holding: Vec<_> = fs::read_dir(world.path(""))
        .expect("the project")
        .map(|it| it.expect("a file").path())
        .collect();
    let holding = holding.iter().filter(|it| fs::read(it).is_ok_and(|it| holds(&it, secrets[0])));
    assert_eq!(holding.collect::<Vec<_>>(), [&world.path("toolscout.toml")]);
}

/// O-10: what a caller passes under such a name is not in the log, however deep it is.
#[test]
fn an_argument_that_names_a_secret_is_hidden_in_the_log() {
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
    // A call that has to wait for a person is remembered, and so are its arguments; not these.
    let world = world.more("tools = { login = \"ask\" }");
    quiet(&world, &secrets, &["run", "fs/login", "--input", &arguments]).exits(4);
    expect_unkept(&world, &secrets);
}
