//! The action of a tool in a tool file: `[run]` or `[http]`.

use super::ToolFileError;
use crate::document::{DocumentTable, did_you_mean, type_name};
use crate::file_in_root::FileInRoot;
use crate::header::input;
use crate::recipe::{
    ArgumentPassing, CommandRecipe, DEFAULT_TIMEOUT_MS, HttpRecipe, Recipe, WorkingFolder,
};
use crate::template;
use serde_json::{Map, Value};
use std::path::Path;
use toolscout_core::RawJson;

/// How the tool runs, and the files that it claims.
pub(super) struct Action {
    pub(super) recipe: Recipe,
    pub(super) claims: Vec<String>,
    /// A harmless oddity to report.
    pub(super) note: Option<String>,
}

pub(super) fn read(
    table: &mut DocumentTable,
    schema: &RawJson,
    file: &FileInRoot<'_>,
) -> Result<Action, ToolFileError> {
    match (table.table("run")?, table.table("http")?) {
        (Some(run), None) => command(run, schema, file),
        (None, Some(http)) => Ok(Action {
            recipe: Recipe::Http(request(http, schema)?),
            claims: Vec::new(),
            note: None,
        }),
        (Some(_), Some(_)) => Err("both `[run]` and `[http]`: keep one".into()),
        (None, None) => Err("missing `[run]` or `[http]`".into()),
    }
}

fn command(
    map: Map<String, Value>,
    schema: &RawJson,
    file: &FileInRoot<'_>,
) -> Result<Action, ToolFileError> {
    let mut table = DocumentTable::new(
        "[run] ",
        map,
        &["command", "input", "args", "env", "cwd", "timeout_ms"],
    )?;
    let argv = argv(&mut table)?;
    if is_path(&argv[0]) && file.resolve(&argv[0]).is_none() {
        return Err(ToolFileError::Forbidden(format!(
            "[run] `{}` is outside the folder, so it is not run",
            argv[0]
        )));
    }
    let given = table.text("input")?;
    let templates = table.texts("args")?;
    let mut note = None;
    let input = match (given.as_deref(), templates) {
        (None | Some("args"), Some(templates)) => {
            check_placeholders("[run] `args`", &templates, schema)?;
            ArgumentPassing::Args(templates)
        }
        (Some(word), templates) => {
            note = templates.map(|_| format!("[run] `args` is not used with `input = \"{word}\"`"));
            input(word).map_err(|reason| format!("[run] {reason}"))?
        }
        (None, None) => ArgumentPassing::Stdin,
    };
    let cwd = working_folder(&mut table, file)?;
    let claims = claims(&argv, &cwd, file);
    let recipe = Recipe::Command(CommandRecipe {
        argv,
        folder: file.folder(),
        cwd,
        input,
        env: table.texts("env")?.unwrap_or_default(),
        timeout_ms: table.milliseconds("timeout_ms")?.unwrap_or(DEFAULT_TIMEOUT_MS),
    });
    Ok(Action { recipe, claims, note })
}

/// The files of the root that a command names. Its program is relative to the tool file, its
/// arguments are relative to the working folder.
fn claims(argv: &[String], cwd: &WorkingFolder, file: &FileInRoot<'_>) -> Vec<String> {
    let from_root = FileInRoot { root: file.root, relative: "" };
    let from_path = |folder: &Path, given: &String| {
        let folder = folder.strip_prefix(file.root).ok()?.to_str()?;
        from_root.resolve(&format!("./{folder}/{given}"))
    };
    let arguments = argv.iter().skip(1).filter_map(|given| match cwd {
        WorkingFolder::File => file.resolve(given),
        WorkingFolder::Project | WorkingFolder::Caller => from_root.resolve(given),
        WorkingFolder::Path(folder) => from_path(folder, given),
    });
    let program = argv.first().and_then(|program| file.resolve(program));
    program.into_iter().chain(arguments).filter(|inside| !inside.is_empty()).collect()
}

fn working_folder(
    table: &mut DocumentTable,
    file: &FileInRoot<'_>,
) -> Result<WorkingFolder, ToolFileError> {
    match table.text("cwd")?.as_deref() {
        None | Some("file") => Ok(WorkingFolder::File),
        Some("project") => Ok(WorkingFolder::Project),
        Some("caller") => Ok(WorkingFolder::Caller),
        Some(path) => {
            let inside = file.resolve(path).ok_or_else(|| {
                ToolFileError::Forbidden(format!(
                    "[run] `cwd` is `{path}`, outside the folder; write `caller`, `file`, `project` \
                     or a path inside"
                ))
            })?;
            Ok(WorkingFolder::Path(file.root.join(inside)))
        }
    }
}

