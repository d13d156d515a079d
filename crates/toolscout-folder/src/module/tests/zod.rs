//! Schemas written with zod 3 and zod 4. The tests do not need zod itself: the shim recognizes a
//! schema by its fields.

use super::{called, only_schema, plain};
use crate::recipe::Recipe;
use crate::run::fixture::{has, text};
use serde_json::{Value, json};
use toolscout_test_support::World;

/// Builders that create the structure of zod 3, as far as the shim reads it.
const ZOD3: &str = r#"
const make = (typeName, def = {}, description) => ({ _def: { typeName: `Zod${typeName}`, ...def, description }, description });
const z = {
  string: (...checks) => make("String", { checks }), number: (...checks) => make("Number", { checks }), boolean: () => make("Boolean"),
  literal: (value) => make("Literal", { value }), enum: (values) => make("Enum", { values }), native: (values) => make("NativeEnum", { values }),
  array: (type) => make("Array", { type }), object: (shape, unknownKeys = "strip") => make("Object", { shape: () => shape, unknownKeys }),
  optional: (innerType) => make("Optional", { innerType }), nullable: (innerType) => make("Nullable", { innerType }),
  default: (innerType, value) => make("Default", { innerType, defaultValue: () => value }), union: (...options) => make("Union", { options }),
  record: (valueType) => make("Record", { valueType }), tuple: (...items) => make("Tuple", { items }), any: () => make("Any"),
  effects: (schema) => make("Effects", { schema }), described: (it, text) => ({ ...it, description: text, _def: { ...it._def, description: text } }),
};
"#;

/// The same for zod 4, which uses other field names.
const ZOD4: &str = r#"
const make = (type, def = {}) => ({ _zod: { def: { type, ...def } } });
const z = {
  string: (...checks) => make("string", { checks }), number: (...checks) => make("number", { checks }), boolean: () => make("boolean"),
  literal: (value) => make("literal", { values: [value] }), enum: (list) => make("enum", { entries: Object.fromEntries(list.map((it) => [it, it])) }),
  native: (entries) => make("enum", { entries }), array: (element) => make("array", { element }),
  object: (shape, keys) => make("object", { shape, ...(keys === "strict" ? { catchall: make("never") } : {}) }),
  optional: (innerType) => make("optional", { innerType }), nullable: (innerType) => make("nullable", { innerType }),
  default: (innerType, defaultValue) => make("default", { innerType, defaultValue }), union: (...options) => make("union", { options }),
  record: (valueType) => make("record", { valueType }), tuple: (...items) => make("tuple", { items }), any: () => make("any"),
  effects: (it) => make("pipe", { in: it, out: make("transform") }), described: (it, description) => ({ ...it, description }),
};
"#;

const SHAPE: &str = r#"
const shape = {
  text: z.described(z.string(), "A text"), count: z.number(), yes: z.boolean(), one: z.literal("x"), mode: z.enum(["a", "b"]),
  level: z.native({ Low: 1, High: 2, 1: "Low", 2: "High" }), tags: z.array(z.string()), inner: z.object({ k: z.number() }, "strict"),
  maybe: z.optional(z.string()), none: z.nullable(z.string()), size: z.default(z.number(), 7), either: z.union(z.string(), z.number()),
  map: z.record(z.number()), pair: z.tuple(z.string(), z.number()), free: z.any(), made: z.effects(z.string()),
};
"#;

fn expected() -> Value {
    json!({
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "A text"},
            "count": {"type": "number"},
            "yes": {"type": "boolean"},
            "one": {"type": "string", "const": "x"},
            "mode": {"type": "string", "enum": ["a", "b"]},
            "level": {"type": "number", "enum": [1, 2]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "inner": {"type": "object", "properties": {"k": {"type": "number"}}, "required": ["k"], "additionalProperties": false},
            "maybe": {"type": "string"},
            "none": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "size": {"type": "number", "default": 7},
            "either": {"anyOf": [{"type": "string"}, {"type": "number"}]},
            "map": {"type": "object", "additionalProperties": {"type": "number"}},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "minItems": 2},
            "free": {},
            "made": {"type": "string"},
        },
        "required": ["text", "count", "yes", "one", "mode", "level", "tags", "inner", "none", "either", "map", "pair", "free", "made"],
    })
}

