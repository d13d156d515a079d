//! Modules for Python, with and without our decorator.

use super::{called, list_error, listed, only_schema, plain};
use crate::run::fixture::{has, text};
use serde_json::json;
use toolscout_core::ErrorKind;
use toolscout_test_support::World;

const TOOLS: &str = r#"
from toolscout import tool
import helper_near

@tool
def fetch(url: str, retries: int = 3):
    """Fetch a page.

    More words.

    Args:
        url: Where from,
            in full.
        retries (int): How often.

    Returns:
        The page.
    """
    return {"url": url, "retries": retries, "near": helper_near.WORD}

@tool(name="add-up", description="Adds", keywords=["sum"])
async def add(numbers: list[float], context=None):
    print("talk")
    return f"{sum(numbers)} for {context['tool']}"

def not_a_tool():
    pass
"#;

fn tools(world: &World) -> crate::recipe::Recipe {
    world.file("helper_near.py", "WORD = 'near'");
    plain(world.file("t.py", TOOLS))
}

#[tokio::test]
async fn decorated_functions_are_tools_with_schemas_from_their_signatures() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    let expected = [
        r#"fetch -- Fetch a page. {"type": "object", "properties": {"url": {"type": "string", "description": "Where from, in full."}, "retries": {"type": "integer", "description": "How often.", "default": 3}}, "required": ["url"]}"#,
        r#"add-up -- Adds {"type": "object", "properties": {"numbers": {"type": "array", "items": {"type": "number"}}}, "required": ["numbers"]}"#,
    ];
    assert_eq!(listed(&tools(&world)).await, expected);
    assert!(!world.path().join("__pycache__").exists(), "loading leaves no files behind");
}

#[tokio::test]
async fn functions_are_called_with_names_and_may_be_async() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    let recipe = tools(&world);
    let output = called(&recipe, "fetch", json!({"url": "u"})).await.expect("it runs");
    assert_eq!(
        output.structured_content(),
        Some(json!({"url": "u", "retries": 3, "near": "near"}))
    );
    let output = called(&recipe, "add-up", json!({"numbers": [1, 2.5]})).await.expect("it runs");
    assert_eq!(
        output.raw().as_str(),
        r#"{"content": [{"type": "text", "text": "3.5 for add-up"}]}"#
    );
    let bad = called(&recipe, "fetch", json!({"retries": "x"})).await.expect("a result");
    assert!(bad.is_error());
    assert_eq!(
        text(&bad),
        "`fetch` cannot take these arguments: `url` is required; `retries` must be of type integer"
    );
    let error = called(&recipe, "nope", json!({})).await.expect_err("no such tool").to_string();
    assert!(error.ends_with("no longer has a tool `nope`; it has: fetch, add-up"), "{error}");
}

#[tokio::test]
async fn types_become_schemas() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    let module = r#"
import dataclasses, enum, pathlib, typing
from typing import Any, Annotated, Dict, List, Literal, Optional, TypedDict, Union
from toolscout import tool

class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"

@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.0

class Options(TypedDict, total=False):
    deep: bool

@tool
def t(a: str, b: List[str], c: Dict[str, int], d: Optional[int], e: Literal["x", "y"], f: Colour, g: Point, h: Options,
      i: Union[int, str], j: Any, k: pathlib.Path, m: Annotated[bool, "Really?"], n, o=True, p: Optional[str] = None,
      q: Colour = Colour.BLUE, *args, **kwargs):
    return [f is Colour.RED, g.y, isinstance(k, pathlib.Path), kwargs]
