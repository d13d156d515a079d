//! Builds the two programs, and returns their paths.

use super::HostilePrograms;
use crate::repo;
use anyhow::Context;
use std::path::Path;

pub(crate) fn programs(is_debug: bool) -> anyhow::Result<HostilePrograms> {
    let mut cargo = repo::cargo();
    cargo.args(["build", "-p", "toolscout", "-p", "toolscout-hostile"]);
    if !is_debug {
        cargo.arg("--release");
    }
    let mut built = repo::build(cargo)?;
    Ok(HostilePrograms {
        toolscout: built.take("toolscout")?,
        hostile: built.take("toolscout-hostile")?,
    })
}

/// Programs that are already built.
pub(crate) fn in_folder(folder: &Path) -> anyhow::Result<HostilePrograms> {
    let there = |name: &str| {
        let path = folder.join(name);
        std::path::absolute(&path)
            .ok()
            .filter(|absolute| absolute.is_file())
            .with_context(|| format!("no `{}`", path.display()))
    };
    Ok(HostilePrograms { toolscout: there("toolscout")?, hostile: there("toolscout-hostile")? })
}

/// The programs that `cargo test --workspace` has built; prints a note and returns `None` if they
/// are missing.
#[cfg(test)]
pub(crate) fn beside_us() -> Option<HostilePrograms> {
    let ours = std::env::current_exe().unwrap();
    let folder = ours.ancestors().nth(2).unwrap();
    let [toolscout, hostile] =
        ["toolscout", "examples/hostile_server"].map(|value| folder.join(value));
    let is_there = toolscout.is_file() && hostile.is_file();
    if !is_there {
        assert!(!repo::requires_all_programs(), "there is no toolscout in {}", folder.display());
        eprintln!("skipped: needs `cargo build -p toolscout --bins --examples`");
    }
    is_there.then_some(HostilePrograms { toolscout, hostile })
}