fn module(world: &World, zod: &str, schema: &str) -> Recipe {
    let text = format!(
        "{zod}{SHAPE}export default {{ name: 't', inputSchema: {schema}, handler: (it) => it }};"
    );
    plain(world.file("t.mjs", &text))
}

#[tokio::test]
async fn common_types_of_both_zod_versions_are_converted_without_zod() {
    if !has("node") {
        return;
    }
    let world = World::new();
    for zod in [ZOD3, ZOD4] {
        assert_eq!(only_schema(&module(&world, zod, "z.object(shape)")).await, expected());
        assert_eq!(
            only_schema(&module(&world, zod, "shape")).await,
            expected(),
            "a shape without its object"
        );
    }
}

#[tokio::test]
async fn constraints_of_values_are_preserved() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let old = r#"({ s: z.string({ kind: "min", value: 2 }), n: z.number({ kind: "int" }, { kind: "max", value: 9 }) })"#;
    let new = r#"({ s: z.string({ _zod: { def: { check: "min_length", minimum: 2 } } }),
                   n: z.number({ _zod: { def: { check: "number_format", format: "safeint" } } }, { _zod: { def: { check: "less_than", value: 9 } } }) })"#;
    let properties =
        json!({"s": {"type": "string", "minLength": 2}, "n": {"type": "integer", "maximum": 9}});
    assert_eq!(only_schema(&module(&world, ZOD3, old)).await["properties"], properties);
    assert_eq!(only_schema(&module(&world, ZOD4, new)).await["properties"], properties);
}

#[tokio::test]
async fn the_zod_of_the_project_is_used_first() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let zod = "exports.toJSONSchema = (it, options) => ({ type: 'object', title: `zod 4 ${it._zod.def.type} ${options.io}` });";
    world.file("node_modules/zod/index.js", zod);
    let old = "exports.zodToJsonSchema = (it) => ({ type: 'object', title: `zod 3 ${it._def.typeName}` });";
    world.file("node_modules/zod-to-json-schema/index.js", old);
    let title = async |zod: &str| {
        only_schema(&module(&world, zod, "z.object(shape)")).await["title"].clone()
    };
    assert_eq!(title(ZOD4).await, "zod 4 object input");
    assert_eq!(title(ZOD3).await, "zod 3 ZodObject");
}

#[tokio::test]
async fn input_is_parsed_by_the_schema_before_the_handler() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let parse = r#"({ ...z.object({ n: z.number() }), safeParse: (it) => typeof it.n === "number"
        ? { success: true, data: { n: it.n, added: true } }
        : { success: false, error: { issues: [{ path: ["n"], message: "Expected number" }] } } })"#;
    let recipe = module(&world, ZOD3, parse);
    let good = called(&recipe, "t", json!({"n": 1})).await.expect("a result");
    assert_eq!(good.structured_content(), Some(json!({"n": 1, "added": true})));
    let bad = called(&recipe, "t", json!({"n": "x"})).await.expect("a result");
    assert!(bad.is_error());
    assert_eq!(text(&bad), "`t` cannot take these arguments: `n`: Expected number");
    let shape = r#"({ n: { ...z.number(), safeParseAsync: async (it) => ({ success: true, data: (it ?? 1) * 10 }) }, m: z.any() })"#;
    let shaped =
        called(&module(&world, ZOD3, shape), "t", json!({"extra": 1})).await.expect("a result");
    assert_eq!(shaped.structured_content(), Some(json!({"n": 10})));
}
