//! Errors as JSON.

use crate::world::{Outcome, World};
use serde_json::Value;

/// The error object, which is the whole of stderr.
fn error(outcome: &Outcome) -> Value {
    assert_eq!(outcome.err.lines().count(), 1, "{outcome:?}");
    let object: Value = serde_json::from_str(&outcome.err)
        .unwrap_or_else(|error| panic!("not JSON ({error}): {outcome:?}"));
    assert_eq!(outcome.out, "", "{outcome:?}");
    let error = &object["error"];
    assert!(error["kind"].is_string() && error["message"].is_string(), "{outcome:?}");
    error.clone()
}

/// U-08: the option, the format and the variable; the exit code is the same.
#[test]
fn an_error_is_json_if_the_output_is_json() {
    let world = World::project();
    let text = world.run(&["server", "show", "nonesuch"]).exits(5);
    assert!(text.err.starts_with("error: "), "{text:?}");
    for args in [
        &["server", "show", "nonesuch", "--json"][..],
        &["--output", "json", "server", "show", "nonesuch"],
        &["server", "show", "nonesuch", "--output=json"],
    ] {
        let outcome = world.run(args).exits(5);
        assert_eq!(error(&outcome)["kind"], "RESOURCE_NOT_FOUND", "{args:?}");
    }
    let outcome = world.run(&["nonesuch", "--json"]).exits(5);
    assert_eq!(error(&outcome)["kind"], "RESOURCE_NOT_FOUND");
    assert!(error(&outcome)["hint"].is_string());
    let world = world.var("AI_AGENT", "1");
    assert_eq!(error(&world.run(&["run", "nonesuch"]).exits(5))["kind"], "RESOURCE_NOT_FOUND");
    let text = world.run(&["--output", "text", "run", "nonesuch"]).exits(5);
    assert!(text.err.starts_with("error: "), "{text:?}");
}
