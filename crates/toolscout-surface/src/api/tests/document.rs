use crate::api::openapi::document;
use crate::api::table;
use crate::operation::Operations;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test]
fn every_route_is_in_the_document_and_nothing_else_is() {
    let document = document(&Operations::default());
    let path = |it: &str| it.replace("{*", "{");
    let written: BTreeSet<(String, String)> = document["paths"]
        .as_object()
        .into_iter()
        .flatten()
        .flat_map(|(path, methods)| methods.as_object().into_iter().flatten().map(|(it, _)| (path.clone(), it.clone())))
        .collect();
    let there: BTreeSet<_> = table().iter().map(|it| (path(it.path), it.method.to_lowercase())).collect();
    assert_eq!(written, there);
    assert_eq!(there.len(), table().len(), "a route is there twice");
}

#[test]
fn every_route_says_what_it_is_for_and_what_it_takes() {
    let document = document(&Operations::default());
    let mut ids = BTreeSet::new();
    for route in table() {
        let operation = &document["paths"][route.path.replace("{*", "{")][route.method.to_lowercase()];
        assert!(!operation["summary"].as_str().unwrap_or_default().is_empty(), "{}", route.path);
        assert!(ids.insert(operation["operationId"].as_str().expect("an id").to_owned()), "{operation}");
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let named = |name: &str| parameters.iter().any(|it| it["name"] == name && it["in"] == "path");
        for name in route.path.split(['{', '}', '*']).filter(|it| ["id", "source", "name"].contains(it)) {
            assert!(named(name), "{} lacks {name}", route.path);
        }
        assert!(operation["responses"]["default"]["$ref"].is_string());
    }
}

/// What the document says of a type can be checked with, and leads nowhere else.
#[test]
fn every_schema_can_be_used_and_every_reference_leads_somewhere() {
    let document = document(&Operations::default());
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 10);
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference} leads elsewhere"));
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
    for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
        let whole = json!({"$ref": format!("#/components/schemas/{name}"), "components": document["components"]});
        assert!(jsonschema::validator_for(&whole).is_ok(), "{name}: {schema}");
    }
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            references.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|it| collect(it, references));
        }
        Value::Array(all) => all.iter().for_each(|it| collect(it, references)),
        _ => {}
    }
}
