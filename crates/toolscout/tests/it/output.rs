//! 1. TOON is JSON's content by lines, keys sorted, tables for lists of like objects.
//! 2. Every list the program prints can be had as text, JSON and TOON.

use crate::world::World;
use serde_json::{Value, json};

/// What the program makes of this value as TOON.
fn toon(value: &Value) -> String {
    let properties: Value =
        value.as_object().expect("an object").keys().map(|it| (it.clone(), json!({}))).collect();
    let schema = json!({"type": "object", "properties": properties});
    let tool = json!({"name": "echo", "input_schema": schema, "run": {"command": ["cat"]}});
    let world = World::project().file("tools/echo.tool.json", &tool.to_string());
    world.out(&["--output", "toon", "echo", "--input", &value.to_string()])
}

/// W-01: three lines, keys sorted.
#[test]
fn an_object_is_a_line_for_each_field_by_name() {
    let said = toon(&json!({"name": "Alice", "age": 30, "active": true}));
    assert_eq!(said, "active: true\nage: 30\nname: Alice\n");
}

/// W-02: lists of scalars.
#[test]
fn a_list_of_scalars_is_one_line() {
    let said = toon(&json!({"numbers": [1, 2, 3], "names": ["a", "b"]}));
    assert_eq!(said, "names[2]: a,b\nnumbers[3]: 1,2,3\n");
}

/// W-03: like objects are a table.
#[test]
fn a_list_of_like_objects_is_a_table() {
    let said = toon(&json!({"users": [{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}]}));
    assert_eq!(said, "users[2]{id,name}:\n  1,Ada\n  2,Bob\n");
}

#[test]
fn the_list_of_tools_can_be_toon() {
    let more = "description = \"Say it again\"\nkeywords = [\"one\", \"two\"]\n";
    let world = World::project().echo("tools/again.tool.toml", "again", more);
    let path = world.path("tools/again.tool.toml").display().to_string();
    let said = world.out(&["tools", "--output", "toon"]).replace(&path, "PATH");
    assert_eq!(
        said,
        "[1]:\n  \
           - description: Say it again\n    \
             id: local/again\n    \
             inputSchema:\n      \
               properties:\n      \
               type: object\n    \
             keywords[2]: one,two\n    \
             name: again\n    \
             path: PATH\n    \
             policy: allow\n    \
             source: local\n    \
             status: ready\n    \
             visibility: searchable\n"
    );
    assert_eq!(
        world.out(&["--output", "toon", "tools"]).replace(&path, "PATH"),
        said,
        "before the command, too"
    );
}

#[test]
fn an_unknown_format_is_refused_with_the_known_ones() {
    let refused = World::project().run(&["--output", "xml", "tools"]).exits(2);
    assert_eq!(
        refused.mistakes(),
        "Invalid value for --output: \"xml\" (choose from: text, json, toon)"
    );
}

/// A reader that goes away early is no error of ours.
#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let tool =
        |it: usize| format!("[[tool]]\nname = \"tool-{it:04}\"\n[tool.run]\ncommand = [\"cat\"]\n");
    let world =
        World::project().file("tools/many.tool.toml", &(0..600).map(tool).collect::<String>());
    let script = "toolscout tools --json | head -c 1; echo \" ${PIPESTATUS[0]}\"";
    let output = world.other("bash").args(["-c", script]).output().expect("bash starts");
    assert_eq!(
        (String::from_utf8_lossy(&output.stdout).as_ref(), output.stderr.as_slice()),
        ("[ 0\n", &b""[..])
    );
}
