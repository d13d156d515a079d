//! A call and what came of it.

use crate::{Digest, RawJson, SourceError, ToolId};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// The arguments of a call: always an object.
pub type Arguments = Map<String, Value>;

/// Somebody wants this tool to run with these arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Which tool.
    pub tool: ToolId,
    /// With what.
    pub arguments: Arguments,
    /// The definition the caller has read; a call against another one is refused.
    pub expect: Option<Digest>,
    /// The caller's `_meta`, as written.
    pub meta: Option<RawJson>,
    /// Words for the tool's own program, behind its arguments and looked at by nobody: what a person typed after `--`.
    pub rest: Vec<String>,
    /// What was wanted when the same call was made before; see [`ToolOutput::wants_input`].
    pub resume: Option<Resume>,
}

/// A call is made again with what its tool wanted to have first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Resume {
    /// The answers, by the names of what was wanted.
    pub responses: Option<RawJson>,
    /// What the tool said to bring along, as it came.
    pub state: Option<String>,
}

impl ToolCall {
    /// A call that expects nothing of the definition.
    pub fn new(tool: ToolId, arguments: Arguments) -> Self {
        Self { tool, arguments, expect: None, meta: None, rest: Vec::new(), resume: None }
    }

    /// For tools that are no program of their own: words after `--` are refused rather than dropped in silence.
    pub fn refuse_rest(&self) -> Result<(), SourceError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(SourceError::Invalid { reason: format!("`{}` takes nothing after `--`", self.tool) })
        }
    }
}

/// What a tool said, whole: an object in the shape of an MCP `tools/call` result, with `content` and, where the tool
/// gave them, `structuredContent`, `isError`, `_meta` and anything else. Passing it on needs no parsing and loses nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    raw: RawJson,
    is_error: bool,
    wants_input: bool,
    doubts: Vec<String>,
}

impl ToolOutput {
    /// A plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::build(json!({"content": [{"type": "text", "text": text.into()}]}), false)
    }

    /// The tool ran and failed; the text says how.
    pub fn failure(text: impl Into<String>) -> Self {
        Self::build(json!({"content": [{"type": "text", "text": text.into()}], "isError": true}), true)
    }

    /// A JSON value: structured, and as text beside it for who reads only text.
    pub fn structured(value: Value) -> Self {
        let text = value.to_string();
        Self::build(json!({"content": [{"type": "text", "text": text}], "structuredContent": value}), false)
    }

    fn build(value: Value, is_error: bool) -> Self {
        Self { raw: RawJson::from_value(&value), is_error, wants_input: false, doubts: Vec::new() }
    }

    /// Takes a result as it came. It must be an object whose `content`, if any, is a list.
    pub fn from_raw(raw: RawJson) -> Result<Self, &'static str> {
        let shape = ResultHead::of(&raw)?;
        if shape.content.is_some_and(|it| !it.get().starts_with('[')) {
            return Err("`content` must be a list");
        }
        let is_error = match shape.is_error.map(RawValue::get) {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => return Err("`isError` must be true or false"),
        };
        let wants_input = shape.result_type.is_some_and(|it| it.get() == "\"input_required\"");
        Ok(Self { raw, is_error, wants_input, doubts: Vec::new() })
    }

    /// Whether this is no result yet: the tool wants to have something first, and the call is to be made again with it.
    /// Only who has a [`crate::Counterpart`] gets such an output.
    pub fn wants_input(&self) -> bool {
        self.wants_input
    }

    /// What is to be brought along when the call is made again, where the tool said so; see [`Resume::state`].
    pub fn state(&self) -> Option<String> {
        self.raw.to_value().get_mut("requestState").map(Value::take)?.as_str().map(str::to_owned)
    }

    /// The same result, with what is doubtful about it. Doubts are ours and stand beside what the tool said, not in it.
    pub fn with_doubts(self, doubts: Vec<String>) -> Self {
        Self { doubts, ..self }
    }

    /// Why this may not be what the tool has promised: a sentence each, safe to show. Usually none.
    pub fn doubts(&self) -> &[String] {
        &self.doubts
    }

    /// The whole result as it came.
    pub fn raw(&self) -> &RawJson {
        &self.raw
    }

    /// Whether the tool says it failed.
    pub fn is_error(&self) -> bool {
        self.is_error
    }

    /// The content blocks, parsed.
    pub fn content(&self) -> Vec<Value> {
        match self.raw.to_value().get_mut("content").map(Value::take) {
            Some(Value::Array(blocks)) => blocks,
            _ => Vec::new(),
        }
    }

    /// The structured content, parsed, where there is one.
    pub fn structured_content(&self) -> Option<Value> {
        self.raw.to_value().get_mut("structuredContent").map(Value::take)
    }
}

/// What must be known of a result to pass it on. The rest, which may be long, is skipped and not parsed.
#[derive(Deserialize)]
struct ResultHead<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    content: Option<&'a RawValue>,
    #[serde(rename = "isError", borrow, default, deserialize_with = "present")]
    is_error: Option<&'a RawValue>,
    #[serde(rename = "resultType", borrow, default, deserialize_with = "present")]
    result_type: Option<&'a RawValue>,
}

impl<'a> ResultHead<'a> {
    fn of(raw: &'a RawJson) -> Result<Self, &'static str> {
        if !raw.as_str().starts_with('{') {
            return Err("a result must be a JSON object");
        }
        // What is there twice has no meaning that all readers agree on.
        serde_json::from_str(raw.as_str()).map_err(|_| "`content`, `isError` and `resultType` may be there once each")
    }
}

/// A null is there, too.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}
