//! The sandbox of servers and folder tools, with a server that tries everything.

use crate::real_servers::installed;
use crate::world::{World, is_installed};
use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;

/// What the level `default` leaves to every program: processes and memory.
const USUAL: [&str; 2] = ["fork", "allocate"];

/// A home with a key and another project, and a server that probes them.
struct Probed {
    world: World,
    listener: TcpListener,
}

impl Probed {
    fn new(world: World) -> Self {
        let world = world
            .file("../home/notes.txt", "mine")
            .file("../home/.ssh/id_rsa", "key")
            .file("../home/other/secret.txt", "theirs")
            .file("../log/seen.jsonl", "");
        Self { world, listener: TcpListener::bind("0.0.0.0:0").expect("a port") }
    }

    fn port(&self) -> u16 {
        self.listener.local_addr().expect("an address").port()
    }

    fn log(&self) -> PathBuf {
        self.world.temp_dir().join("log")
    }

    /// Adds the server with these flags; returns the probes that succeeded during the discovery.
    fn add(&self, flags: &[&str]) -> Vec<String> {
        let program = toolscout_hostile::example("hostile_server").display().to_string();
        let (target, log) = (self.world.temp_dir().display().to_string(), self.log());
        let (log, file) = (log.display().to_string(), log.join("seen.jsonl").display().to_string());
        let canary = format!("http://127.0.0.1:{}/", self.port());
        let mut words = vec!["server", "add", "probe", "--wait", "--allow-write", &log];
        words.extend(flags);
        words.extend(["--", &program, "--mode", "sandbox_probe", "--target", &target]);
        words.extend(["--canary", &canary, "--log", &file, "--ttl", "60"]);
        self.world.run(&words).exits(0);
        self.logged().into_iter().next_back().expect("the probe has reported")
    }

    /// The reports of all starts.
    fn logged(&self) -> Vec<Vec<String>> {
        let text = fs::read_to_string(self.log().join("seen.jsonl")).expect("a log");
        let events = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        events.filter_map(|event| names(event.get("sandbox")?)).collect()
    }

    /// Calls the server; returns the probes that succeeded.
    fn call(&self) -> Vec<String> {
        let out = self.world.run(&["run", "probe/echo", "--text", "x"]).exits(0).out;
        names(&serde_json::from_str(out.trim()).expect("a list")).expect("a list of names")
    }
}

