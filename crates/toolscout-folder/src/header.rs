//! The comment at the top of a script or module that describes its tool, read without running it.
//!
//! ```text
//! #!/usr/bin/env bash
//! # tool: disk-usage
//! # title: Disk usage
//! # description: How full the disks are,
//! #   and which folders fill them
//! # keywords: disk, space, du
//! # visibility: listed
//! # param path string required - Where to look
//! # param depth int default=2 - How many levels
//! # param format string enum=table|json default=table - How to show it
//! # param skip array:string - Folders to leave out
//! # input: args
//! # timeout: 30s
//! # env: DU_BLOCK_SIZE
//! ```
//!
//! The block consists of comment lines (`#`, `//` or `--`, the same throughout) before the first
//! line of code. An interpreter line, blank lines and other comments may precede it. It starts with
//! `tool:` and ends with the last comment line. Every line but the first is optional. Lines that
//! are neither a key nor a `param` are prose, and a line indented by two more spaces continues the
//! previous one.
//!
//! `param NAME TYPE [required] [default=VALUE] [enum=A|B|C] [- description]`: the types are those
//! of tool files. A value with spaces goes in double quotes; a value that is not a string
//! (`default=2`, `default=["a"]`) is written as JSON.
//!
//! `timeout` (`500ms`, `30s`, `2m`) applies to every kind of file, also without a `tool:` line.
//! `input` (`stdin`, the default; `args`: `--name=value`; `env`: `TOOL_NAME`) and `env` (inherited
//! variables) apply to plain scripts: executables that do not implement `tool-schema`.

use super::described::DescribedTool;
use super::document::{DocumentTable, did_you_mean};
use super::parameters::{self, Parameter};
use super::recipe::ArgumentPassing;
use serde_json::{Map, Value};
use toolscout_core::Visibility;

/// A parsed header: the tool without its plan, and how a plain script is run.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ToolHeader {
    pub(super) tool: DescribedTool,
    pub(super) input: Option<ArgumentPassing>,
    pub(super) env: Vec<String>,
}

const KEYS: [&str; 8] =
    ["tool", "title", "description", "keywords", "visibility", "input", "timeout", "env"];

/// Parses the header of a file; `None` if it has none. The error is a reason for the user, with the
/// line.
pub(super) fn read(text: &str) -> Result<Option<ToolHeader>, String> {
    let lines = logical_lines(text);
    let Some(start) = lines.iter().position(|line| line.key() == Some("tool")) else {
        return Ok(None);
    };
    let mut header = ToolHeader::default();
    let mut parameters = Vec::new();
    for line in &lines[start..] {
        let at = |reason: String| format!("header, line {}: {reason}", line.number);
        if let Some(rest) = line.text.strip_prefix("param ") {
            parameters.push(parameter(rest).map_err(at)?);
        } else if let Some(key) = line.key() {
            set(&mut header, key, line.text[key.len() + 1..].trim()).map_err(at)?;
        }
    }
    if !parameters.is_empty() {
        let schema =
            parameters::input_schema(parameters).map_err(|reason| format!("header: {reason}"))?;
        header.tool.input_schema = Some(schema);
    }
    Ok(Some(header))
}

/// The `timeout:` of a comment at the top of a file that has no `tool:` header. A text that is not a
/// duration is prose.
pub(super) fn timeout_of(text: &str) -> Option<u64> {
    let lines = logical_lines(text);
    let line = lines.iter().find(|line| line.key() == Some("timeout"))?;
    timeout(line.text["timeout:".len()..].trim()).ok()
}

fn set(header: &mut ToolHeader, key: &str, value: &str) -> Result<(), String> {
    let text = || Some(value.to_owned()).filter(|value| !value.is_empty());
    match key {
        "tool" if value.is_empty() => return Err("`tool:` has no name".to_owned()),
        "tool" if !header.tool.name.is_empty() => return Err("`tool:` occurs twice".to_owned()),
        "tool" => header.tool.name = value.to_owned(),
        "title" => header.tool.title = text(),
        "description" => header.tool.description = text(),
        "keywords" => header.tool.keywords = words(value),
        "env" => header.env = words(value),
        "visibility" => header.tool.visibility = visibility(value)?,
        "input" => header.input = Some(input(value)?),
        "timeout" => header.tool.timeout_ms = Some(timeout(value)?),
        // `Usage:`, `Author:`, `https:` … are prose; a misspelled key is an error.
        other => match did_you_mean(other, &KEYS) {
            suggestion if other.len() > 3 && !suggestion.is_empty() => {
                return Err(format!("unknown key `{other}:`{suggestion}"));
            }
            _ => {}
        },
    }
    Ok(())
}

