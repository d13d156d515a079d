//! Errors for invalid command lines. Nothing runs after such an error.

use super::{echo, hinted};
use crate::world::World;
use serde_json::json;

/// A tool that creates a file when it runs.
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
fn an_invalid_choice_is_an_error_that_lists_the_choices() {
    let world = echo(json!({"mode": {"type": "string", "enum": ["a", "b"]}}));
    let refused = world.run(&["t", "--mode", "c"]).exits(2);
    assert_eq!(refused.usage_errors(), "Invalid value for --mode: \"c\" (choose from: a, b)");
    assert_eq!(world.stdout(&["t", "--mode", "b"]), "{\"mode\":\"b\"}\n");
}

/// S-16: a number flag `--n abc`.
#[test]
fn an_invalid_number_is_an_error_in_every_form() {
    let world = echo(json!({"n": {"type": "number"}, "i": {"type": "integer"}}));
    for text in ["abc", "NaN", "nan", "Infinity", "-inf", "", "1,5", "0x10"] {
        let refused = world.run(&["t", &format!("--n={text}")]).exits(2);
        assert_eq!(
            refused.usage_errors(),
            format!("Invalid value for --n: \"{text}\" is not a number")
        );
    }
    world
        .run(&["t", "--i", "1.5"])
        .exits(2)
        .stderr_contains(&["Invalid value for --i: \"1.5\" is not an integer"]);
    assert_eq!(world.stdout(&["t", "--n", "-1.5", "--i", "-7"]), "{\"n\":-1.5,\"i\":-7}\n");
}

/// S-19: the option is `--allow-reload`, the argument `--alow-reload`.
#[test]
fn an_unknown_option_is_an_error_with_a_suggestion() {
    let world = leaving_a_mark();
    let refused = world.run(&["t", "--alow-reload"]).exits(2);
    assert_eq!(
        refused.err,
        "Unknown option: --alow-reload\nDid you mean --allow-reload?\n  hint: toolscout t --help\n"
    );
    assert!(!world.path("tools/ran").exists());
    world.run(&["t", "--allow-reload"]).exits(0);
    assert!(world.path("tools/ran").exists(), "a correct run leaves the mark");
}

/// S-20: the command is `run`, the argument `rn`.
#[test]
fn an_unknown_command_is_an_error_with_a_suggestion() {
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
fn an_unknown_short_flag_is_an_error_without_a_suggestion() {
    let world = leaving_a_mark();
    for args in [&["t", "-x"][..], &["-x", "t"], &["tools", "-x"]] {
        let refused = world.run(args).exits(2);
        assert_eq!(refused.usage_errors(), "Unknown option: -x", "{args:?}");
    }
    assert!(!world.path("tools/ran").exists());
}

/// S-26: two flags that exclude each other.
#[test]
fn conflicting_flags_are_both_reported() {
    let on = json!({"type": "boolean"});
    let world = hinted(json!({"json": on, "plain": on}), json!({"json": {"conflicts": ["plain"]}}));
    let refused = world.run(&["t", "--plain", "--json"]).exits(2);
    assert_eq!(refused.usage_errors(), "--json cannot be used together with --plain");
    assert_eq!(world.stdout(&["t", "--plain"]), "{\"plain\":true}\n");
}

/// S-27: an unknown option takes precedence over `--version`; other errors do not.
#[test]
fn an_unknown_option_is_reported_before_the_version_is_shown() {
    let world = World::project();
    let version = format!("toolscout {}\n", env!("CARGO_PKG_VERSION"));
    for args in [&["--version", "--bogus"][..], &["--bogus", "--version"], &["-V", "--bogus"]] {
        let refused = world.run(args).exits(2);
        assert_eq!(
            (refused.out.as_str(), refused.usage_errors()),
            ("", "Unknown option: --bogus"),
            "{args:?}"
        );
    }
    for args in [&["--version"][..], &["-V"], &["--version", "--output", "nonsense"]] {
        assert_eq!(world.stdout(args), version, "{args:?}");
    }
    assert!(
        world.stdout(&["--version", "--help"]).starts_with("Usage: toolscout"),
        "help wins over the version"
    );
}

#[test]
fn several_errors_are_reported_together() {
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
        refused.usage_errors(),
        "Invalid value for --count: \"many\" is not an integer\n\
         Unknown option: --speed\n\
         Missing required option: --url"
    );
    assert!(!world.path("tools/ran").exists());
}
