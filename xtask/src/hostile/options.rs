//! The options of the campaign.

use super::terms::MeetingTransport;
use anyhow::{Context, bail};
use std::path::PathBuf;

/// Arguments are modes; without any, all of them run.
#[derive(Default, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) modes: Vec<String>,
    /// `--stdio` or `--http`.
    pub(super) only: Option<MeetingTransport>,
    /// `--debug`: a debug build.
    pub(super) is_debug: bool,
    /// `--long`: a minute for each mode whose effect takes time.
    pub(super) is_long: bool,
    /// `--built FOLDER`: programs that are already built.
    pub(super) built: Option<PathBuf>,
    /// `--server 'COMMAND WORD…'`: another hostile server with the same options.
    pub(super) server: Option<Vec<String>>,
}

impl Options {
    pub(super) fn parse(words: &[String]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("`{word}` needs a value"));
            match word.as_str() {
                "--stdio" => options.only = Some(MeetingTransport::Stdio),
                "--http" => options.only = Some(MeetingTransport::Http),
                "--debug" => options.is_debug = true,
                "--long" => options.is_long = true,
                "--built" => options.built = Some(value()?.into()),
                "--server" => {
                    options.server = Some(value()?.split_whitespace().map(str::to_owned).collect())
                }
                unknown if unknown.starts_with("--") => {
                    bail!("`{unknown}` is not an option of `hostile`")
                }
                mode => options.modes.push(mode.to_owned()),
            }
        }
        Ok(options)
    }
}
