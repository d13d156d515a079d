//! A running `toolscout ui`, and the sign-in link to it.

use anyhow::{Context, bail};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A served UI; ended on drop.
pub(crate) struct ServedPage {
    child: Child,
    link: String,
}

impl ServedPage {
    /// Starts the command, and waits until it listens.
    pub(crate) fn open(mut command: Command) -> anyhow::Result<Self> {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("start the web UI")?;
        let mut said = BufReader::new(child.stderr.take().context("stderr is not piped")?);
        let mut text = String::new();
        while !text.contains("listening on") {
            if said.read_line(&mut text)? == 0 {
                bail!("it never listened: {text}");
            }
        }
        // Keeps reading, so that the process never blocks on its output.
        std::thread::spawn(move || said.lines().for_each(drop));
        let mut link = String::new();
        let out = child.stdout.take().context("stdout is not piped")?;
        BufReader::new(out).read_line(&mut link)?;
        Ok(Self { child, link: link_in(&link)? })
    }

    /// The link, valid for one sign-in.
    pub(crate) fn link(&self) -> &str {
        &self.link
    }
}

impl Drop for ServedPage {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The link in the output of `toolscout ui`.
pub(crate) fn link_in(text: &str) -> anyhow::Result<String> {
    let link = text.lines().map(str::trim).find(|line| line.starts_with("http://"));
    link.map(str::to_owned).with_context(|| format!("there is no link in {text}"))
}
