//! The hostile server as a program of its own, for trying a mode by hand.

use std::process::ExitCode;

fn main() -> ExitCode {
    toolscout_hostile::main()
}
