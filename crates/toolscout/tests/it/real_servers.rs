//! Servers that others have published, used as a user would use them: what holds for servers of our own must hold for
//! those that people have.
//!
//! `TOOLSCOUT_TEST_SERVERS` names the folder where they are installed: `node_modules`, as npm makes it from
//! `tests/servers/package.json`, and `python`, a virtual environment with what is in `tests/servers/requirements.txt`.
//! `.ci/run` makes it. Without it these tests are passed over.

mod everything;
mod filesystem;
mod memory;
mod python;
mod web;

use crate::servers::scene::until;
use crate::world::{World, can_run};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// The versions of the protocol that they speak.
const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";

/// Where a file of a package is, such as `node_modules/.bin/mcp-server-memory`.
pub(crate) fn installed(file: &str) -> Option<String> {
    let folder = std::env::var_os("TOOLSCOUT_TEST_SERVERS").map(PathBuf::from);
    let path = folder.as_ref().and_then(|it| it.canonicalize().ok()).map(|it| it.join(file));
    let there = path.as_ref().is_some_and(|it| it.exists());
    can_run(there, &format!("{file} in TOOLSCOUT_TEST_SERVERS")).then_some(())?;
    path.map(|it| it.display().to_string())
}

/// A file that tests bring along for the servers.
fn own(file: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers").join(file).display().to_string()
}

impl World {
    /// Adds a server in the way of these words; gives all that is known of it afterwards.
    fn adds(&self, id: &str, words: &[&str]) -> Value {
        let words: Vec<&str> =
            ["server", "add", id, "--wait"].iter().chain(words).copied().collect();
        self.run(&words).exits(0).says(&[&format!("Added {id} to ")]);
        self.run(&["server", "show", id, "--json"]).exits(0).json()
    }

    /// Runs a tool, and gives what it printed.
    fn calls(&self, words: &[&str]) -> String {
        let words: Vec<&str> = ["run"].iter().chain(words).copied().collect();
        self.out(&words)
    }

    /// How far the tool said it was, each time it did.
    fn progress(&self, words: &[&str]) -> Vec<f64> {
        let talkative = ["--verbose", "--log-format", "json", "run"];
        let words: Vec<&str> = talkative.iter().chain(words).copied().collect();
        let events = self.run(&words).exits(0).events("tool_progress");
        events.iter().map(|it| it["done"].as_f64().expect("a number")).collect()
    }

    /// Expects that nothing runs any more that was started in this world. Each process has its folder in a variable.
    fn is_left_alone(&self) {
        let folder = self.outside().display().to_string();
        let is_ours = |process: &Path| {
            let variables = fs::read(process.join("environ")).unwrap_or_default();
            variables.windows(folder.len()).any(|it| it == folder.as_bytes())
        };
        let processes =
            || fs::read_dir("/proc").into_iter().flatten().flatten().map(|it| it.path());
        until("no process is left", || !processes().any(|it| is_ours(&it)));
    }
}

/// The names of a server's tools, without its own.
fn names(shown: &Value) -> Vec<&str> {
    let tools = shown["tools"].as_array().expect("a list");
    tools
        .iter()
        .filter_map(|it| it["name"].as_str()?.split_once('/'))
        .map(|(_, name)| name)
        .collect()
}

/// A server that listens at an address of its own; ended when dropped.
struct Listening {
    child: Child,
    log: PathBuf,
    address: String,
}

impl Listening {
    /// Starts it, and waits until it has said where it listens.
    fn start(world: &World, mut command: Command) -> Self {
        let log = world.outside().join("listening.log");
        let file = File::create(&log).expect("a file");
        command.stdout(file.try_clone().expect("a file")).stderr(file);
        let child = command.spawn().expect("the server starts");
        let mut listening = Self { child, log, address: String::new() };
        until("the server listens", || listening.said_address().is_some());
        listening.address = listening.said_address().expect("just seen");
        listening
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    /// How often it has said this.
    fn said(&self, what: &str) -> usize {
        self.log().matches(what).count()
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).expect("its log")
    }

    /// `http://127.0.0.1:PORT`, the whole of it: something follows.
    fn said_address(&self) -> Option<String> {
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
