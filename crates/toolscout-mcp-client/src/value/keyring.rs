//! Reads and writes entries of the system's keyring with the program that comes with it.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use toolscout_core::escape;

/// The time limit for the keyring, including the time in which the user unlocks it.
const TIME_LIMIT: Duration = Duration::from_secs(5);
/// The largest entry, in bytes.
const MAX_ENTRY_BYTES: u64 = 64 << 10;

/// The entry with this name that is stored for toolscout.
pub(super) fn entry(name: &str) -> Result<String, String> {
    let (program, args) = if cfg!(target_os = "macos") {
        ("security", vec!["find-generic-password", "-s", "toolscout", "-a", name, "-w"])
    } else if cfg!(unix) {
        ("secret-tool", vec!["lookup", "service", "toolscout", "account", name])
    } else {
        return Err(format!(
            "`keyring:{}`: no keyring is supported on this system; use `env:`",
            escape::line(name)
        ));
    };
    ask(program, &args, LIMIT).map_err(|it| format!("`keyring:{}`: {it}", escape::line(name)))
}

/// The output of the program, without the trailing line end. Any output is an entry, and no output
/// means that there is none. The exit code is ignored, because the program is killed once its
/// output ends.
pub(super) fn run_program(program: &str, args: &[&str], limit: Duration) -> Result<String, String> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            format!("the program `{program}`, which reads the keyring, is not installed")
        }
        _ => format!("could not run `{program}`: {error}"),
    })?;
    let output = child.stdout.take();
    let (send, receive) = mpsc::channel();
    // The thread ends when the child's output ends, at the latest when the child is killed below.
    std::thread::spawn(move || {
        let mut printed = Vec::new();
        let read = output.map(|it| it.take(LARGEST).read_to_end(&mut printed));
        let _ = send.send(read.transpose().map(|_| printed));
    });
    let printed = receive.recv_timeout(limit);
    let _ = child.kill();
    let _ = child.wait();
    let printed = match printed {
        Ok(printed) => {
            printed.map_err(|it| format!("could not read what `{program}` printed: {it}"))?
        }
        Err(_) => return Err(format!("`{program}` took longer than {} ms", limit.as_millis())),
    };
    let mut printed =
        String::from_utf8(printed).map_err(|_| "the entry is not UTF-8".to_owned())?;
    printed.truncate(printed.trim_end_matches(['\r', '\n']).len());
    if printed.is_empty() { Err("the keyring has no such entry".to_owned()) } else { Ok(printed) }
}
