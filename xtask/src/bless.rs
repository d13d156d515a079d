//! Accepts the current test output as the expected snapshots.
//!
//! insta rewrites snapshot files itself; for inline snapshots it only writes pending files beside
//! the source, which [`inline`] applies. Review the diff afterwards.

mod inline;

use crate::repo;
use anyhow::Context;
use std::fs;
use std::path::PathBuf;

pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    // Pending files of an earlier run may refer to lines that have moved since.
    for notes in pending()? {
        fs::remove_file(notes)?;
    }
    let mut cargo = repo::cargo();
    cargo.arg("test");
    if !arguments.iter().any(|argument| argument == "-p" || argument.starts_with("--package")) {
        cargo.arg("--workspace");
    }
    cargo.args(arguments);
    repo::succeed(cargo.env("INSTA_UPDATE", "always").env("INSTA_FORCE_PASS", "1"))?;
    for notes in pending()? {
        let source =
            inline::source_of(&notes).context("a pending snapshot without a source file")?;
        let text = fs::read_to_string(&source)?;
        let blessed = inline::apply(&text, &inline::notes(&fs::read_to_string(&notes)?)?)
            .with_context(|| format!("rewrite {}", source.display()))?;
        fs::write(&source, blessed)?;
        fs::remove_file(&notes)?;
        println!("blessed {}", source.display());
    }
    Ok(())
}

fn pending() -> anyhow::Result<Vec<PathBuf>> {
    let mut files = repo::files(repo::root())?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "pending-snap"));
    Ok(files)
}
