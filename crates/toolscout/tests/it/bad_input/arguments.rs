//! Arguments reach a tool byte for byte.

use super::{has_mark, project};
use crate::world::{Outcome, World};
use serde_json::json;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// S10: texts that a shell or a careless program would interpret.
const TEXTS: [&str; 24] = [
    "$(touch mark)",
    "`touch mark`",
    "; touch mark",
    "| touch mark",
    "&& touch mark",
    "> mark",
    "a\nb",
    "-rf",
    "--flag=",
    "@/etc/passwd",
    "@",
    "~",
    "*",
    "'",
    "\"",
    "\\",
    "\\n",
    "%s%n",
    "${HOME}",
    "{text}",
    "a b  c",
    "\u{1b}[31m",
    "日本語 \u{1f600} e\u{301}",
    "",
];

fn world() -> World {
    let show = "#!/bin/sh\nprintf '%s|' \"$@\"\n";
    project()
        .echo("tools/echo.tool.toml", "echo-text", "[[parameters]]\nname = \"text\"")
        .script("tools/show.sh", show)
        .file("tools/args.tool.toml", "name = \"args-text\"\n[[parameters]]\nname = \"text\"\n[run]\ncommand = [\"./show.sh\"]\ninput = \"args\"\nargs = [\"{text}\"]\n")
        .file("tools/env.tool.toml", "name = \"env-text\"\n[[parameters]]\nname = \"text\"\n[run]\ncommand = [\"printenv\", \"TOOL_TEXT\"]\ninput = \"env\"\n")
}

/// S10: through standard input, through argv, through a variable.
#[test]
fn shell_metacharacters_reach_the_tool_unchanged() {
    let world = world();
    for text in TEXTS {
        let flag = format!("--text={text}");
        let ran = |tool: &str| world.run(&[tool, &flag]).exits(0).out;
        assert_eq!(ran("echo-text"), json!({"text": text}).to_string() + "\n");
        assert_eq!(ran("args-text"), format!("{text}|\n"));
        assert_eq!(
            ran("env-text"),
            if text.is_empty() { String::new() } else { format!("{text}\n") }
        );
    }
    assert!(
        !has_mark(&world) && !world.path("mark").exists() && !world.path("tools/mark").exists()
    );
}

/// S10: a value may be a separate argument unless it starts with a dash.
#[test]
fn a_value_that_looks_like_an_option_needs_an_equals_sign() {
    let world = world();
    assert_eq!(world.stdout(&["echo-text", "--text", "; ls"]), "{\"text\":\"; ls\"}\n");
    world
        .run(&["echo-text", "--text", "-rf"])
        .exits(2)
        .stderr_contains(&["needs \"=\": --text=-rf"]);
}

/// S10: 1 MiB.
#[test]
fn a_value_of_one_mebibyte_reaches_the_tool_unchanged() {
    let large = json!({"text": "x".repeat(1 << 20)}).to_string();
    let echoed = world().run_with(large.as_bytes(), &["echo-text", "--input", "-"]).exits(0);
    assert!(echoed.out == large + "\n", "{} bytes came back", echoed.out.len());
}

/// S10: the value is not truncated.
#[test]
fn a_value_too_large_for_a_command_line_is_refused() {
    let large = json!({"text": "x".repeat(8 << 20)}).to_string();
    let refused = world().run_with(large.as_bytes(), &["args-text", "--input", "-"]);
    assert!([2, 3].contains(&refused.code), "{}", refused.code);
    assert!(
        refused.err.len() < 2000 && refused.err.contains("too long"),
        "{}",
        &refused.err[..refused.err.len().min(2000)]
    );
}

/// S10: an argument with invalid UTF-8.
#[test]
fn an_argument_that_is_not_utf8_is_refused() {
    let world = world();
    for args in [
        &[&b"echo-text"[..], b"--text=\xff\xfe"][..],
        &[b"\xff"],
        &[b"--\xff"],
        &[b"tools", b"\xc3"],
    ] {
        let mut command = world.command(&[]);
        command.args(args.iter().map(|arg| OsStr::from_bytes(arg)));
        Outcome::run(&mut command).exits(2).stderr_contains(&[
            "error: argument",
            "is not UTF-8",
            "hint:",
        ]);
    }
}

/// JSON may contain a NUL byte, but an argument or a variable cannot.
#[test]
fn a_nul_byte_is_refused_in_arguments_and_variables() {
    let world = world();
    let nul = r#"{"text": "a\u0000b"}"#;
    assert_eq!(
        world.run(&["echo-text", "--input", nul]).exits(0).out,
        "{\"text\":\"a\\u0000b\"}\n"
    );
    for tool in ["args-text", "env-text"] {
        world.run(&[tool, "--input", nul]).exits(2).stderr_contains(&["NUL byte"]);
    }
}

#[test]
fn environment_variables_that_are_not_utf8_are_ignored() {
    let world = world();
    let mut command = world.command(&["echo-text", "--text", "a"]);
    command.env("ODD", OsStr::from_bytes(b"\xff")).env("LANG", OsStr::from_bytes(b"\xfe"));
    assert_eq!(Outcome::run(&mut command).exits(0).out, "{\"text\":\"a\"}\n");
}
