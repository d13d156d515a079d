//! The private folders of a confined process: its home, its temporary files and its packages.

use crate::orphans;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Folders and files in a home that hold programs, not data. A confined process finds them at the
/// same place below its own home, and may only read them.
const PROGRAM_FOLDERS: &[&str] = &[
    ".asdf",
    ".bun",
    ".cargo/bin",
    ".config/mise",
    ".deno/bin",
    ".dotnet",
    ".fnm",
    ".local/bin",
    ".local/lib",
    ".local/pipx/venvs",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx/venvs",
    ".local/share/pnpm",
    ".local/share/uv/python",
    ".local/share/uv/tools",
    ".nix-profile",
    ".nodenv",
    ".npm-global",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".rustup/toolchains",
    ".sdkman/candidates",
    ".tool-versions",
    ".volta",
    "anaconda3",
    "go/bin",
    "miniconda3",
    "miniforge3",
];

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// The folders that only one server, or one run of it, may write. Those of the run are removed on
/// drop.
#[derive(Debug)]
pub struct PrivateFolders {
    /// The value of `HOME`.
    pub(super) home: PathBuf,
    /// The value of `TMPDIR`.
    pub(super) temporary: PathBuf,
    /// The caches of package runners, such as npx. They are private too, because a server could
    /// otherwise change the code of the next one.
    pub(super) packages: PathBuf,
    run: PathBuf,
}

impl PrivateFolders {
    /// Makes the folders below `base`. The home and the packages of `owner` persist; if `owner` is
    /// `None`, they do not. `is_lasting_home`: whether the home persists, and not only the packages.
    pub(super) fn create(
        base: &Path,
        owner: Option<&str>,
        is_lasting_home: bool,
    ) -> io::Result<Self> {
        let runs = base.join("runs");
        create_private(&runs)?;
        remove_abandoned(&runs);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let run = runs.join(format!("{}-{number}", orphans::owner_mark()));
        let lasting = owner.map(|owner| base.join("servers").join(owner));
        let folders = Self {
            home: lasting.as_ref().filter(|_| is_lasting_home).unwrap_or(&run).join("home"),
            temporary: run.join("tmp"),
            packages: lasting.as_ref().unwrap_or(&run).join("packages"),
            run,
        };
        for folder in [&folders.home, &folders.temporary, &folders.packages] {
            create_private(folder)?;
        }
        Ok(folders)
    }

    /// Links a folder or file of the real home at the same place below the private home, if it
    /// exists there and nothing is in its place.
    pub(super) fn link(&self, real_home: &Path, target: &Path) {
        let Ok(below) = target.strip_prefix(real_home) else { return };
        let Some(parent) = below.parent().filter(|_| target.exists()) else { return };
        // The server may have put a link of its own there, which must not lead this process
        // elsewhere.
        let mut folder = self.home.clone();
        for part in parent {
            folder.push(part);
            let _ = fs::create_dir(&folder);
            if !fs::symlink_metadata(&folder).is_ok_and(|metadata| metadata.is_dir()) {
                return;
            }
        }
        #[cfg(unix)]
        let _ = std::os::unix::fs::symlink(target, self.home.join(below));
    }
}

impl Drop for PrivateFolders {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.run);
    }
}

/// The folders of programs that exist in this home.
pub(super) fn program_folders(home: &Path) -> Vec<PathBuf> {
    PROGRAM_FOLDERS.iter().map(|name| home.join(name)).filter(|path| path.exists()).collect()
}

fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Removes the folders of runs whose toolscout process is gone.
fn remove_abandoned(runs: &Path) {
    let Ok(entries) = fs::read_dir(runs) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| Some(name.rsplit_once('-')?.0));
        if owner.is_some_and(|owner| !orphans::is_alive(owner)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
