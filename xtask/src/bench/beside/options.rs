//! The options of the comparison.

use crate::repo;
use anyhow::{Context, bail};
use std::path::PathBuf;

pub(super) struct Options {
    /// A query set, or a folder of them.
    pub(super) folder: PathBuf,
    /// Only these sets of the folder; all if none is named.
    pub(super) names: Vec<String>,
    /// Whether existing runs of other methods are reused.
    pub(super) reuse: bool,
    /// The folder for plots, if any.
    pub(super) plots: Option<PathBuf>,
}

impl Options {
    pub(super) fn read(words: &[String]) -> anyhow::Result<Self> {
        let own = repo::root().join("crates/toolscout/data/retrieval");
        let mut options = Self { folder: own, names: Vec::new(), reuse: false, plots: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("`{word}` wants a value"));
            match word.as_str() {
                "--data" => options.folder = value()?.into(),
                "--sets" => options.names = value()?.split(',').map(str::to_owned).collect(),
                "--plots" => options.plots = Some(value()?.into()),
                "--reuse" => options.reuse = true,
                _ => {
                    bail!("`{word}` is none of --data DIR, --sets NAME,NAME, --plots DIR, --reuse")
                }
            }
        }
        Ok(options)
    }
}
