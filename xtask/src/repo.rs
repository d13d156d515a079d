//! The repository on disk: its root, its source files, and how cargo is called in it.

use anyhow::{Context, ensure};
use cargo_metadata::{Message, Metadata, MetadataCommand};
use std::collections::HashMap;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// The cargo that built this program, in the repository.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root()).stdin(Stdio::null());
    cargo
}

/// All packages of a build for this platform, with their dependencies. Those of other platforms may
/// not have been downloaded.
pub(crate) fn metadata() -> anyhow::Result<Metadata> {
    let platform = format!("--filter-platform={}", host()?);
    let mut command = MetadataCommand::new();
    command.current_dir(root()).other_options(["--locked".to_owned(), platform]);
    command.exec().context("ask cargo metadata")
}

/// The name of this platform, as rustc calls it.
pub(crate) fn host() -> anyhow::Result<String> {
    let printed = Command::new("rustc").args(["--print", "host-tuple"]).output();
    let host = String::from_utf8(printed.context("ask rustc for its platform")?.stdout)?;
    Ok(host.trim().to_owned())
}

/// Whether a missing program is a failure, and not a reason to skip what needs it.
pub(crate) fn requires_all_programs() -> bool {
    std::env::var_os("TOOLSCOUT_TESTS").is_some_and(|value| value == "all")
}

/// Runs the command to the end, with its output on ours.
pub(crate) fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("start {command:?}"))?;
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(())
}

/// The programs of a build, by name.
pub(crate) struct Built(HashMap<String, PathBuf>);

impl Built {
    pub(crate) fn take(&mut self, name: &str) -> anyhow::Result<PathBuf> {
        self.0.remove(name).with_context(|| format!("cargo built no `{name}`"))
    }
}

/// Runs this `cargo build` to the end, and returns the paths of its programs.
pub(crate) fn build(mut cargo: Command) -> anyhow::Result<Built> {
    cargo.args(["--message-format", "json-render-diagnostics"]);
    let mut child = cargo.stdout(Stdio::piped()).spawn().context("start cargo")?;
    let messages =
        Message::parse_stream(BufReader::new(child.stdout.take().context("cargo's output")?));
    let mut built = HashMap::new();
    for message in messages {
        if let Message::CompilerArtifact(artifact) = message?
            && let Some(path) = artifact.executable
        {
            built.insert(artifact.target.name, path.into_std_path_buf());
        }
    }
    ensure!(child.wait()?.success(), "the build failed");
    Ok(Built(built))
}

/// Every file below the folder that is not generated, sorted.
pub(crate) fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(folder, &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let entry = entry?;
        let path = entry.path();
        let kind = entry.file_type()?;
        if kind.is_file() {
            // In a worktree, `.git` is a file with a path of this machine.
            found.extend((!path.ends_with(".git")).then_some(path));
        } else if kind.is_dir() && !is_made_by_a_program(&path) {
            collect(&path, found)?;
        }
    }
    Ok(())
}

/// Build output has this tag in any `CARGO_TARGET_DIR`, unless the folder existed before cargo used
/// it.
fn is_made_by_a_program(folder: &Path) -> bool {
    let named = [".git", "node_modules", "target"].iter().any(|item| folder.ends_with(item));
    named || folder.join("CACHEDIR.TAG").exists()
}

/// Held by tests that start dozens of programs, so that they run one after the other: a server that
/// stays silent for two seconds because the machine is busy counts as one of the legacy era.
#[cfg(test)]
pub(crate) static CAMPAIGN: parking_lot::Mutex<()> = parking_lot::Mutex::new(());
