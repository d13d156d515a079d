//! The head of a prompt file, between two lines of dashes.

use super::super::document::{self, DocumentTable, ToolFileFormat, did_you_mean, type_name};
use super::Argument;
use super::text;
use serde_json::{Map, Value};

const FENCE: &str = "---";
const KEYS: [&str; 3] = ["title", "description", "arguments"];

#[derive(Debug, Default, PartialEq)]
pub(super) struct PromptHead {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) arguments: Vec<Argument>,
}

/// Splits a file into its head, which is empty if there is none, and the text below.
pub(super) fn split(bytes: &[u8]) -> Result<(&str, &str), String> {
    let all = document::text(bytes)?;
    let Some(rest) = all.strip_prefix(FENCE).and_then(after_line) else { return Ok(("", all)) };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == FENCE {
            return Ok((&rest[..at], rest[at + line.len()..].trim_start_matches(['\r', '\n'])));
        }
        at += line.len();
    }
    Err("the front matter is not closed: add a line with `---` below it".to_owned())
}

/// The text below the current line, if the rest of the line is blank.
fn after_line(rest: &str) -> Option<&str> {
    let (line, below) = rest.split_once('\n').unwrap_or((rest, ""));
    line.trim_end().is_empty().then_some(below)
}

impl PromptHead {
    pub(super) fn read(head: &str) -> Result<Self, String> {
        let map = match document::parse(ToolFileFormat::Yaml, head.as_bytes())? {
            None => return Ok(Self::default()),
            Some(Value::Object(map)) => own_keys(map)?,
            Some(other) => {
                return Err(format!(
                    "the front matter is {}; it must be a table",
                    type_name(&other)
                ));
            }
        };
        let mut table = DocumentTable::new("", map, &KEYS)?;
        let arguments = match table.take("arguments") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(items)) => {
                items.into_iter().map(argument).collect::<Result<Vec<_>, _>>()?
            }
            Some(other) => {
                return Err(format!("`arguments` is {}; it must be a list", type_name(&other)));
            }
        };
        for (at, one) in arguments.iter().enumerate() {
            if arguments[..at].iter().any(|argument| argument.name == one.name) {
                return Err(format!("duplicate argument `{}`", one.name));
            }
        }
        Ok(Self { title: table.text("title")?, description: table.text("description")?, arguments })
    }
}

/// Drops the keys of other programs, which read such files too; a key similar to one of ours is
/// reported as a typo.
fn own_keys(mut map: Map<String, Value>) -> Result<Map<String, Value>, String> {
    for key in map.keys().filter(|key| !KEYS.contains(&key.as_str())) {
        let suggestion = did_you_mean(key, &KEYS);
        if !suggestion.is_empty() {
            return Err(format!("unknown key `{key}`{suggestion}"));
        }
    }
    map.retain(|key, _| KEYS.contains(&key.as_str()));
    Ok(map)
}

/// Parses an argument: a table with a name, or the name alone for an optional argument.
fn argument(item: Value) -> Result<Argument, String> {
    let argument = match item {
        Value::String(name) => Argument { name, description: None, is_required: false },
        Value::Object(map) => {
            let mut table =
                DocumentTable::new("arguments: ", map, &["name", "description", "required"])?;
            let name = table.text("name")?.ok_or("an argument has no `name`")?;
            let (description, required) = (table.text("description")?, table.flag("required")?);
            Argument { name, description, is_required: required.unwrap_or_default() }
        }
        other => {
            return Err(format!(
                "an argument is {}; it must be a table with a `name`",
                type_name(&other)
            ));
        }
    };
    if text::is_name(&argument.name) {
        Ok(argument)
    } else {
        Err(format!(
            "`{}` is not a valid argument name; use letters, digits, `_` and `-`",
            argument.name
        ))
    }
}
