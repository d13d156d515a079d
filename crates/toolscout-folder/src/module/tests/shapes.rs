//! Modules that are one tool as a whole: `schema` and `execute`, or a plain function.

use super::{called, limits, listed, plain};
use crate::probe::probe;
use crate::run::fixture::{cx, has, text};
use crate::sandbox::ToolSandbox;
use serde_json::json;
use toolscout_core::SourceId;
use toolscout_test_support::World;

const TABLE: &str =
    "{ url: { type: 'string', required: true }, format: { type: 'string', default: 'json' } }";
const SCHEMA: &str = r#"{"type":"object","properties":{"url":{"type":"string"},"format":{"type":"string","default":"json"}},"required":["url"]}"#;

/// M-06a: `execute`, `run`, `handler` or a default function, as ES modules and in CommonJS.
#[tokio::test]
async fn a_module_with_a_schema_and_a_function_is_one_tool() {
    if !has("node") {
        return;
    }
    let world = World::new();
    for (file, code) in [
        (
            "a.mjs",
            format!(
                "export const schema = {TABLE};\nexport async function execute({{ url }}) {{ return url }}"
            ),
        ),
        (
            "b.mjs",
            format!("export const schema = {TABLE};\nexport const run = ({{ url }}) => url;"),
        ),
        (
            "c.mjs",
            format!(
                "export const inputSchema = {SCHEMA};\nexport function handler(input) {{ return input.url }}"
            ),
        ),
        (
            "d.mjs",
            format!("export const args = {TABLE};\nexport default async (input) => input.url;"),
        ),
        (
            "e.cjs",
            format!("exports.schema = {TABLE};\nexports.execute = async ({{ url }}) => url;"),
        ),
        ("f.cjs", format!("module.exports = {{ schema: {TABLE}, execute: ({{ url }}) => url }};")),
    ] {
        let recipe = plain(world.file(file, &code));
        let stem = &file[..1];
        assert_eq!(listed(&recipe).await, [format!("{stem} -- ? {SCHEMA}")], "{code}");
        let output = called(&recipe, stem, json!({"url": "there"})).await.expect("it runs");
        assert_eq!(text(&output), "there", "{code}");
        let missing = called(&recipe, stem, json!({})).await.expect("a result");
        assert!(missing.is_error() && text(&missing).contains("`url` is required"), "{code}");
    }
}

/// M-06a: the exports `name`, `description`, `keywords` and tool objects beside them.
#[tokio::test]
async fn a_module_may_name_and_describe_itself() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let code = r#"
export const name = "fetch-data";
export const description = "Fetch data";
export const schema = { type: "object", properties: { name: { type: "string" }, run: { type: "string" } } };
export const execute = (input) => input.name;
export const other = { name: "other", inputSchema: {}, handler: () => "other" };
"#;
    let recipe = plain(world.file("m.mjs", code));
    assert_eq!(
        listed(&recipe).await,
        [
            r#"fetch-data -- Fetch data {"type":"object","properties":{"name":{"type":"string"},"run":{"type":"string"}}}"#,
            r#"other -- ? {"type":"object","properties":{}}"#,
        ]
    );
    let output = called(&recipe, "fetch-data", json!({"name": "x"})).await.expect("it runs");
    assert_eq!(text(&output), "x");
}

/// M-06b: a function without a schema takes what its comment says, or else any object.
#[tokio::test]
async fn plain_functions_are_described_by_their_comments() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let code = "/** Add\n * @param {number} a The first\n * @param {number} [b=2]\n */\nexport default function add(a, b = 2, ctx) { return `${a + b} ${ctx.tool}` }";
    let recipe = plain(world.file("add.mjs", code));
    let properties =
        r#"{"a":{"type":"number","description":"The first"},"b":{"type":"number","default":2}}"#;
    assert_eq!(
        listed(&recipe).await,
        [format!(r#"add -- Add {{"type":"object","properties":{properties},"required":["a"]}}"#)]
    );
    let output = called(&recipe, "add", json!({"a": 1, "b": 3})).await.expect("it runs");
    assert_eq!(text(&output), "4 add");

    let bare = plain(world.file("bare.mjs", "export default (input) => input.x;"));
    let found = probe(&SourceId::local(), &bare, &limits(), &ToolSandbox::default(), &cx())
        .await
        .expect("it loads");
    assert!(found[0].as_ref().is_ok_and(|tool| tool.name == "bare" && tool.lacks_schema));
    let output = called(&bare, "bare", json!({"x": "y"})).await.expect("it runs");
    assert_eq!(text(&output), "y");
}

/// M-06c
#[tokio::test]
async fn a_python_module_with_a_schema_and_a_function_is_one_tool() {
    if !has("python3") {
        return;
    }
    let world = World::new();
    let schema =
        r#"{"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}"#;
    for (file, code) in [
        ("a.py", format!("schema = {schema}\ndef execute(input):\n    return input['url']\n")),
        ("b.py", format!("SCHEMA = {schema}\nasync def run(args, context):\n    return args['url']\n")),
        ("c.py", format!("INPUT_SCHEMA = {schema}\ndef handler(url):\n    return url\n")),
        ("d.py", "schema = {'url': {'type': 'string', 'required': True}}\ndef execute(url):\n    return url\n".to_owned()),
        ("e.py", "def e(url: str):\n    return url\n".to_owned()),
    ] {
        let recipe = plain(world.file(file, &code));
        let stem = &file[..1];
        assert_eq!(listed(&recipe).await, [format!("{stem} -- ? {schema}")], "{code}");
        let output = called(&recipe, stem, json!({"url": "there"})).await.expect("it runs");
        assert_eq!(text(&output), "there", "{code}");
    }
    let bare = plain(world.file("bare.py", "def run(input):\n    return input['x']\n"));
    let found = probe(&SourceId::local(), &bare, &limits(), &ToolSandbox::default(), &cx())
        .await
        .expect("it loads");
    assert!(found[0].as_ref().is_ok_and(|tool| tool.name == "bare" && tool.lacks_schema));
    let output = called(&bare, "bare", json!({"x": "y"})).await.expect("it runs");
    assert_eq!(text(&output), "y");
}
