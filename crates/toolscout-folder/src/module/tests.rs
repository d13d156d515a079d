//! 1. The tools of a module are found, named and described as their author wrote them.
//! 2. An export that should be a tool but is invalid has its own reason.
//! 3. A call loads, checks and runs in one process; its result is never mixed with the output of
//!    the module.
//! 4. A module that throws, exits or hangs is reported, within limits.

mod context;
mod javascript;
mod python;
mod shapes;
mod zod;

use super::super::probe::{ProbeLimits, probe};
use super::super::run::fixture::{call, cx};
use super::super::run::run;
use crate::recipe::{Flavour, Recipe};
use crate::sandbox::ToolSandbox;
use serde_json::{Value, json};
use std::path::PathBuf;
use toolscout_core::{SourceError, SourceId, ToolOutput};
use toolscout_test_support::World;

/// Slow machines start their runtimes slowly; the tests wait for a response, not for a limit.
fn limits() -> ProbeLimits {
    ProbeLimits { per_file: std::time::Duration::from_secs(20), ..ProbeLimits::default() }
}

fn plain(file: PathBuf) -> Recipe {
    Recipe::module(file, Flavour::Plain)
}

/// One line for each entry: name, description and schema, or the reason why it is invalid.
async fn listed(recipe: &Recipe) -> Vec<String> {
    let found = probe(&SourceId::local(), recipe, &limits(), &ToolSandbox::default(), &cx())
        .await
        .expect("it can be loaded");
    let line = |result: Result<crate::recipe::Probed, String>| match result {
        Ok(value) => {
            format!(
                "{} -- {} {}",
                value.name,
                value.description.as_deref().unwrap_or("?"),
                value.input_schema.as_str()
            )
        }
        Err(reason) => format!("problem: {reason}"),
    };
    found.into_iter().map(line).collect()
}

async fn list_error(recipe: &Recipe) -> String {
    probe(&SourceId::local(), recipe, &limits(), &ToolSandbox::default(), &cx())
        .await
        .expect_err("it cannot be loaded")
        .to_string()
}

async fn called(recipe: &Recipe, name: &str, arguments: Value) -> Result<ToolOutput, SourceError> {
    run(recipe, &call(name, arguments), &ToolSandbox::default(), &cx()).await
}

/// The schema of the only tool, as a value.
async fn only_schema(recipe: &Recipe) -> Value {
    let found = probe(&SourceId::local(), recipe, &limits(), &ToolSandbox::default(), &cx())
        .await
        .expect("it can be loaded");
    match found.as_slice() {
        [Ok(tool)] => tool.input_schema.to_value(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_response_is_the_line_with_the_nonce() {
    let status = std::process::ExitStatus::default();
    let stdout = b"hello\n\nN:{\"tools\":[]}\nbye".to_vec();
    let mut outcome = super::ProgramOutput { status, stdout, stderr: b"err\n".to_vec() };
    let answer =
        super::take_response(&mut outcome, "N:").expect("the output is valid").expect("a response");
    assert!(answer.tools.is_some_and(|tools| tools.is_empty()));
    assert_eq!(outcome.stderr_text(), "err\nhello\nbye");

    let forged =
        super::ProgramOutput { status, stdout: b"{\"tools\":[]}\n".to_vec(), stderr: Vec::new() };
    assert!(
        super::take_response(&mut forged.clone(), "N:").expect("the output is valid").is_none()
    );
    assert_ne!(super::nonce(), super::nonce());
}

#[tokio::test]
async fn an_unsupported_language_has_a_reason() {
    let world = World::new();
    let recipe = plain(world.file("a.rb", ""));
    let err = called(&recipe, "a", json!({})).await.expect_err("the language is not supported");
    assert!(err.to_string().contains("is not in a language that toolscout can load"), "{err}");
}