fn words(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Reads `visibility`, or `discoverable`, which paularlott/mcp uses for the same setting.
pub(super) fn read_visibility(table: &mut DocumentTable) -> Result<Visibility, String> {
    let discoverable = table.flag("discoverable")?;
    match (table.text("visibility")?, discoverable) {
        (Some(_), Some(_)) => {
            Err("`visibility` and `discoverable` are the same setting; keep one".to_owned())
        }
        (Some(word), None) => visibility(&word),
        (None, Some(false)) => Ok(Visibility::Listed),
        (None, _) => Ok(Visibility::Searchable),
    }
}

/// Parses a visibility. The words of paularlott/mcp are accepted, too.
pub(super) fn visibility(word: &str) -> Result<Visibility, String> {
    match word {
        "listed" | "native" => Ok(Visibility::Listed),
        "searchable" | "discoverable" => Ok(Visibility::Searchable),
        _ => Err(format!("`visibility` is `{word}`; it must be `listed` or `searchable`")),
    }
}

/// Parses an argument passing mode.
pub(super) fn input(word: &str) -> Result<ArgumentPassing, String> {
    match word {
        "stdin" => Ok(ArgumentPassing::Stdin),
        "args" => Ok(ArgumentPassing::Args(Vec::new())),
        "env" => Ok(ArgumentPassing::Env),
        _ => Err(format!("`input` is `{word}`; it must be `stdin`, `args` or `env`")),
    }
}

/// Parses a time limit.
pub(super) fn timeout(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let unit = match text[digits..].trim() {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        _ => None,
    };
    let number = text[..digits].parse::<u64>().ok();
    match unit.zip(number).and_then(|(unit, number)| number.checked_mul(unit)) {
        Some(milliseconds @ 1..=86_400_000) => Ok(milliseconds),
        _ => {
            Err(format!("`timeout` is `{text}`; write it as `500ms`, `30s` or `2m`, a day at most"))
        }
    }
}

/// `NAME TYPE [required] [default=VALUE] [enum=A|B] [- description]`
pub(super) fn parameter(text: &str) -> Result<Parameter, String> {
    let (front, description) = split_description(text);
    let mut tokens = tokens(front)?.into_iter();
    let name = tokens.next().ok_or("`param` has no name")?;
    let word = tokens.next().unwrap_or_else(|| "string".to_owned());
    let is_text = word == "string";
    let mut keys = Map::from_iter([("type".to_owned(), Value::from(word))]);
    if let Some(description) = description {
        keys.insert("description".into(), description.into());
    }
    for token in tokens {
        match token.split_once('=') {
            None if token == "required" => drop(keys.insert("required".into(), true.into())),
            Some(("default", value)) => {
                drop(keys.insert("default".into(), value_of(value, is_text)))
            }
            Some(("enum", values)) => {
                let choices =
                    values.split('|').map(|part| value_of(part, is_text)).collect::<Vec<_>>();
                keys.insert("enum".into(), choices.into());
            }
            _ => {
                return Err(format!(
                    "parameter `{name}`: unexpected `{token}`; a description starts with ` - `"
                ));
            }
        }
    }
    Parameter::new(&name, keys)
}

/// Splits at the first ` - ` that is not in quotes.
fn split_description(text: &str) -> (&str, Option<&str>) {
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        if c == '"' {
            quoted = !quoted;
        } else if !quoted && text[at..].starts_with(" - ") {
            return (&text[..at], Some(text[at + 3..].trim()).filter(|value| !value.is_empty()));
        }
    }
    (text, None)
}

fn tokens(text: &str) -> Result<Vec<String>, String> {
    let mut tokens = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        quoted ^= c == '"';
        if c.is_whitespace() && !quoted {
            tokens.push(String::new());
        } else if let Some(token) = tokens.last_mut() {
            token.push(c);
        }
    }
    if quoted {
        return Err("unclosed double quote".to_owned());
    }
    tokens.retain(|token| !token.is_empty());
    Ok(tokens)
}

/// A value as JSON if it is valid JSON, else as a string; an unquoted word of a string parameter is
/// always a string.
fn value_of(text: &str, is_text: bool) -> Value {
    match serde_json::from_str(text) {
        Ok(value @ Value::String(_)) => value,
        Ok(value) if !is_text => value,
        _ => Value::from(text),
    }
}

/// A line of the comment, joined with its continuation lines.
struct HeaderLine {
    number: usize,
    text: String,
}

impl HeaderLine {
    /// The word before a colon, if the line starts with one.
    fn key(&self) -> Option<&str> {
        let (key, _) = self.text.split_once(':')?;
        let is_word = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase());
        is_word.then_some(key)
    }
}

/// The leading comment lines, without their comment markers.
fn logical_lines(text: &str) -> Vec<HeaderLine> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines: Vec<HeaderLine> = Vec::new();
    let mut mark = None;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line.is_empty() || (at == 0 && line.starts_with("#!")) {
            continue;
        }
        let Some(found) =
            mark.or_else(|| ["#", "//", "--"].into_iter().find(|item| line.starts_with(item)))
        else {
            break;
        };
        let Some(rest) = line.strip_prefix(found) else { break };
        mark = Some(found);
        match lines.last_mut() {
            Some(last) if rest.starts_with("   ") && !rest.trim().is_empty() => {
                last.text.push(' ');
                last.text.push_str(rest.trim());
            }
            _ => lines.push(HeaderLine { number: at + 1, text: rest.trim().to_owned() }),
        }
    }
    lines
}