fn argv(table: &mut DocumentTable) -> Result<Vec<String>, String> {
    const EXAMPLE: &str = "write it as a list such as [\"python3\", \"fetch.py\"]";
    let items = match table.take("command") {
        None => return Err(format!("[run] missing `command`: {EXAMPLE}")),
        Some(Value::Array(items)) => items,
        Some(other) => return Err(format!("[run] `command` is {}: {EXAMPLE}", type_name(&other))),
    };
    let argv = items.into_iter().map(|item| match item {
        Value::String(text) if text.contains('\0') => {
            Err("[run] `command` contains a NUL character".to_owned())
        }
        Value::String(text) => Ok(text),
        other => Err(format!("[run] `command` contains {}: {EXAMPLE}", type_name(&other))),
    });
    let argv: Vec<String> = argv.collect::<Result<_, _>>()?;
    match argv.first() {
        None => Err(format!("[run] `command` is empty: {EXAMPLE}")),
        Some(program) if program.trim().is_empty() => {
            Err("[run] `command` starts with an empty string".to_owned())
        }
        Some(_) => Ok(argv),
    }
}

/// A program with a `/` is a file of the folder; one without is searched in PATH when it runs.
fn is_path(program: &str) -> bool {
    program.contains(std::path::is_separator)
}

/// Every `{name}` of the templates must be a parameter: a typo would silently drop an argument on
/// each call.
fn check_placeholders<'a>(
    key: &str,
    templates: impl IntoIterator<Item = &'a String>,
    schema: &RawJson,
) -> Result<(), String> {
    let schema = schema.to_value();
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Ok(());
    };
    for name in templates.into_iter().flat_map(|template| template::argv_names(template)) {
        // `{outer.inner}` is a part of the parameter `outer`.
        let outer = name.split('.').next().unwrap_or(name);
        if !properties.contains_key(name) && !properties.contains_key(outer) {
            let known: Vec<&str> = properties.keys().map(String::as_str).collect();
            return Err(format!(
                "{key} uses `{{{name}}}`, which is not a parameter{}",
                did_you_mean(name, &known)
            ));
        }
    }
    Ok(())
}

fn request(map: Map<String, Value>, schema: &RawJson) -> Result<HttpRecipe, String> {
    let mut table = DocumentTable::new(
        "[http] ",
        map,
        &["method", "url", "headers", "body", "env", "timeout_ms"],
    )?;
    let url = table.text("url")?.ok_or("[http] missing `url`")?;
    if !(url.starts_with("http://") || url.starts_with("https://")) {
        return Err(format!("[http] `url` is `{url}`; it must start with http:// or https://"));
    }
    check_placeholders("[http] `url`", [&url], schema)?;
    Ok(HttpRecipe {
        method: method(table.text("method")?)?,
        url,
        headers: headers(&mut table)?,
        body: match table.take("body") {
            None => None,
            Some(Value::String(text)) => Some(text),
            Some(tree @ (Value::Object(_) | Value::Array(_))) => Some(tree.to_string()),
            Some(other) => {
                return Err(format!(
                    "[http] `body` is {}; it must be a string or a table",
                    type_name(&other)
                ));
            }
        },
        env: table.texts("env")?.unwrap_or_default(),
        timeout_ms: table.milliseconds("timeout_ms")?.unwrap_or(DEFAULT_TIMEOUT_MS),
    })
}

fn method(word: Option<String>) -> Result<String, String> {
    let word = word.map_or_else(|| "GET".to_owned(), |word| word.to_ascii_uppercase());
    match word.as_str() {
        "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" => Ok(word),
        _ => Err(format!(
            "[http] `method` is `{word}`; it must be GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS"
        )),
    }
}

fn headers(table: &mut DocumentTable) -> Result<Vec<(String, String)>, String> {
    let header = |(name, value): (String, Value)| match value {
        Value::String(text) => Ok((name, text)),
        Value::Number(number) => Ok((name, number.to_string())),
        other => {
            Err(format!("[http] the header `{name}` is {}; it must be a string", type_name(&other)))
        }
    };
    table.table("headers")?.unwrap_or_default().into_iter().map(header).collect()
}
