//! The hostile server as a standalone program, for trying a mode by hand.

use std::process::ExitCode;

fn main() -> ExitCode {
    toolscout_hostile::main()
}
