//! Everything CI runs, in the order in which mistakes are cheapest to hear of.

use crate::repo;

/// No step sets RUSTFLAGS: flags that differ between steps would build every dependency again.
const STEPS: &[&[&str]] = &[
    &["fmt", "--all", "--check"],
    &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
    &["test", "--workspace"],
    &["xtask", "recipes"],
];

pub(crate) fn run() -> anyhow::Result<()> {
    for step in STEPS {
        println!("==> cargo {}", step.join(" "));
        repo::succeed(repo::cargo().args(*step))?;
    }
    Ok(())
}
