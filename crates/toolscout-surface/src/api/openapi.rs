//! The OpenAPI 3.1 document of all operations.

use super::projects;
use crate::operation::{
    Access, BoundOperation, Effect, OperationError, Operations, inline_string_enums,
    schema_settings,
};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The path of the document.
pub(super) const PATH: &str = "/api/openapi.json";

pub(super) fn document(operations: &Operations) -> Value {
    let mut schema_generator = generator(SchemaSettings::for_serialize);
    let mut paths = Map::new();
    for operation in operations.iter().filter(|operation| !operation.spec.route.path.is_empty()) {
        let route = operation.spec.route;
        let entry = operation_entry(operation, &mut schema_generator);
        if let Some(alias) = operation.spec.alias {
            let mut entry = entry.clone();
            entry["operationId"] = format!("{}_alias", operation_id(operation)).into();
            paths.insert(alias.to_owned(), json!({route.method.to_lowercase(): entry}));
        }
        let in_project = projects::path_in("{project}", route.path);
        if let Some(path) = in_project.filter(|_| operation.spec.access != Access::Open) {
            let path_item = paths.entry(openapi_path(&path)).or_insert_with(|| json!({}));
            path_item[route.method.to_lowercase()] = entry_in_project(operation, &entry);
        }
        let path_item = paths.entry(openapi_path(route.path)).or_insert_with(|| json!({}));
        path_item[route.method.to_lowercase()] = entry;
    }
    paths.insert(PATH.to_owned(), document_entry());
    let error = schema_generator.subschema_for::<OperationError>().to_value();
    let mut schemas = schema_generator.take_definitions(true);
    schemas.insert("Error".to_owned(), error);
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "toolscout",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Servers, tools, policies, approvals and the audit log. Read operations start no process.",
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
                "description": "The token in `operator.token` or `agent.token`, or a token of the configured issuer.",
            }},
            "responses": {"Error": {
                "description": "The request failed",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            }},
        },
    });
    inline_string_enums(&mut document);
    document
}

fn generator(contract: fn(SchemaSettings) -> SchemaSettings) -> SchemaGenerator {
    contract(
        schema_settings().with(|schema_settings| {
            schema_settings.definitions_path = "/components/schemas".into()
        }),
    )
    .into_generator()
}

/// The entry of the document itself.
fn document_entry() -> Value {
    json!({"get": {
        "operationId": "openapi",
        "summary": "This document",
        "tags": ["openapi"],
        "responses": {
            "200": {"description": "Done", "content": {"application/json": {"schema": {"type": "object"}}}},
            "default": {"$ref": "#/components/responses/Error"},
        },
        "x-role": Access::Agent.as_str(),
    }})
}

fn operation_id(operation: &BoundOperation) -> String {
    operation.spec.name.replace(' ', "_")
}

/// The entry of an operation.
fn operation_entry(operation: &BoundOperation, generator: &mut SchemaGenerator) -> Value {
    let (spec, route) = (&operation.spec, operation.spec.route);
    let mut schema = operation.input.for_programs();
    let in_path: Vec<_> = path_names(route.path).collect();
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.retain(|name, _| !in_path.contains(&name.as_str()));
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !in_path.iter().any(|in_path| name == in_path));
    }
    let has_fields = schema["properties"].as_object().is_some_and(|object| !object.is_empty());
    let has_body = has_fields && !matches!(route.method, "GET" | "DELETE");
    let mut parameters: Vec<_> = path_parameters(route.path).collect();
    if !has_body {
        parameters.extend(query_parameters(&schema));
    }
    let supports_dry_run = spec.effect != Effect::Read;
    if supports_dry_run {
        let description = "Only report what would be done.";
        parameters.push(json!({
            "name": "dryRun", "in": "query", "required": false, "description": description, "schema": {"type": "boolean"},
        }));
    }
    let mut output_schema = operation.output.describe(generator);
    if supports_dry_run {
        output_schema = json!({"anyOf": [output_schema, dry_run()]});
    }
    let media_type = if operation.is_stream() { "text/event-stream" } else { spec.media_type };
    if operation.is_stream() {
        output_schema = event(&output_schema);
    } else if media_type != "application/json" {
        output_schema = json!({"type": "string"});
    }
    let output = json!({"description": "Done", "content": {media_type: {"schema": output_schema}}});
    let mut entry = json!({
        "operationId": operation_id(operation),
        "summary": spec.summary,
        "tags": [tag(route.path)],
        "responses": {route.status.to_string(): output, "default": {"$ref": "#/components/responses/Error"}},
        "x-role": spec.access.as_str(),
    });
    if !parameters.is_empty() {
        entry["parameters"] = parameters.into();
    }
    if has_body {
        let required = schema["required"].as_array().is_some_and(|items| !items.is_empty());
        entry["requestBody"] =
            json!({"required": required, "content": {"application/json": {"schema": schema}}});
    }
    if spec.access == Access::Open {
        entry["security"] = json!([]);
    }
    entry
}

/// The entry of the same operation under the path of a project.
fn entry_in_project(operation: &BoundOperation, entry: &Value) -> Value {
    let mut entry = entry.clone();
    entry["operationId"] = format!("{}_in_project", operation_id(operation)).into();
    let description = "The id of the project, as in `/api/projects`, or `current`";
    let project = json!({
        "name": "project", "in": "path", "required": true, "description": description,
        "schema": {"type": "string", "minLength": 1},
    });
    let others = entry["parameters"].as_array().cloned().unwrap_or_default();
    entry["parameters"] = std::iter::once(project).chain(others).collect();
    entry
}

/// The schema of a server-sent event: its data is JSON of this schema, on one line.
fn event(item: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "event": {"type": "string"},
            "data": {"type": "string", "contentMediaType": "application/json", "contentSchema": item},
        },
    })
}

/// The response to a dry run.
fn dry_run() -> Value {
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "description": "The change or call that a dry run would have made",
        "required": ["dryRun", "kind", "subject", "action", "would"],
        "properties": {"dryRun": {"const": true}, "kind": text, "subject": text, "action": text, "would": text},
    })
}

fn path_names(path: &'static str) -> impl Iterator<Item = &'static str> {
    let names = path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    names.map(|name| name.trim_start_matches('*'))
}

/// The parameters in the path.
fn path_parameters(path: &'static str) -> impl Iterator<Item = Value> {
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    names.map(|name| {
        let description = match name {
            "*name" => "The name of the tool at its source; it may contain slashes",
            "source" => "The source of the tool",
            _ => "The id",
        };
        let schema = json!({"type": "string", "minLength": 1});
        let name = name.trim_start_matches('*');
        json!({"name": name, "in": "path", "required": true, "description": description, "schema": schema})
    })
}

fn query_parameters(schema: &Value) -> impl Iterator<Item = Value> {
    let required = |name: &str| {
        schema["required"].as_array().is_some_and(|items| items.iter().any(|item| item == name))
    };
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.map(move |(name, property)| {
        let mut property = property.clone();
        let description = property
            .as_object_mut()
            .and_then(|object| object.remove("description"))
            .unwrap_or_default();
        json!({
            "name": name,
            "in": "query",
            "required": required(name),
            "description": description,
            "schema": property,
        })
    })
}

/// The path in OpenAPI syntax, which has no parameter that spans several segments.
fn openapi_path(path: &str) -> String {
    path.replace("{*", "{")
}

fn tag(path: &str) -> &str {
    path.trim_start_matches("/api/")
        .trim_start_matches('/')
        .split(['/', '.'])
        .next()
        .unwrap_or_default()
}
