//! Tool files: `*.tool.toml`, `*.tool.json`, `*.tool.yaml`.
//!
//! ```toml
//! name = "fetch-data"
//! description = "Fetch data from a URL"
//! keywords = ["http", "download"]
//! visibility = "searchable"            # or "listed"
//! [[parameters]]                       # or a whole JSON Schema: input_schema = { … }
//! name = "url"
//! type = "string"
//! required = true
//! [run]                                # or [http]: method, url, headers, body, env, timeout_ms
//! command = ["python3", "fetch.py"]    # argv, never a shell; a program with `/` is relative to this file
//! cwd = "project"                      # or "caller", "file" (the default), a path inside the folder
//! input = "args"                       # or "stdin" (one JSON object; the default), "env"
//! args = ["--url", "{url}"]
//! env = ["API_TOKEN"]
//! timeout_ms = 30000
//! [cli]
//! separator = "."                      # joins nested names; `arrays = "json"` wants one JSON array per flag
//! [cli.url]
//! short = "u"
//! ```
//!
//! Several tools in one file are `[[tool]]` tables with these keys; the one with `default = true`
//! comes first. Each mistake has its own reason, and one invalid tool does not hide the others.

mod action;
mod hints;

use super::described::{DescribedTool, FileInspection, RecipePlan};
use super::document::{self, DocumentTable, ToolFileFormat, type_name};
use super::file_in_root::FileInRoot;
use super::header::read_visibility;
use super::parameters::{self, Parameter};
use serde_json::{Map, Value};
use toolscout_core::{Diagnostic, DiagnosticKind, RawJson};

const KEYS: [&str; 18] = [
    // For editors; ignored here.
    "$schema",
    "name",
    "title",
    "description",
    "keywords",
    "visibility",
    "discoverable",
    "parameters",
    "input_schema",
    "inputSchema",
    "output_schema",
    "outputSchema",
    "annotations",
    "run",
    "http",
    "cli",
    "default",
    "tool",
];

/// The format of a tool file with this name; `None` if it is not a tool file.
pub(super) fn format(name: &str) -> Option<ToolFileFormat> {
    let (stem, extension) = name.rsplit_once('.')?;
    let format = match extension {
        "toml" => ToolFileFormat::Toml,
        "json" => ToolFileFormat::Json,
        "yaml" | "yml" => ToolFileFormat::Yaml,
        _ => return None,
    };
    // `.tool.toml` alone has no name.
    stem.strip_suffix(".tool").filter(|rest| !rest.is_empty()).map(|_| format)
}

/// Parses a tool file.
pub(super) fn read(format: ToolFileFormat, bytes: &[u8], file: &FileInRoot<'_>) -> FileInspection {
    let map = match document::parse(format, bytes) {
        Ok(Some(Value::Object(map))) => map,
        Ok(None) => return FileInspection::quiet("it has no tools"),
        Ok(Some(other)) => {
            let reason =
                format!("it is {}; a tool file must be a table with a `name`", type_name(&other));
            return FileInspection::broken(reason);
        }
        Err(reason) => return FileInspection::broken(reason),
    };
    if map.contains_key("tool") { read_several(map, file) } else { read_one(map, file) }
}

/// The reason why a tool is rejected.
enum ToolFileError {
    Broken(String),
    Forbidden(String),
}

impl From<String> for ToolFileError {
    fn from(reason: String) -> Self {
        Self::Broken(reason)
    }
}

impl From<&str> for ToolFileError {
    fn from(reason: &str) -> Self {
        Self::Broken(reason.to_owned())
    }
}

impl ToolFileError {
    fn into_diagnostic(self, prefix: &str) -> Diagnostic {
        match self {
            Self::Broken(reason) => {
                Diagnostic::warning(DiagnosticKind::Broken, format!("{prefix}{reason}"))
            }
            Self::Forbidden(reason) => {
                Diagnostic::warning(DiagnosticKind::Forbidden, format!("{prefix}{reason}"))
            }
        }
    }
}

fn read_one(map: Map<String, Value>, file: &FileInRoot<'_>) -> FileInspection {
    let mut inspection = FileInspection::default();
    match tool(map, file, &mut inspection) {
        Ok((tool, _)) => inspection.tools.push(tool),
        Err(error) => inspection.diagnostics.push(error.into_diagnostic("")),
    }
    inspection
}

