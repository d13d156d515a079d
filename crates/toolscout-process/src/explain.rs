//! Explains system errors to the user of a tool.

use super::ProgramTask;
use super::program;
use super::spawn::SpawnRequest;
use std::io;
use std::process::ExitStatus;
use toolscout_core::SourceError;

/// The error for a program that could not be started, with the remedy.
pub fn spawn_error(task: &ProgramTask, cause: io::Error) -> SourceError {
    let reason = reason(task.as_start(), &task.shown, &cause);
    SourceError::Spawn {
        id: task.id.clone(),
        program: task.shown.clone(),
        reason,
        cause: Some(cause),
    }
}

/// The reason why any program could not be started; `shown` is its name for display.
pub fn reason(task: SpawnRequest<'_>, shown: &str, cause: &io::Error) -> String {
    let program = task.program.display();
    match cause.kind() {
        io::ErrorKind::NotFound if !task.cwd.is_dir() => {
            format!("its folder `{}` does not exist", task.cwd.display())
        }
        io::ErrorKind::NotFound if task.program.exists() => match program::interpreter(task.program) {
            Some(name) => format!("its interpreter `{name}` does not exist; install it or change the `#!` line"),
            None => "a loader or library it needs does not exist on this machine".to_owned(),
        },
        io::ErrorKind::NotFound => "there is no such program; install it or correct the path".to_owned(),
        io::ErrorKind::PermissionDenied if task.program == shown => {
            format!("permission denied; if it is yours, type `chmod +x {program}`")
        }
        io::ErrorKind::PermissionDenied => format!("permission denied for `{program}`"),
        io::ErrorKind::ArgumentListTooLong => {
            "the arguments are too long for a command line; let the tool read them with `input = \"stdin\"`".to_owned()
        }
        io::ErrorKind::ExecutableFileBusy => "the file is open for writing; try again when it is saved".to_owned(),
        io::ErrorKind::InvalidInput => "an argument or variable holds a NUL byte".to_owned(),
        _ if is_format_error(cause) => {
            "it is no program for this machine: a script needs a first line such as `#!/bin/sh`".to_owned()
        }
        _ => cause.to_string(),
    }
}

#[cfg(unix)]
fn is_format_error(cause: &io::Error) -> bool {
    cause.raw_os_error() == Some(libc::ENOEXEC)
}

#[cfg(not(unix))]
fn is_format_error(cause: &io::Error) -> bool {
    cause.raw_os_error() == Some(193)
}

/// The exit status in words: `exited with code 3`, `was ended by signal 9 (SIGKILL)`.
pub fn ending(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return match signal_name(signal) {
            Some(name) => format!("was ended by signal {signal} ({name})"),
            None => format!("was ended by signal {signal}"),
        };
    }
    match status.code() {
        Some(code) => format!("exited with code {code}"),
        None => "ended without an exit code".to_owned(),
    }
}

#[cfg(unix)]
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGHUP => "SIGHUP",
        libc::SIGILL => "SIGILL",
        libc::SIGINT => "SIGINT",
        libc::SIGKILL => "SIGKILL",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGTERM => "SIGTERM",
        _ => return None,
    })
}

/// A number of bytes for display: `8 MiB`.
pub fn bytes(count: usize) -> String {
    match count {
        _ if count >= 1 << 20 && count.is_multiple_of(1 << 20) => format!("{} MiB", count >> 20),
        _ if count >= 1 << 10 && count.is_multiple_of(1 << 10) => format!("{} KiB", count >> 10),
        _ => format!("{count} bytes"),
    }
}
