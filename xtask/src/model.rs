//! Builds the model that toolscout includes from the published weights, and checks the existing
//! one.
//!
//! The `model` example of `toolscout-encoder` does both, so that a user's own model is processed
//! exactly like ours.

mod options;
#[cfg(test)]
mod tests;
mod texts;
mod weights;

use crate::repo;
use anyhow::{Context, ensure};
use options::Options;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use weights::Weights;

/// The path and the name of the model.
const MODEL: &str = "crates/toolscout-encoder/model/all-minilm-l6-v2.model";
const NAME: &str = "all-minilm-l6-v2";

pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let options = Options::parse(words)?;
    let weights = Weights::find(options.weights.as_deref())?;
    let program = build()?;
    if options.is_check {
        check(&program, &weights, options.texts.as_deref())
    } else {
        make(&program, &weights)
    }
}

fn build() -> anyhow::Result<PathBuf> {
    let mut cargo = repo::cargo();
    cargo.args(["build", "--release", "-p", "toolscout-encoder", "--example", "model"]);
    repo::build(cargo)?.take("model")
}

fn make(program: &Path, weights: &Weights) -> anyhow::Result<()> {
    let path = repo::root().join(MODEL);
    repo::succeed(Command::new(program).arg("make").arg(weights.directory()).arg(&path))?;
    let size = fs::metadata(&path)?.len();
    println!("{MODEL}: {size} bytes");
    Ok(())
}

/// Checks that the model equals the result of these weights, byte for byte, and that its embeddings
/// are close to those of plain arithmetic.
fn check(program: &Path, weights: &Weights, texts: Option<&Path>) -> anyhow::Result<()> {
    let again = weights.directory().with_extension("again");
    repo::succeed(
        Command::new(program)
            .arg("make")
            .arg(weights.directory())
            .arg(&again)
            .stdout(Stdio::null()),
    )?;
    let is_same = fs::read(repo::root().join(MODEL))? == fs::read(&again)?;
    ensure!(
        is_same,
        "{MODEL} differs from the model of these weights; build it again with `cargo xtask model`, or find the cause"
    );
    println!("{MODEL} equals the model of these weights");
    let texts = texts::read(texts)?;
    let mut command = Command::new(program);
    command.arg("check").arg(weights.directory()).stdin(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("start {command:?}"))?;
    child.stdin.take().context("its input")?.write_all(texts.join("\n").as_bytes())?;
    ensure!(child.wait()?.success(), "the vectors are too far from those of 32-bit arithmetic");
    Ok(())
}
