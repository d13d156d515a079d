use super::{operations, routes};
use crate::api::openapi::document;
use crate::operation::Access;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test]
fn every_operation_is_in_the_document_and_nothing_else_is() {
    let document = document(&operations());
    let written: BTreeSet<(String, String)> = document["paths"]
        .as_object()
        .into_iter()
        .flatten()
        .flat_map(|(path, methods)| {
            methods.as_object().into_iter().flatten().map(|(item, _)| (path.clone(), item.clone()))
        })
        .collect();
    let path = |path: String| path.replace("/ada", "/{name}");
    let alias = ("/metrics".to_owned(), "get".to_owned());
    let own = routes().into_iter().map(|(method, route, _)| (path(route), method.to_lowercase()));
    // The same operations in a project, without the open ones and the document itself.
    let in_project = routes()
        .into_iter()
        .filter(|(_, route, access)| *access != Access::Open && !route.ends_with("openapi.json"));
    let in_project = in_project.map(|(method, route, _)| {
        (path(route).replace("/api/", "/api/projects/{project}/"), method.to_lowercase())
    });
    assert_eq!(written, own.chain(in_project).chain([alias]).collect());
}

#[test]
fn every_entry_has_a_summary_an_id_and_its_parameters() {
    let document = document(&operations());
    let mut ids = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, entry) in methods.as_object().expect("methods") {
            assert!(!entry["summary"].as_str().unwrap_or_default().is_empty(), "{method} {path}");
            assert!(
                ids.insert(entry["operationId"].as_str().expect("an id").to_owned()),
                "{entry}"
            );
            assert!(entry["responses"]["default"]["$ref"].is_string());
        }
    }
    let parameters = document["paths"]["/api/greetings/{name}"]["get"]["parameters"].clone();
    let locations: Vec<_> = parameters
        .as_array()
        .expect("parameters")
        .iter()
        .map(|parameter| (&parameter["name"], &parameter["in"]))
        .collect();
    let expected = [("name", "path"), ("times", "query"), ("words", "query")]
        .map(|(name, location)| (json!(name), json!(location)));
    assert_eq!(
        locations,
        expected.iter().map(|(name, location)| (name, location)).collect::<Vec<_>>()
    );
}

/// Every schema is valid, and every reference resolves.
#[test]
fn every_schema_is_valid_and_every_reference_resolves() {
    let document = document(&operations());
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 5);
    for reference in references {
        let pointer = reference
            .strip_prefix('#')
            .unwrap_or_else(|| panic!("{reference} leads out of the document"));
        assert!(document.pointer(pointer).is_some(), "{reference} is dangling");
    }
    for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
        let schema_with_components = json!({"$ref": format!("#/components/schemas/{name}"), "components": document["components"]});
        assert!(jsonschema::validator_for(&schema_with_components).is_ok(), "{name}: {schema}");
    }
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            references.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|value| collect(value, references));
        }
        Value::Array(all) => all.iter().for_each(|item| collect(item, references)),
        _ => {}
    }
}
