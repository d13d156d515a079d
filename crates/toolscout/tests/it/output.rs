//! 1. TOON shows the content of JSON line by line, with sorted keys and tables for lists of uniform
//!    objects.
//! 2. Every list can be printed as text, JSON and TOON.

use crate::world::World;
use serde_json::{Value, json};

/// This value as the program prints it in TOON.
fn toon(value: &Value) -> String {
    let properties: Value =
        value.as_object().expect("an object").keys().map(|key| (key.clone(), json!({}))).collect();
    let schema = json!({"type": "object", "properties": properties});
    let tool = json!({"name": "echo", "input_schema": schema, "run": {"command": ["cat"]}});
    let world = World::project().file("tools/echo.tool.json", &tool.to_string());
    world.stdout(&["--output", "toon", "echo", "--input", &value.to_string()])
}

/// W-01
#[test]
fn toon_prints_an_object_as_one_line_per_field() {
    let output = toon(&json!({"name": "Alice", "age": 30, "active": true}));
    assert_eq!(output, "active: true\nage: 30\nname: Alice\n");
}

/// W-02
#[test]
fn toon_prints_a_list_of_scalars_on_one_line() {
    let output = toon(&json!({"numbers": [1, 2, 3], "names": ["a", "b"]}));
    assert_eq!(output, "names[2]: a,b\nnumbers[3]: 1,2,3\n");
}

/// W-03
#[test]
fn toon_prints_a_list_of_uniform_objects_as_a_table() {
    let output = toon(&json!({"users": [{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}]}));
    assert_eq!(output, "users[2]{id,name}:\n  1,Ada\n  2,Bob\n");
}

#[test]
fn the_tool_list_can_be_printed_as_toon() {
    let more = "description = \"Say it again\"\nkeywords = [\"one\", \"two\"]\n";
    let world = World::project().echo("tools/again.tool.toml", "again", more);
    let path = world.path("tools/again.tool.toml").display().to_string();
    let output = world.stdout(&["tools", "--output", "toon"]).replace(&path, "PATH");
    assert_eq!(
        output,
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
        world.stdout(&["--output", "toon", "tools"]).replace(&path, "PATH"),
        output,
        "before the command, too"
    );
}

#[test]
fn an_unknown_output_format_is_an_error_that_lists_the_formats() {
    let refused = World::project().run(&["--output", "xml", "tools"]).exits(2);
    assert_eq!(
        refused.usage_errors(),
        "Invalid value for --output: \"xml\" (choose from: text, json, toon)"
    );
}

/// A reader that closes the pipe early causes no error.
#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let tool = |number: usize| {
        format!("[[tool]]\nname = \"tool-{number:04}\"\n[tool.run]\ncommand = [\"cat\"]\n")
    };
    let world =
        World::project().file("tools/many.tool.toml", &(0..600).map(tool).collect::<String>());
    let script = "toolscout tools --json | head -c 1; echo \" ${PIPESTATUS[0]}\"";
    let output = world.program_command("bash").args(["-c", script]).output().expect("bash starts");
    assert_eq!(
        (String::from_utf8_lossy(&output.stdout).as_ref(), output.stderr.as_slice()),
        ("[ 0\n", &b""[..])
    );
}
