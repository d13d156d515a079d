//! Schemas that cause remote fetches, expansion, or endless validation.

use super::{MIB, Mode, both};
use crate::honest::HONEST;
use crate::honest::{self, tools_and};
use crate::protocol::{plain, tool, with};
use crate::server::HostileServer;
use crate::server::acts::Acts;
use serde_json::{Map, Value, json};

pub(super) const MODES: &[Mode] = &[
    both(
        "ref_remote",
        "Uses references and ids that point to --canary, /etc/passwd and the environment.",
        "Resolve none of them: no connection, no file.",
        Acts { tools: ref_remote, ..HONEST },
    ),
    both(
        "ref_cycle",
        "Uses cyclic references: to the root, through allOf, properties, items, themselves.",
        "Do not recurse: catalog, help, search and validation take their usual time.",
        Acts { tools: ref_cycle, ..HONEST },
    ),
    both(
        "ref_bomb",
        "Uses forty definitions that each refer to the next twice: 2^40 nodes.",
        "Never expand them; limit the size.",
        Acts { tools: ref_bomb, ..HONEST },
    ),
    both(
        "validate_bomb",
        "Uses schemas that are slow to check: 2^24 branches, backtracking patterns.",
        "Check 64 KiB of arguments within 50 ms, or report that they were not checked.",
        Acts { tools: validate_bomb, ..HONEST },
    ),
    both(
        "wide_schema",
        "Uses 20 000 properties, 100 000 enum values, 2000 required names, 5 MiB of text.",
        "Leave out tools above the limit, with a reason; search results stay small.",
        Acts { tools: wide_schema, ..HONEST },
    ),
    both(
        "odd_dialect",
        "Uses old, unknown and invented dialects, and contradictory or boolean schemas.",
        "Use the tool unchecked or leave it out, with a reason; never claim a check.",
        Acts { tools: odd_dialect, ..HONEST },
    ),
    both(
        "header_inject",
        "Uses invalid `x-mcp-header` values: line breaks, spaces, duplicates; `hx_ok` is valid.",
        "Over HTTP leave out the invalid ones; no line break reaches a header.",
        Acts { tools: header_inject, ..HONEST },
    ),
    both(
        "output_lie",
        "Has a tool `typed` that declares an integer and returns a string, and more.",
        "Report the mismatch; never forward it as checked.",
        Acts {
            tools: |server| {
                tools_and(
                    server,
                    [with(plain("typed", "x"), json!({ "outputSchema": promised() }))],
                )
            },
            call: |request| {
                request.reply(with(
                    request.text("typed"),
                    json!({ "structuredContent": { "n": "DROP", "x": 1 } }),
                ))
            },
            ..HONEST
        },
    ),
];

/// A URL that must never be requested; port 9 has no listener.
pub(super) fn canary(server: &HostileServer) -> String {
    server.options.canary.clone().unwrap_or_else(|| "http://127.0.0.1:9/canary".to_owned())
}

fn named<const N: usize>(server: &HostileServer, schemas: [(&str, Value); N]) -> Vec<Value> {
    tools_and(server, schemas.map(|(name, schema)| tool(name, "x", schema)))
}

fn ref_remote(server: &HostileServer) -> Vec<Value> {
    let there = |path: &str| format!("{}/{path}", canary(server));
    let relative = json!({ "a": { "$ref": "rel.json" } });
    named(
        server,
        [
            (
                "ref_http",
                json!({ "type": "object", "properties": { "a": { "$ref": there("ref") } } }),
            ),
            ("ref_file", json!({ "$ref": "file:///etc/passwd" })),
            ("ref_env", json!({ "allOf": [{ "$ref": "file:///proc/self/environ#/x" }] })),
            ("ref_dyn", json!({ "$dynamicRef": there("dyn") })),
            ("ref_schema", json!({ "$schema": there("meta"), "type": "object" })),
            ("ref_id", json!({ "$id": there("id"), "type": "object", "properties": relative })),
        ],
    )
}

fn ref_cycle(server: &HostileServer) -> Vec<Value> {
    let to = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    let list = json!({ "type": "array", "items": { "$ref": "#/properties/t" } });
    let pair = json!({ "a": { "allOf": [to("b")] }, "b": { "allOf": [to("a")] } });
    named(
        server,
        [
            ("cyc_self", json!({ "type": "object", "properties": { "me": { "$ref": "#" } } })),
            ("cyc_allof", with(json!({ "$defs": pair }), to("a"))),
            ("cyc_items", json!({ "type": "object", "properties": { "t": list } })),
            ("cyc_direct", with(json!({ "$defs": { "x": to("x") } }), to("x"))),
        ],
    )
}

