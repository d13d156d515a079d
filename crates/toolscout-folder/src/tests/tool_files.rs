//! Tool files: their keys, and each way they can be invalid.

use super::{World, listing};
use crate::recipe::{ArgumentPassing, CommandRecipe, HttpRecipe, Recipe, WorkingFolder};
use crate::{GlobTools, Root, RootEntry, RootVisit, ToolStrategy};
use futures_util::StreamExt;
use toolscout_core::{SourceId, Visibility};

/// The recipe of the only tool.
async fn recipe(world: &World) -> Recipe {
    let root = Root::project(&world.root);
    let visit =
        RootVisit { source: SourceId::local(), store: None, cx: super::user(), is_trusted: true };
    let strategy = GlobTools::default();
    let mut entries = strategy.tools(&root, visit);
    while let Some(entry) = entries.next().await {
        if let Ok(RootEntry::Tool(_, recipe)) = entry {
            return recipe;
        }
    }
    panic!("expected a tool")
}

const FETCH: &str = r#"
name = "fetch-data"
title = "Fetch"
description = "Fetch data from a URL"
keywords = ["http", "download"]
visibility = "listed"
[[parameters]]
name = "url"
type = "string"
description = "Where from"
required = true
[[parameters]]
name = "format"
enum = ["json", "csv"]
default = "json"
[[parameters]]
name = "lines"
type = "array:int"
[run]
command = ["python3", "fetch.py"]
input = "args"
args = ["--url", "{url}"]
env = ["API_TOKEN"]
timeout_ms = 5000
[cli]
separator = "."
arrays = "json"
[cli.url]
short = "u"
"#;

#[tokio::test]
async fn a_tool_file_describes_everything() {
    let world = World::with(&[("tools/fetch.tool.toml", FETCH), ("tools/fetch.py", "TOOLS = []")]);
    let found = listing(&world.source()).await;
    let [tool] = found.tools()[..] else { panic!("{}", world.show(&found)) };
    assert_eq!(tool.title.as_deref(), Some("Fetch"));
    assert_eq!(tool.keywords, ["http", "download"]);
    assert_eq!(tool.visibility, Visibility::Listed);
    assert_eq!(
        tool.input_schema.as_str(),
        r#"{"type":"object","properties":{"url":{"type":"string","description":"Where from"},"format":{"type":"string","enum":["json","csv"],"default":"json"},"lines":{"type":"array","items":{"type":"integer"}}},"required":["url"]}"#
    );
    assert_eq!(tool.cli.separator.as_deref(), Some("."));
    assert_eq!(tool.cli.arrays.as_deref(), Some("json"));
    assert_eq!(tool.cli.flags["url"].short, Some('u'));
    let expected = CommandRecipe {
        argv: vec!["python3".into(), "fetch.py".into()],
        folder: world.path("tools"),
        cwd: WorkingFolder::File,
        input: ArgumentPassing::Args(vec!["--url".into(), "{url}".into()]),
        env: vec!["API_TOKEN".into()],
        timeout_ms: 5000,
    };
    assert_eq!(recipe(&world).await, Recipe::Command(expected));
}

/// The example of the handbook has `args` beside `input = "stdin"`; that is odd, not an error.
#[tokio::test]
async fn arguments_default_to_standard_input() {
    let text = "name = \"a\"\n[run]\ncommand = [\"cat\"]\ninput = \"stdin\"\nargs = [\"--url\", \"{url}\"]\n";
    let world = World::with(&[("tools/a.tool.toml", text)]);
    let Recipe::Command(command) = recipe(&world).await else { panic!("expected a command") };
    assert_eq!(command.input, ArgumentPassing::Stdin);
    assert_eq!(world.page().await, "a [ready]\n");
}