"#;
    let recipe = plain(world.file("t.py", module));
    let schema = only_schema(&recipe).await;
    let colour = json!({"type": "string", "enum": ["red", "blue"]});
    let point = json!({"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "number"}}, "required": ["x"]});
    let properties = json!({
        "a": {"type": "string"},
        "b": {"type": "array", "items": {"type": "string"}},
        "c": {"type": "object", "additionalProperties": {"type": "integer"}},
        "d": {"type": "integer"},
        "e": {"type": "string", "enum": ["x", "y"]},
        "f": colour,
        "g": point,
        "h": {"type": "object", "properties": {"deep": {"type": "boolean"}}},
        "i": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "j": {},
        "k": {"type": "string"},
        "m": {"type": "boolean", "description": "Really?"},
        "n": {},
        "o": {"type": "boolean", "default": true},
        "p": {"type": "string"},
        "q": {"type": "string", "enum": ["red", "blue"], "default": "blue"},
    });
    assert_eq!(schema["properties"], properties);
    assert_eq!(
        schema["required"],
        json!(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "m", "n"])
    );
    let arguments = json!({"a": "", "b": [], "c": {}, "d": 1, "e": "x", "f": "red", "g": {"x": 1}, "h": {}, "i": 1, "j": 1,
        "k": "p", "m": true, "n": 1, "more": 2});
    let output = called(&recipe, "t", arguments).await.expect("it runs");
    assert_eq!(output.structured_content(), Some(json!([true, 0.0, true, {"more": 2}])));
}

/// A-12: a list of tools, good and bad, each with its own reason.
#[tokio::test]
async fn a_tools_list_may_contain_functions_and_descriptions() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    let module = r#"
def plain(a: int):
    return a
def by_name(a, b=2):
    return [a, b]
def whole(input, context):
    return {"input": input, "tool": context["tool"]}
schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
TOOLS = [
    plain,
    {"name": "by-name", "description": "d", "input_schema": schema, "handler": by_name},
    {"name": "whole", "inputSchema": schema, "handler": whole},
    {"inputSchema": {}, "handler": whole},
    {"name": "c", "handler": whole},
    {"name": "d", "inputSchema": {}},
    {"name": "e", "inputSchema": [1], "handler": whole},
    42,
]
"#;
    let recipe = plain(world.file("t.py", module));
    let lines = listed(&recipe).await;
    let heads: Vec<_> = lines.iter().map(|line| line.split(" {").next().unwrap_or("")).collect();
    let expected = [
        "plain -- ?",
        "by-name -- d",
        "whole -- ?",
        "problem: `TOOLS[3]` has no `name`",
        "problem: `TOOLS[4]` (`c`) has no `input_schema`",
        "problem: `TOOLS[5]` (`d`) has no `handler`",
        "problem: tool `e`: `inputSchema` is a list, not an object",
        "problem: an entry is int, not a function",
    ];
    assert_eq!(heads, expected);
    let result = async |name: &str| called(&recipe, name, json!({"a": 1})).await.expect("it runs");
    assert_eq!(text(&result("plain").await), "1");
    assert_eq!(result("by-name").await.structured_content(), Some(json!([1, 2])));
    assert_eq!(
        result("whole").await.structured_content(),
        Some(json!({"input": {"a": 1}, "tool": "whole"}))
    );
}

#[tokio::test]
async fn a_decorator_defined_in_the_module_works() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    let module = r#"
class Tool:
    def __init__(self, handler):
        self.name, self.description, self.handler = handler.__name__, handler.__doc__, handler
        self.input_schema = {"type": "object"}
def tool(handler):
    return Tool(handler)
@tool
def hello(input):
    "Says hello"
    return "hello"
"#;
    let recipe = plain(world.file("t.py", module));
    assert_eq!(listed(&recipe).await, [r#"hello -- Says hello {"type": "object"}"#]);
    assert_eq!(text(&called(&recipe, "hello", json!({})).await.expect("it runs")), "hello");
}

#[tokio::test]
async fn a_header_names_the_function() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    let named = plain(world.file(
        "a.py",
        "#!/usr/bin/env python3\n# tool: say-hello\ndef say_hello(name: str):\n    return name\n",
    ));
    assert_eq!(
        text(&called(&named, "say-hello", json!({"name": "you"})).await.expect("it runs")),
        "you"
    );
    let main = plain(world.file("b.py", "# tool: x\ndef main():\n    return 'main'\n"));
    assert_eq!(text(&called(&main, "x", json!({})).await.expect("it runs")), "main");
    let nothing = list_error(&plain(world.file("c.py", "# tool: x\n"))).await;
    assert!(
        nothing.contains("has a header for `x`, but no function `x`, `run` or `main`"),
        "{nothing}"
    );
}

