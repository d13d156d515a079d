//! Manifests: one `manifest.json` that lists a folder's tools, read without loading any of them.
//!
//! ```json
//! {
//!   "tools": [
//!     {
//!       "name": "fetch-data",
//!       "description": "Fetch data from a URL",
//!       "path": "./fetch-data.ts",
//!       "args": { "url": { "type": "string", "required": true }, "format": { "type": "string", "default": "json" } }
//!     }
//!   ]
//! }
//! ```
//!
//! `path` is relative to the manifest and names an executable or a module; `title`, `keywords` and
//! `visibility` are optional. [`build`] writes such a file from the tools' own definitions,
//! [`check`] compares the two.

mod drift;

pub use drift::{ProbedDefinition, build, check};

use super::described::{DescribedTool, FileInspection, RecipePlan};
use super::document::{self, DocumentTable, ToolFileFormat, sort_of};
use super::header::visibility;
use super::parameters::{self, Parameter};
use super::place::FileInRoot;
use serde_json::{Map, Value};
use toolscout_core::{Diagnostic, DiagnosticKind, RawJson};

const KEYS: [&str; 7] = ["name", "title", "description", "keywords", "visibility", "path", "args"];

/// Parses a manifest.
pub(super) fn read(bytes: &[u8], place: &FileInRoot<'_>) -> FileInspection {
    let tools = match entries(bytes) {
        Ok(Some(tools)) => tools,
        Ok(None) => return FileInspection::quiet("lists no tools"),
        Err(reason) => return FileInspection::broken(reason),
    };
    let mut reading = FileInspection::default();
    for (at, value) in tools.into_iter().enumerate() {
        let name = value
            .get("name")
            .and_then(Value::as_str)
            .map(|it| format!(" (`{it}`)"))
            .unwrap_or_default();
        let said = |reason: String| format!("tool {}{name}: {reason}", at + 1);
        let listed = match listed(value) {
            Ok(listed) => listed,
            Err(reason) => {
                reading.diagnostics.push(Diagnostic::warning(DiagnosticKind::Broken, said(reason)));
                continue;
            }
        };
        match place.inside(&listed.path) {
            Some(target) => {
                reading.claims.push(target.clone());
                reading
                    .tools
                    .push(DescribedTool { plan: RecipePlan::Target(target), ..listed.described });
            }
            None => {
                let reason = format!("`{}` leads out of the folder, so it is refused", listed.path);
                reading
                    .diagnostics
                    .push(Diagnostic::warning(DiagnosticKind::Forbidden, said(reason)));
            }
        }
        reading.diagnostics.extend(listed.unknown.map(|it| {
            Diagnostic::debug(DiagnosticKind::Broken, said(format!("unknown key `{it}`")))
        }));
    }
    reading
}

/// The list of tools; `None` if the file is a manifest of another program.
fn entries(bytes: &[u8]) -> Result<Option<Vec<Value>>, String> {
    match document::parse(ToolFileFormat::Json, bytes)? {
        None => Ok(None),
        Some(Value::Object(mut map)) => match map.shift_remove("tools") {
            None => Ok(None),
            Some(Value::Array(tools)) => Ok(Some(tools)),
            Some(other) => Err(format!("`tools` is {}; it must be a list", sort_of(&other))),
        },
        Some(other) => {
            Err(format!("is {}; a manifest is an object with a list of `tools`", sort_of(&other)))
        }
    }
}

/// One entry, with its path as written.
struct ManifestEntry {
    described: DescribedTool,
    path: String,
    /// An unknown key. Other programs write manifests too, so an unknown key alone is not an error.
    unknown: Option<String>,
}

fn listed(value: Value) -> Result<ManifestEntry, String> {
    let Value::Object(mut map) = value else {
        return Err(format!("is {}; it must be an object", sort_of(&value)));
    };
    let unknown = map.keys().find(|it| !KEYS.contains(&it.as_str())).cloned();
    map.retain(|key, _| KEYS.contains(&key.as_str()));
    let mut table = DocumentTable::new("", map, &KEYS)?;
    let name = table.text("name")?.ok_or("no `name`: every tool needs one")?;
    if name.is_empty() {
        return Err("the tool's name is empty".to_owned());
    }
    let path = table.text("path")?.ok_or("no `path`")?;
    if path.is_empty() {
        return Err("`path` is empty".to_owned());
    }
    let described = DescribedTool {
        title: table.text("title")?,
        description: table.text("description")?,
        keywords: table.texts("keywords")?.unwrap_or_default(),
        visibility: table
            .text("visibility")?
            .map(|it| visibility(&it))
            .transpose()?
            .unwrap_or_default(),
        input_schema: table.table("args")?.map(input_schema).transpose()?,
        name,
        ..DescribedTool::default()
    };
    Ok(ManifestEntry { described, path, unknown })
}

fn input_schema(args: Map<String, Value>) -> Result<RawJson, String> {
    let parameter = |(name, value): (String, Value)| match value {
        Value::Object(keys) => Parameter::new(&name, keys),
        other => Err(format!("parameter `{name}` is {}; it must be an object", sort_of(&other))),
    };
    parameters::input_schema(args.into_iter().map(parameter).collect::<Result<_, _>>()?)
}
