//! The programs that the suite meets.

use crate::repo;
use anyhow::{Context, ensure};
use cargo_metadata::Message;
use std::collections::HashMap;
use std::io::BufReader;
use std::path::PathBuf;
use std::process::Stdio;

pub(super) struct Programs {
    pub(super) toolscout: PathBuf,
    /// The server behind it.
    pub(super) reference: PathBuf,
    pub(super) client: PathBuf,
}

impl Programs {
    pub(super) fn build(is_debug: bool) -> anyhow::Result<Self> {
        let mut cargo = repo::cargo();
        cargo.args([
            "build",
            "-p",
            "toolscout",
            "-p",
            "toolscout-hostile",
            "--bins",
            "--example",
            "conformance_client",
        ]);
        cargo.args(["--message-format", "json-render-diagnostics"]);
        if !is_debug {
            cargo.arg("--release");
        }
        let mut child = cargo.stdout(Stdio::piped()).spawn().context("start cargo")?;
        let messages = Message::parse_stream(BufReader::new(child.stdout.take().context("cargo's output")?));
        let mut built = HashMap::new();
        for message in messages {
            if let Message::CompilerArtifact(artifact) = message?
                && let Some(path) = artifact.executable
            {
                built.insert(artifact.target.name, path.into_std_path_buf());
            }
        }
        ensure!(child.wait()?.success(), "the build failed");
        let mut take = |name: &str| built.remove(name).with_context(|| format!("cargo built no `{name}`"));
        let (toolscout, reference) = (take("toolscout")?, take("toolscout-hostile")?);
        Ok(Self { toolscout, reference, client: take("conformance_client")? })
    }
}
