//! All steps of CI, ordered so that cheap failures come first.

use crate::repo;

/// No step sets RUSTFLAGS: different flags would rebuild every dependency.
const STEPS: &[&[&str]] = &[
    &["fmt", "--all", "--check"],
    &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
    &["xtask", "book"],
    &["test", "--workspace"],
    &["xtask", "acceptance"],
    &["xtask", "sbom"],
    &["xtask", "recipes"],
];

pub(crate) fn run() -> anyhow::Result<()> {
    for step in STEPS {
        println!("==> cargo {}", step.join(" "));
        repo::succeed(repo::cargo().args(*step))?;
    }
    Ok(())
}
