//! Calls of tools.

use super::super::ClientError;
use super::super::definition::mirror;
use super::super::limits::Limits;
use super::super::peer::Ask;
use super::{Client, meta};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::time::Instant;
use toolscout_core::{Cx, RawJson, ToolCall, ToolName};

impl Client {
    /// Calls a tool, and gives the whole result as it came: finished, or asking for more input. Progress goes to
    /// `cx.progress`, in order and only upwards. `schema` is the tool's input schema; over HTTP it may want arguments
    /// mirrored as headers.
    ///
    /// Cancel-safe: dropping the future tells the server that nobody waits any more.
    pub async fn call_tool(
        &self,
        name: &ToolName,
        call: &ToolCall,
        schema: Option<&RawJson>,
        cx: &Cx,
        deadline: Instant,
    ) -> Result<RawJson, ClientError> {
        let params = Map::from_iter([
            ("name".to_owned(), name.as_str().into()),
            ("arguments".to_owned(), Value::Object(call.arguments.clone())),
            ("_meta".to_owned(), Value::Object(meta::of_call(call.meta.as_ref(), &cx.trace))),
        ]);
        let ask = Ask {
            name: Some(name.to_string()),
            mirrored: self.mirrored(call, schema)?,
            progress: cx.progress.clone(),
            ..Ask::new("tools/call", params, deadline).called(format!("`{name}`"))
        };
        let result = self.ask(ask).await?;
        check(&result, self.era().is_modern(), &self.0.limits)?;
        Ok(result)
    }

    fn mirrored(&self, call: &ToolCall, schema: Option<&RawJson>) -> Result<Vec<(String, String)>, ClientError> {
        let Some(schema) = schema.filter(|_| self.needs_headers()) else { return Ok(Vec::new()) };
        let mirrors = mirror::mirrors(schema);
        let headers = mirrors.and_then(|it| mirror::headers(&it, &call.arguments));
        headers.map_err(|reason| ClientError::Invalid { reason: format!("`{}`: {reason}", call.tool.name) })
    }
}

/// What of a result we look at; the rest is for the caller.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow, rename = "resultType")]
    kind: Option<&'a RawValue>,
}

fn check(result: &RawJson, is_modern: bool, limits: &Limits) -> Result<(), ClientError> {
    let text = result.as_str();
    if !text.starts_with('{') {
        return Err(protocol("its result is no JSON object"));
    }
    let head: Head<'_> =
        serde_json::from_str(text).map_err(|err| protocol(format!("its result cannot be read: {err}")))?;
    if is_modern && !matches!(head.kind.map(RawValue::get), None | Some("\"complete\"" | "\"input_required\"")) {
        return Err(protocol("its result is neither complete nor a request for more input"));
    }
    let items = head.content.filter(|it| it.get().starts_with('['));
    let count = items.and_then(|it| serde_json::from_str::<Vec<IgnoredAny>>(it.get()).ok()).map_or(0, |it| it.len());
    if count > limits.content_items {
        let limit = limits.content_items;
        return Err(protocol(format!("its result has {count} content items, and {limit} are allowed")));
    }
    Ok(())
}

fn protocol(reason: impl Into<String>) -> ClientError {
    ClientError::Protocol { reason: reason.into() }
}
