//! Ways into a tool beside its flags, and ways out: whole inputs, places, `--`, and the form of the result.

use super::{echo, hinted};
use crate::world::World;
use serde_json::json;

/// S-18: JSON for a tool with a structured result, and for one that only has words.
#[test]
fn json_is_pretty_where_there_is_structure_and_plain_text_elsewhere() {
    let world = echo(json!({"a": {"type": "integer"}})).file(
        "tools/words.tool.toml",
        "name = \"words\"\n[run]\ncommand = [\"echo\", \"just words\"]\n",
    );
    let pretty = "{\n  \"a\": 1\n}\n";
    assert_eq!(world.out(&["--output", "json", "t", "--a", "1"]), pretty);
    assert_eq!(world.out(&["--json", "t", "--a", "1"]), pretty);
    assert_eq!(world.out(&["t", "--a", "1", "--json"]), pretty);
    assert_eq!(world.out(&["t", "--a", "1"]), "{\"a\":1}\n");
    assert_eq!(world.out(&["--output", "json", "words"]), "just words\n");
    assert_eq!(world.out(&["words", "--json"]), "just words\n");
}

/// What follows a tool's name is the tool's, also where the program has an option of that name.
#[test]
fn a_tool_may_have_flags_that_the_program_has_too() {
    let text = json!({"type": "string"});
    let world = echo(json!({"output": text, "json": text, "help": text, "lang": text}));
    let said = world.out(&["t", "--output", "a", "--json", "b", "--help", "c", "--lang", "d"]);
    assert_eq!(said, "{\"output\":\"a\",\"json\":\"b\",\"help\":\"c\",\"lang\":\"d\"}\n");
}

/// S-23: words after `--` reach the program as they are; the tool's own flags before it still count.
#[test]
fn words_after_two_dashes_reach_the_program_untouched() {
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
    let said = "[--first][-x][--][a b][][$(id)][--unknown=1][*]";
    let line = [&["show", "--first", "1", "--"], &words[..]].concat();
    assert_eq!(world.out(&line), format!("[fixed][--first][1]{said}\n"));
    assert_eq!(world.out(&[&["run"], &line[..]].concat()), format!("[fixed][--first][1]{said}\n"));
    assert_eq!(world.out(&[&["show", "--"], &words[..]].concat()), format!("[fixed]{said}\n"));
}

/// S-23: the arguments still arrive on standard input where they usually do.
#[test]
fn words_after_two_dashes_go_beside_what_is_on_standard_input() {
    let world = World::project().script("tools/both.sh", "#!/bin/sh\necho \"$# $1\"\ncat\n").file(
        "tools/both.tool.toml",
        "name = \"both\"\n[[parameters]]\nname = \"a\"\n[run]\ncommand = [\"./both.sh\"]\n",
    );
    assert_eq!(world.out(&["both", "--a", "1", "--", "--b"]), "1 --b\n{\"a\":\"1\"}\n");
}

/// S-23: a tool that is no program has no place for them; they are not dropped in silence.
#[test]
fn a_tool_that_cannot_take_words_after_two_dashes_says_so() {
    let schema = r#"{"name": "asks", "inputSchema": {"type": "object", "properties": {}}}"#;
    let script = format!(
        "#!/bin/sh\n# tool: asks\nif [ \"$1\" = tool-schema ]; then echo '{schema}'; else touch ran; fi\n"
    );
    let world = World::project().script("tools/asks", &script);
    world.run(&["asks", "--", "word"]).exits(2).says(&["`local/asks` takes nothing after `--`"]);
    assert!(!world.path("tools/ran").exists());
    world.run(&["asks"]).exits(0);
    assert!(world.path("tools/ran").exists(), "without them it runs");
}

/// The plan shows them, too.
#[test]
fn a_dry_run_shows_the_words_after_two_dashes() {
    let world = echo(json!({"a": {"type": "integer"}}));
    let plan = world.run(&["--dry-run", "t", "--a", "1", "--", "x"]).exits(0).json();
    assert_eq!((&plan["arguments"], &plan["rest"]), (&json!({"a": 1}), &json!(["x"])));
}

/// All arguments as JSON: typed, from a file, from standard input; single flags win.
#[test]
fn whole_inputs_come_typed_from_a_file_or_from_standard_input() {
    let integer = json!({"type": "integer"});
    let world = echo(json!({"a": integer, "b": integer})).file("in.json", "{\"a\": 3, \"b\": 4}");
    assert_eq!(world.out(&["t", "--input", "{\"a\": 1}"]), "{\"a\":1}\n");
    assert_eq!(world.out(&["t", "--input", "@in.json"]), "{\"a\":3,\"b\":4}\n");
    assert_eq!(world.out(&["t", "--input", "@in.json", "--a", "9"]), "{\"a\":9,\"b\":4}\n");
    let piped = world.run_with(b"{\"b\": 5}", &["t", "--input", "-"]).exits(0);
    assert_eq!(piped.out, "{\"b\":5}\n");
    world.run(&["t", "--input", "@nowhere.json"]).exits(2).says(&["Cannot read nowhere.json"]);
    world.run_with(b"[1]", &["t", "--input", "-"]).exits(2).says(&["is not a JSON object"]);
}

/// A flag may be given by its place where its author says so.
#[test]
fn a_value_may_be_given_by_its_place() {
    let world = hinted(json!({"url": {"type": "string"}}), json!({"url": {"positional": true}}));
    assert_eq!(world.out(&["t", "http://e/"]), "{\"url\":\"http://e/\"}\n");
    assert_eq!(world.out(&["t", "--url", "http://e/"]), "{\"url\":\"http://e/\"}\n");
    world.run(&["t", "http://e/", "more"]).exits(2).says(&["Unexpected argument: more"]);
}
