//! The state of the packages that a module may import: it changes when packages are installed.

use super::stamp::nanos_of;
use std::path::{Path, PathBuf};
use toolscout_core::Digest;
use toolscout_process::program;

/// Files and folders of a project that change when its packages do.
const PROJECT: [&str; 12] = [
    "node_modules",
    "node_modules/.package-lock.json",
    "node_modules/.modules.yaml",
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "pyproject.toml",
    "requirements.txt",
    "uv.lock",
    "poetry.lock",
];

/// A digest of when the packages around a file last changed. It reads times of files only.
pub(super) fn state(file: &Path) -> Digest {
    let python = file.extension().is_some_and(|extension| extension == "py");
    let mut text = String::new();
    for folder in file.ancestors().skip(1) {
        PROJECT.iter().for_each(|name| add(&mut text, &folder.join(name)));
        if python {
            [".venv", "venv"].iter().for_each(|name| add_packages(&mut text, &folder.join(name)));
        }
    }
    if python {
        python_prefixes().iter().for_each(|prefix| add_packages(&mut text, prefix));
    }
    Digest::of_bytes(text.as_bytes())
}

/// The folders in which the installed Python looks for packages.
fn python_prefixes() -> Vec<PathBuf> {
    let found = program::find("python3");
    let real = found.as_ref().and_then(|path| path.canonicalize().ok());
    let above = |path: &PathBuf| Some(path.parent()?.parent()?.to_owned());
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local"));
    found.iter().chain(&real).filter_map(above).chain(home).collect()
}

/// Adds the package folders of a Python installation or environment.
fn add_packages(text: &mut String, prefix: &Path) {
    let Ok(entries) = std::fs::read_dir(prefix.join("lib")) else { return };
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let is_python = |path: &&PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"))
    };
    for folder in folders.iter().filter(is_python) {
        ["site-packages", "dist-packages"].iter().for_each(|name| add(text, &folder.join(name)));
    }
}

fn add(text: &mut String, path: &Path) {
    if let Ok(modified) = path.metadata().and_then(|metadata| metadata.modified()) {
        text.push_str(&format!("{} {}\n", path.display(), nanos_of(modified)));
    }
}
