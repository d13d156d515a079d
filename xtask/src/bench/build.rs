//! Builds all measured programs in release mode, and returns their paths.

use crate::repo;
use std::path::{Path, PathBuf};

/// The measured programs, and those used to measure.
pub(crate) struct Programs {
    /// The toolscout program.
    pub(crate) toolscout: PathBuf,
    /// The test server: honest, or in a hostile mode.
    pub(crate) server: PathBuf,
    /// An example application whose tools are code.
    pub(crate) own_server: PathBuf,
    /// Calls a server's tool through a bare pipe, or through our client.
    pub(crate) caller: PathBuf,
    /// Encodes texts, and prints the time.
    pub(crate) encoder: PathBuf,
    /// Searches generated tools in one process.
    pub(crate) searcher: PathBuf,
    /// The caller with the official SDK; or the reason why it is missing.
    pub(crate) sdk: Result<PathBuf, String>,
}

impl Programs {
    /// Builds only the program and a server.
    pub(crate) fn build_two() -> anyhow::Result<Self> {
        let mut cargo = repo::cargo();
        cargo.args([
            "build",
            "--release",
            "-p",
            "toolscout",
            "--bin",
            "toolscout",
            "--example",
            "hostile_server",
        ]);
        let mut built = repo::build(cargo)?;
        let (toolscout, server) = (built.take("toolscout")?, built.take("hostile_server")?);
        let [own_server, caller, encoder, searcher] = [const { PathBuf::new() }; 4];
        Ok(Self {
            toolscout,
            server,
            own_server,
            caller,
            encoder,
            searcher,
            sdk: Err("not asked for".to_owned()),
        })
    }

    /// Builds all programs. The SDK is built only if needed: the first build takes minutes, and the
    /// network.
    pub(crate) fn build(wants_sdk: bool) -> anyhow::Result<Self> {
        let mut cargo = repo::cargo();
        cargo.args([
            "build",
            "--release",
            "-p",
            "toolscout",
            "--bin",
            "toolscout",
            "--example",
            "hostile_server",
        ]);
        cargo.args([
            "--example",
            "call_overhead",
            "--example",
            "own_server",
            "--example",
            "search_speed",
        ]);
        cargo.args(["-p", "toolscout-encoder", "--example", "model"]);
        let mut built = repo::build(cargo)?;
        let (toolscout, server) = (built.take("toolscout")?, built.take("hostile_server")?);
        let (caller, own_server) = (built.take("call_overhead")?, built.take("own_server")?);
        let (encoder, searcher) = (built.take("model")?, built.take("search_speed")?);
        let sdk = if wants_sdk { build_sdk(&toolscout) } else { Err("not asked for".to_owned()) };
        Ok(Self { toolscout, server, own_server, caller, encoder, searcher, sdk })
    }
}

/// A separate workspace, built into a folder beside ours.
fn build_sdk(toolscout: &Path) -> Result<PathBuf, String> {
    let target = toolscout.ancestors().nth(2).unwrap_or(Path::new("target")).join("rmcp-client");
    let mut cargo = repo::cargo();
    cargo.args([
        "build",
        "--release",
        "--locked",
        "--manifest-path",
        "xtask/rmcp-client/Cargo.toml",
        "--target-dir",
    ]);
    let output = cargo.arg(&target).output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr);
    let mistake = || {
        said.lines()
            .find(|line| line.starts_with("error"))
            .unwrap_or("cargo does not say why")
            .to_owned()
    };
    if output.status.success() {
        Ok(target.join("release").join("rmcp-client"))
    } else {
        Err(mistake())
    }
}