fn names(list: &Value) -> Option<Vec<String>> {
    let list = list.as_array()?;
    Some(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// V-08: during the discovery of a server that no operator vouches for, none of 11 probes succeeds;
/// during its calls only what was granted.
#[test]
fn an_unreviewed_server_reaches_nothing() {
    let probed = Probed::new(World::project().confined());
    assert_eq!(probed.add(&["--untrusted"]), [""; 0]);
    probed.world.run(&["review", "--accept", "probe"]).exits(0);
    assert_eq!(probed.call(), USUAL);
    assert!(!probed.world.temp_dir().join("home/.bashrc").exists());
}

/// V-09: an operator grants a folder and a port, and nothing else becomes reachable.
#[test]
fn a_server_reaches_what_an_operator_grants() {
    let probed = Probed::new(World::project().confined());
    let port = probed.port().to_string();
    let first = probed.add(&[]);
    assert_eq!(first, USUAL);
    let notes = probed.world.temp_dir().join("home/notes.txt").display().to_string();
    probed
        .world
        .run(&["server", "update", "probe", "--allow-read", &notes, "--network", &port])
        .exits(0);
    let now = probed.call();
    assert!(now.starts_with(&["read_home".to_owned(), "connect_loopback".to_owned()]), "{now:?}");
    let reached = now.iter().filter(|name| !name.starts_with("connect") && *name != "read_home");
    assert!(reached.eq(&USUAL), "{now:?}");
    let shown = probed.world.run(&["server", "show", "probe", "--json"]).exits(0).json();
    assert_eq!(shown["server"]["sandbox"]["allowRead"], json!([notes]));
    assert_eq!(shown["server"]["sandbox"]["network"], json!(port));
}

/// V-126: the same in bubblewrap.
#[test]
fn an_unreviewed_server_reaches_nothing_in_bubblewrap() {
    let Some(world) = in_bubblewrap() else { return };
    let probed = Probed::new(world);
    assert_eq!(probed.add(&["--untrusted"]), [""; 0]);
    probed.world.run(&["review", "--accept", "probe"]).exits(0);
    assert_eq!(probed.call(), USUAL);
    let port = probed.port().to_string();
    let notes = probed.world.temp_dir().join("home/notes.txt").display().to_string();
    let update = ["server", "update", "probe", "--allow-read", &notes, "--network", &port];
    probed.world.run(&update).exits(0);
    let now = probed.call();
    assert!(now.starts_with(&["read_home".to_owned(), "connect_loopback".to_owned()]), "{now:?}");
    let reached = now.iter().filter(|name| !name.starts_with("connect") && *name != "read_home");
    assert!(reached.eq(&USUAL), "{now:?}");
    let doctor = probed.world.run(&["doctor"]).out;
    assert!(doctor.contains("sandbox   ") && doctor.contains("bubblewrap"), "{doctor}");
}

/// A project whose operator has chosen bubblewrap.
fn in_bubblewrap() -> Option<World> {
    is_installed("bwrap").then(|| {
        let config = "[sandbox]\nrunner = \"bwrap\"\n";
        World::project().confined().file("../config/config.toml", config)
    })
}

/// V-10: without a sandbox the probes succeed, so they test something.
#[test]
fn without_a_sandbox_the_probes_succeed() {
    let probed = Probed::new(World::project().confined());
    let seen = probed.add(&["--sandbox", "off"]);
    for name in ["read_home", "read_key", "read_state", "read_other_project", "write_home", "fork"]
    {
        assert!(seen.iter().any(|seen| seen == name), "{name} is not in {seen:?}");
    }
}

/// V-11: a file of a project cannot loosen the level that the operator has set.
#[test]
fn a_project_cannot_loosen_the_level_of_the_operator() {
    let world = World::trusted().confined().file(
        "toolscout.toml",
        "[servers.a]\ncommand = \"cat\"\nsandbox = \"off\"\nnetwork = \"all\"\nallow_read = [\"/srv\"]\n",
    );
    let sandbox = |world: &World| {
        world.run(&["server", "show", "a", "--json"]).exits(0).json()["server"]["sandbox"].clone()
    };
    assert_eq!(sandbox(&world), json!({"level": "off", "allowRead": ["/srv"], "network": "all"}));
    let world = world.file("../config/config.toml", "[sandbox]\nlevel = \"strict\"\n");
    assert_eq!(sandbox(&world), json!({"level": "strict"}));
}

/// A test of changed settings grants what an update with them would grant, and no more.
#[test]
fn a_test_of_a_server_keeps_the_level_of_the_operator() {
    let probed = Probed::new(World::trusted().confined());
    let program = toolscout_hostile::example("hostile_server").display().to_string();
    let target = probed.world.temp_dir().display().to_string();
    let file = probed.world.path("log/seen.jsonl").display().to_string();
    let args = ["--mode", "sandbox_probe", "--target", &target, "--log", &file, "--ttl", "60"];
    let entry = format!(
        "[servers.probe]\ncommand = {}\nargs = {}\nsandbox = \"off\"\nallow_write = [\"log\"]\n",
        json!(program),
        json!(args)
    );
    let world = probed
        .world
        .file("toolscout.toml", &entry)
        .file("log/seen.jsonl", "")
        .file("../config/config.toml", "[sandbox]\nlevel = \"strict\"\n");
    let reads_home = |flags: [&str; 2]| {
        let words: Vec<_> = ["server", "test", "probe"].into_iter().chain(flags).collect();
        world.run(&words).exits(0);
        let text = fs::read_to_string(&file).expect("a log");
        let mut seen = text.lines().filter_map(|line| {
            names(serde_json::from_str::<Value>(line).expect("JSON").get("sandbox")?)
        });
        seen.next_back().expect("the probe has reported").iter().any(|name| name == "read_home")
    };
    assert!(!reads_home(["--env", "A=b"]));
    assert!(reads_home(["--sandbox", "off"]));
    assert!(!reads_home(["--sandbox", "strict"]));
}

/// V-12: wrong words are errors that name the right ones.
#[test]
fn wrong_sandbox_settings_are_errors() {
    let world = World::project();
    let add = |flags: &[&str]| {
        let words: Vec<&str> =
            ["server", "add", "a"].iter().chain(flags).copied().chain(["--", "cat"]).collect();
        world.run(&words)
    };
    add(&["--sandbox", "loose"]).exits(2).stderr_contains(&["default", "strict", "off"]);
    add(&["--network", "lan"]).exits(2).stderr_contains(&["none, web, all, or ports"]);
    let url = ["server", "add", "b", "https://example.com", "--sandbox", "strict"];
    world.run(&url).exits(2).stderr_contains(&["`sandbox` is only valid for a stdio server"]);
    let doctor = world.run(&["doctor"]).out;
    assert!(doctor.contains("\nsandbox   "), "{doctor}");
}

/// V-13: published servers work in the sandbox; `filesystem` reaches the folder of its arguments
/// and no other.
#[test]
fn published_servers_work_in_the_sandbox() {
    published_servers_work(World::project().confined());
}

/// V-127
#[test]
fn published_servers_work_in_bubblewrap() {
    let Some(world) = in_bubblewrap() else { return };
    published_servers_work(world);
}

fn published_servers_work(world: World) {
    let modules = "node_modules/.bin/mcp-server-";
    let Some(files) = installed(&format!("{modules}filesystem")) else { return };
    let Some(everything) = installed(&format!("{modules}everything")) else { return };
    let Some(memory) = installed(&format!("{modules}memory")) else { return };
    let Some(time) = installed("python/bin/mcp-server-time") else { return };
    let Some(git) = installed("python/bin/mcp-server-git") else { return };
    let Some(fetch) = installed("python/bin/mcp-server-fetch") else { return };
    let world = world.file("../home/docs/a.txt", "one").file("mine.txt", "x");
    let docs = world.temp_dir().canonicalize().expect("its path").join("home/docs");
    let (folder, note) = (docs.display().to_string(), docs.join("b.txt").display().to_string());
    let graph = format!("MEMORY_FILE_PATH={}", docs.join("graph.jsonl").display());
    let adds = |words: &[&str]| {
        let words: Vec<&str> = ["server", "add", "--wait"].iter().chain(words).copied().collect();
        world.run(&words).exits(0).stderr_lacks(&["error"]);
    };
    // Each starts at the strictest level, too.
    for (id, program) in [("e1", &everything), ("t1", &time), ("g1", &git), ("f1", &fetch)] {
        adds(&[id, "--untrusted", "--", program]);
    }
    adds(&["files", "--", &files, &folder]);
    adds(&["everything", "--", &everything]);
    adds(&["memory", "--env", &graph, "--allow-write", &folder, "--", &memory]);
    adds(&["time", "--", &time, "--local-timezone", "UTC"]);
    let read = ["run", "files/read_text_file", "--path", &docs.join("a.txt").display().to_string()];
    assert_eq!(world.run(&read).exits(0).out, "one\n");
    world.run(&["run", "files/write_file", "--path", &note, "--content", "two"]).exits(0);
    assert_eq!(fs::read_to_string(&note).expect("written"), "two");
    assert!(world.run(&["run", "everything/echo", "--message", "hi"]).exits(0).out.contains("hi"));
    let entities = r#"[{"name": "n", "entityType": "t", "observations": []}]"#;
    world.run(&["run", "memory/create_entities", "--entities", entities]).exits(0);
    assert!(docs.join("graph.jsonl").exists());
    let now = world.run(&["run", "time/get_current_time", "--timezone", "Asia/Tokyo"]).exits(0);
    assert!(now.out.contains("+09:00"), "{now:?}");
    let created = Command::new("git").args(["init", "--quiet", &folder]).status();
    assert!(created.expect("git starts").success());
    adds(&["git", "--", &git, "--repository", &folder]);
    let status = world.run(&["run", "git/git_status", "--repo_path", &folder]).exits(0);
    assert!(status.out.contains("a.txt"), "{status:?}");
}

/// A server that reads the file `FILE` during each call, and reports the error.
pub(crate) const READER: &str = r#"
[ "$1" = early ] && { cat FILE || exit 3; }
while IFS= read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  case $line in
  *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id" ;;
  *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"reader","version":"1"}}}\n' "$id" ;;
  *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"go","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
  *'"tools/call"'*) said=$(cat FILE 2>&1) && bad=false || bad=true; said=$(printf '%s\n' "$said" | sed ':a;N;$!ba;s/\n/\\n/g'); printf '{"jsonrpc":"2.0","id":%s,"result":{"isError":%s,"content":[{"type":"text","text":"%s"}]}}\n' "$id" "$bad" "$said" ;;
  esac
