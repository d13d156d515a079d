//! The client under test in the official conformance suite: connects to the given server with the
//! code that toolscout uses for configured servers, and performs the actions that the scenario
//! checks.
//!
//! The suite passes the name of the scenario and its context in environment variables, and the URL
//! as the last argument. `cargo xtask conformance client` starts the suite.

#[path = "conformance_client/browser.rs"]
mod browser;
#[path = "conformance_client/person.rs"]
mod person;
#[path = "conformance_client/visit.rs"]
mod visit;

use serde_json::Value;
use std::process::ExitCode;
use visit::{Scenario, Visit};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let Some(url) = std::env::args().next_back().filter(|arg| arg.starts_with("http")) else {
        return print_error("no address given; the suite gives one");
    };
    let context = serde_json::from_str(&variable("MCP_CONFORMANCE_CONTEXT")).unwrap_or(Value::Null);
    let scenario = Scenario { name: variable("MCP_CONFORMANCE_SCENARIO"), url, context };
    match Visit::run(scenario).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => print_error(&error.to_string()),
    }
}

/// Prints the reason for a failure. The suite shows the last output of a client.
#[expect(clippy::print_stderr, reason = "a standalone program, not a library")]
fn print_error(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}
