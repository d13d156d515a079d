//! 1. A call that needs a yes waits for one, and a yes is for that very call, once.
//! 2. Whoever answers sees what they answer to, but for secrets.

use crate::world::World;
use serde_json::json;

const TOOLS: &[(&str, &str)] = &[("pay", "Pays somebody"), ("look", "Looks at an account")];
const PAY: [&str; 4] = ["run", "s/pay", "--text", "bob"];

/// A server with a tool that a person must be asked about, and nobody at the terminal.
fn asking() -> World {
    World::trusted().stall_named("s", "tools = { pay = \"ask\" }", TOOLS)
}

/// T22: through all names of the tool it is the same call; with other arguments it is another.
#[test]
fn a_yes_is_for_this_very_call_and_for_one() {
    let world = asking();
    let question = world.question(&PAY);
    assert_eq!(world.question(&["pay", "--text", "bob"]), question, "it is asked once");
    world.run(&["approve", &question]).exits(0).says(&["Approved this call of s/pay"]);
    assert_ne!(world.question(&["run", "s/pay", "--text", "eve"]), question);
    world.question(&["run", "s/pay"]);
    assert_eq!(world.executed(), 0);
    assert_eq!(world.run(&["run", "s:pay", "--text", "bob"]).exits(0).out, "called\n");
    assert_eq!(world.question(&PAY), question, "used up, it is asked again");
    assert_eq!(world.executed(), 1);
}

#[test]
fn a_no_is_a_no() {
    let world = asking();
    let question = world.question(&PAY);
    world.run(&["reject", &question]).exits(0).says(&["Rejected this call of s/pay"]);
    world.run(&PAY).exits(4).says(&["`s/pay` is denied by a person"]);
    world.run(&["approve", &question]).exits(0);
    world.run(&PAY).exits(0);
    assert_eq!(world.executed(), 1);
}

/// T22: a yes to one definition is none to the next, even if that is approved.
#[test]
fn a_yes_does_not_outlive_the_definition() {
    let world = asking();
    let question = world.question(&PAY);
    world.run(&["approve", &question]).exits(0);
    world.has(&[("pay", "Pays somebody twice"), ("look", "Looks at an account")]);
    world.run(&PAY).exits(4).says(&["`s/pay` is quarantined"]);
    world.run(&["review", "--accept", "s"]).exits(0);
    assert_ne!(world.question(&PAY), question);
    assert_eq!(world.executed(), 0);
}

/// T23, O-10.
#[test]
fn who_answers_sees_everything_but_secrets() {
    let world = asking();
    world.run(&["approval", "list"]).exits(0).says(&["No call waits for approval."]);
    let question =
        world.question(&["run", "s/pay", "--text", "bob\u{1b}[8m", "--api_key", "hush-hush"]);
    let shown = world.run(&["approval", "list"]).exits(0);
    let expected = format!(
        "{question}  s/pay {{\"text\":\"bob\\u001b[8m\",\"api_key\":\"[REDACTED]\"}}\n  asked by cli, good until "
    );
    assert!(shown.out.starts_with(&expected), "{}", shown.out);
    let listed = world.run(&["approval", "list", "--json"]).exits(0).json();
    assert_eq!(
        (&listed[0]["id"], &listed[0]["tool"], &listed[0]["answer"]),
        (&json!(question), &json!("s/pay"), &json!(null))
    );
    world.run(&["approve", &question]).exits(0);
    world.run(&["approval", "list"]).exits(0).prints(&[", approved\n"]);
    let kept = world.outside().join("state");
    for file in std::fs::read_dir(kept)
        .expect("the state")
        .filter_map(Result::ok)
        .filter(|it| it.path().is_file())
    {
        let bytes = std::fs::read(file.path()).expect("a file");
        assert!(!bytes.windows(9).any(|it| it == b"hush-hush"), "{:?}", file.path());
    }
}

/// A rehearsal asks nobody, and leaves no question behind.
#[test]
fn a_dry_run_asks_nobody() {
    let world = asking();
    world.run(&["--dry-run", "run", "s/pay", "--text", "bob"]).exits(0);
    assert_eq!(world.run(&["approval", "list", "--json"]).exits(0).json(), json!([]));
    assert_eq!(world.executed(), 0);
}

/// What is asked at the door of a command is not asked again where its server is kept.
#[test]
fn a_yes_counts_where_another_process_keeps_the_server() {
    let world = asking();
    let _host = world.host();
    let question = world.question(&PAY);
    world.run(&["approve", &question]).exits(0);
    assert_eq!(world.run(&PAY).exits(0).out, "called\n");
    assert_eq!(world.question(&PAY), question);
    assert_eq!(world.executed(), 1);
}
