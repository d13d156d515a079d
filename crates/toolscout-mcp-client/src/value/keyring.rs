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
pub fn entry(name: &str) -> Result<String, String> {
    find(name)?.ok_or_else(|| failed(name, "the keyring has no such entry"))
}

/// The entry with this name that is stored for toolscout; `None` if there is none.
pub fn find(name: &str) -> Result<Option<String>, String> {
    let (program, args) = if cfg!(target_os = "macos") {
        ("security", vec!["find-generic-password", "-s", "toolscout", "-a", name, "-w"])
    } else if cfg!(unix) {
        ("secret-tool", vec!["lookup", "service", "toolscout", "account", name])
    } else {
        return Err(failed(name, "no keyring is supported on this system; use `env:`"));
    };
    run_program(program, &args, TIME_LIMIT).map_err(|error| failed(name, &error))
}

/// Stores an entry for toolscout, replacing any earlier one. The value is never on a command line.
pub fn store(name: &str, value: &str) -> Result<(), String> {
    if cfg!(target_os = "macos") {
        write_entry("security", &["-i"], name, &security_command(name, value)?)
    } else if cfg!(unix) {
        let label = format!("toolscout {name}");
        let args = ["store", "--label", &label, "service", "toolscout", "account", name];
        write_entry("secret-tool", &args, name, value)
    } else {
        Err("no keyring is supported on this system".to_owned())
    }
}

/// Removes an entry that is stored for toolscout.
pub fn remove(name: &str) -> Result<(), String> {
    if cfg!(target_os = "macos") {
        let args = ["delete-generic-password", "-s", "toolscout", "-a", name];
        write_entry("security", &args, name, "")
    } else if cfg!(unix) {
        let args = ["clear", "service", "toolscout", "account", name];
        write_entry("secret-tool", &args, name, "")
    } else {
        Err("no keyring is supported on this system".to_owned())
    }
}

/// The line for `security -i` that stores an entry. It reads one command per line, and no escape
/// stands for a line break.
pub(super) fn security_command(name: &str, value: &str) -> Result<String, String> {
    if name.chars().chain(value.chars()).any(char::is_control) {
        return Err(failed(name, "it contains a line break or control character"));
    }
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\""));
    let (name, value) = (quoted(name), quoted(value));
    Ok(format!("add-generic-password -U -s toolscout -a {name} -w {value}\n"))
}

/// Runs the program with this input, and waits until it ends.
fn write_entry(program: &str, args: &[&str], name: &str, input: &str) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| failed(name, &spawn_error(program, &error)))?;
    // Its standard input ends here.
    let written = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(input.as_bytes()));
    if let Err(error) = read_output(&mut child, program, TIME_LIMIT) {
        let _ = child.kill();
        let _ = child.wait();
        return Err(failed(name, &error));
    }
    let status = child.wait().map_err(|error| failed(name, &error.to_string()))?;
    match written {
        Err(error) => Err(failed(name, &format!("could not write to `{program}`: {error}"))),
        Ok(()) if !status.success() => Err(failed(name, &format!("`{program}` failed: {status}"))),
        Ok(()) => Ok(()),
    }
}

fn failed(name: &str, reason: &str) -> String {
    format!("`keyring:{}`: {reason}", escape::line(name))
}

/// The standard output of a child, once it ends.
fn read_output(child: &mut Child, program: &str, limit: Duration) -> Result<Vec<u8>, String> {
    let stdout = child.stdout.take();
    let (sender, receiver) = mpsc::channel();
    // The thread ends when the child's output ends, at the latest when the child is killed.
    std::thread::spawn(move || {
        let mut output = Vec::new();
        let read = stdout.map(|stdout| stdout.take(MAX_ENTRY_BYTES).read_to_end(&mut output));
        let _ = sender.send(read.transpose().map(|_| output));
    });
    match receiver.recv_timeout(limit) {
        Ok(output) => {
            output.map_err(|error| format!("could not read the output of `{program}`: {error}"))
        }
        Err(_) => Err(format!("`{program}` timed out after {} ms", limit.as_millis())),
    }
}

fn spawn_error(program: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => {
            format!("the program `{program}`, which manages the keyring, is not installed")
        }
        _ => format!("could not run `{program}`: {error}"),
    }
}

/// The output of the program, without the trailing line end. Any output is an entry, and no output
/// means that there is none. The exit code is ignored, because the program is killed once its
/// output ends.
pub(super) fn run_program(
    program: &str,
    args: &[&str],
    limit: Duration,
) -> Result<Option<String>, String> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| spawn_error(program, &error))?;
    let output = read_output(&mut child, program, limit);
    let _ = child.kill();
    let _ = child.wait();
    let output = output?;
    let mut output = String::from_utf8(output).map_err(|_| "the entry is not UTF-8".to_owned())?;
    output.truncate(output.trim_end_matches(['\r', '\n']).len());
    Ok(Some(output).filter(|output| !output.is_empty()))
}