fn read_several(mut map: Map<String, Value>, file: &FileInRoot<'_>) -> FileInspection {
    let Some(Value::Array(tables)) = map.shift_remove("tool") else {
        return FileInspection::broken("`tool` must be a list of tables: write `[[tool]]`");
    };
    if let Some(key) = map.keys().find(|key| *key != "$schema") {
        return FileInspection::broken(format!(
            "`{key}` is outside `[[tool]]`; move it into one of the tools"
        ));
    }
    let mut inspection = FileInspection::default();
    let mut first = None;
    for (at, table) in tables.into_iter().enumerate() {
        let name = table
            .get("name")
            .and_then(Value::as_str)
            .map(|text| format!(" (`{text}`)"))
            .unwrap_or_default();
        let prefix = format!("tool {}{name}: ", at + 1);
        let read = match table {
            Value::Object(map) if map.contains_key("tool") => {
                Err("`[[tool]]` cannot contain another `[[tool]]`".into())
            }
            Value::Object(map) => tool(map, file, &mut inspection),
            other => Err(format!("it is {}; it must be a table", type_name(&other)).into()),
        };
        match read {
            Ok((_, true)) if first.is_some() => inspection.diagnostics.push(Diagnostic::warning(
                DiagnosticKind::Broken,
                format!("{prefix}another tool already has `default = true`"),
            )),
            Ok((tool, true)) => first = Some(tool),
            Ok((tool, false)) => inspection.tools.push(tool),
            Err(error) => inspection.diagnostics.push(error.into_diagnostic(&prefix)),
        }
    }
    inspection.tools.splice(..0, first);
    inspection
}

/// Parses one tool, and whether it is the default one of the file. Claims and debug diagnostics go
/// into `inspection`.
fn tool(
    map: Map<String, Value>,
    file: &FileInRoot<'_>,
    inspection: &mut FileInspection,
) -> Result<(DescribedTool, bool), ToolFileError> {
    let mut table = DocumentTable::new("", map, &KEYS)?;
    let name = table.text("name")?.ok_or("missing `name`")?;
    if name.is_empty() {
        return Err("the tool name is empty".into());
    }
    let input_schema = input_schema(&mut table)?;
    let action = action::read(&mut table, &input_schema, file)?;
    let described = DescribedTool {
        title: table.text("title")?,
        description: table.text("description")?,
        keywords: table.texts("keywords")?.unwrap_or_default(),
        output_schema: schema(&mut table, "output_schema", "outputSchema")?,
        annotations: table
            .table("annotations")?
            .map(|table| RawJson::from_value(&Value::Object(table))),
        visibility: read_visibility(&mut table)?,
        cli: table.table("cli")?.map(hints::read).transpose()?.unwrap_or_default(),
        input_schema: Some(input_schema),
        name,
        // `[run]` and `[http]` have it in the recipe.
        timeout_ms: None,
        plan: RecipePlan::Ready(action.recipe),
    };
    let is_default = table.flag("default")?.unwrap_or(false);
    inspection.claims.extend(action.claims);
    inspection
        .diagnostics
        .extend(action.note.map(|note| Diagnostic::debug(DiagnosticKind::Broken, note)));
    Ok((described, is_default))
}

/// The input schema, as a whole or from the short form; without either, the tool takes no
/// arguments.
fn input_schema(table: &mut DocumentTable) -> Result<RawJson, String> {
    let whole = schema(table, "input_schema", "inputSchema")?;
    let parameters = match table.take("parameters") {
        None => return whole.map_or_else(|| parameters::input_schema(Vec::new()), Ok),
        Some(_) if whole.is_some() => {
            return Err("both `parameters` and `input_schema`: keep one".to_owned());
        }
        Some(Value::Array(parameters)) => parameters,
        Some(other) => {
            return Err(format!(
                "`parameters` is {}; it must be a list of tables: write `[[parameters]]`",
                type_name(&other)
            ));
        }
    };
    parameters::input_schema(parameters.into_iter().map(parameter).collect::<Result<_, _>>()?)
}

fn parameter(value: Value) -> Result<Parameter, String> {
    let Value::Object(mut keys) = value else {
        return Err(format!(
            "a parameter is {}; it must be a table with a `name`",
            type_name(&value)
        ));
    };
    match keys.shift_remove("name") {
        Some(Value::String(name)) => Parameter::new(&name, keys),
        Some(other) => {
            Err(format!("a parameter's `name` is {}; it must be a string", type_name(&other)))
        }
        None => Err("a parameter has no `name`".to_owned()),
    }
}

/// A whole JSON Schema, under either spelling of its key.
fn schema(
    table: &mut DocumentTable,
    key: &str,
    other_key: &str,
) -> Result<Option<RawJson>, String> {
    let value = match (table.take(key), table.take(other_key)) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => return Err(format!("both `{key}` and `{other_key}`: keep one")),
        (Some(value), None) | (None, Some(value)) => value,
    };
    let Value::Object(map) = &value else {
        return Err(format!("`{key}` is {}; it must be a JSON Schema object", type_name(&value)));
    };
    match map.get("type") {
        None => {}
        Some(Value::String(word)) if word == "object" => {}
        Some(other) => {
            return Err(format!("`{key}` has the type `{other}`; it must be \"object\""));
        }
    }
    Ok(Some(RawJson::from_value(&value)))
}