done"#;

/// V-15: a failure that the sandbox caused names the command that grants what was denied, and the
/// command works.
#[test]
fn denials_name_the_command_that_grants_them() {
    let world = World::project().confined().file("../home/notes.txt", "mine");
    let notes = world.temp_dir().canonicalize().expect("its path").join("home/notes.txt");
    let notes = notes.display().to_string();
    let world = world.file("reader.sh", &READER.replace("FILE", &notes));
    let hint = |id: &str| format!("run `toolscout server update {id} --allow-read {notes}`");
    world
        .run(&["server", "add", "early", "--wait", "--", "sh", "reader.sh", "early"])
        .stderr_contains(&["Permission denied", &hint("early")]);
    world.run(&["server", "add", "late", "--wait", "--", "sh", "reader.sh"]).exits(0);
    world.run(&["run", "late/go"]).exits(1).stderr_contains(&[&hint("late")]);
    // V-121: both are recorded until they are granted.
    let denied = |id: &str| {
        let shown = world.run(&["server", "show", id, "--json"]).exits(0).json();
        shown["server"]["sandbox"]["denied"].clone()
    };
    let shown = world.run(&["server", "show", "late"]).exits(0);
    shown.stdout_contains(&[&format!("denied         read {notes}; to grant it: toolscout")]);
    for id in ["early", "late"] {
        assert_eq!(denied(id)[0]["access"], format!("read {notes}"));
        assert_eq!(denied(id)[0]["grant"], json!({"allowRead": [notes]}));
        world.run(&["server", "update", id, "--allow-read", &notes]).exits(0);
    }
    assert_eq!(world.run(&["run", "late/go"]).exits(0).out, "mine\n");
    assert_eq!(denied("late"), Value::Null);
}

