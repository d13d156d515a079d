//! YAML front matter in the first comment of a script or module.
//!
//! ```text
//! /* ---
//! name: fetch-data
//! description: Fetch data from a URL
//! args:
//!   url: { type: string, required: true }
//! --- */
//! ```
//!
//! The comment may also consist of `#`, `//` or `--` lines, or be the docstring of a Python module.
//! The keys are those of a manifest entry without `path`; `name` is the name of the file if it is
//! absent. `input`, `timeout` and `env` have the same meaning as in a header.

use crate::document::{self, DocumentTable, ToolFileFormat, type_name};
use crate::header::{self, ToolHeader};
use crate::manifest;
use serde_json::Value;

const KEYS: [&str; 9] =
    ["name", "title", "description", "keywords", "visibility", "args", "input", "timeout", "env"];
/// One of these keys shows that the front matter describes a tool.
const IS_TOOL: [&str; 3] = ["name", "description", "args"];
const FENCE: &str = "---";

/// Reads the front matter; `None` if the first comment has none.
pub(super) fn read(stem: &str, text: &str) -> Result<Option<ToolHeader>, String> {
    let Some(yaml) = fenced(text) else { return Ok(None) };
    let within = |reason: String| format!("front matter: {reason}");
    let map = match document::parse(ToolFileFormat::Yaml, yaml?.as_bytes()).map_err(within)? {
        // Other programs use front matter, too.
        Some(Value::Object(map)) if !IS_TOOL.iter().any(|key| map.contains_key(*key)) => {
            return Ok(None);
        }
        Some(Value::Object(map)) => map,
        None => return Ok(None),
        Some(other) => {
            return Err(within(format!("it is {}; it must be a table", type_name(&other))));
        }
    };
    parse(stem, map).map(Some).map_err(within)
}

fn parse(stem: &str, map: serde_json::Map<String, Value>) -> Result<ToolHeader, String> {
    let mut table = DocumentTable::new("", map, &KEYS)?;
    let name = table.text("name")?.unwrap_or_else(|| stem.to_owned());
    let mut header =
        ToolHeader { tool: manifest::described(name, &mut table)?, ..ToolHeader::default() };
    header.input = table.text("input")?.map(|word| header::input(&word)).transpose()?;
    header.env = table.texts("env")?.unwrap_or_default();
    Ok(header)
}

/// The text between the fences, without comment markers; an error if the second one is missing.
fn fenced(text: &str) -> Option<Result<String, String>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines();
    let mut first = lines.next()?;
    while first.trim().is_empty() || first.starts_with("#!") {
        first = lines.next()?;
    }
    let first = first.trim();
    let opening = ["/**", "/*", "\"\"\"", "'''"].into_iter().find(|mark| first.starts_with(mark));
    let mark = match opening {
        Some(opening) => {
            let rest = first[opening.len()..].trim();
            if rest.is_empty() && without_star(lines.next()?).trim() != FENCE {
                return None;
            }
            if !rest.is_empty() && rest != FENCE {
                return None;
            }
            None
        }
        None => {
            let mark = ["#", "//", "--"].into_iter().find(|mark| first.starts_with(mark))?;
            if first[mark.len()..].trim() != FENCE {
                return None;
            }
            Some(mark)
        }
    };
    let mut yaml = String::new();
    for line in lines {
        let line = match mark {
            Some(mark) => match line.strip_prefix(mark) {
                Some(rest) => rest.strip_prefix(' ').unwrap_or(rest),
                None => break,
            },
            None => without_star(line),
        };
        let is_fence = line.trim_end().strip_prefix(FENCE).is_some_and(|rest| {
            let rest = rest.trim();
            rest.is_empty() || ["*/", "\"\"\"", "'''"].contains(&rest)
        });
        if is_fence {
            return Some(Ok(yaml));
        }
        yaml.push_str(line);
        yaml.push('\n');
    }
    Some(Err("the front matter is not closed: add a line with `---` below it".to_owned()))
}

/// A line of a block comment without the star that decorates it.
fn without_star(line: &str) -> &str {
    match line.trim_start().strip_prefix('*') {
        Some(rest) if !rest.starts_with('/') => rest.strip_prefix(' ').unwrap_or(rest),
        _ => line,
    }
}
