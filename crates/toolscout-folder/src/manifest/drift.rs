//! Writes manifests, and finds the differences between a manifest and the definitions of its tools.

use super::{ManifestEntry, entries, input_schema, parse_entry};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use toolscout_core::RawJson;

/// The definition of a tool as returned by a probe.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbedDefinition {
    /// The name under which it is listed.
    pub name: String,
    /// The absolute path of the executable or module that contains it.
    pub path: PathBuf,
    /// The tool's own description.
    pub description: Option<String>,
    /// The tool's own argument schema.
    pub input_schema: RawJson,
    /// Whether the file has no schema, so that `input_schema` is that of the manifest.
    pub lacks_schema: bool,
}

/// The text of a manifest for these tools, in their order. The same tools always give the same
/// bytes.
pub fn build(folder: &Path, tools: &[ProbedDefinition]) -> String {
    let tools: Vec<Value> = tools.iter().map(|tool| entry(folder, tool)).collect();
    let text = serde_json::to_string_pretty(&json!({ "tools": tools }));
    text.expect("a JSON value can always be written") + "\n"
}

/// The differences between a manifest and its tools, one line each; empty if it is up to date. The
/// error is the reason why the manifest cannot be read. `tools` contains every tool below the
/// folder that could be probed; `exists` checks whether a file exists.
pub fn check(
    manifest: &str,
    folder: &Path,
    tools: &[ProbedDefinition],
    exists: impl Fn(&Path) -> bool,
) -> Result<Vec<String>, String> {
    let mut drifts = Vec::new();
    let mut names = Vec::new();
    for value in entries(manifest.as_bytes())?.unwrap_or_default() {
        let args = value.get("args").and_then(Value::as_object).cloned().unwrap_or_default();
        let listed = parse_entry(value)?;
        compare(folder, &listed, &args, tools, &exists, &mut drifts);
        names.push(listed.described.name);
    }
    let unlisted = tools.iter().filter(|tool| !names.contains(&tool.name));
    drifts.extend(unlisted.map(|unlisted| {
        format!("`{}` is not in the manifest ({})", unlisted.name, relative(folder, &unlisted.path))
    }));
    Ok(drifts)
}

fn compare(
    folder: &Path,
    listed: &ManifestEntry,
    args: &Map<String, Value>,
    tools: &[ProbedDefinition],
    exists: &impl Fn(&Path) -> bool,
    drifts: &mut Vec<String>,
) {
    let name = &listed.described.name;
    if !exists(&folder.join(&listed.path)) {
        return drifts.push(format!("`{name}`: {} does not exist", listed.path));
    }
    let Some(own) = tools.iter().find(|tool| tool.name == *name) else {
        return drifts.push(format!("`{name}`: {} has no such tool", listed.path));
    };
    if listed.described.description != own.description {
        let text = |text: &Option<String>| {
            text.as_ref().map_or_else(|| "missing".to_owned(), |value| format!("{value:?}"))
        };
        let (theirs, ours) = (text(&listed.described.description), text(&own.description));
        drifts.push(format!(
            "`{name}`: the description is {theirs} in the manifest and {ours} in the tool"
        ));
    }
    // Both sides are converted to the short form, so that `int` and `integer` are equal.
    let theirs = match input_schema(args.clone()) {
        Ok(schema) => arguments(&schema.to_value()),
        Err(reason) => return drifts.push(format!("`{name}`: {reason}")),
    };
    drifts.extend(
        differences(&theirs, &arguments(&own.input_schema.to_value()))
            .map(|difference| format!("`{name}`: {difference}")),
    );
}

fn differences<'a>(
    theirs: &'a Map<String, Value>,
    ours: &'a Map<String, Value>,
) -> impl Iterator<Item = String> + 'a {
    let removed = theirs
        .keys()
        .filter(|key| !ours.contains_key(*key))
        .map(|key| format!("the tool has no parameter `{key}`"));
    let changed = ours.iter().filter_map(|(name, own)| match theirs.get(name) {
        None => Some(format!("the manifest has no parameter `{name}`")),
        Some(listed) => difference(listed, own).map(|key| {
            let text = |value: &Value| {
                value.get(key).map_or_else(|| "missing".to_owned(), Value::to_string)
            };
            format!(
                "parameter `{name}`: {key} is {} in the manifest and {} in the tool",
                text(listed),
                text(own)
            )
        }),
    });
    removed.chain(changed)
}

/// The first key on which two descriptions of a parameter differ. A manifest may omit descriptions.
fn difference(listed: &Value, own: &Value) -> Option<&'static str> {
    let differs = |key: &&str| listed.get(*key) != own.get(*key);
    let description = Some("description").filter(|key| listed.get(*key).is_some() && differs(key));
    ["type", "required", "default", "enum"].into_iter().find(|key| differs(key)).or(description)
}

fn entry(folder: &Path, tool: &ProbedDefinition) -> Value {
    let mut entry = Map::new();
    entry.insert("name".into(), tool.name.as_str().into());
    if let Some(description) = &tool.description {
        entry.insert("description".into(), description.as_str().into());
    }
    entry.insert("path".into(), relative(folder, &tool.path).into());
    entry.insert("args".into(), arguments(&tool.input_schema.to_value()).into());
    entry.into()
}

/// A relative path such as `./fetch.py`, with `/` as the separator on all systems.
fn relative(folder: &Path, path: &Path) -> String {
    match path.strip_prefix(folder) {
        Ok(rest) => {
            let parts: Vec<_> = rest
                .components()
                .map(|component| component.as_os_str().to_string_lossy())
                .collect();
            format!("./{}", parts.join("/"))
        }
        Err(_) => path.display().to_string(),
    }
}

/// The properties of a schema in the short form. Constraints that the short form cannot express are
/// left out.
fn arguments(schema: &Value) -> Map<String, Value> {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let argument = |(name, property): (&String, &Value)| {
        let mut keys = Map::new();
        keys.insert("type".into(), type_word(property).into());
        for key in ["description", "enum", "default"] {
            if let Some(value) = property.get(key) {
                keys.insert(key.into(), value.clone());
            }
        }
        if required.contains(&name.as_str()) {
            keys.insert("required".into(), true.into());
        }
        (name.clone(), keys.into())
    };
    properties.into_iter().flatten().map(argument).collect()
}

/// The type word of a property: of several types the first that is not null, and `string` if there
/// is none.
fn type_word(property: &Value) -> String {
    let word = match property.get("type") {
        Some(Value::String(word)) => word.as_str(),
        Some(Value::Array(words)) => {
            words.iter().filter_map(Value::as_str).find(|text| *text != "null").unwrap_or("string")
        }
        _ if property.get("properties").is_some() => "object",
        _ => "string",
    };
    match property.get("items") {
        Some(items) if word == "array" && items.get("type").is_some() => {
            format!("array:{}", type_word(items))
        }
        _ => word.to_owned(),
    }
}
