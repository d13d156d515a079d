//! Modules for Node.js, in all common shapes.

use super::{called, list_error, listed, only_schema, plain};
use crate::module::tests::limits;
use crate::probe::{ProbeLimits, probe};
use crate::recipe::{Flavour, Recipe};
use crate::run::fixture::{cx, has, text};
use crate::sandbox::ToolSandbox;
use serde_json::json;
use std::time::Duration;
use toolscout_core::{ErrorKind, SourceId};
use toolscout_test_support::{World, assert_gone, number_in};

const TOOLS: &str = r#"
const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
const other = 42;
export const zebra = { name: "zebra", description: "first named", inputSchema, handler: ({ n }) => n * 2 };
export const apple = { name: "apple", parameters: inputSchema, execute: async ({ n }) => ({ twice: n * 2 }) };
export function helper() {}
export { other, late as renamed };
const late = { name: "late", schema: { type: "object" }, run: () => "late" };
export default { name: "main", description: "the default", inputSchema, handler: (input, context) => ({ input, context }) };
"#;

#[tokio::test]
async fn the_default_export_comes_first_and_the_others_as_written() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let schema = r#"{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}"#;
    let expected = [
        format!("main -- the default {schema}"),
        format!("zebra -- first named {schema}"),
        format!("apple -- ? {schema}"),
        r#"late -- ? {"type":"object"}"#.to_owned(),
    ];
    assert_eq!(listed(&plain(world.file("t.mjs", TOOLS))).await, expected);
}

#[tokio::test]
async fn a_handler_receives_input_and_context() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let recipe = plain(world.file("t.mjs", TOOLS));
    let output = called(&recipe, "main", json!({"n": 1})).await.expect("it runs");
    let output = output.structured_content().expect("JSON");
    assert_eq!(output["input"], json!({"n": 1}));
    let plain = json!({"source": "local", "tool": "main", "caller": "cli", "project": null});
    for (key, value) in plain.as_object().expect("an object") {
        assert_eq!(&output["context"][key], value, "{key}");
    }
    assert_eq!(text(&called(&recipe, "zebra", json!({"n": 4})).await.expect("it runs")), "8");
    let error = called(&recipe, "nope", json!({})).await.expect_err("no such tool").to_string();
    assert!(
        error.ends_with("no longer has a tool `nope`; it has: main, zebra, apple, late"),
        "{error}"
    );
}

#[tokio::test]
async fn arguments_are_checked_against_the_full_schema() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let recipe = plain(world.file("t.mjs", TOOLS));
    let missing = called(&recipe, "zebra", json!({})).await.expect("a result");
    assert!(missing.is_error());
    assert_eq!(text(&missing), "`zebra` cannot take these arguments: `n` is required");
    let wrong = called(&recipe, "zebra", json!({"n": "x"})).await.expect("a result");
    assert_eq!(text(&wrong), "`zebra` cannot take these arguments: `n` must be of type number");
}

/// A-12: a missing name, handler or schema each has its own reason; other tools are unaffected.
#[tokio::test]
async fn invalid_exports_have_reasons() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let module = r#"
export const a = { handler() {}, inputSchema: {} };
export const b = { name: "b", inputSchema: {} };
export const c = { name: "c", handler() {} };
export const d = { name: "d", handler() {}, inputSchema: [] };
export const e = { name: "", handler() {}, inputSchema: {} };
export const f = { name: "f", handler: "no", inputSchema: {} };
export const config = { name: "settings", colour: "red" };
export const g = { name: "g", handler() {}, inputSchema: {} };
"#;
    let expected = [
        "problem: export `a` has no `name`",
        "problem: export `b` (`b`) has no `handler` or `execute`",
        "problem: export `c` (`c`) has no `inputSchema`",
        "problem: export `d` (`d`): `inputSchema` is a list, not a schema",
        "problem: the tool name is empty",
        "problem: export `f` (`f`): `handler` is not a function",
        r#"g -- ? {"type":"object","properties":{}}"#,
    ];
    assert_eq!(listed(&plain(world.file("t.mjs", module))).await, expected);
}

