//! Builds all that is measured, as people install it, and says where it is.

use crate::repo;
use std::path::{Path, PathBuf};

/// What is measured, and with what.
pub(crate) struct Programs {
    /// The program that people install.
    pub(crate) toolscout: PathBuf,
    /// A server: honest, or however it is told to misbehave.
    pub(crate) server: PathBuf,
    /// A server of somebody's own, whose tools are code.
    pub(crate) own_server: PathBuf,
    /// Calls a server's tool through a bare pipe, or through our client.
    pub(crate) caller: PathBuf,
    /// Encodes texts, and says how long it took.
    pub(crate) encoder: PathBuf,
    /// Searches generated tools in one process.
    pub(crate) searcher: PathBuf,
    /// The same through the official SDK; or why there is none.
    pub(crate) sdk: Result<PathBuf, String>,
}

impl Programs {
    /// The program and a server, and nothing else.
    pub(crate) fn build_two() -> anyhow::Result<Self> {
        let mut cargo = repo::cargo();
        cargo.args(["build", "--release", "-p", "toolscout", "--bin", "toolscout", "--example", "hostile_server"]);
        let mut built = repo::build(cargo)?;
        let (toolscout, server) = (built.take("toolscout")?, built.take("hostile_server")?);
        let [own_server, caller, encoder, searcher] = [const { PathBuf::new() }; 4];
        Ok(Self { toolscout, server, own_server, caller, encoder, searcher, sdk: Err("not asked for".to_owned()) })
    }

    /// The SDK is built only where it is wanted: it takes minutes the first time, and the network.
    pub(crate) fn build(wants_sdk: bool) -> anyhow::Result<Self> {
        let mut cargo = repo::cargo();
        cargo.args(["build", "--release", "-p", "toolscout", "--bin", "toolscout", "--example", "hostile_server"]);
        cargo.args(["--example", "call_overhead", "--example", "own_server", "--example", "search_speed"]);
        cargo.args(["-p", "toolscout-encoder", "--example", "model"]);
        let mut built = repo::build(cargo)?;
        let (toolscout, server) = (built.take("toolscout")?, built.take("hostile_server")?);
        let (caller, own_server) = (built.take("call_overhead")?, built.take("own_server")?);
        let (encoder, searcher) = (built.take("model")?, built.take("search_speed")?);
        let sdk = if wants_sdk { build_sdk(&toolscout) } else { Err("not asked for".to_owned()) };
        Ok(Self { toolscout, server, own_server, caller, encoder, searcher, sdk })
    }
}

/// A workspace of its own, built beside ours.
fn build_sdk(toolscout: &Path) -> Result<PathBuf, String> {
    let target = toolscout.ancestors().nth(2).unwrap_or(Path::new("target")).join("rmcp-client");
    let mut cargo = repo::cargo();
    cargo.args(["build", "--release", "--locked", "--manifest-path", "xtask/rmcp-client/Cargo.toml", "--target-dir"]);
    let output = cargo.arg(&target).output().map_err(|it| it.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr);
    let mistake = || said.lines().find(|it| it.starts_with("error")).unwrap_or("cargo does not say why").to_owned();
    if output.status.success() { Ok(target.join("release").join("rmcp-client")) } else { Err(mistake()) }
}
