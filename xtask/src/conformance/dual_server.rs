//! The installed server of both protocol eras, which uses the official SDK for TypeScript.

use crate::repo;
use anyhow::ensure;
use std::path::{Path, PathBuf};
use std::process::Command;

const HINT: &str = "run `.ci/run`, or `npm ci` with crates/toolscout/tests/servers/package.json in target/test-servers";

pub(super) struct DualServer {
    modules: PathBuf,
}

impl DualServer {
    /// Finds its packages in the folder that `TOOLSCOUT_TEST_SERVERS` names, or in the one that
    /// `.ci/run` creates.
    pub(super) fn find() -> anyhow::Result<Self> {
        let folder = std::env::var_os("TOOLSCOUT_TEST_SERVERS");
        let folder = folder.map_or_else(|| repo::root().join("target/test-servers"), PathBuf::from);
        let modules = folder.join("node_modules");
        ensure!(
            modules.join("@modelcontextprotocol/server/package.json").is_file(),
            "the SDK for TypeScript is not installed in `{}`; {HINT}",
            folder.display()
        );
        Ok(Self { modules })
    }

    /// The command that serves it over HTTP.
    pub(super) fn command(&self, node: &Path) -> Command {
        let program = repo::root().join("crates/toolscout/tests/servers/dual_era/main.mjs");
        let mut command = Command::new(node);
        command.arg(program).arg(&self.modules);
        command
    }
}
