//! 1. The description of an executable is parsed faithfully and strictly.
//! 2. Each kind of invalid tool has its own reason; one invalid entry does not affect the others.
//! 3. A file that fails, hangs or floods is an error with its path.

use super::{ProbeLimits, probe, read};
use crate::recipe::{Probed, Recipe};
use crate::run::fixture::cx;
use crate::sandbox::ToolSandbox;
use std::path::PathBuf;
use std::time::Duration;
use toolscout_core::{ErrorKind, SourceError, SourceId};
use toolscout_test_support::{World, assert_gone, number_in};

async fn probed(program: PathBuf) -> Result<Vec<Result<Probed, String>>, SourceError> {
    probe(
        &SourceId::local(),
        &Recipe::executable(program),
        &ProbeLimits::default(),
        &ToolSandbox::default(),
        &cx(),
    )
    .await
}

async fn probed_output(text: &str) -> Vec<Result<Probed, String>> {
    let world = World::new();
    let program = world.sh("t", &format!("cat <<'END'\n{text}\nEND"));
    probed(program).await.expect("the probe succeeds")
}

/// O-01: one tool, every field, the schema as written.
#[tokio::test]
async fn an_executable_describes_its_tool() {
    let found = probed_output(
        r#"{"name":"a","title":"A","description":"does a","keywords":["k"],"inputSchema":{ "type":"object", "z":1.0, "b":2 },
            "outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#,
    )
    .await;
    let [Ok(tool)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((tool.name.as_str(), tool.title.as_deref()), ("a", Some("A")));
    assert_eq!(tool.description.as_deref(), Some("does a"));
    assert_eq!(tool.keywords, ["k"]);
    assert_eq!(tool.input_schema.as_str(), r#"{ "type":"object", "z":1.0, "b":2 }"#);
    assert!(tool.output_schema.is_some() && tool.annotations.is_some());
}

#[tokio::test]
async fn an_executable_may_have_several_tools() {
    let found = probed_output(
        r#"[{"name":"b","inputSchema":{}},{"inputSchema":{}},{"name":"a","inputSchema":{}}]"#,
    )
    .await;
    let names: Vec<_> =
        found.iter().map(|item| item.as_ref().map(|value| value.name.as_str())).collect();
    assert_eq!(names, [Ok("b"), Err(&"missing `name`".to_owned()), Ok("a")]);
}

/// A-12, O-03: each rejected with its own reason.
#[test]
fn each_missing_field_has_its_own_reason() {
    let reason = |text: &str| read(text).expect_err(text);
    assert_eq!(reason(r#"{"inputSchema":{}}"#), "missing `name`");
    assert_eq!(reason(r#"{"name":"","inputSchema":{}}"#), "the tool name is empty");
    assert!(reason(r#"{"name":"a b","inputSchema":{}}"#).contains("is not a valid tool name"));
    assert_eq!(reason(r#"{"name":7,"inputSchema":{}}"#), "`name` is a number, not a string");
    assert_eq!(reason(r#"{"name":"a"}"#), "tool `a`: missing `inputSchema`");
    assert_eq!(
        reason(r#"{"name":"a","inputSchema":[]}"#),
        "tool `a`: `inputSchema` is a list, not an object"
    );
    assert_eq!(
        reason(r#"{"name":"a","inputSchema":true}"#),
        "tool `a`: `inputSchema` is true or false, not an object"
    );
    assert_eq!(
        reason(r#"{"name":"a","inputSchema":{"type":"string"}}"#),
        "tool `a`: `inputSchema` has the type \"string\"; it must be \"object\""
    );
    assert_eq!(
        reason(r#"{"name":"a","inputSchema":{},"colour":1}"#),
        "tool `a`: unknown key `colour`"
    );
    assert_eq!(
        reason(r#"{"name":"a","inputSchema":{},"keywords":"k"}"#),
        "tool `a`: `keywords` is not a list of strings"
    );
    assert_eq!(
        reason(r#"{"name":"a","inputSchema":{},"description":[]}"#),
        "tool `a`: `description` is a list, not a string"
    );
    assert_eq!(reason("[]"), "a tool must be described by a JSON object");
}

async fn refused(body: &str) -> String {
    let world = World::new();
    let program = world.sh("t", body);
    let shown = program.display().to_string();
    probed(program).await.expect_err("the probe fails").to_string().replace(&shown, "T")
}

/// O-03: files with invalid responses.
#[tokio::test]
async fn files_that_fail_report_their_exit_and_output() {
    assert_eq!(
        refused("echo no >&2; exit 2").await,
        "source `local`: `tool-schema` exited with code 2: no"
    );
    assert!(
        refused("echo hello").await.contains("`tool-schema` printed something that is not JSON")
    );
    assert!(refused("true").await.contains("`tool-schema` printed nothing"));
    assert!(refused("echo 42").await.contains("neither an object nor a list"));
    assert!(refused("echo '[1,'").await.contains("not JSON"));
    let world = World::new();
    let err = probed(world.file("t", "#!/bin/sh\n")).await.expect_err("not executable");
    assert!(err.to_string().contains("it is not executable"), "{err}");
}

/// O-04: a file that hangs is ended after its own limit, with its process group.
#[tokio::test]
async fn a_file_that_hangs_times_out() {
    let world = World::new();
    let recipe = Recipe::executable(world.sh("t", "echo $$ > group; sleep 1000 & wait"));
    let limits = ProbeLimits { per_file: Duration::from_millis(200), ..ProbeLimits::default() };
    let err = probe(&SourceId::local(), &recipe, &limits, &ToolSandbox::default(), &cx())
        .await
        .expect_err("the probe times out");
    assert_eq!(err.kind(), ErrorKind::TimedOut);
    assert!(err.to_string().contains("/t` timed out after 200 ms"), "{err}");
    assert_gone(number_in(&world.path().join("group")).await).await;
}

/// O-04: the deadline of the caller is kept as well.
#[tokio::test]
async fn the_deadline_of_the_caller_applies() {
    let world = World::new();
    let recipe = Recipe::executable(world.sh("t", "exec sleep 1000"));
    let cx = cx().within(Duration::from_millis(100));
    let sandbox = ToolSandbox::default();
    let err = probe(&SourceId::local(), &recipe, &ProbeLimits::default(), &sandbox, &cx)
        .await
        .expect_err("the probe times out");
    assert_eq!(err.kind(), ErrorKind::TimedOut);
}

#[tokio::test]
async fn a_file_that_floods_its_output_is_stopped() {
    let reason = refused("while :; do echo '{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}'; done").await;
    assert!(reason.contains("it printed more than 1 MiB"), "{reason}");
}

/// O-08: a probe inherits no more of our variables than a call does.
#[tokio::test]
async fn a_probe_inherits_few_variables() {
    let world = World::new();
    let body = r#"env | sed 's/=.*//' | grep -v -e '^LC_' | sort | tr '\n' ' ' > seen; echo '[]'"#;
    assert!(probed(world.sh("t", body)).await.expect("the probe succeeds").is_empty());
    let seen = std::fs::read_to_string(world.path().join("seen")).expect("it was written");
    assert!(seen.contains("TOOLSCOUT_DEPTH") && seen.contains("PATH"), "{seen}");
    assert!(!seen.contains("CARGO"), "the tool must not get cargo's variables: {seen}");
}
