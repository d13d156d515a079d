//! A project with servers: how to configure one, what it has seen, and how to wait for what other processes do.

use crate::world::{Outcome, World};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Stdio};
use std::time::{Duration, Instant};

/// Whatever takes longer than this does not happen at all.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server of one list, in any shell. It reads its tools from the file `$1`, and knows the old handshake only. A call of
/// any tool gives `called`.
const LISTING: &str = r#"
while IFS= read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  case $line in
  *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id" ;;
  *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"listing","version":"1"}}}\n' "$id" ;;
  *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":' "$id"; cat "$1"; printf '}}\n' ;;
  *'"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"called"}]}}\n' "$id" ;;
  esac
done"#;

/// Starts a server, unless the file `broken-$1` is there; waits while there is a file `wait-$1`.
const BREAKABLE: &str = r#"
if [ -e "broken-$1" ]; then echo 'out of order' >&2; exit 7; fi
if [ -e "wait-$1" ]; then echo waiting >> "waiting-$1"; fi
while [ -e "wait-$1" ]; do sleep 0.02; done
shift; exec "$@""#;

impl World {
    /// A project whose servers may be started.
    pub(crate) fn trusted() -> Self {
        Self::project().var("TOOLSCOUT_TRUST", "1")
    }

    /// Configures the server that misbehaves in this way, with more words on its command line.
    pub(crate) fn server(self, id: &str, mode: &str, more: &[&str]) -> Self {
        let words = self.hostile(id, mode, more);
        self.entry(id, &words, "")
    }

    /// As [`World::server`], and [`World::breaks`] can break it, [`World::holds`] hold it up.
    pub(crate) fn breakable(self, id: &str, mode: &str, more: &[&str]) -> Self {
        let words = self.breakable_words(id, mode, more);
        self.entry(id, &words, "")
    }

    /// The command line of a breakable server.
    pub(crate) fn breakable_words(&self, id: &str, mode: &str, more: &[&str]) -> Vec<String> {
        let before = ["sh", "-c", BREAKABLE, "sh", id].map(str::to_owned);
        before.into_iter().chain(self.hostile(id, mode, more)).collect()
    }

    /// Configures a server that has exactly these tools.
    pub(crate) fn listing(self, id: &str, tools: &Value) -> Self {
        // In a file, because `${…}` on a command line is ours to fill in.
        let (program, file) = (format!("{id}.sh"), format!("{id}.tools.json"));
        let words = ["sh", &program, &file].map(str::to_owned);
        self.entry(id, &words, "").file(&program, LISTING).file(&file, &tools.to_string())
    }

    /// Configures a server in `toolscout.toml`: its command line, and more lines of its entry.
    pub(crate) fn entry(self, id: &str, words: &[String], more: &str) -> Self {
        let before = fs::read_to_string(self.path("toolscout.toml")).unwrap_or_default();
        let (command, args) = (json!(words[0]), json!(words[1..]));
        self.file(
            "toolscout.toml",
            &format!("{before}[servers.{id}]\ncommand = {command}\nargs = {args}\n{more}\n"),
        )
    }

    /// Adds lines to the end of `toolscout.toml`: more of the entry of the last server.
    pub(crate) fn more(self, lines: &str) -> Self {
        let before = fs::read_to_string(self.path("toolscout.toml")).unwrap_or_default();
        self.file("toolscout.toml", &format!("{before}{lines}\n"))
    }

    /// The command line of the server that misbehaves in this way.
    pub(crate) fn hostile(&self, id: &str, mode: &str, more: &[&str]) -> Vec<String> {
        let program = toolscout_hostile::example("hostile_server").display().to_string();
        let log = self.log().display().to_string();
        let words =
            ["--mode", mode, "--name", id, "--log", &log, "--ttl", "60", "--ttl-ms", "600000"];
        std::iter::once(&*program)
            .chain(words)
            .chain(more.iter().copied())
            .map(str::to_owned)
            .collect()
    }

    /// From now on the breakable server ends before it says a word.
    pub(crate) fn breaks(&self, id: &str) {
        fs::write(self.path(&format!("broken-{id}")), "").expect("break it");
    }

    pub(crate) fn mends(&self, id: &str) {
        fs::remove_file(self.path(&format!("broken-{id}"))).expect("mend it");
    }

    /// From now on the breakable server waits when it is started.
    pub(crate) fn holds(self, id: &str) -> Self {
        self.file(&format!("wait-{id}"), "")
    }

    /// Waits until the server waits.
    pub(crate) fn until_held(&self, id: &str) {
        let waiting = self.path(&format!("waiting-{id}"));
        until("the server waits", || waiting.exists());
    }

    pub(crate) fn lets_go(&self, id: &str) {
        fs::remove_file(self.path(&format!("wait-{id}"))).expect("let it go");
    }

    /// How often a server was started.
    pub(crate) fn starts(&self, id: &str) -> usize {
        self.seen(id, "start").len()
    }

