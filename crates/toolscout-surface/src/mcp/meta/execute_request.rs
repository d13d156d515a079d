//! The input of `execute_tool`, read from whatever a model wrote.

use super::repair::{WRAPPERS, fits, repair};
use super::{EXECUTE, SEARCH, failure};
use serde_json::{Map, Value};
use toolscout_core::{Arguments, Digest, RawJson, Tool, ToolOutput};
use toolscout_gateway::{ArgumentValidator, Error};

/// Keys that models use for the name of the tool.
const NAME_KEYS: [&str; 5] = ["name", "tool", "tool_name", "toolName", "id"];
/// Maximum nesting depth of a call within a call.
const MAX_DEPTH: usize = 4;

/// A tool, and arguments for it.
#[derive(Debug, PartialEq)]
pub(crate) struct ExecuteRequest {
    /// Any form of a name, as the model wrote it.
    pub(crate) name: String,
    /// The digest of the definition that the model has read.
    pub(crate) expect: Option<Digest>,
    /// All other keys of the input.
    rest: Map<String, Value>,
}

impl ExecuteRequest {
    /// Reads the input. The error is the result of the call.
    pub(crate) fn parse(input: Option<&RawJson>) -> Result<Self, ToolOutput> {
        let mut rest = match input.map_or(Value::Null, RawJson::to_value) {
            Value::Object(map) if map.contains_key(NAME_KEYS[0]) => map,
            other => innermost_call(other),
        };
        let name = NAME_KEYS
            .into_iter()
            .find(|key| rest.get(*key).is_some_and(|name| !trimmed(name).is_empty()));
        let Some(name) =
            name.and_then(|key| rest.shift_remove(key)).map(|name| trimmed(&name).to_owned())
        else {
            return Err(ToolOutput::failure("Tool name is required"));
        };
        if matches!(name.as_str(), SEARCH | EXECUTE) {
            return Err(failure::recursion(&name));
        }
        let expect = take_expected_digest(&mut rest)?;
        Ok(Self { name, expect, rest })
    }

    /// The arguments without repair, if the input is well-formed. They are not checked yet.
    pub(crate) fn plain_arguments(&self) -> Option<&Arguments> {
        let named = |key: &&str| self.rest.get(*key).and_then(Value::as_object);
        WRAPPERS[..2].iter().find_map(named).filter(|_| self.rest.len() == 1)
    }

    /// The arguments for this tool: unchanged if they fit, else repaired. If the repair fails too,
    /// the closest attempt is returned, and the gateway rejects it. The error is the result of the
    /// call.
    pub(crate) fn arguments(&self, tool: &Tool) -> Result<Arguments, ToolOutput> {
        let validator = ArgumentValidator::new(tool).map_err(|error| failure(tool, &error))?;
        let given = interpretations(self.rest.clone());
        let fitting = given.iter().filter_map(Value::as_object).find(|item| fits(&validator, item));
        if let Some(arguments) = fitting {
            return Ok(arguments.clone());
        }
        let schema = tool.input_schema.to_value();
        let mut nearest = None;
        for given in &given {
            let Some(repaired) = repair(&validator, &schema, given.clone()) else { continue };
            if fits(&validator, &repaired.arguments) {
                tracing::debug!(event = "arguments_repaired", tool = %tool.id, how = repaired.repairs.join("; "));
                return Ok(repaired.arguments);
            }
            nearest.get_or_insert(repaired.arguments);
        }
        nearest.ok_or_else(|| failure::no_object(tool))
    }

    /// The error message of a failed call; if its arguments are invalid, with an example.
    pub(crate) fn failure(&self, tool: &Tool, error: &Error) -> ToolOutput {
        let given = match error {
            Error::InvalidArguments { .. } => self.arguments(tool).unwrap_or_default(),
            _ => Arguments::new(),
        };
        failure::with_given(tool, error, &given)
    }
}

/// Finds the call in the input, which may be a JSON text, or nested in another call that has no
/// name of its own.
fn innermost_call(given: Value) -> Map<String, Value> {
    let mut map = object(given).unwrap_or_default();
    for _ in 0..MAX_DEPTH {
        let is_named = NAME_KEYS.iter().any(|name| map.contains_key(*name));
        let inner =
            WRAPPERS.into_iter().find(|wrapper| map.contains_key(*wrapper)).filter(|_| !is_named);
        match inner.and_then(|inner| map.get(inner)).cloned().and_then(object) {
            Some(inner) => map = inner,
            None => break,
        }
    }
    map
}

fn object(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(map) => Some(map),
        Value::String(text) => object(serde_json::from_str(&text).ok()?),
        _ => None,
    }
}

/// A name without the quotes that models put around it.
fn trimmed(name: &Value) -> &str {
    name.as_str()
        .unwrap_or_default()
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\''))
}

/// The expected digest. An invalid value may be an argument of the tool, if the arguments stand
/// directly beside the name.
fn take_expected_digest(map: &mut Map<String, Value>) -> Result<Option<Digest>, ToolOutput> {
    let digest = match map.get("expect") {
        None => return Ok(None),
        Some(Value::Null) => None,
        Some(Value::String(text)) if text.trim().is_empty() => None,
        Some(given) => match given.as_str().and_then(|value| Digest::from_hex(value.trim())) {
            Some(digest) => Some(digest),
            None if WRAPPERS.iter().any(|wrapper| map.contains_key(*wrapper)) => {
                let text =
                    "`expect` is not a digest: pass the `digest` from tool_search, or omit it";
                return Err(ToolOutput::failure(text));
            }
            None => return Ok(None),
        },
    };
    map.shift_remove("expect");
    Ok(digest)
}

/// The possible arguments, most likely first, and never empty: the value of a known key, that value
/// merged with the keys beside it, or the whole input.
fn interpretations(mut map: Map<String, Value>) -> Vec<Value> {
    // The well-formed and most frequent case.
    if map.len() == 1 && map.get(WRAPPERS[0]).is_some_and(Value::is_object) {
        return map.remove(WRAPPERS[0]).into_iter().collect();
    }
    let wrapper_keys: Vec<_> =
        WRAPPERS.into_iter().filter(|wrapper| map.contains_key(*wrapper)).collect();
    let Some(first) = wrapper_keys.first() else { return vec![Value::Object(map)] };
    let mut siblings = map.clone();
    wrapper_keys.iter().for_each(|key| drop(siblings.remove(*key)));
    let mut interpretations: Vec<_> =
        wrapper_keys.iter().map(|key| map[*key].clone()).map(null_to_empty).collect();
    if let (false, Some(inner)) = (siblings.is_empty(), interpretations[0].as_object()) {
        let is_empty = inner.is_empty();
        let mut both = inner.clone();
        for (name, value) in siblings {
            both.entry(name).or_insert(value);
        }
        // If the wrapped arguments are empty, the keys beside them are more likely the arguments.
        interpretations.insert(usize::from(!is_empty), Value::Object(both));
    }
    let is_only = map.len() == 1 && *first == WRAPPERS[0];
    if !is_only {
        interpretations.push(Value::Object(map));
    }
    interpretations
}

fn null_to_empty(value: Value) -> Value {
    if value.is_null() { Value::Object(Map::new()) } else { value }
}
