//! The `toolscout` program: a composition of plugins and nothing else.

use std::process::ExitCode;
use toolscout::{App, AppError, plugins};

// Thousands of small definitions are parsed in a few milliseconds; the system allocator spends a
// third of that time growing its heap.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    toolscout::main(toolscout())
}

fn toolscout() -> Result<App, AppError> {
    App::builder("toolscout")
        .about("Find the right tool and run it safely")
        .bare("overview")
        .plugin(plugins::Logs)
        .plugin(plugins::Telemetry)
        .plugin(plugins::Journal)
        .plugin(plugins::Registry::default())
        .plugin(plugins::Discovery::default())
        .plugin(plugins::OpenCode)
        .plugin(plugins::Servers)
        .plugin(plugins::Requests::default())
        .plugin(plugins::Review)
        .plugin(plugins::Search)
        .plugin(plugins::Context)
        .plugin(plugins::Observe)
        .plugin(plugins::Import)
        .plugin(plugins::Serve)
        .plugin(plugins::Ui)
        .plugin(plugins::Connect)
        .plugin(plugins::Bench)
        .plugin(plugins::Cli)
        .build()
}
