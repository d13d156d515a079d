//! 1. A call that needs approval stays pending. An approval is valid for exactly that call, once.
//! 2. The operator sees the whole call, except secrets.

use crate::world::World;
use serde_json::json;

const TOOLS: &[(&str, &str)] = &[("pay", "Pays somebody"), ("look", "Looks at an account")];
const PAY: [&str; 4] = ["run", "s/pay", "--text", "bob"];

/// A server with a tool whose policy is `ask`, without a terminal.
fn asking() -> World {
    World::trusted().list_server_named("s", "tools = { pay = \"ask\" }", TOOLS)
}

/// T22: calls by different names of the tool are the same call; other arguments make it a different
/// call.
#[test]
fn an_approval_is_valid_for_one_identical_call() {
    let world = asking();
    let question = world.pending_approval(&PAY);
    assert_eq!(
        world.pending_approval(&["pay", "--text", "bob"]),
        question,
        "the approval is requested once"
    );
    world.run(&["approve", &question]).exits(0).stderr_contains(&["Approved this call of s/pay"]);
    assert_ne!(world.pending_approval(&["run", "s/pay", "--text", "eve"]), question);
    world.pending_approval(&["run", "s/pay"]);
    assert_eq!(world.executed(), 0);
    assert_eq!(world.run(&["run", "s:pay", "--text", "bob"]).exits(0).out, "called\n");
    assert_eq!(world.pending_approval(&PAY), question, "a used approval is requested again");
    assert_eq!(world.executed(), 1);
}

#[test]
fn a_rejected_call_is_refused() {
    let world = asking();
    let question = world.pending_approval(&PAY);
    world.run(&["reject", &question]).exits(0).stderr_contains(&["Rejected this call of s/pay"]);
    world
        .run(&PAY)
        .exits(4)
        .stderr_contains(&["`s/pay` is denied because a user rejected this call"]);
    world.run(&["approve", &question]).exits(0);
    world.run(&PAY).exits(0);
    assert_eq!(world.executed(), 1);
}

/// T22: the approval of a call expires even if the new definition is approved.
#[test]
fn an_approval_expires_when_the_definition_changes() {
    let world = asking();
    let question = world.pending_approval(&PAY);
    world.run(&["approve", &question]).exits(0);
    world.refresh_with(&[("pay", "Pays somebody twice"), ("look", "Looks at an account")]);
    world.run(&PAY).exits(4).stderr_contains(&["`s/pay` is quarantined"]);
    world.run(&["review", "--accept", "s"]).exits(0);
    assert_ne!(world.pending_approval(&PAY), question);
    assert_eq!(world.executed(), 0);
}

/// T23, O-10.
#[test]
fn the_approval_shows_all_arguments_except_secrets() {
    let world = asking();
    world.run(&["approval", "list"]).exits(0).stderr_contains(&["No pending approvals."]);
    let question = world.pending_approval(&[
        "run",
        "s/pay",
        "--text",
        "bob\u{1b}[8m",
        "--api_key",
        "hush-hush",
    ]);
    let shown = world.run(&["approval", "list"]).exits(0);
    let expected = format!(
        "{question}  s/pay {{\"text\":\"bob\\u001b[8m\",\"api_key\":\"[REDACTED]\"}}\n  requested by cli, valid until "
    );
    assert!(shown.out.starts_with(&expected), "{}", shown.out);
    let listed = world.run(&["approval", "list", "--json"]).exits(0).json();
    assert_eq!(
        (&listed[0]["id"], &listed[0]["tool"], &listed[0]["approved"]),
        (&json!(question), &json!("s/pay"), &json!(null))
    );
    world.run(&["approve", &question]).exits(0);
    world.run(&["approval", "list"]).exits(0).stdout_contains(&[", approved\n"]);
    let remaining = world.temp_dir().join("state");
    for file in std::fs::read_dir(remaining)
        .expect("the state")
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_file())
    {
        let bytes = std::fs::read(file.path()).expect("a file");
        assert!(!bytes.windows(9).any(|window| window == b"hush-hush"), "{:?}", file.path());
    }
}

/// A dry run creates no pending approval.
#[test]
fn a_dry_run_requests_no_approval() {
    let world = asking();
    world.run(&["--dry-run", "run", "s/pay", "--text", "bob"]).exits(0);
    assert_eq!(world.run(&["approval", "list", "--json"]).exits(0).json(), json!([]));
    assert_eq!(world.executed(), 0);
}

/// The host does not request approval again for a call that the command has already authorized.
#[test]
fn an_approval_applies_to_calls_through_a_host() {
    let world = asking();
    let _host = world.host();
    let question = world.pending_approval(&PAY);
    world.run(&["approve", &question]).exits(0);
    assert_eq!(world.run(&PAY).exits(0).out, "called\n");
    assert_eq!(world.pending_approval(&PAY), question);
    assert_eq!(world.executed(), 1);
}