    /// The processes that were started for a server, in order.
    pub(crate) fn processes(&self, id: &str) -> Vec<u32> {
        self.seen(id, "start").iter().map(|it| process_id(&it["pid"])).collect()
    }

    /// The processes that servers in mode `grandchild` have started, in order.
    pub(crate) fn grandchildren(&self, id: &str) -> Vec<u32> {
        self.seen(id, "probe").iter().map(|it| process_id(&it["grandchild"])).collect()
    }

    /// How often a server was asked for this.
    pub(crate) fn asked(&self, id: &str, method: &str) -> usize {
        self.seen(id, "recv").iter().filter(|it| it["method"] == method).count()
    }

    /// What `server list --json` says about one server.
    pub(crate) fn status(&self, id: &str) -> Value {
        let all = self.run(&["server", "list", "--json"]).exits(0).json();
        let found = all["servers"].as_array().and_then(|it| it.iter().find(|it| it["id"] == id));
        found.unwrap_or_else(|| panic!("no `{id}` in {all}")).clone()
    }

    /// What `server list --json` says about a server, without its policies.
    pub(crate) fn discovery(&self, id: &str) -> Value {
        let mut status = self.status(id);
        status["tools"].take();
        status
    }

    /// Runs `server host`, and waits until it is ready.
    pub(crate) fn host(&self) -> Host {
        let mut command = self.command(&["server", "host"]);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
        let (mut line, mut said) = (String::new(), String::new());
        while !line.starts_with("Keeping servers") {
            line.clear();
            assert_ne!(err.read_line(&mut line).expect("a line"), 0, "the host ended: {said}");
            said += &line;
        }
        Host { child, err }
    }

    fn log(&self) -> PathBuf {
        self.outside().join("servers.log")
    }

    fn seen(&self, id: &str, event: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.log()).unwrap_or_default();
        let lines =
            text.lines().map(|it| serde_json::from_str::<Value>(it).expect("a line of JSON"));
        lines.filter(|it| it["name"] == id && it["ev"] == event).collect()
    }
}

/// A process that keeps servers; interrupted when dropped.
pub(crate) struct Host {
    child: Child,
    err: BufReader<ChildStderr>,
}

impl Host {
    /// Interrupts it, and gives its exit code and what it said after it was ready.
    pub(crate) fn interrupted(mut self) -> (Option<i32>, String) {
        signal(self.child.id(), Signal::INT);
        let mut said = String::new();
        self.err.read_to_string(&mut said).expect("its last words");
        (self.child.wait().expect("it ends").code(), said)
    }

    /// Waits until it says this.
    pub(crate) fn says(&mut self, text: &str) {
        let (mut line, mut said) = (String::new(), String::new());
        while !line.contains(text) {
            line.clear();
            assert_ne!(
                self.err.read_line(&mut line).expect("a line"),
                0,
                "the host ended before `{text}`: {said}"
            );
            said += &line;
        }
    }

    /// Kills it: it can do nothing about it any more.
    pub(crate) fn killed(mut self) {
        signal(self.child.id(), Signal::KILL);
        self.child.wait().expect("it ends");
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            signal(self.child.id(), Signal::INT);
            let _ = self.child.wait();
        }
    }
}

/// Starts the program with its talk in a pipe, and waits until it logs this event.
pub(crate) fn until_logs(
    world: &World,
    args: &[&str],
    event: &str,
) -> (Child, BufReader<ChildStderr>) {
    let args: Vec<_> =
        ["--verbose", "--log-format", "json"].into_iter().chain(args.iter().copied()).collect();
    let mut command = world.command(&args);
    let mut child =
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
    let (mut line, mut said) = (String::new(), String::new());
    while !line.contains(event) {
        line.clear();
        assert_ne!(
            err.read_line(&mut line).expect("a line"),
            0,
            "it ended before `{event}`: {said}"
        );
        said += &line;
    }
    (child, err)
}

/// Waits for something that another process does.
#[expect(
    clippy::disallowed_methods,
    reason = "nobody tells us when another process has done something"
)]
pub(crate) fn until(what: &str, is_so: impl Fn() -> bool) {
    let limit = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < limit, "it never came to pass that {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process runs; one that is dead and still to be collected by its parent does not.
pub(crate) fn is_alive(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let is_dead = stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['Z', 'X']));
    test_kill_process(pid(process)).is_ok() && !is_dead
}

pub(crate) fn signal(process: u32, signal: Signal) {
    kill_process(pid(process), signal).expect("it is there");
}

/// A process id, as JSON has it.
pub(crate) fn process_id(value: &Value) -> u32 {
    value
        .as_u64()
        .and_then(|it| u32::try_from(it).ok())
        .unwrap_or_else(|| panic!("{value} is no process id"))
}

fn pid(process: u32) -> Pid {
    Pid::from_raw(i32::try_from(process).expect("a process id")).expect("not zero")
}

impl Outcome {
    /// Expects all of these in what was printed.
    pub(crate) fn prints(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.out.contains(part), "{part:?} is not in {self:?}");
        }
        self
    }
}
