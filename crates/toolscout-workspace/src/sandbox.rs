//! The sandbox of a run: the decisions of the operator, and the folders of this machine.

use crate::Environment;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_config::{Config, ConfigScope, ConfiguredServer, SandboxTable};
use toolscout_mcp_client::sandbox::{
    NetworkAccess, SandboxHost, SandboxLevel, SandboxRunner, SandboxSettings, support,
};

/// The level that overrides all others: `default`, `strict` or `off`.
const LEVEL_VARIABLE: &str = "TOOLSCOUT_SANDBOX";

/// What sandboxes of this run need. `None` for an environment that is not that of this process,
/// unless it names a level.
pub fn sandbox_host(config: &Config, environment: &Environment) -> Option<Arc<SandboxHost>> {
    let forced_level = environment.var(LEVEL_VARIABLE).and_then(SandboxLevel::parse);
    if environment.is_captured() && forced_level.is_none() {
        return None;
    }
    let home = environment.var("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let table = &config.settings.sandbox;
    Some(Arc::new(SandboxHost {
        settings: settings(table, config.user_folder.as_deref(), home.as_deref()),
        forced_level,
        is_required: table.required.unwrap_or_default(),
        runner: table.runner.as_deref().and_then(SandboxRunner::parse).unwrap_or_default(),
        state: environment.state_dir(),
        config: environment.config_dir(),
        home,
    }))
}

/// What sandboxes enforce on this machine, for people.
pub(crate) fn enforcement(config: &Config) -> String {
    let table = &config.settings.sandbox;
    let runner = table.runner.as_deref().and_then(SandboxRunner::parse).unwrap_or_default();
    match (runner, runner.missing()) {
        (SandboxRunner::Kernel, _) => support().line(),
        (SandboxRunner::Bubblewrap, None) => {
            format!("bubblewrap; by the kernel itself: {}", support().line())
        }
        (SandboxRunner::Bubblewrap, Some(reason)) => format!("nothing starts: {reason}"),
    }
}

fn settings(table: &SandboxTable, folder: Option<&Path>, home: Option<&Path>) -> SandboxSettings {
    let resolve = |path: &String| match (path.strip_prefix("~/"), home) {
        (Some(below), Some(home)) => home.join(below),
        _ if path == "~" => home.unwrap_or(Path::new("/")).to_owned(),
        _ => folder.unwrap_or(Path::new("/")).join(path),
    };
    let paths = |paths: &Option<Vec<String>>| paths.iter().flatten().map(resolve).collect();
    SandboxSettings {
        level: table.level.as_deref().and_then(SandboxLevel::parse),
        allow_read: paths(&table.allow_read),
        allow_write: paths(&table.allow_write),
        network: table.network.as_deref().and_then(NetworkAccess::parse),
    }
}

/// Takes from a server of a project what its file grants beyond the operator's decision. Not from a
/// server that an operator has added in its present form.
pub(crate) fn keep_within(configured: &mut ConfiguredServer, table: &SandboxTable, root: &Path) {
    let Some(limit) = table.level.as_deref().and_then(SandboxLevel::parse) else { return };
    if configured.scope == ConfigScope::User || limit == SandboxLevel::Off {
        return;
    }
    let sandbox = &mut configured.server.sandbox;
    sandbox.level = sandbox.level.map(|level| level.max(limit));
    sandbox.network.take_if(|network| *network != NetworkAccess::None);
    // `..` and links lead outside, so real paths are compared.
    let root = root.canonicalize().ok();
    let is_within = |path: &PathBuf| match (&root, path.canonicalize()) {
        (Some(root), Ok(path)) => path.starts_with(root),
        _ => false,
    };
    sandbox.allow_read.retain(is_within);
    sandbox.allow_write.retain(is_within);
}
