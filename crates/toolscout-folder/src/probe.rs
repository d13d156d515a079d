//! Asks a file what tools it holds. Starts it, so only for what is trusted.

#[cfg(all(test, unix))]
mod tests;

use super::module;
use super::recipe::{Probed, Recipe};
use super::run::executable_task;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use toolscout_core::{Cx, RawJson, SourceError, SourceId, ToolName};
use toolscout_process::{self as child, Limits, Outcome};

/// How long and how much a file may say when asked.
#[derive(Debug, Clone)]
pub struct ProbeLimits {
    /// For one file.
    pub per_file: Duration,
    /// For all files of a source together; kept by who asks them all.
    pub total: Duration,
    /// Bytes of standard output.
    pub output: usize,
}

impl Default for ProbeLimits {
    fn default() -> Self {
        Self { per_file: Duration::from_secs(5), total: Duration::from_secs(20), output: 1 << 20 }
    }
}

/// Asks a file what tools it holds, in its own order. An entry that is no tool comes with the reason; a file that cannot
/// be asked, or whose answer makes no sense, is an error. Reasons do not name the file: another of the same content shares them.
pub async fn probe(
    id: &SourceId,
    recipe: &Recipe,
    limits: &ProbeLimits,
    cx: &Cx,
) -> Result<Vec<Result<Probed, String>>, SourceError> {
    let time = cx.remaining().map_or(limits.per_file, |it| it.min(limits.per_file));
    let limits = Limits { time, stdout: limits.output, ..Limits::default() };
    match recipe {
        Recipe::Executable { program } => executable(id, program, limits, cx).await,
        Recipe::Module { file, flavour } => module::list(id, file, *flavour, limits, cx).await,
        Recipe::Missing { reason } => Err(protocol(id, reason.clone())),
        Recipe::Command(_) | Recipe::Http(_) => Ok(Vec::new()),
    }
}

async fn executable(
    id: &SourceId,
    file: &Path,
    limits: Limits,
    cx: &Cx,
) -> Result<Vec<Result<Probed, String>>, SourceError> {
    let mut task = executable_task(id.clone(), file, cx)?;
    task.args = vec!["tool-schema".into()];
    task.limits = limits;
    let outcome = child::start(&task).await?;
    if !outcome.status.success() {
        return Err(protocol(id, format!("`tool-schema` {}{}", outcome.ending(), last_words(&outcome))));
    }
    let text = String::from_utf8_lossy(&outcome.stdout);
    let entries =
        entries(&text).map_err(|reason| protocol(id, format!("`tool-schema` {reason}{}", last_words(&outcome))))?;
    Ok(entries.iter().map(|it| read(it.as_str())).collect())
}

/// What a program said on standard error, to be put behind a reason.
pub(super) fn last_words(outcome: &Outcome) -> String {
    let text = outcome.stderr_text();
    if text.is_empty() { String::new() } else { format!(": {text}") }
}

fn protocol(id: &SourceId, reason: String) -> SourceError {
    SourceError::Protocol { id: id.clone(), reason }
}

/// One definition, or a list of them.
fn entries(text: &str) -> Result<Vec<RawJson>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("printed nothing; it should print a JSON object with `name` and `inputSchema`".to_owned());
    }
    let whole = RawJson::parse(text).map_err(|err| format!("printed something that is not JSON ({err})"))?;
    match text.as_bytes()[0] {
        b'{' => Ok(vec![whole]),
        b'[' => serde_json::from_str(text).map_err(|err| format!("printed something that is not JSON ({err})")),
        _ => Err("printed JSON that is neither an object nor a list".to_owned()),
    }
}

/// Reads what a file said about one of its tools, strictly: a key we do not know is more likely a slip than a wish.
pub(super) fn read(text: &str) -> Result<Probed, String> {
    let mut keys: BTreeMap<String, RawJson> =
        serde_json::from_str(text).map_err(|_| "a tool must be described by a JSON object".to_owned())?;
    let name = string(&mut keys, "name")?.ok_or("has no `name`")?;
    let within = |reason: String| format!("tool `{name}`: {reason}");
    ToolName::for_command(&name).map_err(|err| err.to_string())?;
    let probed = read_rest(name.clone(), &mut keys).map_err(within)?;
    match keys.keys().next() {
        Some(key) => Err(within(format!("has the unknown key `{key}`"))),
        None => Ok(probed),
    }
}

fn read_rest(name: String, keys: &mut BTreeMap<String, RawJson>) -> Result<Probed, String> {
    Ok(Probed {
        name,
        title: string(keys, "title")?,
        description: string(keys, "description")?,
        keywords: strings(keys, "keywords")?,
        input_schema: schema(keys, "inputSchema")?.ok_or("has no `inputSchema`")?,
        output_schema: schema(keys, "outputSchema")?,
        annotations: object(keys, "annotations")?.map(|(raw, _)| raw),
    })
}

fn present(keys: &mut BTreeMap<String, RawJson>, key: &str) -> Option<(RawJson, Value)> {
    let raw = keys.remove(key)?;
    let value = raw.to_value();
    if value.is_null() { None } else { Some((raw, value)) }
}

fn string(keys: &mut BTreeMap<String, RawJson>, key: &str) -> Result<Option<String>, String> {
    match present(keys, key) {
        None => Ok(None),
        Some((_, Value::String(text))) => Ok(Some(text)),
        Some((_, other)) => Err(format!("`{key}` is {}, not a text", kind(&other))),
    }
}

fn strings(keys: &mut BTreeMap<String, RawJson>, key: &str) -> Result<Vec<String>, String> {
    match present(keys, key) {
        None => Ok(Vec::new()),
        Some((raw, _)) => serde_json::from_str(raw.as_str()).map_err(|_| format!("`{key}` is not a list of texts")),
    }
}

fn object(keys: &mut BTreeMap<String, RawJson>, key: &str) -> Result<Option<(RawJson, Value)>, String> {
    match present(keys, key) {
        None => Ok(None),
        Some((raw, value @ Value::Object(_))) => Ok(Some((raw, value))),
        Some((_, other)) => Err(format!("`{key}` is {}, not an object", kind(&other))),
    }
}

fn schema(keys: &mut BTreeMap<String, RawJson>, key: &str) -> Result<Option<RawJson>, String> {
    let Some((raw, value)) = object(keys, key)? else { return Ok(None) };
    match value.get("type") {
        None => Ok(Some(raw)),
        Some(Value::String(kind)) if kind == "object" => Ok(Some(raw)),
        Some(other) => Err(format!("`{key}` has the type {other}; it must be \"object\"")),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