#[tokio::test]
async fn lists_and_commonjs_modules_are_supported() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let list = "const t = (name) => ({ name, inputSchema: {}, handler() {} });\nexport const tools = [t('b'), t('a')];";
    let names = |all: Vec<String>| {
        all.iter().map(|item| item.split(' ').next().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(listed(&plain(world.file("list.mjs", list))).await), ["b", "a"]);
    let one =
        "module.exports = { name: 'one', inputSchema: {}, handler: () => require('./near.cjs') };";
    world.file("near.cjs", "module.exports = 'from a neighbour';");
    let one = plain(world.file("one.cjs", one));
    assert_eq!(names(listed(&one).await), ["one"]);
    assert_eq!(text(&called(&one, "one", json!({})).await.expect("it runs")), "from a neighbour");
    let many = "exports.z = { name: 'z', inputSchema: {}, handler() {} };\nexports.y = { name: 'y', inputSchema: {}, handler() {} };";
    assert_eq!(names(listed(&plain(world.file("many.cjs", many))).await), ["z", "y"]);
    assert_eq!(
        listed(&plain(world.file("none.mjs", "export const x = 1;"))).await,
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn results_of_every_kind_are_converted() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let module = r#"
const results = {
  text: "hello", nothing: undefined, number: 3, list: [1, 2],
  whole: { content: [{ type: "image", data: "", mimeType: "image/png" }], _meta: { a: 1 } },
  failed: { isError: true }, page: { content: "a page" }, big: 10n,
};
const loop = {}; loop.loop = loop;
results.loop = loop;
export default { name: "t", inputSchema: {}, handler: ({ kind }) => results[kind] };
"#;
    let recipe = plain(world.file("t.mjs", module));
    let raw = async |kind: &str| {
        let output = called(&recipe, "t", json!({"kind": kind})).await.expect("a result");
        output.raw().as_str().to_owned()
    };
    assert_eq!(raw("text").await, r#"{"content":[{"type":"text","text":"hello"}]}"#);
    assert_eq!(raw("nothing").await, r#"{"content":[{"type":"text","text":""}]}"#);
    assert_eq!(raw("number").await, r#"{"content":[{"type":"text","text":"3"}]}"#);
    assert_eq!(
        raw("list").await,
        r#"{"content":[{"type":"text","text":"[1,2]"}],"structuredContent":[1,2]}"#
    );
    let whole =
        r#"{"content":[{"type":"image","data":"","mimeType":"image/png"}],"_meta":{"a":1}}"#;
    assert_eq!(raw("whole").await, whole);
    assert_eq!(raw("failed").await, r#"{"isError":true}"#);
    assert!(raw("page").await.ends_with(r#""structuredContent":{"content":"a page"}}"#));
    assert_eq!(raw("big").await, r#"{"content":[{"type":"text","text":"10"}]}"#);
    let circular = called(&recipe, "t", json!({"kind": "loop"})).await.expect("a result");
    assert!(circular.is_error() && text(&circular).contains("circular"), "{}", text(&circular));
}

#[tokio::test]
async fn printed_output_never_becomes_the_result() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let module = r#"
import { execSync } from "node:child_process";
import { writeSync } from "node:fs";
console.log('{"tools":[]}');
writeSync(1, "half a line");
export default { name: "t", inputSchema: {}, handler() {
  console.log('{"result":{"content":[]}}');
  execSync("echo from a child", { stdio: "inherit" });
  process.stdout.write("no line end");
  setInterval(() => {}, 1000);
  return "the result";
} };
"#;
    let recipe = plain(world.file("t.mjs", module));
    assert_eq!(listed(&recipe).await.len(), 1);
    assert_eq!(text(&called(&recipe, "t", json!({})).await.expect("it runs")), "the result");
}

#[tokio::test]
async fn a_handler_that_throws_or_exits_fails_the_call() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let module = r#"
const t = (name, handler) => ({ name, inputSchema: {}, handler });
export default [
  t("throws", () => { throw new TypeError("boom"); }),
  t("rejects", async () => { throw "just text"; }),
  t("exits", () => process.exit(3)),
  t("crashes", () => new Promise(() => { setTimeout(() => { throw new Error("later"); }, 1); })),
];
"#;
    let recipe = plain(world.file("t.mjs", module));
    let failure = async |name: &str| {
        let output = called(&recipe, name, json!({})).await.expect("a result");
        assert!(output.is_error());
        text(&output)
    };
    assert_eq!(failure("throws").await, "TypeError: boom");
    assert_eq!(failure("rejects").await, "just text");
    assert!(failure("exits").await.ends_with("t.mjs` exited with code 3"));
    assert!(failure("crashes").await.contains("Error: later"));
}

#[tokio::test]
async fn a_module_that_cannot_be_loaded_has_a_reason() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let error = async |text: &str| list_error(&plain(world.file("t.mjs", text))).await;
    let thrown = error("\n\nthrow new Error('no luck');").await;
    assert!(thrown.contains("could not be loaded: Error: no luck (line 3)"), "{thrown}");
    let syntax = error("export const a = ;").await;
    assert!(syntax.contains("could not be loaded: SyntaxError: "), "{syntax}");
    let import = error("import './nope.mjs';").await;
    assert!(import.contains("could not be loaded: ") && import.contains("nope.mjs"), "{import}");
    let exit = error("console.error('bye'); process.exit(4);").await;
    assert!(exit.contains("exited with code 4 before it was loaded: bye"), "{exit}");
    let never = error("await new Promise(() => {});").await;
    assert!(never.contains("exited with an unsettled top-level `await`"), "{never}");
    let err = called(&plain(world.file("t.mjs", "throw 1;")), "t", json!({}))
        .await
        .expect_err("the module does not load");
    assert_eq!(err.kind(), ErrorKind::Unavailable);
}

/// O-04: the limit applies to modules as well.
#[tokio::test]
async fn a_module_that_hangs_times_out() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let module = r#"
import { writeFileSync } from "node:fs";
writeFileSync("group", `${process.pid}\n`);
for (;;) {}
"#;
    let recipe = plain(world.file("t.mjs", module));
    let limits = ProbeLimits { per_file: Duration::from_secs(2), ..limits() };
    let err = probe(&SourceId::local(), &recipe, &limits, &ToolSandbox::default(), &cx())
        .await
        .expect_err("the probe times out");
    assert_eq!(err.kind(), ErrorKind::TimedOut);
    assert_gone(number_in(&world.path().join("group")).await).await;
}

#[tokio::test]
async fn opencode_tools_are_named_after_their_file() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let module = r#"
const kind = (typeName, more = {}) => ({ _def: { typeName, ...more } });
export const add = { description: "adds", args: { a: kind("ZodNumber"), b: kind("ZodOptional", { innerType: kind("ZodNumber") }) },
  async execute({ a, b }, ctx) { return { title: "Sum", output: String(a + (b ?? 0)), metadata: { agent: ctx.agent, cwd: process.cwd() } }; } };
export default { description: "main", args: {}, execute: async () => "plain" };
export const broken = { description: "no args", execute() {} };
"#;
    let file = world.file(".opencode/tool/math.mjs", module);
    let recipe = Recipe::module(file, Flavour::Opencode);
    let expected = [
        r#"math -- main {"type":"object","properties":{}}"#,
        r#"math_add -- adds {"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a"]}"#,
        "problem: export `broken` (`math_broken`) has no `inputSchema`",
    ];
    assert_eq!(listed(&recipe).await, expected);
    let mut cx = cx();
    cx.project = Some(std::sync::Arc::new(world.path()));
    let call = crate::run::fixture::call("math_add", json!({"a": 2, "b": 3}));
    let output =
        crate::run::run(&recipe, &call, &ToolSandbox::default(), &cx).await.expect("it runs");
    assert_eq!(text(&output), "5");
    let meta = json!({"title": "Sum", "metadata": {"agent": "toolscout", "cwd": world.path()}});
    assert_eq!(output.raw().to_value()["_meta"], meta);
}

#[tokio::test]
async fn an_argument_table_becomes_a_schema() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let module = r#"export default { name: "t", run: () => "", args: {
  url: { type: "string", required: true, short: "u", description: "Where" },
  mode: { type: "enum", choices: ["a", "b"], default: "a" },
  tag: { type: "string", multiple: true },
} };"#;
    let schema = json!({
        "type": "object",
        "properties": {
            "url": {"type": "string", "description": "Where"},
            "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
            "tag": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["url"],
    });
    assert_eq!(only_schema(&plain(world.file("t.mjs", module))).await, schema);
}

/// Node supports it since 22.18; an older version needs the project's `tsx`, here a stub that
/// strips no types.
#[tokio::test]
async fn typescript_runs_natively_or_through_tsx() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let file = world.file(
        "tools/t.ts",
        "export default { name: 't', inputSchema: {}, handler: () => 'typed' };",
    );
    world.file("package.json", r#"{"type":"module"}"#);
    world.file(
        "node_modules/tsx/package.json",
        r#"{"name":"tsx","type":"module","exports":{".":"./loader.mjs"}}"#,
    );
    world.file(
        "node_modules/tsx/loader.mjs",
        "import { register } from 'node:module';\nregister('./hooks.mjs', import.meta.url);",
    );
    let hooks = r#"
import { readFile } from "node:fs/promises";
export async function load(url, context, next) {
  if (!url.endsWith(".ts")) return next(url, context);
  return { format: "module", source: await readFile(new URL(url)), shortCircuit: true };
}
"#;
    world.file("node_modules/tsx/hooks.mjs", hooks);
    let output = called(&plain(file), "t", json!({})).await.expect("it runs");
    assert_eq!(text(&output), "typed");
}
