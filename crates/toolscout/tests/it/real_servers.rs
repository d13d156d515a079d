//! Published servers, used as their users use them. They must work like the servers that the tests
//! bring along.
//!
//! `TOOLSCOUT_TEST_SERVERS` names the folder where they are installed: `node_modules`, which npm
//! creates from `tests/servers/package.json`, and `python`, a virtual environment with the packages
//! of `tests/servers/requirements.txt`. `.ci/run` creates it. Without it these tests are skipped.

mod dual_era;
mod everything;
mod filesystem;
mod memory;
mod python;
mod web;

use crate::servers::fixture::wait_until;
use crate::world::{World, can_run};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// The protocol versions of these servers.
const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";

/// The path of an installed file, such as `node_modules/.bin/mcp-server-memory`, if it exists.
pub(crate) fn installed(file: &str) -> Option<String> {
    let folder = std::env::var_os("TOOLSCOUT_TEST_SERVERS").map(PathBuf::from);
    let path = folder
        .as_ref()
        .and_then(|folder| folder.canonicalize().ok())
        .map(|canonicalize| canonicalize.join(file));
    let there = path.as_ref().is_some_and(|path| path.exists());
    can_run(there, &format!("{file} in TOOLSCOUT_TEST_SERVERS")).then_some(())?;
    path.map(|path| path.display().to_string())
}

/// The path of a file in `tests/servers`.
fn own(file: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers").join(file).display().to_string()
}

impl World {
    /// Adds a server with these arguments; returns its details after the discovery.
    fn adds(&self, id: &str, words: &[&str]) -> Value {
        let words: Vec<&str> =
            ["server", "add", id, "--wait"].iter().chain(words).copied().collect();
        self.run(&words).exits(0).stderr_contains(&[&format!("Added {id} to ")]);
        self.run(&["server", "show", id, "--json"]).exits(0).json()
    }

    /// Calls a tool; returns the output.
    fn calls(&self, words: &[&str]) -> String {
        let words: Vec<&str> = ["run"].iter().chain(words).copied().collect();
        self.stdout(&words)
    }

    /// Calls a tool; returns the reported progress values.
    fn progress(&self, words: &[&str]) -> Vec<f64> {
        let talkative = ["--verbose", "--log-format", "json", "run"];
        let words: Vec<&str> = talkative.iter().chain(words).copied().collect();
        let events = self.run(&words).exits(0).events("tool_progress");
        events.iter().map(|event| event["done"].as_f64().expect("a number")).collect()
    }

    /// Expects that no process of this world is left. A variable in the environment of each process
    /// holds the folder of the world.
    fn is_left_alone(&self) {
        let folder = self.temp_dir().display().to_string();
        let is_ours = |process: &Path| {
            let variables = fs::read(process.join("environ")).unwrap_or_default();
            variables.windows(folder.len()).any(|window| window == folder.as_bytes())
        };
        let processes =
            || fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
        wait_until("no process is left", || !processes().any(|process| is_ours(&process)));
    }
}

/// The names of a server's tools, without the prefix of the server.
fn names(shown: &Value) -> Vec<&str> {
    let tools = shown["tools"].as_array().expect("a list");
    tools
        .iter()
        .filter_map(|tool| tool["name"].as_str()?.split_once('/'))
        .map(|(_, name)| name)
        .collect()
}

/// An HTTP server process. Dropping it stops the process.
struct Listening {
    child: Child,
    log: PathBuf,
    address: String,
}

impl Listening {
    /// Starts the server, and waits until it has logged its address.
    fn start(world: &World, mut command: Command) -> Self {
        let log = world.temp_dir().join("listening.log");
        let file = File::create(&log).expect("a file");
        command.stdout(file.try_clone().expect("a file")).stderr(file);
        let child = command.spawn().expect("the server starts");
        let mut listening = Self { child, log, address: String::new() };
        wait_until("the server listens", || listening.logged_address().is_some());
        listening.address = listening.logged_address().expect("just seen");
        listening
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    /// The number of log lines that contain this text.
    fn log_count(&self, what: &str) -> usize {
        self.log().matches(what).count()
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).expect("the log exists")
    }

    /// The logged `http://127.0.0.1:PORT`; none until the whitespace after it has arrived.
    fn logged_address(&self) -> Option<String> {
        let log = self.log();
        let start = log.find("http://127.0.0.1:")?;
        let end = log[start..].find(char::is_whitespace)?;
        Some(log[start..start + end].to_owned())
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
