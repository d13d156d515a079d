//! 1. Front matter, JSDoc and docstrings describe a tool, in every comment style.
//! 2. Types of TypeScript, JSDoc and Python become a JSON Schema.
//! 3. Files that only look similar are not described.

use super::{for_shim, read};
use serde_json::{Value, json};
use std::path::Path;

/// Name, description and schema; `null` if the file has no description.
fn described(name: &str, text: &str) -> Value {
    let Some(header) = read(name, text).expect("it can be read") else { return Value::Null };
    let schema = header.tool.input_schema.map(|schema| schema.to_value());
    json!([header.tool.name, header.tool.description, schema])
}

/// M-06d
#[test]
fn front_matter_is_read_in_every_comment_style() {
    let yaml =
        "name: fetch\ndescription: Fetch a page\nargs:\n  url: { type: string, required: true }";
    let lines = |mark: &str| {
        let all: Vec<String> = yaml.lines().map(|line| format!("{mark} {line}")).collect();
        format!("{mark} ---\n{}\n{mark} ---\n", all.join("\n"))
    };
    let schema =
        json!({"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]});
    let expected = json!(["fetch", "Fetch a page", schema]);
    for (name, text) in [
        ("a.js", format!("/* ---\n{yaml}\n--- */\nexport default () => 1\n")),
        ("a.ts", lines(" *").replacen(" * ---", "/**\n * ---", 1) + " */\n"),
        ("a.mjs", lines("//")),
        ("a.py", format!("\"\"\"---\n{yaml}\n---\"\"\"\n")),
        ("a.py", format!("#!/usr/bin/env python3\n\n{}", lines("#"))),
        ("a.sh", format!("#!/bin/sh\n{}", lines("#"))),
        ("a.lua", lines("--")),
    ] {
        assert_eq!(described(name, &text), expected, "{text}");
    }
    assert_eq!(described("a.js", "/* ---\nlayout: page\n--- */"), Value::Null);
    assert_eq!(described("a.js", "/*\n * --- section ---\n */"), Value::Null);
    let unclosed = read("a.js", "// ---\n// name: x\nexport default 1").expect_err("unclosed");
    assert!(unclosed.contains("not closed"), "{unclosed}");
    let typo = read("a.js", "// ---\n// name: x\n// desciption: y\n// ---").expect_err("a typo");
    assert!(typo.contains("unknown key `desciption`") && typo.contains("description"), "{typo}");
}

/// M-06e: dotted names, brackets for optional ones, and inline types.
#[test]
fn jsdoc_describes_the_properties_of_the_input() {
    let text = r#"
import { x } from "y";

/**
 * Fetch data from a URL.
 *
 * More words.
 * @param {object} input
 * @param {string} input.url - Where from
 * @param {'json'|'csv'} [input.format='json'] - The format
 *   of the result
 * @param {string[]} [input.tags]
 * @param {object} context
 * @returns {Promise<string>} The data
 */
export default async function fetchData({ url, format = "json", tags }, context) {
  return url;
}
"#;
    let schema = json!({
        "type": "object",
        "properties": {
            "url": {"type": "string", "description": "Where from"},
            "format": {"type": "string", "enum": ["json", "csv"], "default": "json", "description": "The format of the result"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["url"],
    });
    assert_eq!(
        described("fetch-data.js", text),
        json!(["fetch-data", "Fetch data from a URL.", schema])
    );
}

/// M-06e: plain parameters are passed one by one, and types of TypeScript count.
#[test]
fn parameters_of_a_signature_are_read() {
    let text = "/** Add two numbers */\nexport default function add(a: number, b: number = 2, ctx) { return a + b }\n";
    let properties = json!({"a": {"type": "number"}, "b": {"type": "number", "default": 2}});
    let schema = json!({"type": "object", "properties": properties, "required": ["a"]});
    assert_eq!(described("add.ts", text), json!(["add", "Add two numbers", schema]));
    assert_eq!(for_shim(Path::new("/t/add.ts"), text)["positional"], json!(["a", "b"]));

    let text = "/** Add.\n * @tool sum\n * @param {number} a First\n */\nexport const run = async (a) => a;";
    let schema = json!({"type": "object", "properties": {"a": {"type": "number", "description": "First"}}, "required": ["a"]});
    assert_eq!(described("x.mjs", text), json!(["sum", "Add.", schema]));

    let text = "/** Look up */\nexport async function execute(input: { word: string; limit?: number | null }, ctx: ToolContext) {}";
    let properties = json!({"word": {"type": "string"}, "limit": {"type": "number"}});
    let schema = json!({"type": "object", "properties": properties, "required": ["word"]});
    assert_eq!(described("look.ts", text), json!(["look", "Look up", schema]));
    assert_eq!(for_shim(Path::new("/t/look.ts"), text)["positional"], Value::Null);

    let text = "/** Anything goes */\nmodule.exports = async (input) => input;";
    assert_eq!(described("any.cjs", text), json!(["any", "Anything goes", null]));
}

/// Tool objects are listed by a probe, which sees all of them.
#[test]
fn other_comments_do_not_make_a_tool() {
    for text in [
        "/** A helper */\nexport function helper(a) {}",
        "/** The config\n * @type {import('x').Config} */\nexport default { a: 1 };",
        "export default function noComment(a) {}",
        "/** Main */\nexport default function main() {}\nexport const t = { name: 't', inputSchema: {}, handler() {} };",
        "/** unclosed",
        "/**/ export default function f() {}",
    ] {
        assert_eq!(described("a.js", text), Value::Null, "{text}");
    }
}

/// M-06f
#[test]
fn signature_and_docstring_of_a_python_function_are_read() {
    let text = r#"
from typing import Annotated, Literal, Optional

async def fetch_data(
    url: str,
    retries: int = 3,
    mode: Literal["fast", "slow"] = "fast",
    tags: Optional[list[str]] = None,
    note: Annotated[str, "A note"] = '',
    context=None,
) -> dict:
    """Fetch data from a URL.

    Args:
        url: Where from,
            in full.
        retries (int): How often.
    """
    return {}
"#;
    let properties = json!({
        "url": {"type": "string", "description": "Where from, in full."},
        "retries": {"type": "integer", "description": "How often.", "default": 3},
        "mode": {"type": "string", "enum": ["fast", "slow"], "default": "fast"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "note": {"type": "string", "description": "A note", "default": ""},
    });
    let schema = json!({"type": "object", "properties": properties, "required": ["url"]});
    assert_eq!(
        described("fetch-data.py", text),
        json!(["fetch-data", "Fetch data from a URL.", schema])
    );
    let whole = "def execute(input, context):\n    '''Do it'''\n";
    assert_eq!(described("do.py", whole), json!(["do", "Do it", null]));
    for text in [
        "def helper(a: int):\n    '''Help'''\n",
        "def run(a: int):\n    return a\n",
        "def run(argv):\n    '''Run'''\n\nif __name__ == '__main__':\n    run([])\n",
        "from toolscout import tool\n@tool\ndef a(): pass\ndef run():\n    '''Run'''\n",
        "class A:\n    def run(self):\n        '''Run'''\n",
    ] {
        assert_eq!(described("a.py", text), Value::Null, "{text}");
    }
}

#[test]
fn hostile_text_is_read_in_bounded_time() {
    let nested = format!(
        "/** x\n * @param {{{}}} a\n */\nexport default function f(a) {{}}",
        "Array<".repeat(5000)
    );
    drop(read("a.js", &nested));
    let comments = "/** x */ export default ".repeat(5000);
    drop(read("a.js", &comments));
    drop(read("a.py", &"def run(".repeat(20_000)));
    drop(read(
        "a.ts",
        &format!("/** é */\nexport default function ü(ä: {{{}", "é: 'ü'|".repeat(5000)),
    ));
}
