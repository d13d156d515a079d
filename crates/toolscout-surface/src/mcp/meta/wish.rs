//! What a model wants to have run, read from whatever it wrote.

use super::repair::{WRAPPERS, fits, repair};
use super::{EXECUTE, SEARCH, failure};
use serde_json::{Map, Value};
use toolscout_core::{Arguments, Digest, RawJson, Tool, ToolOutput};
use toolscout_gateway::{ArgumentValidator, Error};

/// What else the name of the tool is called.
const NAMES: [&str; 5] = ["name", "tool", "tool_name", "toolName", "id"];
/// A call within a call within a call is read so deep.
const DEEPEST: usize = 4;

/// A tool, and arguments for it.
#[derive(Debug, PartialEq)]
pub(crate) struct Wish {
    /// Any form of a name, as it was written.
    pub(crate) name: String,
    /// The definition that the model has read.
    pub(crate) expect: Option<Digest>,
    /// What the arguments may be, likeliest first; never empty.
    given: Vec<Value>,
    is_plain: bool,
}

impl Wish {
    /// Reads the arguments of `execute_tool`. The error is the answer.
    pub(crate) fn read(arguments: Option<&RawJson>) -> Result<Self, ToolOutput> {
        let mut map = whole_call(arguments.map_or(Value::Null, RawJson::to_value));
        let name = NAMES.into_iter().find(|it| map.get(*it).is_some_and(|it| !written(it).is_empty()));
        let Some(name) = name.and_then(|it| map.shift_remove(it)).map(|it| written(&it).to_owned()) else {
            return Err(ToolOutput::failure("Tool name is required"));
        };
        if matches!(name.as_str(), SEARCH | EXECUTE) {
            return Err(failure::recursion(&name));
        }
        let expect = expected(&mut map)?;
        let is_plain = map.len() == 1 && WRAPPERS[..2].iter().any(|it| map.get(*it).is_some_and(Value::is_object));
        Ok(Self { name, expect, given: readings(map), is_plain })
    }

    /// The arguments as they are, where they look as they should; nobody has looked yet whether they fit.
    pub(crate) fn untouched(&self) -> Option<Arguments> {
        self.given.first().filter(|_| self.is_plain).and_then(Value::as_object).cloned()
    }

    /// The arguments for this tool: as they are, where they fit; else as they must have been meant; else as near to that as
    /// can be told, for the gateway to refuse. The error is the answer.
    pub(crate) fn arguments(&self, tool: &Tool) -> Result<Arguments, ToolOutput> {
        let check = ArgumentValidator::of(tool).map_err(|error| failure(tool, &error))?;
        let fitting = self.given.iter().filter_map(Value::as_object).find(|it| fits(&check, it));
        if let Some(arguments) = fitting {
            return Ok(arguments.clone());
        }
        let schema = tool.input_schema.to_value();
        let mut nearest = None;
        for given in &self.given {
            let Some(repaired) = repair(&check, &schema, given.clone()) else { continue };
            if fits(&check, &repaired.arguments) {
                tracing::debug!(event = "arguments_repaired", tool = %tool.id, how = repaired.understood.join("; "));
                return Ok(repaired.arguments);
            }
            nearest.get_or_insert(repaired.arguments);
        }
        nearest.ok_or_else(|| failure::no_object(tool))
    }

    /// Why the call came to nothing; where that is for its arguments, with what would be right.
    pub(crate) fn failure(&self, tool: &Tool, error: &Error) -> ToolOutput {
        let given = match error {
            Error::InvalidArguments { .. } => self.arguments(tool).unwrap_or_default(),
            _ => Arguments::new(),
        };
        failure::with_given(tool, error, &given)
    }
}

/// The call that was written: as it should be, as a text, or within another call that has no name of its own.
fn whole_call(given: Value) -> Map<String, Value> {
    let mut map = object(given).unwrap_or_default();
    for _ in 0..DEEPEST {
        let is_named = NAMES.iter().any(|it| map.contains_key(*it));
        let inner = WRAPPERS.into_iter().find(|it| map.contains_key(*it)).filter(|_| !is_named);
        match inner.and_then(|it| map.get(it)).cloned().and_then(object) {
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

/// A name without what models put around it.
fn written(name: &Value) -> &str {
    name.as_str().unwrap_or_default().trim_matches(|it: char| it.is_whitespace() || matches!(it, '`' | '"' | '\''))
}

/// The digest that is expected. One that is none may be an argument of the tool, where arguments stand beside the name.
fn expected(map: &mut Map<String, Value>) -> Result<Option<Digest>, ToolOutput> {
    let digest = match map.get("expect") {
        None => return Ok(None),
        Some(Value::Null) => None,
        Some(Value::String(text)) if text.trim().is_empty() => None,
        Some(said) => match said.as_str().and_then(|it| Digest::from_hex(it.trim())) {
            Some(digest) => Some(digest),
            None if WRAPPERS.iter().any(|it| map.contains_key(*it)) => {
                let text = "`expect` is no digest: pass the `digest` that tool_search gave, or leave it out";
                return Err(ToolOutput::failure(text));
            }
            None => return Ok(None),
        },
    };
    map.shift_remove("expect");
    Ok(digest)
}

/// What the arguments may be: what is called so, that with what stands beside it, and all that stands there.
fn readings(mut map: Map<String, Value>) -> Vec<Value> {
    // As it should be, and as it mostly is.
    if map.len() == 1 && map.get(WRAPPERS[0]).is_some_and(Value::is_object) {
        return map.remove(WRAPPERS[0]).into_iter().collect();
    }
    let called: Vec<_> = WRAPPERS.into_iter().filter(|it| map.contains_key(*it)).collect();
    let Some(first) = called.first() else { return vec![Value::Object(map)] };
    let mut beside = map.clone();
    called.iter().for_each(|it| drop(beside.remove(*it)));
    let mut readings: Vec<_> = called.iter().map(|it| map[*it].clone()).map(nothing_is_empty).collect();
    if let (false, Some(inner)) = (beside.is_empty(), readings[0].as_object()) {
        let is_empty = inner.is_empty();
        let mut both = inner.clone();
        for (name, it) in beside {
            both.entry(name).or_insert(it);
        }
        // Empty arguments, with others beside them: those are meant.
        readings.insert(usize::from(!is_empty), Value::Object(both));
    }
    let is_only = map.len() == 1 && *first == WRAPPERS[0];
    if !is_only {
        readings.push(Value::Object(map));
    }
    readings
}

fn nothing_is_empty(value: Value) -> Value {
    if value.is_null() { Value::Object(Map::new()) } else { value }
}
