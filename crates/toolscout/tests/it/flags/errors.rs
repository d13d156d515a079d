//! What is said when somebody types what a command does not take, and that nothing runs then.

use super::{echo, hinted};
use crate::world::World;
use serde_json::json;

/// A tool that leaves a file when it runs.
fn leaving_a_mark() -> World {
    World::project().file(
        "tools/t.tool.toml",
        r#"
        name = "t"
        [[parameters]]
        name = "allow-reload"
        type = "boolean"
        [run]
        command = ["touch", "ran"]
        "#,
    )
}

/// S-11: enum a, b; `--mode c`.
#[test]
fn a_value_that_is_no_choice_is_answered_with_the_choices() {
    let world = echo(json!({"mode": {"type": "string", "enum": ["a", "b"]}}));
    let refused = world.run(&["t", "--mode", "c"]).exits(2);
    assert_eq!(refused.mistakes(), "Invalid value for --mode: \"c\" (choose from: a, b)");
    assert_eq!(world.out(&["t", "--mode", "b"]), "{\"mode\":\"b\"}\n");
}

/// S-16: a number flag `--n abc`.
#[test]
fn what_is_no_number_is_an_error_in_every_spelling() {
    let world = echo(json!({"n": {"type": "number"}, "i": {"type": "integer"}}));
    for text in ["abc", "NaN", "nan", "Infinity", "-inf", "", "1,5", "0x10"] {
        let refused = world.run(&["t", &format!("--n={text}")]).exits(2);
        assert_eq!(
            refused.mistakes(),
            format!("Invalid value for --n: \"{text}\" is not a number")
        );
    }
    world
        .run(&["t", "--i", "1.5"])
        .exits(2)
        .says(&["Invalid value for --i: \"1.5\" is not an integer"]);
    assert_eq!(world.out(&["t", "--n", "-1.5", "--i", "-7"]), "{\"n\":-1.5,\"i\":-7}\n");
}

/// S-19: `--alow-reload` where `--allow-reload` exists.
#[test]
fn an_unknown_option_is_named_with_the_nearest_one_and_the_tool_does_not_run() {
    let world = leaving_a_mark();
    let refused = world.run(&["t", "--alow-reload"]).exits(2);
    assert_eq!(
        refused.err,
        "Unknown option: --alow-reload\nDid you mean --allow-reload?\n  hint: toolscout t --help\n"
    );
    assert!(!world.path("tools/ran").exists());
    world.run(&["t", "--allow-reload"]).exits(0);
    assert!(world.path("tools/ran").exists(), "the mark is left by a run that is right");
}

/// S-20: `rn` where `run` exists.
#[test]
fn an_unknown_command_is_named_with_the_nearest_one() {
    let world = leaving_a_mark();
    let refused = world.run(&["rn"]).exits(5);
    assert_eq!(
        (refused.out.as_str(), refused.err.as_str()),
        ("", "Command not found: rn\nDid you mean run?\n")
    );
    let refused = world.run(&["quite-something-else"]).exits(5);
    assert!(!refused.err.contains("Did you mean"), "{refused:?}");
}

/// S-21: an unknown `-x`.
#[test]
fn an_unknown_letter_is_an_error_without_a_guess() {
    let world = leaving_a_mark();
    for args in [&["t", "-x"][..], &["-x", "t"], &["tools", "-x"]] {
        let refused = world.run(args).exits(2);
        assert_eq!(refused.mistakes(), "Unknown option: -x", "{args:?}");
    }
    assert!(!world.path("tools/ran").exists());
}

/// S-26: two flags that exclude each other.
#[test]
fn flags_that_exclude_each_other_are_both_named() {
    let on = json!({"type": "boolean"});
    let world = hinted(json!({"json": on, "plain": on}), json!({"json": {"conflicts": ["plain"]}}));
    let refused = world.run(&["t", "--plain", "--json"]).exits(2);
    assert_eq!(refused.mistakes(), "--json cannot be used together with --plain");
    assert_eq!(world.out(&["t", "--plain"]), "{\"plain\":true}\n");
}

/// S-27: `--version` with other bad flags: an unknown option wins, any other mistake does not.
#[test]
fn an_unknown_option_is_reported_before_the_version_is_shown() {
    let world = World::project();
    let version = format!("toolscout {}\n", env!("CARGO_PKG_VERSION"));
    for args in [&["--version", "--bogus"][..], &["--bogus", "--version"], &["-V", "--bogus"]] {
        let refused = world.run(args).exits(2);
        assert_eq!(
            (refused.out.as_str(), refused.mistakes()),
            ("", "Unknown option: --bogus"),
            "{args:?}"
        );
    }
    for args in [&["--version"][..], &["-V"], &["--version", "--output", "nonsense"]] {
        assert_eq!(world.out(args), version, "{args:?}");
    }
    assert!(
        world.out(&["--version", "--help"]).starts_with("Usage: toolscout"),
        "help wins over the version"
    );
}

/// All that is wrong is said at once.
#[test]
fn several_mistakes_are_all_named() {
    let world = World::project().file(
        "tools/t.tool.toml",
        r#"
        name = "t"
        [[parameters]]
        name = "url"
        required = true
        [[parameters]]
        name = "count"
        type = "integer"
        [run]
        command = ["touch", "ran"]
        "#,
    );
    let refused = world.run(&["t", "--count", "many", "--speed", "3"]).exits(2);
    assert_eq!(
        refused.mistakes(),
        "Invalid value for --count: \"many\" is not an integer\n\
         Unknown option: --speed\n\
         Missing required option: --url"
    );
    assert!(!world.path("tools/ran").exists());
}