/// V-16: a probe of a folder's program reaches nothing outside the project; a person's own run is
/// not confined.
#[test]
fn folder_tools_are_confined_unless_a_person_runs_them() {
    let world = World::trusted().confined().file("../home/notes.txt", "mine");
    let notes = world.temp_dir().join("home/notes.txt").display().to_string();
    let tool = format!(
        "#!/bin/sh\nread_notes() {{ cat {notes} 2>/dev/null || echo denied; }}\ncase $1 in\n\
         tool-schema) printf '{{\"name\":\"peek\",\"description\":\"%s\",\"inputSchema\":{{\"type\":\"object\"}}}}' \"$(read_notes)\" ;;\n\
         tool-invoke) read_notes ;;\nesac\n"
    );
    let world = world.script("tools/peek", &tool);
    let tools = world.tools(&[]);
    assert_eq!(tools[0]["description"], "denied", "{tools:?}");
    assert_eq!(world.run(&["run", "peek"]).exits(0).out.trim(), "mine");
}

/// V-19: `..` and links do not lead out of the project, and the file keeps its words.
#[test]
fn grants_of_a_project_stay_in_it_wherever_they_lead() {
    let entry = "[servers.a]\ncommand = \"cat\"\nallow_read = [\"../.ssh\", \"link\", \"docs\"]\n\
                 allow_write = [\"../log\"]\n";
    let world = World::trusted()
        .confined()
        .file("toolscout.toml", entry)
        .file("docs/a.txt", "")
        .file("../.ssh/id_rsa", "key")
        .file("../log/seen", "")
        .file("../config/config.toml", "[sandbox]\nlevel = \"default\"\n");
    std::os::unix::fs::symlink("../.ssh", world.path("link")).expect("a link");
    let sandbox = |world: &World| {
        world.run(&["server", "show", "a", "--json"]).exits(0).json()["server"]["sandbox"].clone()
    };
    let docs = world.path("docs").display().to_string();
    assert_eq!(sandbox(&world), json!({"level": "default", "allowRead": [docs]}));
    world.run(&["server", "update", "a", "--allow-read", "~/notes"]).exits(0);
    let written = fs::read_to_string(world.path("toolscout.toml")).expect("a file");
    assert!(written.contains("\"../.ssh\", \"link\", \"docs\", \"~/notes\""), "{written}");
    assert!(written.contains("allow_write = [\"../log\"]"), "{written}");
    // The operator has now decided about the whole entry.
    assert_eq!(sandbox(&world)["allowRead"].as_array().map(Vec::len), Some(4));
}
