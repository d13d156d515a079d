//! Other inputs than flags: the whole input as JSON, positional values and `--`; and the output
//! formats.

use super::{echo, hinted};
use crate::world::World;
use serde_json::json;

/// S-18: a tool with a structured result prints JSON, a tool with text only prints text.
#[test]
fn json_output_is_pretty_and_plain_text_stays_plain() {
    let world = echo(json!({"a": {"type": "integer"}})).file(
        "tools/words.tool.toml",
        "name = \"words\"\n[run]\ncommand = [\"echo\", \"just words\"]\n",
    );
    let pretty = "{\n  \"a\": 1\n}\n";
    assert_eq!(world.stdout(&["--output", "json", "t", "--a", "1"]), pretty);
    assert_eq!(world.stdout(&["--json", "t", "--a", "1"]), pretty);
    assert_eq!(world.stdout(&["t", "--a", "1", "--json"]), pretty);
    assert_eq!(world.stdout(&["t", "--a", "1"]), "{\"a\":1}\n");
    assert_eq!(world.stdout(&["--output", "json", "words"]), "just words\n");
    assert_eq!(world.stdout(&["words", "--json"]), "just words\n");
}

/// Options after the name of a tool belong to the tool, even if the program has an option of that
/// name.
#[test]
fn a_tool_may_have_flags_with_names_of_global_options() {
    let text = json!({"type": "string"});
    let world = echo(json!({"output": text, "json": text, "help": text, "lang": text}));
    let output = world.stdout(&["t", "--output", "a", "--json", "b", "--help", "c", "--lang", "d"]);
    assert_eq!(output, "{\"output\":\"a\",\"json\":\"b\",\"help\":\"c\",\"lang\":\"d\"}\n");
}

/// S-23: flags of the tool before `--` still apply.
#[test]
fn arguments_after_a_double_dash_reach_the_program_unchanged() {
    let script = "#!/bin/sh\nfor it in \"$@\"; do printf '[%s]' \"$it\"; done\n";
    let world = World::project().script("tools/show.sh", script).file(
        "tools/show.tool.toml",
        r#"
        name = "show"
        [[parameters]]
        name = "first"
        [run]
        command = ["./show.sh", "fixed"]
        input = "args"
        args = ["--first", "{first}"]
        "#,
    );
    let words = ["--first", "-x", "--", "a b", "", "$(id)", "--unknown=1", "*"];
    let output = "[--first][-x][--][a b][][$(id)][--unknown=1][*]";
    let line = [&["show", "--first", "1", "--"], &words[..]].concat();
    assert_eq!(world.stdout(&line), format!("[fixed][--first][1]{output}\n"));
    assert_eq!(
        world.stdout(&[&["run"], &line[..]].concat()),
        format!("[fixed][--first][1]{output}\n")
    );
    assert_eq!(world.stdout(&[&["show", "--"], &words[..]].concat()), format!("[fixed]{output}\n"));
}

/// S-23: the flags still arrive as JSON on standard input.
#[test]
fn arguments_after_a_double_dash_are_passed_in_addition_to_stdin() {
    let world = World::project().script("tools/both.sh", "#!/bin/sh\necho \"$# $1\"\ncat\n").file(
        "tools/both.tool.toml",
        "name = \"both\"\n[[parameters]]\nname = \"a\"\n[run]\ncommand = [\"./both.sh\"]\n",
    );
    assert_eq!(world.stdout(&["both", "--a", "1", "--", "--b"]), "1 --b\n{\"a\":\"1\"}\n");
}

/// S-23: a tool without a program cannot receive the arguments, so they cause an error.
#[test]
fn a_tool_without_rest_arguments_refuses_a_double_dash() {
    let schema = r#"{"name": "asks", "inputSchema": {"type": "object", "properties": {}}}"#;
    let script = format!(
        "#!/bin/sh\n# tool: asks\nif [ \"$1\" = tool-schema ]; then echo '{schema}'; else touch ran; fi\n"
    );
    let world = World::project().script("tools/asks", &script);
    world
        .run(&["asks", "--", "word"])
        .exits(2)
        .stderr_contains(&["`local/asks` takes no arguments after `--`"]);
    assert!(!world.path("tools/ran").exists());
    world.run(&["asks"]).exits(0);
    assert!(world.path("tools/ran").exists(), "the tool runs without them");
}

#[test]
fn a_dry_run_shows_the_arguments_after_a_double_dash() {
    let world = echo(json!({"a": {"type": "integer"}}));
    let plan = world.run(&["--dry-run", "t", "--a", "1", "--", "x"]).exits(0).json();
    assert_eq!((&plan["arguments"], &plan["rest"]), (&json!({"a": 1}), &json!(["x"])));
}

/// The whole input as JSON: from an option, a file or standard input. Single flags take precedence.
#[test]
fn the_whole_input_can_come_from_an_option_a_file_or_stdin() {
    let integer = json!({"type": "integer"});
    let world = echo(json!({"a": integer, "b": integer})).file("in.json", "{\"a\": 3, \"b\": 4}");
    assert_eq!(world.stdout(&["t", "--input", "{\"a\": 1}"]), "{\"a\":1}\n");
    assert_eq!(world.stdout(&["t", "--input", "@in.json"]), "{\"a\":3,\"b\":4}\n");
    assert_eq!(world.stdout(&["t", "--input", "@in.json", "--a", "9"]), "{\"a\":9,\"b\":4}\n");
    let piped = world.run_with(b"{\"b\": 5}", &["t", "--input", "-"]).exits(0);
    assert_eq!(piped.out, "{\"b\":5}\n");
    world
        .run(&["t", "--input", "@nowhere.json"])
        .exits(2)
        .stderr_contains(&["Cannot read nowhere.json"]);
    world
        .run_with(b"[1]", &["t", "--input", "-"])
        .exits(2)
        .stderr_contains(&["is not a JSON object"]);
}

/// The author of a tool can make a flag positional.
#[test]
fn a_value_may_be_positional() {
    let world = hinted(json!({"url": {"type": "string"}}), json!({"url": {"positional": true}}));
    assert_eq!(world.stdout(&["t", "http://e/"]), "{\"url\":\"http://e/\"}\n");
    assert_eq!(world.stdout(&["t", "--url", "http://e/"]), "{\"url\":\"http://e/\"}\n");
    world.run(&["t", "http://e/", "more"]).exits(2).stderr_contains(&["Unexpected argument: more"]);
}
