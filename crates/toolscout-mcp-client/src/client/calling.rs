//! Calls of tools.

use super::super::ClientError;
use super::super::definition::mirror;
use super::super::limits::Limits;
use super::super::params::RequestParams;
use super::super::peer::{Behalf, PeerRequest};
use super::{McpClient, meta};
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::fmt;
use std::time::Instant;
use toolscout_core::{Cx, RawJson, ToolCall, ToolName};

impl McpClient {
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
        let mut params = RequestParams::default().with("name", &name.as_str()).with("arguments", &call.arguments);
        params.meta = meta::of_call(call.meta.as_ref(), &cx.trace);
        if let Some(resume) = call.resume.as_ref().filter(|_| self.era().is_modern()) {
            resume.responses.iter().for_each(|it| params.set("inputResponses", it));
            resume.state.iter().for_each(|it| params.set("requestState", it));
        }
        let ask = PeerRequest {
            name: Some(name.to_string()),
            mirrored: self.mirrored(call, schema)?,
            progress: cx.progress.clone(),
            behalf: Behalf::Caller(cx.counterpart.clone()),
            ..PeerRequest::new("tools/call", params, deadline).called(format!("`{name}`"))
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
struct CallResultHead<'a> {
    #[serde(default)]
    content: ItemCount,
    #[serde(borrow, rename = "resultType")]
    kind: Option<&'a RawValue>,
}

/// How many items a list has; what is no list has none.
#[derive(Default)]
struct ItemCount(usize);

impl<'de> Deserialize<'de> for ItemCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ItemCounter)
    }
}

struct ItemCounter;

impl<'de> Visitor<'de> for ItemCounter {
    type Value = ItemCount;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<ItemCount, A::Error> {
        let mut count = 0;
        while items.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(ItemCount(count))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ItemCount, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(ItemCount(0))
    }

    fn visit_str<E>(self, _: &str) -> Result<ItemCount, E> {
        Ok(ItemCount(0))
    }

    fn visit_f64<E>(self, _: f64) -> Result<ItemCount, E> {
        Ok(ItemCount(0))
    }

    fn visit_i64<E>(self, _: i64) -> Result<ItemCount, E> {
        Ok(ItemCount(0))
    }

    fn visit_u64<E>(self, _: u64) -> Result<ItemCount, E> {
        Ok(ItemCount(0))
    }

    fn visit_bool<E>(self, _: bool) -> Result<ItemCount, E> {
        Ok(ItemCount(0))
    }

    fn visit_unit<E>(self) -> Result<ItemCount, E> {
        Ok(ItemCount(0))
    }
}

fn check(result: &RawJson, is_modern: bool, limits: &Limits) -> Result<(), ClientError> {
    let text = result.as_str();
    if !text.starts_with('{') {
        return Err(protocol("its result is no JSON object"));
    }
    let head: CallResultHead<'_> =
        serde_json::from_str(text).map_err(|err| protocol(format!("its result cannot be read: {err}")))?;
    if is_modern && !matches!(head.kind.map(RawValue::get), None | Some("\"complete\"" | "\"input_required\"")) {
        return Err(protocol("its result is neither complete nor a request for more input"));
    }
    let (count, limit) = (head.content.0, limits.content_items);
    if count > limit {
        return Err(protocol(format!("its result has {count} content items, and {limit} are allowed")));
    }
    Ok(())
}

fn protocol(reason: impl Into<String>) -> ClientError {
    ClientError::Protocol { reason: reason.into() }
}
