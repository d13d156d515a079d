//! Builds the two programs, and says where they are.

use super::Programs;
use crate::repo;
use anyhow::{Context, ensure};
use cargo_metadata::Message;
use std::collections::HashMap;
use std::io::BufReader;
use std::path::Path;
use std::process::Stdio;

pub(crate) fn programs(is_debug: bool) -> anyhow::Result<Programs> {
    let mut cargo = repo::cargo();
    cargo.args(["build", "-p", "toolscout", "-p", "toolscout-hostile", "--message-format", "json-render-diagnostics"]);
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
    Ok(Programs { toolscout: take("toolscout")?, hostile: take("toolscout-hostile")? })
}

/// Those that somebody has built before.
pub(super) fn in_folder(folder: &Path) -> anyhow::Result<Programs> {
    let there = |name: &str| {
        let path = folder.join(name);
        std::path::absolute(&path).ok().filter(|it| it.is_file()).with_context(|| format!("no `{}`", path.display()))
    };
    Ok(Programs { toolscout: there("toolscout")?, hostile: there("toolscout-hostile")? })
}