#[tokio::test]
async fn an_http_request_is_a_tool() {
    let text = r#"
name: weather
http:
  url: https://example.org/{city}
  method: post
  headers: { Accept: application/json }
  body: { city: "{city}" }
parameters:
  - { name: city, type: string, required: true }
"#;
    let world = World::with(&[("tools/w.tool.yaml", text)]);
    let expected = HttpRecipe {
        method: "POST".into(),
        url: "https://example.org/{city}".into(),
        headers: vec![("Accept".into(), "application/json".into())],
        body: Some(r#"{"city":"{city}"}"#.into()),
        env: vec![],
        timeout_ms: 30_000,
    };
    assert_eq!(recipe(&world).await, Recipe::Http(expected));
}

/// A whole schema is passed on unchanged, in its author's order.
#[tokio::test]
async fn a_whole_schema_keeps_its_order() {
    let toml = "name = \"a\"\ninput_schema = { type = \"object\", properties = { z = { type = \"string\" }, a = { type = \"date\" } } }\n[run]\ncommand = [\"true\"]\n";
    let json = r#"{"name": "b", "inputSchema": {"type": "object", "properties": {"z": {}, "a": {}}}, "run": {"command": ["true"]}}"#;
    let world = World::with(&[("tools/a.tool.toml", toml), ("tools/b.tool.json", json)]);
    let found = listing(&world.source()).await;
    let schema = |name| found.tool(name).input_schema.as_str().to_owned();
    assert_eq!(
        schema("a"),
        r#"{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"date"}}}"#
    );
    assert_eq!(schema("b"), r#"{"type":"object","properties":{"z":{},"a":{}}}"#);
}

#[tokio::test]
async fn the_default_one_of_several_comes_first() {
    let text = r#"
[[tool]]
name = "one"
run = { command = ["true"] }
[[tool]]
name = "two"
default = true
run = { command = ["true"] }
[[tool]]
nam = "three"
run = { command = ["true"] }
[[tool]]
name = "four"
run = { command = ["true"] }
"#;
    let world = World::with(&[("tools/all.tool.toml", text)]);
    assert_eq!(
        world.page().await,
        "! Broken tools/all.tool.toml: tool 3: unknown key `nam`; did you mean `name`?\n\
         two [ready]\none [ready]\nfour [ready]\n"
    );
}

/// The reason why a tool file is rejected.
async fn reason(name: &str, text: impl AsRef<[u8]>) -> String {
    let world = World::new();
    world
        .file(&format!("tools/{name}"), text)
        .file("tools/good.tool.toml", super::tool_file("good", ""));
    let found = listing(&world.source()).await;
    assert_eq!(found.names(), ["good"], "one bad file does not hide the others");
    let [diagnostic] = found.diagnostics()[..] else { panic!("{}", world.show(&found)) };
    format!("{:?}: {}", diagnostic.kind, diagnostic.message)
}

/// A-12: each mistake has its own reason.
/// M-12d, among others.
#[tokio::test]
async fn each_mistake_has_its_own_reason() {
    let run = "\n[run]\ncommand = [\"true\"]\n";
    let cases: &[(&str, &str)] = &[
        ("description = \"x\"@run", "missing `name`"),
        ("name = \"\"@run", "the tool name is empty"),
        ("name = 5@run", "`name` is a number; it must be a string"),
        ("name = \"a\"", "missing `[run]` or `[http]`"),
        ("name = \"a\"\n[runn]\ncommand = [\"true\"]", "unknown key `runn`; did you mean `run`?"),
        ("name = \"a\"@run[http]\nurl = \"http://e/\"", "both `[run]` and `[http]`: keep one"),
        (
            "name = \"a\"\ninput_schema = [1]@run",
            "`input_schema` is a list; it must be a JSON Schema object",
        ),
        (
            "name = \"a\"\ninput_schema = {type = \"array\"}@run",
            "`input_schema` has the type `\"array\"`; it must be \"object\"",
        ),
        (
            "name = \"a\"\nparameters = []\ninput_schema = {}@run",
            "both `parameters` and `input_schema`: keep one",
        ),
        (
            "name = \"a\"\n[run]\ncommand = []",
            "[run] `command` is empty: write it as a list such as [\"python3\", \"fetch.py\"]",
        ),
        (
            "name = \"a\"\n[run]\ncommand = \"python3 fetch.py\"",
            "[run] `command` is a string: write it as a list such as [\"python3\", \"fetch.py\"]",
        ),
        (
            "name = \"a\"\n[run]\nenv = []",
            "[run] missing `command`: write it as a list such as [\"python3\", \"fetch.py\"]",
        ),
        (
            "name = \"a\"\n[run]\ncommand = [\"x\"]\ninput = \"pipe\"",
            "[run] `input` is `pipe`; it must be `stdin`, `args` or `env`",
        ),
        (
            "name = \"a\"\n[run]\ncommand = [\"x\"]\nargs = [\"{ulr}\"]\n[[parameters]]\nname = \"url\"",
            "[run] `args` uses `{ulr}`, which is not a parameter; did you mean `url`?",
        ),
        (
            "name = \"a\"\n[http]\nurl = \"http://e/{x}\"",
            "[http] `url` uses `{x}`, which is not a parameter",
        ),
        (
            "name = \"a\"\n[run]\ncommand = [\"x\"]\ntimeout_ms = 0",
            "[run] `timeout_ms` is `0`; it must be a whole number from 1 to 86400000",
        ),
        (
            "name = \"a\"\n[http]\nurl = \"ftp://e/\"",
            "[http] `url` is `ftp://e/`; it must start with http:// or https://",
        ),
        (
            "name = \"a\"\nvisibility = \"hidden\"@run",
            "`visibility` is `hidden`; it must be `listed` or `searchable`",
        ),
        (
            "name = \"a\"\n[[parameters]]\nname = \"x\"\ntype = \"strng\"@run",
            "parameter `x`: `strng` is not a type; did you mean `string`? valid types: string, number, integer, boolean, object, array, int, float, bool, array:TYPE",
        ),
        (
            "name = \"a\"\n[[parameters]]\nname = \"x\"\n[[parameters]]\nname = \"x\"@run",
            "duplicate parameter `x`",
        ),
        (
            "name = \"a\"\n[[parameters]]\nname = \"x\"\ntype = \"int\"\ndefault = \"one\"@run",
            "parameter `x`: `default` is `\"one\"`, which is not of type integer",
        ),
        (
            "name = \"a\"\n[[parameters]]\nname = \"x\"\nenum = [\"a\"]\ndefault = \"b\"@run",
            "parameter `x`: `default` is `\"b\"`, which is not in `enum`",
        ),
        (
            "name = \"a\"\n[[parameters]]\nname = \"x\"\ndescripton = \"y\"@run",
            "parameter `x`: unknown key `descripton`; did you mean `description`?",
        ),
        (
            "name = \"a\"\n[cli.url]\nshort = \"uu\"@run",
            "[cli.url] `short` is `uu`; it must be one letter or digit",
        ),
        ("tool = 5", "`tool` must be a list of tables: write `[[tool]]`"),
        (
            "name = \"a\"\n[[tool]]\nname = \"b\"",
            "`name` is outside `[[tool]]`; move it into one of the tools",
        ),
    ];
    for (text, expected) in cases {
        let message = reason("bad.tool.toml", text.replace("@run", run)).await;
        assert_eq!(message, format!("Broken: {expected}"), "{text}");
    }
}

/// S9: an invalid document is refused with the position, and no input expands without bounds.
#[tokio::test]
async fn misleading_documents_are_refused() {
    let yaml_bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n";
    assert!(reason("a.tool.yaml", yaml_bomb).await.starts_with("Broken: "));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(
        reason("a.tool.json", &deep)
            .await
            .starts_with("Broken: recursion limit exceeded at line 1")
    );
    assert!(reason("a.tool.yaml", &deep).await.starts_with("Broken: "));
    assert!(reason("a.tool.toml", format!("a = {deep}")).await.starts_with("Broken: "));
    assert_eq!(
        reason("a.tool.json", r#"{"name": "a", "name": "b"}"#).await,
        "Broken: duplicate key `name` at line 1 column 20"
    );
    assert_eq!(
        reason("a.tool.toml", "name = \"a\"\nname = \"b\"\n").await,
        "Broken: duplicate key at line 2 column 1"
    );
    let twice = reason("a.tool.yaml", "name: a\nname: b\n").await;
    assert!(twice.contains("duplicate") && twice.contains("line 2"), "{twice}");
    let tabs = reason("a.tool.yaml", "name: a\nrun:\n\tcommand: [x]\n").await;
    assert!(tabs.contains("line 3"), "{tabs}");
    let bom = "Broken: it starts with a byte order mark; save it as UTF-8 without one";
    assert_eq!(reason("a.tool.toml", "\u{feff}name = \"a\"").await, bom);
    assert_eq!(
        reason("a.tool.json", "{\"name\": \"a\u{0}b\"}").await,
        "Broken: it has a NUL byte at line 1 column 12"
    );
    assert_eq!(
        reason("a.tool.json", b"{\n\"\xff\": 1}").await,
        "Broken: it is not UTF-8 at line 2 column 2"
    );
    assert_eq!(
        reason("a.tool.json", "[1]").await,
        "Broken: it is a list; a tool file must be a table with a `name`"
    );
}

/// A tool name becomes a command, so it may not look like an option, a path or shell syntax; it is
/// escaped for display.
#[tokio::test]
async fn a_name_that_cannot_be_a_command_is_refused() {
    for name in ["../x", "$(id)", "-rf", "a b", "a\u{1b}[31m", "naïve", "a\nb"] {
        let text = serde_json::json!({"name": name, "run": {"command": ["true"]}}).to_string();
        let message = reason("a.tool.json", text).await;
        assert!(
            message.starts_with("Forbidden: `") && message.contains("is not a valid tool name"),
            "{message}"
        );
        assert!(!message.contains(['\u{1b}', '\n']), "{message:?}");
    }
}

/// S1 and S2: a command may not lead out of the folder.
#[tokio::test]
async fn a_command_stays_in_its_folder() {
    for program in ["../../bin/sh", "/bin/sh", "./../../x"] {
        let text = format!("name = \"a\"\n[run]\ncommand = [\"{program}\"]\n");
        let expected =
            format!("Forbidden: [run] `{program}` is outside the folder, so it is not run");
        assert_eq!(reason("a.tool.toml", text).await, expected);
    }
    let world =
        World::with(&[("tools/x/a.tool.toml", "name = \"a\"\n[run]\ncommand = [\"../run.sh\"]\n")]);
    world.script("tools/run.sh", "#!/bin/sh\necho tool-schema");
    assert_eq!(
        world.page().await,
        "a [ready]\n",
        "the project is allowed, and the script belongs to the tool file"
    );
}

/// A-14: an empty file causes no warning.
#[tokio::test]
async fn a_file_without_tools_has_no_warnings() {
    let world = World::with(&[
        ("tools/empty.tool.toml", ""),
        ("tools/comment.tool.toml", "# nothing yet\n"),
        ("tools/empty.tool.json", " \n"),
        ("tools/empty.tool.yaml", "# nothing\n"),
        ("tools/manifest.json", r#"{"name": "My App", "icons": []}"#),
        ("tools/readme.md", "# tool: hammer\ntool-schema"),
        ("tools/lib.js", "export const add = (a, b) => a + b\n"),
        ("tools/lib.py", "def add(a, b): return a + b\n"),
        ("tools/types.d.ts", "export interface Tool { inputSchema: object; execute(): void }\n"),
    ]);
    world
        .script("tools/build.sh", "#!/bin/sh\nmake\n")
        .script("tools/prog", "\u{7f}ELF\u{0}\u{0}tool-schema");
    assert_eq!(world.page().await, "");
}

/// M-12e: the words of paularlott/mcp for the visibility of a tool.
#[tokio::test]
async fn discoverable_is_another_name_of_the_visibility() {
    let run = "[run]\ncommand = [\"true\"]\n";
    let tool = |name: &str, line: &str| format!("name = \"{name}\"\n{line}\n{run}");
    let world = World::with(&[
        ("tools/a.tool.toml", &tool("a", "discoverable = true")),
        ("tools/b.tool.toml", &tool("b", "discoverable = false")),
        ("tools/c.tool.toml", &tool("c", "visibility = \"discoverable\"")),
        ("tools/d.tool.toml", &tool("d", "visibility = \"native\"")),
        ("tools/e.tool.toml", &tool("e", "visibility = \"listed\"\ndiscoverable = true")),
    ]);
    let found = listing(&world.source()).await;
    let seen: Vec<_> =
        found.tools().iter().map(|tool| (tool.id.name.as_str(), tool.visibility)).collect();
    let expected = [
        ("a", Visibility::Searchable),
        ("b", Visibility::Listed),
        ("c", Visibility::Searchable),
        ("d", Visibility::Listed),
    ];
    assert_eq!(seen, expected);
    assert!(
        world.show(&found).contains("are the same setting; keep one"),
        "{}",
        world.show(&found)
    );
}