#[tokio::test]
async fn printed_output_never_becomes_the_result() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    let module = r#"
import os, sys, subprocess, threading
from toolscout import tool
print('{"tools": []}')
os.write(1, b"half a line")
@tool
def t():
    subprocess.run(["echo", "from a child"])
    sys.__stdout__.write("no line end")
    threading.Thread(target=threading.Event().wait).start()
    return "the result"
"#;
    let recipe = plain(world.file("t.py", module));
    assert_eq!(listed(&recipe).await.len(), 1);
    assert_eq!(text(&called(&recipe, "t", json!({})).await.expect("it runs")), "the result");
}

#[tokio::test]
async fn exceptions_become_error_results() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    let module = r#"
import os
def throws():
    raise ValueError("boom")
def exits():
    raise SystemExit(3)
def dies():
    os._exit(5)
def result():
    return {"isError": True, "content": []}
def nothing():
    pass
TOOLS = [throws, exits, dies, result, nothing]
"#;
    let recipe = plain(world.file("t.py", module));
    let result = async |name: &str| called(&recipe, name, json!({})).await.expect("a result");
    assert_eq!(text(&result("throws").await), "ValueError: boom");
    assert_eq!(text(&result("exits").await), "it exited with code 3");
    assert!(text(&result("dies").await).ends_with("t.py` exited with code 5"));
    assert!(result("result").await.is_error());
    assert_eq!(
        result("nothing").await.raw().as_str(),
        r#"{"content": [{"type": "text", "text": ""}]}"#
    );
}

#[tokio::test]
async fn a_module_that_cannot_be_loaded_has_a_reason() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    let error = async |text: &str| list_error(&plain(world.file("t.py", text))).await;
    let thrown = error("\n\nraise ValueError('no luck')").await;
    assert!(thrown.contains("could not be loaded: ValueError: no luck (line 3)"), "{thrown}");
    let syntax = error("x = 1\ndef (").await;
    assert!(
        syntax.contains("could not be loaded: SyntaxError: ") && syntax.contains("(line 2)"),
        "{syntax}"
    );
    let exit = error("import sys\nsys.exit(4)").await;
    assert!(exit.contains("could not be loaded: it exited with code 4 (line 2)"), "{exit}");
    let err = called(&plain(world.file("t.py", "import nope_nope")), "t", json!({}))
        .await
        .expect_err("the module does not load");
    assert_eq!(err.kind(), ErrorKind::Unavailable);
    assert!(err.to_string().contains("No module named 'nope_nope'"), "{err}");
}

/// A module may share its name with a standard library module without breaking the imports from
/// there.
#[tokio::test]
async fn a_file_named_like_a_library_does_not_shadow_it() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    let module = "import statistics\n\ndef mean(values: list[float]):\n    return statistics.mean(values)\n\nTOOLS = [mean]\n";
    let recipe = plain(world.file("numbers.py", module));
    let output = called(&recipe, "mean", json!({"values": [1, 2, 3]})).await.expect("a result");
    assert_eq!(text(&output), "2.0");
}

/// Our own imports come before the folder of the tool is on the path: what lies there may be
/// untrusted.
#[tokio::test]
async fn a_file_beside_the_tool_is_not_imported_in_place_of_a_library() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    for library in ["json", "asyncio", "typing", "re", "statistics"] {
        let text = "open(__file__ + '.started', 'w')\nraise SystemExit(1)\n";
        world.file(&format!("{library}.py"), text);
    }
    world.file("helper_near.py", "WORD = 'near'");
    let module = "import statistics\nimport helper_near\n\ndef mean(values: list[float]):\n    \
        return statistics.mean(values)\n\nTOOLS = [mean]\n";
    let recipe = plain(world.file("numbers.py", module));
    let output = called(&recipe, "mean", json!({"values": [1, 2, 3]})).await.expect("a result");
    assert_eq!(text(&output), "2.0");
    assert!(!world.path().join("json.py.started").exists());
}
