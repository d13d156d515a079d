//! The OpenAPI 3.1 document, made from the table of routes.

use super::route::Gives;
use super::{OperationError, Route, table};
use crate::operation::{Access, BoundOperation, Effect, Operations};
use crate::operation::{inline_string_enums, schema_settings};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The whole document.
pub(super) fn document(operations: &Operations) -> Value {
    let mut given = generator(SchemaSettings::for_serialize);
    let mut taken = generator(SchemaSettings::for_deserialize);
    let mut paths = Map::new();
    for route in table() {
        let place = paths.entry(shown(route.path)).or_insert_with(|| json!({}));
        place[route.method.to_lowercase()] = operation(route, &mut given, &mut taken);
    }
    for operation in operations.iter() {
        let route = operation.spec.route;
        let place = paths.entry(shown(route.path)).or_insert_with(|| json!({}));
        place[route.method.to_lowercase()] = described(operation, &mut given);
    }
    let error = given.subschema_for::<OperationError>().to_value();
    let mut schemas = taken.take_definitions(true);
    schemas.extend(given.take_definitions(true));
    schemas.insert("Error".to_owned(), error);
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "toolscout",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Servers, tools, policies and what agents did with them. Reading starts no process.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {
                "type": "http",
                "scheme": "bearer",
                "description": "What is in `operator.token` or `agent.token`, or what an issuer gave.",
            }},
            "responses": {"Error": {
                "description": "Why it is not answered as it was asked",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            }},
        },
    });
    inline_string_enums(&mut document);
    document
}

fn generator(contract: fn(SchemaSettings) -> SchemaSettings) -> SchemaGenerator {
    contract(schema_settings().with(|it| it.definitions_path = "/components/schemas".into())).into_generator()
}

fn operation(route: &Route, given: &mut SchemaGenerator, taken: &mut SchemaGenerator) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "tags": [tag(route.path)],
        "responses": responses(route, given),
        "x-role": route.access.word(),
    });
    let parameters: Vec<_> = parts(route.path).chain(queries(route)).collect();
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if let Some(body) = &route.body {
        let schema = (body.describe)(taken).to_value();
        operation["requestBody"] = json!({"required": true, "content": {"application/json": {"schema": schema}}});
    }
    if route.access == Access::Open {
        operation["security"] = json!([]);
    }
    operation
}

/// The entry of an operation.
fn described(operation: &BoundOperation, generator: &mut SchemaGenerator) -> Value {
    let (spec, route) = (&operation.spec, operation.spec.route);
    let mut schema = operation.input.inlined().clone();
    let in_path: Vec<_> = path_names(route.path).collect();
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.retain(|name, _| !in_path.contains(&name.as_str()));
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            property.shift_remove("x-cli");
        }
    }
    if let Some(object) = schema.as_object_mut() {
        object.retain(|key, _| !matches!(key.as_str(), "title" | "x-cli-rest"));
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !in_path.iter().any(|it| name == it));
    }
    let has_fields = schema["properties"].as_object().is_some_and(|it| !it.is_empty());
    let has_body = has_fields && !matches!(route.method, "GET" | "DELETE");
    let mut parameters: Vec<_> = parts(route.path).collect();
    if !has_body {
        parameters.extend(query_parameters(&schema));
    }
    if spec.effect == Effect::Change {
        let description = "Whether to answer only what would change.";
        parameters.push(json!({
            "name": "dryRun", "in": "query", "required": false, "description": description, "schema": {"type": "boolean"},
        }));
    }
    let mut schema_of_output = operation.output.describe(generator);
    if spec.effect == Effect::Change {
        schema_of_output = json!({"anyOf": [schema_of_output, dry_run()]});
    }
    let output = json!({"description": "Done", "content": {"application/json": {"schema": schema_of_output}}});
    let mut entry = json!({
        "operationId": spec.name.replace(' ', "_"),
        "summary": spec.summary,
        "tags": [tag(route.path)],
        "responses": {route.status.to_string(): output, "default": {"$ref": "#/components/responses/Error"}},
        "x-role": spec.access.word(),
    });
    if !parameters.is_empty() {
        entry["parameters"] = parameters.into();
    }
    if has_body {
        let required = schema["required"].as_array().is_some_and(|it| !it.is_empty());
        entry["requestBody"] = json!({"required": required, "content": {"application/json": {"schema": schema}}});
    }
    if spec.access == Access::Open {
        entry["security"] = json!([]);
    }
    entry
}

/// The response to a dry run.
fn dry_run() -> Value {
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "description": "What a dry run would have changed",
        "required": ["dryRun", "kind", "subject", "action", "would"],
        "properties": {"dryRun": {"const": true}, "kind": text, "subject": text, "action": text, "would": text},
    })
}

fn path_names(path: &'static str) -> impl Iterator<Item = &'static str> {
    let names = path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    names.map(|name| name.trim_start_matches('*'))
}

fn responses(route: &Route, given: &mut SchemaGenerator) -> Value {
    let mut done = json!({"description": "Done"});
    if let Some(media) = route.media() {
        let schema = match route.gives {
            Gives::Json(describe) => describe(given).to_value(),
            _ if media.starts_with("application/json") => json!({"type": "object"}),
            _ => json!({"type": "string"}),
        };
        done["content"] = json!({media: {"schema": schema}});
    }
    json!({route.status.as_str(): done, "default": {"$ref": "#/components/responses/Error"}})
}

/// What stands in braces.
fn parts(path: &'static str) -> impl Iterator<Item = Value> {
    let names = path.split('/').filter_map(|it| it.strip_prefix('{')?.strip_suffix('}'));
    names.map(|name| {
        let description = match name {
            "*name" => "What the source calls the tool; slashes are a part of it",
            "source" => "Whose tool it is",
            _ => "Which one",
        };
        let schema = json!({"type": "string", "minLength": 1});
        let name = name.trim_start_matches('*');
        json!({"name": name, "in": "path", "required": true, "description": description, "schema": schema})
    })
}

fn queries(route: &Route) -> impl Iterator<Item = Value> {
    route.query.iter().flat_map(|shape| query_parameters(shape.alone()))
}

fn query_parameters(schema: &Value) -> impl Iterator<Item = Value> {
    let required = |name: &str| schema["required"].as_array().is_some_and(|it| it.iter().any(|it| it == name));
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.map(move |(name, property)| {
        let mut property = property.clone();
        let description = property.as_object_mut().and_then(|it| it.remove("description")).unwrap_or_default();
        json!({
            "name": name,
            "in": "query",
            "required": required(name),
            "description": description,
            "schema": property,
        })
    })
}

/// As OpenAPI writes it: it knows no path in the place of a name.
fn shown(path: &str) -> String {
    path.replace("{*", "{")
}

fn operation_id(route: &Route) -> String {
    let words = route.path.split(['/', '.', '{', '}', '*']).filter(|it| !it.is_empty());
    std::iter::once(route.method.to_lowercase()).chain(words.map(str::to_owned)).collect::<Vec<_>>().join("_")
}

fn tag(path: &str) -> &str {
    path.trim_start_matches("/api/").trim_start_matches('/').split(['/', '.']).next().unwrap_or_default()
}
