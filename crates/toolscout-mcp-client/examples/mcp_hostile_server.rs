//! The server that misbehaves on purpose, as a program for this crate's tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    toolscout_hostile::main()
}
