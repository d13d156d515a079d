//! Writes manifests, and finds the differences between a manifest and the definitions of its tools.

use super::{ManifestEntry, entries, input_schema, listed};
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
}

/// The text of a manifest for these tools, in their order. The same tools always give the same
/// bytes.
pub fn build(folder: &Path, tools: &[ProbedDefinition]) -> String {
    let tools: Vec<Value> = tools.iter().map(|it| entry(folder, it)).collect();
    let text = serde_json::to_string_pretty(&json!({ "tools": tools }));
    text.expect("a JSON value can always be written") + "\n"
}

/// The differences between a manifest and its tools, one line each; empty if it is up to date. The
/// error is the reason why the manifest cannot be read. `tools` contains every tool below the
/// folder that could be probed; `is_there` checks whether a file exists.
pub fn check(
    manifest: &str,
    folder: &Path,
    tools: &[ProbedDefinition],
    is_there: impl Fn(&Path) -> bool,
) -> Result<Vec<String>, String> {
    let mut drifts = Vec::new();
    let mut names = Vec::new();
    for value in entries(manifest.as_bytes())?.unwrap_or_default() {
        let args = value.get("args").and_then(Value::as_object).cloned().unwrap_or_default();
        let listed = listed(value)?;
        compare(folder, &listed, &args, tools, &is_there, &mut drifts);
        names.push(listed.described.name);
    }
    let unlisted = tools.iter().filter(|it| !names.contains(&it.name));
    drifts.extend(unlisted.map(|it| {
        format!("`{}` is not in the manifest ({})", it.name, relative(folder, &it.path))
    }));
    Ok(drifts)
}

fn compare(
    folder: &Path,
    listed: &ManifestEntry,
    args: &Map<String, Value>,
    tools: &[ProbedDefinition],
    is_there: &impl Fn(&Path) -> bool,
    drifts: &mut Vec<String>,
) {
    let name = &listed.described.name;
    if !is_there(&folder.join(&listed.path)) {
        return drifts.push(format!("`{name}`: {} is not there", listed.path));
    }
    let Some(own) = tools.iter().find(|it| it.name == *name) else {
        return drifts.push(format!("`{name}`: {} holds no such tool", listed.path));
    };
    if listed.described.description != own.description {
        let text = |it: &Option<String>| {
            it.as_ref().map_or_else(|| "nothing".to_owned(), |it| format!("{it:?}"))
        };
        let (theirs, ours) = (text(&listed.described.description), text(&own.description));
        drifts.push(format!("`{name}`: the description is {theirs}, but the tool says {ours}"));
    }
    // Both sides are converted to the short form, so that `int` and `integer` are equal.
    let theirs = match input_schema(args.clone()) {
        Ok(schema) => arguments(&schema.to_value()),
        Err(reason) => return drifts.push(format!("`{name}`: {reason}")),
    };
    drifts.extend(
        differences(&theirs, &arguments(&own.input_schema.to_value()))
            .map(|it| format!("`{name}`: {it}")),
    );
}

fn differences<'a>(
    theirs: &'a Map<String, Value>,
    ours: &'a Map<String, Value>,
) -> impl Iterator<Item = String> + 'a {
    let gone = theirs
        .keys()
        .filter(|it| !ours.contains_key(*it))
        .map(|it| format!("the tool has no parameter `{it}`"));
    let changed = ours.iter().filter_map(|(name, own)| match theirs.get(name) {
        None => Some(format!("the parameter `{name}` is missing")),
        Some(listed) => difference(listed, own).map(|key| {
            let text =
                |it: &Value| it.get(key).map_or_else(|| "nothing".to_owned(), Value::to_string);
            format!(
                "the parameter `{name}` has {key} {}, but the tool says {}",
                text(listed),
                text(own)
            )
        }),
    });
    gone.chain(changed)
}

/// The first key on which two descriptions of a parameter differ. A manifest may omit descriptions.
fn difference(listed: &Value, own: &Value) -> Option<&'static str> {
    let differs = |key: &&str| listed.get(*key) != own.get(*key);
    let description = Some("description").filter(|it| listed.get(*it).is_some() && differs(it));
    ["type", "required", "default", "enum"].into_iter().find(|it| differs(it)).or(description)
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
            let parts: Vec<_> =
                rest.components().map(|it| it.as_os_str().to_string_lossy()).collect();
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
            words.iter().filter_map(Value::as_str).find(|it| *it != "null").unwrap_or("string")
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
