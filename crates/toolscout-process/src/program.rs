//! Finds programs and checks them before they run.
//!
//! A program must be what its folder shows: an existing regular file, not a link that leads
//! outside, and not a script whose first line makes another file of the folder its interpreter.

use std::fs::{File, Metadata, OpenOptions};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Programs that may download packages before they run them.
const INSTALLERS: [&str; 10] =
    ["npx", "bunx", "deno", "pnpm", "yarn", "npm", "uvx", "uv", "pipx", "docker"];

/// Bytes of a file that are read to detect its type.
const HEAD_BYTES: u64 = 512;

/// Looks a bare name up in PATH. Relative entries are skipped, because they would refer to the
/// tool's own folder.
pub fn find(name: &str) -> Option<PathBuf> {
    find_in(&std::env::var_os("PATH")?, name)
}

/// Like [`find`], in any list of folders.
pub fn find_in(path: &std::ffi::OsStr, name: &str) -> Option<PathBuf> {
    let is_plain = Path::new(name).components().eq([Component::Normal(name.as_ref())]);
    if !is_plain {
        return None;
    }
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| {
            [folder.join(name), folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))]
        })
        .find(|path| is_executable_file(path))
}

/// Whether this is a file that the system can run, as far as its permissions show.
pub fn is_executable_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && is_executable(&meta))
}

/// Checks a program of a folder right before it runs, and returns its real path. A link may lead
/// only into its own folder or into `project`.
pub fn checked_program(program: &Path, project: Option<&Path>) -> Result<PathBuf, String> {
    let (real, mut file) = open_checked(program, project)?;
    let meta = file.metadata().map_err(|err| err.to_string())?;
    if !is_executable(&meta) {
        return Err(format!("it is not executable; run `chmod +x {}`", program.display()));
    }
    if changes_user(&meta) {
        return Err(
            "it would run as another user (set-user-ID or set-group-ID), which is not allowed"
                .to_owned(),
        );
    }
    let folder = real.parent().unwrap_or(Path::new("/"));
    check_head(&read_head(&mut file), folder)?;
    Ok(real)
}

/// Checks a file that a runtime is about to load, and returns its real path. A link may lead only
/// into its own folder or into `project`.
pub fn checked_file(file: &Path, project: Option<&Path>) -> Result<PathBuf, String> {
    open_checked(file, project).map(|(real, _)| real)
}

/// The interpreter that a script names in its first line.
pub fn interpreter(program: &Path) -> Option<String> {
    interpreter_words(program)?.into_iter().next()
}

/// The interpreter that a script names in its first line, and its arguments there.
pub fn interpreter_words(program: &Path) -> Option<Vec<String>> {
    let mut file = File::open(program).ok()?;
    let head = read_head(&mut file);
    let line = interpreter_line(&head)?;
    Some(line.split_ascii_whitespace().map(str::to_owned).collect())
}

/// The installer that this command names: `npx`, also as a path or with an extension.
pub fn installer(command: &Path) -> Option<&str> {
    let name = command.file_stem()?.to_str()?;
    INSTALLERS.contains(&name).then_some(name)
}

/// Whether the first line of this script names an installer, directly or through `env`. Other
/// words of that line are arguments.
pub fn is_run_by_installer(script: &Path) -> bool {
    let Some(words) = interpreter_words(script) else { return false };
    runner(&words).is_some_and(|runner| installer(Path::new(runner)).is_some())
}

/// The program that runs a script with this first line: the first word, or the name that `env`
/// looks up.
pub(crate) fn runner(words: &[String]) -> Option<&str> {
    let (first, rest) = words.split_first()?;
    if !Path::new(first).ends_with("env") {
        return Some(first);
    }
    let target = rest.iter().find(|word| !word.starts_with('-') && !word.contains('='))?;
    (!target.contains('/')).then_some(target)
}

fn open_checked(path: &Path, project: Option<&Path>) -> Result<(PathBuf, File), String> {
    let describe = |err: std::io::Error| match err.kind() {
        std::io::ErrorKind::NotFound => "the file does not exist".to_owned(),
        std::io::ErrorKind::PermissionDenied => "no permission to read the file".to_owned(),
        _ => err.to_string(),
    };
    let real = path.canonicalize().map_err(describe)?;
    let folder = path.parent().unwrap_or(Path::new("/")).canonicalize().map_err(describe)?;
    let project = project.and_then(|project| project.canonicalize().ok());
    if !real.starts_with(&folder) && !project.is_some_and(|project| real.starts_with(project)) {
        return Err(format!("it is a symbolic link to `{}`, outside its folder", real.display()));
    }
    if !real.metadata().map_err(describe)?.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    // Checked again through the open file, because the path may refer to another file by now.
    let file = open_no_follow(&real).map_err(describe)?;
    if !file.metadata().map_err(describe)?.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    Ok((real, file))
}

/// Opens a file without following a link and without blocking on a named pipe.
fn open_no_follow(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NOFOLLOW | libc::O_NONBLOCK,
    );
    options.open(path)
}

fn read_head(file: &mut File) -> Vec<u8> {
    let mut head = Vec::new();
    // An unreadable file counts as empty, and an empty one is refused.
    let _ = file.take(HEAD_BYTES).read_to_end(&mut head);
    head
}

/// Refuses files that the system could run only through a shell, and interpreters from the script's
/// own folder.
fn check_head(head: &[u8], folder: &Path) -> Result<(), String> {
    if head.is_empty() {
        return Err("the file is empty".to_owned());
    }
    if !head.starts_with(b"#!") {
        let reason =
            "it has no `#!` line; add a first line such as `#!/bin/sh` or `#!/usr/bin/env python3`";
        return if is_text(head) && cfg!(unix) { Err(reason.to_owned()) } else { Ok(()) };
    }
    let line = interpreter_line(head).ok_or("its `#!` line is not UTF-8")?;
    let mut words = line.split_ascii_whitespace();
    let first = words.next().ok_or("its `#!` line names no interpreter")?;
    let is_env = Path::new(first).file_name().is_some_and(|name| name == "env");
    let env_argument = words.find(|word| !word.starts_with('-') && !word.contains('='));
    let suspects = [Some(first), env_argument.filter(|value| is_env && value.contains('/'))];
    match suspects.into_iter().flatten().find(|suspect| is_inside(suspect, folder)) {
        Some(interpreter) => Err(format!(
            "its `#!` line names the interpreter `{interpreter}`, which is not a system interpreter"
        )),
        None => Ok(()),
    }
}

fn is_inside(interpreter: &str, folder: &Path) -> bool {
    let path = Path::new(interpreter);
    let real = path.canonicalize();
    !path.is_absolute()
        || path.components().any(|component| component == Component::ParentDir)
        || path.starts_with("/proc")
        || path.starts_with(folder)
        || real.is_ok_and(|real| real.starts_with(folder))
}

fn interpreter_line(head: &[u8]) -> Option<&str> {
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    std::str::from_utf8(line).ok().map(str::trim)
}

/// Whether this is the beginning of a text; it may end in the middle of a character.
fn is_text(head: &[u8]) -> bool {
    !head.contains(&0)
        && std::str::from_utf8(head).map_or_else(|err| err.error_len().is_none(), |_| true)
}

#[cfg(unix)]
fn is_executable(meta: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_meta: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn changes_user(meta: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o6000 != 0
}

#[cfg(not(unix))]
fn changes_user(_meta: &Metadata) -> bool {
    false
}
