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
//! `path` is relative to the manifest and names an executable or a module; `title`, `keywords`,
//! `visibility` and `timeout` are optional. [`build`] writes such a file from the tools' own definitions,
//! [`check`] compares the two.

mod drift;

pub use drift::{ProbedDefinition, build, check};

use super::described::{DescribedTool, FileInspection, RecipePlan};
use super::document::{self, DocumentTable, ToolFileFormat, type_name};
use super::file_in_root::FileInRoot;
use super::header::{read_visibility, timeout};
use super::parameters::{self, Parameter};
use serde_json::{Map, Value};
use toolscout_core::{Diagnostic, DiagnosticKind, RawJson};

const KEYS: [&str; 9] = [
    "name",
    "title",
    "description",
    "keywords",
    "visibility",
    "discoverable",
    "path",
    "args",
    "timeout",
];

/// Parses a manifest.
pub(super) fn read(bytes: &[u8], file: &FileInRoot<'_>) -> FileInspection {
    let tools = match entries(bytes) {
        Ok(Some(tools)) => tools,
        Ok(None) => return FileInspection::quiet("it lists no tools"),
        Err(reason) => return FileInspection::broken(reason),
    };
    let mut inspection = FileInspection::default();
    for (at, value) in tools.into_iter().enumerate() {
        let name = value
            .get("name")
            .and_then(Value::as_str)
            .map(|text| format!(" (`{text}`)"))
            .unwrap_or_default();
        let prefixed = |reason: String| format!("tool {}{name}: {reason}", at + 1);
        let listed = match parse_entry(value) {
            Ok(listed) => listed,
            Err(reason) => {
                inspection
                    .diagnostics
                    .push(Diagnostic::warning(DiagnosticKind::Broken, prefixed(reason)));
                continue;
            }
        };
        match file.resolve(&listed.path) {
            Some(target) => {
                inspection.claims.push(target.clone());
                inspection
                    .tools
                    .push(DescribedTool { plan: RecipePlan::Target(target), ..listed.described });
            }
            None => {
                let reason = format!("`{}` is outside the folder, so it is refused", listed.path);
                inspection
                    .diagnostics
                    .push(Diagnostic::warning(DiagnosticKind::Forbidden, prefixed(reason)));
            }
        }
        inspection.diagnostics.extend(listed.unknown.map(|unknown| {
            Diagnostic::debug(DiagnosticKind::Broken, prefixed(format!("unknown key `{unknown}`")))
        }));
    }
    inspection
}

/// The list of tools; `None` if the file is a manifest of another program.
fn entries(bytes: &[u8]) -> Result<Option<Vec<Value>>, String> {
    match document::parse(ToolFileFormat::Json, bytes)? {
        None => Ok(None),
        Some(Value::Object(mut map)) => match map.shift_remove("tools") {
            None => Ok(None),
            Some(Value::Array(tools)) => Ok(Some(tools)),
            Some(other) => Err(format!("`tools` is {}; it must be a list", type_name(&other))),
        },
        Some(other) => Err(format!(
            "it is {}; a manifest must be an object with a list of `tools`",
            type_name(&other)
        )),
    }
}

/// One entry, with its path as written.
struct ManifestEntry {
    described: DescribedTool,
    path: String,
    /// An unknown key. Other programs write manifests too, so an unknown key alone is not an error.
    unknown: Option<String>,
}

fn parse_entry(value: Value) -> Result<ManifestEntry, String> {
    let Value::Object(mut map) = value else {
        return Err(format!("it is {}; it must be an object", type_name(&value)));
    };
    let unknown = map.keys().find(|key| !KEYS.contains(&key.as_str())).cloned();
    map.retain(|key, _| KEYS.contains(&key.as_str()));
    let mut table = DocumentTable::new("", map, &KEYS)?;
    let name = table.text("name")?.ok_or("missing `name`")?;
    if name.is_empty() {
        return Err("the tool name is empty".to_owned());
    }
    let path = table.text("path")?.ok_or("missing `path`")?;
    if path.is_empty() {
        return Err("`path` is empty".to_owned());
    }
    let described = described(name, &mut table)?;
    Ok(ManifestEntry { described, path, unknown })
}

/// The keys that describe a tool: those of an entry without `path`. Front matter has the same keys.
pub(super) fn described(name: String, table: &mut DocumentTable) -> Result<DescribedTool, String> {
    Ok(DescribedTool {
        title: table.text("title")?,
        description: table.text("description")?,
        keywords: table.texts("keywords")?.unwrap_or_default(),
        visibility: read_visibility(table)?,
        input_schema: table.table("args")?.map(input_schema).transpose()?,
        timeout_ms: table.text("timeout")?.map(|text| timeout(&text)).transpose()?,
        name,
        ..DescribedTool::default()
    })
}

fn input_schema(args: Map<String, Value>) -> Result<RawJson, String> {
    let parameter = |(name, value): (String, Value)| match value {
        Value::Object(keys) => Parameter::new(&name, keys),
        other => Err(format!("parameter `{name}` is {}; it must be an object", type_name(&other))),
    };
    parameters::input_schema(args.into_iter().map(parameter).collect::<Result<_, _>>()?)
}
