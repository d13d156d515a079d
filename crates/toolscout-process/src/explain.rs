//! Explains system errors to the user of a tool.

use super::ProgramTask;
use super::program;
use super::spawn::SpawnRequest;
use std::io;
use std::process::ExitStatus;
use toolscout_core::SourceError;

/// The error for a program that could not be started, with the remedy.
pub fn spawn_error(task: &ProgramTask, cause: io::Error) -> SourceError {
    let reason = reason(task.spawn_request(), &task.display_name, &cause);
    SourceError::Spawn {
        id: task.id.clone(),
        program: task.display_name.clone(),
        reason,
        cause: Some(cause),
    }
}

/// The reason why any program could not be started; `display_name` is its name for display.
pub fn reason(task: SpawnRequest<'_>, display_name: &str, cause: &io::Error) -> String {
    let program = task.program.display();
    match cause.kind() {
        io::ErrorKind::NotFound if !task.cwd.is_dir() => {
            format!("its working directory `{}` does not exist", task.cwd.display())
        }
        io::ErrorKind::NotFound if task.program.exists() => match program::interpreter(task.program) {
            Some(name) => format!("its interpreter `{name}` does not exist; install it or change the `#!` line"),
            None => "a loader or library that it needs is not installed".to_owned(),
        },
        io::ErrorKind::NotFound => "program not found; install it or correct the path".to_owned(),
        io::ErrorKind::PermissionDenied if task.program == display_name => {
            format!("permission denied; to make it executable, run `chmod +x {program}`")
        }
        io::ErrorKind::PermissionDenied => format!("permission denied for `{program}`"),
        io::ErrorKind::ArgumentListTooLong => {
            "the arguments are too long for a command line; let the tool read them with `input = \"stdin\"`".to_owned()
        }
        io::ErrorKind::ExecutableFileBusy => "the file is open for writing; try again when it is saved".to_owned(),
        io::ErrorKind::InvalidInput => "an argument or environment variable contains a NUL byte".to_owned(),
        _ if is_format_error(cause) => {
            "this machine cannot run it; a script needs a first line such as `#!/bin/sh`".to_owned()
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

/// The exit status in words: `exited with code 3`, `was terminated by signal 9 (SIGKILL)`.
pub fn exit_status(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return match signal_name(signal) {
            Some(name) => format!("was terminated by signal {signal} ({name})"),
            None => format!("was terminated by signal {signal}"),
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
pub fn byte_count(count: usize) -> String {
    match count {
        _ if count >= 1 << 20 && count.is_multiple_of(1 << 20) => format!("{} MiB", count >> 20),
        _ if count >= 1 << 10 && count.is_multiple_of(1 << 10) => format!("{} KiB", count >> 10),
        _ => format!("{count} bytes"),
    }
}
