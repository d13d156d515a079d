//! Proves that the bill of materials is valid, complete and always the same.

use super::bill;
use crate::repo;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Read;

/// The published schema of CycloneDX 1.5, and those that it refers to.
const SCHEMAS: [&[u8]; 3] = [
    include_bytes!("schema/bom-1.5.schema.json.gz"),
    include_bytes!("schema/spdx.schema.json.gz"),
    include_bytes!("schema/jsf-0.82.schema.json.gz"),
];

fn schema(compressed: &[u8]) -> Value {
    let mut text = String::new();
    GzDecoder::new(compressed).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_bill_of_materials_matches_the_schema_of_its_format() {
    let [bom, spdx, jsf] = SCHEMAS.map(schema);
    let mut registry = jsonschema::Registry::new();
    for (name, schema) in [("spdx", spdx), ("jsf-0.82", jsf)] {
        let uri = format!("http://cyclonedx.org/schema/{name}.SNAPSHOT.schema.json");
        registry = registry.add(uri, schema).unwrap();
    }
    let registry = registry.prepare().unwrap();
    let validator = jsonschema::options().with_registry(&registry).build(&bom).unwrap();
    let bill = bill().unwrap();
    let errors: Vec<_> = validator.iter_errors(&bill).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    let mut wrong = bill;
    wrong["components"][0]["type"] = "crate".into();
    assert!(!validator.is_valid(&wrong));
}

#[test]
fn the_bill_of_materials_lists_every_dependency_of_the_program() {
    let tree = repo::cargo()
        .args(["tree", "--package", "toolscout", "--edges", "normal,build", "--prefix", "none"])
        .args(["--format", "{p}", "--no-dedupe"])
        .output()
        .unwrap();
    let text = String::from_utf8(tree.stdout).unwrap();
    let expected: BTreeSet<_> = text
        .lines()
        .filter_map(|line| line.split_once(" v"))
        .map(|(name, rest)| (name.to_owned(), rest.split(' ').next().unwrap().to_owned()))
        .collect();
    assert!(expected.len() > 100, "{expected:?}");
    let bill = bill().unwrap();
    let field = |item: &Value, key: &str| item[key].as_str().unwrap().to_owned();
    let components = bill["components"].as_array().unwrap().iter();
    let listed: BTreeSet<_> = components
        .chain([&bill["metadata"]["component"]])
        .map(|item| (field(item, "name"), field(item, "version")))
        .collect();
    assert_eq!(expected.difference(&listed).collect::<Vec<_>>(), Vec::<&(String, String)>::new());
    for component in bill["components"].as_array().unwrap() {
        let is_ours = component["name"].as_str().unwrap().starts_with("toolscout");
        assert!(is_ours || component["hashes"][0]["content"].is_string(), "{component}");
        assert!(component["licenses"][0]["expression"].is_string(), "{component}");
    }
}

#[test]
fn the_bill_of_materials_is_always_the_same() {
    assert_eq!(bill().unwrap().to_string(), bill().unwrap().to_string());
}
