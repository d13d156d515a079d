//! A project with servers: helpers that configure servers, read their logs and wait for other
//! processes.

use crate::world::{Outcome, World};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Stdio};
use std::time::{Duration, Instant};

/// Timeout for events of other processes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server with a fixed tool list, as a POSIX shell script. It reads its tools from the file `$1`
/// and supports only the legacy handshake. A call of any tool returns `called`.
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

/// Starts a server unless the file `broken-$1` exists; waits while the file `wait-$1` exists.
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

    /// Configures a server of this hostile mode, with more arguments.
    pub(crate) fn server(self, id: &str, mode: &str, more: &[&str]) -> Self {
        let words = self.hostile(id, mode, more);
        self.entry(id, &words, "")
    }

    /// As [`World::server`]; [`World::break_server`] can break it, and [`World::delay_server`] can
    /// delay it.
    pub(crate) fn breakable(self, id: &str, mode: &str, more: &[&str]) -> Self {
        let words = self.breakable_command(id, mode, more);
        self.entry(id, &words, "")
    }

    /// The command line of a breakable server.
    pub(crate) fn breakable_command(&self, id: &str, mode: &str, more: &[&str]) -> Vec<String> {
        let before = ["sh", "-c", BREAKABLE, "sh", id].map(str::to_owned);
        before.into_iter().chain(self.hostile(id, mode, more)).collect()
    }

    /// Configures a server that has exactly these tools.
    pub(crate) fn listing(self, id: &str, tools: &Value) -> Self {
        // In a file, because toolscout expands `${…}` in arguments.
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

    /// Appends lines to `toolscout.toml`, which extend the entry of the last server.
    pub(crate) fn append_config(self, lines: &str) -> Self {
        let before = fs::read_to_string(self.path("toolscout.toml")).unwrap_or_default();
        self.file("toolscout.toml", &format!("{before}{lines}\n"))
    }

    /// The command line of a server of this hostile mode.
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

    /// From now on the breakable server exits before it sends a message.
    pub(crate) fn break_server(&self, id: &str) {
        fs::write(self.path(&format!("broken-{id}")), "").expect("write the file");
    }

    pub(crate) fn repair_server(&self, id: &str) {
        fs::remove_file(self.path(&format!("broken-{id}"))).expect("remove the file");
    }

    /// From now on the breakable server waits at startup.
    pub(crate) fn delay_server(self, id: &str) -> Self {
        self.file(&format!("wait-{id}"), "")
    }

    /// Waits until the delayed server is waiting.
    pub(crate) fn wait_until_delayed(&self, id: &str) {
        let waiting = self.path(&format!("waiting-{id}"));
        wait_until("the server waits", || waiting.exists());
    }

    pub(crate) fn release_server(&self, id: &str) {
        fs::remove_file(self.path(&format!("wait-{id}"))).expect("remove the file");
    }

    /// The number of starts of a server.
    pub(crate) fn starts(&self, id: &str) -> usize {
        self.logged_events(id, "start").len()
    }

    /// The process ids of all starts of a server, in order.
    pub(crate) fn processes(&self, id: &str) -> Vec<u32> {
        self.logged_events(id, "start").iter().map(|item| process_id(&item["pid"])).collect()
    }

    /// The process ids that servers of mode `grandchild` have started, in order.
    pub(crate) fn grandchildren(&self, id: &str) -> Vec<u32> {
        self.logged_events(id, "probe").iter().map(|item| process_id(&item["grandchild"])).collect()
    }

    /// The number of requests of this method that a server received.
    pub(crate) fn request_count(&self, id: &str, method: &str) -> usize {
        self.logged_events(id, "recv").iter().filter(|item| item["method"] == method).count()
    }

    /// The entry of one server in `server list --json`.
    pub(crate) fn status(&self, id: &str) -> Value {
        let all = self.run(&["server", "list", "--json"]).exits(0).json();
        let found = all["servers"]
            .as_array()
            .and_then(|servers| servers.iter().find(|item| item["id"] == id));
        found.unwrap_or_else(|| panic!("no `{id}` in {all}")).clone()
    }

    /// The entry of one server in `server list --json`, without its policies.
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
        let (mut line, mut output) = (String::new(), String::new());
        while !line.starts_with("Hosting the servers") {
            line.clear();
            assert_ne!(err.read_line(&mut line).expect("a line"), 0, "the host ended: {output}");
            output += &line;
        }
        Host { child, err }
    }

    /// How many messages with this method a server has received.
    pub(crate) fn received(&self, id: &str, method: &str) -> usize {
        self.logged_events(id, "recv").iter().filter(|event| event["method"] == method).count()
    }

    fn log(&self) -> PathBuf {
        self.temp_dir().join("servers.log")
    }

    fn logged_events(&self, id: &str, event: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.log()).unwrap_or_default();
        let lines =
            text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
        lines.filter(|line| line["name"] == id && line["ev"] == event).collect()
    }
}

/// A running host. Dropping it interrupts the process.
pub(crate) struct Host {
    child: Child,
    err: BufReader<ChildStderr>,
}

impl Host {
    /// Interrupts the host; returns its exit code and its output since it was ready.
    pub(crate) fn interrupt(mut self) -> (Option<i32>, String) {
        signal(self.child.id(), Signal::INT);
        let mut output = String::new();
        self.err.read_to_string(&mut output).expect("read the rest of stderr");
        (self.child.wait().expect("the process exits").code(), output)
    }

    /// Waits until stderr contains this text.
    pub(crate) fn wait_for_stderr(&mut self, text: &str) {
        let (mut line, mut output) = (String::new(), String::new());
        while !line.contains(text) {
            line.clear();
            assert_ne!(
                self.err.read_line(&mut line).expect("a line"),
                0,
                "the host ended before `{text}`: {output}"
            );
            output += &line;
        }
    }

    /// Kills the host without a chance to clean up.
    pub(crate) fn kill(mut self) {
        signal(self.child.id(), Signal::KILL);
        self.child.wait().expect("the process exits");
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

/// Starts the program with its stderr in a pipe, and waits until it logs this event.
pub(crate) fn start_until_logged(
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
    let (mut line, mut output) = (String::new(), String::new());
    while !line.contains(event) {
        line.clear();
        assert_ne!(
            err.read_line(&mut line).expect("a line"),
            0,
            "the process ended before `{event}`: {output}"
        );
        output += &line;
    }
    (child, err)
}

/// Waits until a condition about another process is true.
#[expect(clippy::disallowed_methods, reason = "another process sends no notification")]
pub(crate) fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let limit = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < limit, "timed out before {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process runs. A zombie does not count.
pub(crate) fn is_alive(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let is_dead = stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['Z', 'X']));
    test_kill_process(pid(process)).is_ok() && !is_dead
}

pub(crate) fn signal(process: u32, signal: Signal) {
    kill_process(pid(process), signal).expect("the process is running");
}

/// A process id in JSON.
pub(crate) fn process_id(value: &Value) -> u32 {
    value
        .as_u64()
        .and_then(|value| u32::try_from(value).ok())
        .unwrap_or_else(|| panic!("{value} is not a process id"))
}

fn pid(process: u32) -> Pid {
    Pid::from_raw(i32::try_from(process).expect("a process id")).expect("not zero")
}

impl Outcome {
    /// Expects all of these texts on stdout.
    pub(crate) fn stdout_contains(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.out.contains(part), "{part:?} is not in {self:?}");
        }
        self
    }
}
