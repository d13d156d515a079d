//! `docs/reference/settings.md` is generated from the configuration structs. `cargo xtask bless` writes it.

use crate::config::FileSections;
use crate::settings::Settings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Settings

All keys of `toolscout.toml` in a project and of `config.toml` in the user configuration folder. This page is generated from
the code. [configuration.md](configuration.md) has examples, and explains which file takes precedence.
";

#[test]
fn the_settings_reference_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/settings.md");
    let reference = reference();
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        std::fs::write(&path, &reference).expect("docs/reference/settings.md can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == reference,
        "docs/reference/settings.md is stale: run `cargo xtask bless -p toolscout-config`"
    );
}

#[test]
fn every_setting_has_a_description() {
    let undocumented: Vec<_> =
        reference().lines().filter(|line| line.ends_with("|  |")).map(str::to_owned).collect();
    assert_eq!(undocumented, [""; 0]);
}

fn reference() -> String {
    let mut generator = SchemaGenerator::default();
    let mut root = properties::<Settings>(&mut generator);
    root.extend(properties::<FileSections>(&mut generator));
    let definitions = generator.definitions().clone();
    let mut page = HEAD.to_owned();
    section(&mut page, "Top level", &root);
    tables(&mut page, "", &root, &definitions);
    page
}

/// A section for each key whose value is a table, and for the tables in it.
fn tables(
    page: &mut String,
    prefix: &str,
    properties: &Map<String, Value>,
    definitions: &Map<String, Value>,
) {
    for (key, value) in properties {
        let Some((target, kind)) = table_of(value) else { continue };
        let Some(definition) = definitions.get(&target) else { continue };
        let path = match kind {
            TableKind::Named => format!("{prefix}{key}.NAME"),
            TableKind::One | TableKind::List => format!("{prefix}{key}"),
        };
        let heading = match kind {
            TableKind::List => format!("`[[{path}]]`"),
            TableKind::One | TableKind::Named => format!("`[{path}]`"),
        };
        let inner = definition["properties"].as_object().cloned().unwrap_or_default();
        section(page, &heading, &inner);
        tables(page, &format!("{path}."), &inner, definitions);
    }
}

fn properties<T: JsonSchema>(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let schema = T::json_schema(generator);
    schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
}

fn section(page: &mut String, heading: &str, properties: &Map<String, Value>) {
    let _ =
        write!(page, "\n## {heading}\n\n| key | value | default | meaning |\n|---|---|---|---|\n");
    for (key, value) in properties {
        let default = match &value["default"] {
            Value::Null | Value::Object(_) | Value::Array(_) => String::new(),
            Value::String(word) => format!("`{word}`"),
            other => format!("`{other}`"),
        };
        let meaning = value["description"].as_str().unwrap_or_default().replace('\n', " ");
        let _ = writeln!(page, "| `{key}` | {} | {default} | {meaning} |", kind(value));
    }
}

enum TableKind {
    One,
    Named,
    List,
}

/// The struct of a key's value, if it is a struct, a table of structs, or a list of them.
fn table_of(value: &Value) -> Option<(String, TableKind)> {
    let name = |value: &Value| Some(value["$ref"].as_str()?.rsplit('/').next()?.to_owned());
    name(value)
        .map(|name| (name, TableKind::One))
        .or_else(|| name(&value["additionalProperties"]).map(|name| (name, TableKind::Named)))
        .or_else(|| name(&value["items"]).map(|name| (name, TableKind::List)))
}

/// The type of a value, in words.
fn kind(value: &Value) -> String {
    if let Some(words) = words(value) {
        return words;
    }
    if table_of(value).is_some() {
        return "see below".to_owned();
    }
    if let Some(options) = value["anyOf"].as_array() {
        let first = options.first().unwrap_or(&Value::Null);
        return if table_of(first).is_some() { "table".to_owned() } else { kind(first) };
    }
    let types = match &value["type"] {
        Value::Array(types) => types.clone(),
        one => vec![one.clone()],
    };
    match types.first().and_then(Value::as_str) {
        Some("boolean") => "`true` or `false`".to_owned(),
        Some("integer" | "number") => "number".to_owned(),
        Some("string") => "text".to_owned(),
        Some("array") => match kind(&value["items"]) {
            inner if inner.starts_with('`') => format!("list of {inner}"),
            inner => format!("list of {inner}s"),
        },
        Some("object") => "table of texts".to_owned(),
        _ => "table".to_owned(),
    }
}

/// The allowed words, if there are only a few.
fn words(value: &Value) -> Option<String> {
    let listed = value["enum"]
        .as_array()
        .map(|items| items.iter().filter_map(Value::as_str).collect::<Vec<_>>());
    let described = || {
        Some(value["oneOf"].as_array()?.iter().filter_map(|item| item["const"].as_str()).collect())
    };
    let words: Vec<&str> = listed.or_else(described)?;
    Some(words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "))
}
