//! A call and its result.

use crate::{Digest, RawJson, SourceError, ToolId};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// The arguments of a call: always an object.
pub type Arguments = Map<String, Value>;

/// A request to run a tool with these arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The tool.
    pub tool: ToolId,
    /// The arguments.
    pub arguments: Arguments,
    /// The digest of the definition that the caller has read; a call against another one is
    /// refused.
    pub expect: Option<Digest>,
    /// The caller's `_meta`, as written.
    pub meta: Option<RawJson>,
    /// Words that the user typed after `--`. They are passed to the tool's own program unchecked,
    /// behind its arguments.
    pub rest: Vec<String>,
    /// The input that the tool required when the same call was made before; see
    /// [`ToolOutput::wants_input`].
    pub resume: Option<Resume>,
}

/// Input for a call that is repeated because its tool required more input.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Resume {
    /// The client's responses, by the names in the tool's input request.
    pub responses: Option<RawJson>,
    /// The opaque state that the tool returned, unchanged.
    pub state: Option<String>,
}

impl ToolCall {
    /// A call that accepts any definition of the tool.
    pub fn new(tool: ToolId, arguments: Arguments) -> Self {
        Self { tool, arguments, expect: None, meta: None, rest: Vec::new(), resume: None }
    }

    /// For tools that are not a program: refuses words after `--` instead of dropping them
    /// silently.
    pub fn refuse_rest(&self) -> Result<(), SourceError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(SourceError::Invalid {
                reason: format!("`{}` takes no arguments after `--`", self.tool),
            })
        }
    }
}

/// The complete result of a tool: an object in the shape of an MCP `tools/call` result, with
/// `content` and, if the tool set them, `structuredContent`, `isError`, `_meta` and any other
/// field. Forwarding it needs no parsing and loses nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    raw: RawJson,
    is_error: bool,
    wants_input: bool,
    warnings: Vec<String>,
}

impl ToolOutput {
    /// A result of one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::build(json!({"content": [{"type": "text", "text": text.into()}]}), false)
    }

    /// A result with `isError` and a text that describes the failure.
    pub fn failure(text: impl Into<String>) -> Self {
        Self::build(
            json!({"content": [{"type": "text", "text": text.into()}], "isError": true}),
            true,
        )
    }

    /// A JSON value as structured content, and as text for clients that only read text.
    pub fn structured(value: Value) -> Self {
        let text = value.to_string();
        Self::build(
            json!({"content": [{"type": "text", "text": text}], "structuredContent": value}),
            false,
        )
    }

    fn build(value: Value, is_error: bool) -> Self {
        Self {
            raw: RawJson::from_value(&value),
            is_error,
            wants_input: false,
            warnings: Vec::new(),
        }
    }

    /// Accepts a result as received. It must be an object whose `content`, if any, is a list.
    pub fn from_raw(raw: RawJson) -> Result<Self, &'static str> {
        let head = ResultHead::parse(&raw)?;
        if head.content.is_some_and(|content| !content.get().starts_with('[')) {
            return Err("`content` must be a list");
        }
        let is_error = match head.is_error.map(RawValue::get) {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => return Err("`isError` must be true or false"),
        };
        let wants_input =
            head.result_type.is_some_and(|result_type| result_type.get() == "\"input_required\"");
        Ok(Self { raw, is_error, wants_input, warnings: Vec::new() })
    }

    /// Whether this is not a result yet: the tool requires input first, and the call must be
    /// repeated with it. Only a caller with a [`crate::ReverseChannel`] receives such an output.
    pub fn wants_input(&self) -> bool {
        self.wants_input
    }

    /// The state to send when the call is repeated, if the tool set one; see [`Resume::state`].
    pub fn state(&self) -> Option<String> {
        self.raw.to_value().get_mut("requestState").map(Value::take)?.as_str().map(str::to_owned)
    }

    /// The same result with warnings about it. They come from toolscout and are kept beside the
    /// tool's result, not in it.
    pub fn with_warnings(self, warnings: Vec<String>) -> Self {
        Self { warnings, ..self }
    }

    /// Reasons why the result may not be what the tool's definition promises: one sentence each,
    /// safe to show. Usually none.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The whole result as received.
    pub fn raw(&self) -> &RawJson {
        &self.raw
    }

    /// Whether the tool reported an error.
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

    /// The structured content, parsed, if there is any.
    pub fn structured_content(&self) -> Option<Value> {
        self.raw.to_value().get_mut("structuredContent").map(Value::take)
    }
}

/// The fields that forwarding a result needs. The rest, which may be long, is skipped without
/// parsing.
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
    fn parse(raw: &'a RawJson) -> Result<Self, &'static str> {
        if !raw.as_str().starts_with('{') {
            return Err("a result must be a JSON object");
        }
        // Parsers disagree on the meaning of a duplicate key, so it is an error.
        serde_json::from_str(raw.as_str())
            .map_err(|_| "`content`, `isError` and `resultType` must occur at most once")
    }
}

/// A null counts as present.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}