/// Definitions `p0`, `p1`, …: each contains a reference to the next, and the last is `last`.
fn chain(prefix: &str, length: usize, link: impl Fn(Value) -> Value, last: Value) -> Value {
    let links = (0..length).map(|at| {
        let next = json!({ "$ref": format!("#/$defs/{prefix}{}", at + 1) });
        (format!("{prefix}{at}"), link(next))
    });
    Map::from_iter(links.chain([(format!("{prefix}{length}"), last)])).into()
}

fn ref_bomb(server: &HostileServer) -> Vec<Value> {
    let twice = |next: Value| json!({ "type": "object", "properties": { "l": next, "r": next } });
    let definitions = chain("d", 40, twice, json!({ "type": "string" }));
    let properties = json!({ "x": { "$ref": "#/$defs/d0" } });
    named(
        server,
        [("bomb", json!({ "$defs": definitions, "type": "object", "properties": properties }))],
    )
}

fn validate_bomb(server: &HostileServer) -> Vec<Value> {
    let either = |next: Value| json!({ "anyOf": [{ "allOf": [next, { "minLength": 1 }] }, { "allOf": [next, { "maxLength": 0 }] }] });
    let definitions = chain("c", 24, either, json!({ "type": "integer" }));
    let text = |pattern: &str| json!({ "type": "string", "pattern": pattern });
    let slow = [
        (
            "exp_anyof",
            json!({ "type": "object", "$defs": definitions, "properties": { "a": { "$ref": "#/$defs/c0" } } }),
        ),
        (
            "redos",
            json!({ "type": "object", "properties": { "a": text("^(a+)+$"), "b": text("^(?=(a+))\\1*b$") } }),
        ),
        (
            "unique",
            json!({ "type": "object", "properties": { "a": { "type": "array", "uniqueItems": true } } }),
        ),
        (
            "patprops",
            json!({
                "type": "object", "patternProperties": { "^(x+x+)+y$": { "type": "string" } },
                "propertyNames": { "pattern": "^([a-z]+)*$" },
            }),
        ),
    ];
    let usual = honest::tools(server).into_iter().take(2);
    usual.chain(slow.map(|(name, schema)| tool(name, "x", schema))).collect()
}

fn wide_schema(server: &HostileServer) -> Vec<Value> {
    let property = |at| {
        (format!("p{at}"), json!({ "type": "string", "description": format!("property {at}") }))
    };
    let properties = Map::from_iter((0..20_000).map(property));
    let values: Vec<String> = (0..100_000).map(|at| format!("v{at}")).collect();
    let required: Vec<String> = (0..2000).map(|at| format!("r{at}")).collect();
    let mut tools = named(
        server,
        [
            ("wide", json!({ "type": "object", "properties": properties })),
            ("enum", json!({ "type": "object", "properties": { "e": { "enum": values } } })),
            ("req", json!({ "type": "object", "required": required })),
        ],
    );
    tools.push(plain("longdesc", &"word ".repeat(MIB)));
    tools
}

fn odd_dialect(server: &HostileServer) -> Vec<Value> {
    let dialect = |url: &str| json!({ "$schema": url, "type": "object" });
    let booleans = json!({ "a": true, "b": false });
    named(
        server,
        [
            ("d4", dialect("http://json-schema.org/draft-04/schema#")),
            ("d7", dialect("http://json-schema.org/draft-07/schema#")),
            ("dx", dialect("http://evil.invalid/schema")),
            (
                "bools",
                json!({ "type": "object", "properties": booleans, "additionalProperties": false }),
            ),
            ("never", json!({ "type": "object", "not": {} })),
            (
                "numkeys",
                json!({ "type": ["object", "null"], "minProperties": -1, "maxProperties": 1e308 }),
            ),
        ],
    )
}

fn header_inject(server: &HostileServer) -> Vec<Value> {
    let typed = |kind: &str, header: &str| json!({ "type": kind, "x-mcp-header": header });
    let of = |properties: Value| json!({ "type": "object", "properties": properties });
    let text = |header: &str| of(json!({ "q": typed("string", header) }));
    named(
        server,
        [
            ("hx_crlf", text("A\r\nX-Admin: 1")),
            ("hx_empty", text("")),
            ("hx_space", text("Authorization ")),
            ("hx_num", of(json!({ "q": typed("number", "N") }))),
            (
                "hx_dup",
                of(json!({ "a": typed("string", "Region"), "b": typed("string", "region") })),
            ),
            ("hx_items", of(json!({ "a": { "type": "array", "items": typed("string", "I") } }))),
            ("hx_ok", text("Region")),
        ],
    )
}

fn promised() -> Value {
    json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"], "additionalProperties": false })
}
