//! An MCP server that misbehaves on purpose, so that tests can check how toolscout reacts.
//!
//! It uses newline-delimited JSON-RPC on stdin and stdout, or Streamable HTTP on loopback, in both
//! eras of the protocol. Without a mode it is honest; each of [`modes`] changes one aspect. With
//! `--log FILE` every event becomes one line of JSON, and tests count lines instead of waiting.
//!
//! A crate whose tests need it declares it as an example, whose `main` is our [`main`], so that
//! cargo builds a program for them; [`example`] returns the path of that program.
//!
//! It is harmless: every process ends itself after `--ttl` seconds, floods are finite, sockets are
//! on loopback, and it touches only the files named by `--log`, `--state` and `--target`.
//!
//! Start reading at [`modes`]; the honest server is in `honest`, the acts that a mode may change
//! are in `server::acts`.

mod command_line;
mod counter;
mod gzip;
mod honest;
mod http;
mod log;
mod modes;
mod options;
mod posted;
mod process;
mod protocol;
mod reference;
mod rich;
mod server;
mod stdio;

pub use modes::{Mode, Transports, modes};

use command_line::CommandLineTask;
use options::Options;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// The whole program: parses the command line and serves until the input ends.
pub fn main() -> ExitCode {
    match command_line::parse(std::env::args().skip(1)) {
        Ok((CommandLineTask::Serve(mode), options)) => serve(mode, options),
        Ok((CommandLineTask::Print(text), _)) => print(&text),
        Ok((CommandLineTask::Idle, options)) => {
            process::pause(options.ttl);
            ExitCode::SUCCESS
        }
        Err(mistake) => complain(&mistake, 2),
    }
}

/// The path of the program that cargo built from this example of the crate under test.
///
/// # Panics
///
/// If it does not exist: `cargo test --lib` does not build it, `cargo test` does.
pub fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap_or_default();
    let program = test.ancestors().nth(2).map(|ancestor| ancestor.join("examples").join(name));
    let program = program.filter(|program| program.is_file());
    program.unwrap_or_else(|| {
        panic!(
            "no program of example `{name}` beside {}; run `cargo build --examples`",
            test.display()
        )
    })
}

fn serve(mode: &'static Mode, options: Options) -> ExitCode {
    process::end_after(options.ttl);
    let port = options.http;
    let served = server::HostileServer::new(mode.name, &mode.acts, options).and_then(|server| {
        let (heard, obeys) = (Arc::clone(&server), server.acts().obeys_signals);
        process::on_signals(obeys, move |number| {
            heard.log.event("signal", json!({ "sig": number, "ignored": !obeys }));
        })?;
        match port {
            Some(port) => http::serve(&server, port),
            None => stdio::serve(&server),
        }
    });
    match served {
        Ok(never) => match never {},
        Err(err) => complain(&err.to_string(), 1),
    }
}

fn print(text: &str) -> ExitCode {
    // A reader that closes our output early, as in `--list | head`, has read enough.
    let _ = std::io::stdout().write_all(text.as_bytes());
    ExitCode::SUCCESS
}

fn complain(mistake: &str, code: u8) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "error: {mistake}");
    ExitCode::from(code)
}
