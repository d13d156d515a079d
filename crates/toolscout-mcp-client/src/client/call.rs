//! Tool calls.

use super::super::ClientError;
use super::super::definition::mirror;
use super::super::limits::Limits;
use super::super::params::RequestParams;
use super::super::peer::{Behalf, PeerRequest};
use super::{McpClient, meta};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::time::Instant;
use toolscout_core::{Cx, RawJson, ToolCall};

impl McpClient {
    /// Calls a tool, and returns the unmodified result: either complete, or a request for more
    /// input. Progress goes to `cx.progress`, in order and only upwards. `schema` is the tool's
    /// input schema; over HTTP it may require arguments to be mirrored as headers.
    ///
    /// Cancel-safe: dropping the future cancels the call at the server.
    pub async fn call_tool(
        &self,
        call: &ToolCall,
        schema: Option<&RawJson>,
        cx: &Cx,
        deadline: Instant,
    ) -> Result<RawJson, ClientError> {
        let name = &call.tool.name;
        let mut params = RequestParams::default()
            .with("name", &name.as_str())
            .with("arguments", &call.arguments);
        params.meta = meta::call_meta(call.meta.as_ref(), &cx.trace);
        if let Some(resume) = call.resume.as_ref().filter(|_| self.era().is_modern()) {
            resume.responses.iter().for_each(|response| params.set("inputResponses", response));
            resume.state.iter().for_each(|state| params.set("requestState", state));
        }
        let request = PeerRequest {
            name: Some(name.to_string()),
            mirrored: self.mirrored_headers(call, schema)?,
            progress: cx.progress.clone(),
            behalf: Behalf::Caller(cx.reverse_channel.clone()),
            ..PeerRequest::new("tools/call", params, deadline).described_as(format!("`{name}`"))
        };
        let result = self.send_request(request).await?;
        check(&result, self.era().is_modern(), &self.0.limits)?;
        Ok(result)
    }

    fn mirrored_headers(
        &self,
        call: &ToolCall,
        schema: Option<&RawJson>,
    ) -> Result<Vec<(String, String)>, ClientError> {
        let Some(schema) = schema.filter(|_| self.needs_headers()) else { return Ok(Vec::new()) };
        let parameters = mirror::mirrored_parameters(schema);
        let headers =
            parameters.and_then(|parameters| mirror::headers(&parameters, &call.arguments));
        headers.map_err(|reason| ClientError::invalid(format!("`{}`: {reason}", call.tool.name)))
    }
}

/// The members of a result that are checked; the caller gets the rest unchecked.
#[derive(Deserialize)]
struct CallResultHead<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow, rename = "resultType")]
    kind: Option<&'a RawValue>,
}

fn check(result: &RawJson, is_modern: bool, limits: &Limits) -> Result<(), ClientError> {
    let text = result.as_str();
    if !text.starts_with('{') {
        return Err(ClientError::protocol("its result is not a JSON object"));
    }
    let head: CallResultHead<'_> = serde_json::from_str(text)
        .map_err(|err| ClientError::protocol(format!("its result cannot be parsed: {err}")))?;
    if is_modern
        && !matches!(
            head.kind.map(RawValue::get),
            None | Some("\"complete\"" | "\"input_required\"")
        )
    {
        return Err(ClientError::protocol(
            "its result is neither complete nor a request for more input",
        ));
    }
    // Counts the items without parsing them. A `content` that is not a list counts as empty.
    let items = head
        .content
        .and_then(|content| serde_json::from_str::<Vec<IgnoredAny>>(content.get()).ok());
    let (count, limit) = (items.map_or(0, |items| items.len()), limits.content_items);
    if count > limit {
        return Err(ClientError::protocol(format!(
            "its result has {count} content items; the limit is {limit}"
        )));
    }
    Ok(())
}
