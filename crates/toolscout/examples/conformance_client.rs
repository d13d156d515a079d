//! Plays the client in the official conformance suite: reaches the server it is given, as our own servers are reached, and
//! does there whatever the scenario looks for.
//!
//! The suite says which scenario it is, and what belongs to it, in the environment; the address is the last word of the
//! command line. `cargo xtask conformance client` starts all of it.

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
    let Some(url) = std::env::args().next_back().filter(|it| it.starts_with("http")) else {
        return said("no address given; the suite gives one");
    };
    let context = serde_json::from_str(&variable("MCP_CONFORMANCE_CONTEXT")).unwrap_or(Value::Null);
    let scenario = Scenario { name: variable("MCP_CONFORMANCE_SCENARIO"), url, context };
    match Visit::run(scenario).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => said(&error.to_string()),
    }
}

/// The suite shows what a client said last.
#[expect(clippy::print_stderr, reason = "a program of its own, not a library")]
fn said(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}
