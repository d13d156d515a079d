//! Hints for the command line: `[cli]` of a tool file.

use crate::document::{DocumentTable, type_name};
use serde_json::{Map, Value};
use toolscout_core::{CliHint, CliHints};

/// Parses `[cli]`: `separator` and `arrays` are strings, `max_depth` is a number, every table configures the flag of its
/// name.
pub(super) fn read(map: Map<String, Value>) -> Result<CliHints, String> {
    let mut hints = CliHints::default();
    for (key, value) in map {
        match (key.as_str(), value) {
            (_, Value::Object(flag)) => drop(hints.flags.insert(key.clone(), hint(&key, flag)?)),
            ("separator", Value::String(text)) => hints.separator = Some(text),
            ("max_depth", Value::Number(number)) if number.as_u64().is_some() => {
                hints.max_depth = number.as_u64().and_then(|depth| usize::try_from(depth).ok());
            }
            ("max_depth", other) => {
                return Err(format!("[cli] `max_depth` is `{other}`; it must be a whole number"));
            }
            ("arrays", Value::String(word)) if word == "repeat" || word == "json" => {
                hints.arrays = Some(word)
            }
            ("arrays", other) => {
                return Err(format!(
                    "[cli] `arrays` is `{other}`; it must be \"repeat\" or \"json\""
                ));
            }
            (_, other) => {
                return Err(format!(
                    "[cli] `{key}` is {}; hints for a flag are a table: [cli.{key}]",
                    type_name(&other)
                ));
            }
        }
    }
    Ok(hints)
}

fn hint(flag: &str, map: Map<String, Value>) -> Result<CliHint, String> {
    let prefixed = |reason: String| format!("[cli.{flag}] {reason}");
    let known = [
        "short",
        "description",
        "value_name",
        "hidden",
        "positional",
        "conflicts",
        "type",
        "required",
        "default",
        "parse",
    ];
    let mut table = DocumentTable::new("", map, &known).map_err(prefixed)?;
    Ok(CliHint {
        short: table
            .text("short")
            .map_err(prefixed)?
            .map(|value| parse_short(&value).map_err(prefixed))
            .transpose()?,
        description: table.text("description").map_err(prefixed)?,
        value_name: table.text("value_name").map_err(prefixed)?,
        hidden: table.flag("hidden").map_err(prefixed)?.unwrap_or_default(),
        positional: table.flag("positional").map_err(prefixed)?.unwrap_or_default(),
        conflicts: table.texts("conflicts").map_err(prefixed)?.unwrap_or_default(),
        kind: table.text("type").map_err(prefixed)?,
        required: table.flag("required").map_err(prefixed)?,
        default: table.take("default"),
        parse: table.text("parse").map_err(prefixed)?,
    })
}

fn parse_short(text: &str) -> Result<char, String> {
    let text = text.strip_prefix('-').unwrap_or(text);
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(value), None) if value.is_ascii_alphanumeric() => Ok(value),
        _ => Err(format!("`short` is `{text}`; it must be one letter or digit")),
    }
}
