//! Executes a call that is an HTTP request.

mod address;
mod body;

#[cfg(all(test, unix))]
mod tests;

use super::output;
use super::recipe::HttpRecipe;
use super::template::{self, TemplatePart};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Method, Response, Url, redirect};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::time::Duration;
use toolscout_core::{Arguments, Cx, RawJson, SourceError, SourceId, ToolCall, ToolOutput};
use toolscout_http_client::{ConnectionRoute, display_url, error_chain};

/// The maximum size of a response in bytes; a larger one is an error.
const MAX_RESPONSE_BYTES: usize = 8 << 20;
/// The number of bytes shown from the body of an error response.
const MAX_ERROR_BYTES: usize = 4 << 10;
/// The maximum number of redirects, all within one origin.
const MAX_REDIRECTS: usize = 10;

/// Sends the request and converts the response to a result. Cancel-safe: dropping the future closes
/// the connection.
pub(super) async fn request(
    recipe: &HttpRecipe,
    call: &ToolCall,
    cx: &Cx,
) -> Result<ToolOutput, SourceError> {
    let id = &call.tool.source;
    let own = Duration::from_millis(recipe.timeout_ms);
    let limit = cx.remaining().map_or(own, |remaining| remaining.min(own));
    let request = build(recipe, call, |name| std::env::var(name).ok())?;
    let what = format!("{} {}", request.method(), display_url(request.url()));
    let timed_out = || SourceError::TimedOut { id: id.clone(), what: what.clone(), limit };
    let client =
        client(request.url()).map_err(|what| SourceError::Unavailable { id: id.clone(), what })?;
    let response = async {
        let response =
            client.execute(request).await.map_err(|err| unreachable_error(id, &what, err))?;
        receive(id, &what, response).await
    };
    tokio::time::timeout(limit, response).await.map_err(|_| timed_out())?
}

/// Builds the request from the recipe; `variable` reads our environment.
fn build(
    recipe: &HttpRecipe,
    call: &ToolCall,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<reqwest::Request, SourceError> {
    let method: Method = recipe
        .method
        .to_ascii_uppercase()
        .parse()
        .map_err(|_| invalid(format!("`{}` is not an HTTP method", recipe.method)))?;
    let mut used = BTreeSet::new();
    let headers = headers(recipe, &call.arguments, &mut used, variable)?;
    let mut url = address::fill(&recipe.url, &call.arguments, &mut used).map_err(invalid)?;
    let has_body = !matches!(method, Method::GET | Method::HEAD | Method::DELETE | Method::OPTIONS);
    let unused = || -> Arguments {
        call.arguments
            .iter()
            .filter(|(name, _)| !used.contains(*name))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect()
    };
    if !has_body && recipe.body.is_none() {
        address::add_query(&mut url, &unused());
    }
    let mut request = reqwest::Request::new(method, url);
    *request.headers_mut() = headers;
    let body = match &recipe.body {
        Some(template) => Some(
            body::fill(template, &call.arguments, request.headers().get(CONTENT_TYPE))
                .map_err(invalid)?,
        ),
        None if has_body => Some(body::json(&Value::Object(unused()))),
        None => None,
    };
    if let Some(body) = body {
        if let Some(kind) = body.kind {
            request.headers_mut().entry(CONTENT_TYPE).or_insert(HeaderValue::from_static(kind));
        }
        *request.body_mut() = Some(body.text.into());
    }
    Ok(request)
}

fn headers(
    recipe: &HttpRecipe,
    arguments: &Arguments,
    used: &mut BTreeSet<String>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<HeaderMap, SourceError> {
    let mut out = HeaderMap::new();
    for (name, template) in &recipe.headers {
        let parts = template::parts(template);
        address::record_used(&parts, used);
        let Some(value) = header_value(&parts, recipe, arguments, &variable)? else { continue };
        let bad =
            || invalid(format!("header `{name}` has a value that is not allowed in a header"));
        let name = HeaderName::try_from(name.as_str())
            .map_err(|_| invalid(format!("`{name}` is not a valid header name")))?;
        let mut value = HeaderValue::try_from(value).map_err(|_| bad())?;
        value.set_sensitive(true);
        out.append(name, value);
    }
    Ok(out)
}

/// The value of a header; `None` if an argument is absent. Only the author's own text may reference
/// our environment.
fn header_value(
    parts: &[TemplatePart<'_>],
    recipe: &HttpRecipe,
    arguments: &Arguments,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<String>, SourceError> {
    let mut out = String::new();
    for part in parts {
        match part {
            TemplatePart::Text(text) => out += &with_variables(text, recipe, &variable)?,
            TemplatePart::Placeholder(name) => match template::find(arguments, name) {
                Some(value) => out += &template::text(value),
                None => return Ok(None),
            },
        }
    }
    Ok(Some(out))
}

fn with_variables(
    text: &str,
    recipe: &HttpRecipe,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<String, SourceError> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("env:") {
        let length =
            after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
        let (name, after_name) = after.split_at(length);
        out += before;
        rest = after_name;
        if !recipe.env.iter().any(|env| env == name) {
            let reason = format!(
                "a header refers to `env:{name}`, but `{name}` is not in the tool's `env` list"
            );
            return Err(SourceError::Refused { reason });
        }
        out += &variable(name).ok_or_else(|| {
            invalid(format!("the tool needs the environment variable `{name}`, which is not set"))
        })?;
    }
    out += rest;
    Ok(out)
}

async fn receive(
    id: &SourceId,
    what: &str,
    mut response: Response,
) -> Result<ToolOutput, SourceError> {
    let status = response.status();
    let kind = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|header| header.to_str().ok())
        .unwrap_or_default()
        .to_owned();
    let location =
        response.headers().get(LOCATION).and_then(|header| header.to_str().ok()).map(str::to_owned);
    let mut bytes = Vec::new();
    while let Some(chunk) =
        response.chunk().await.map_err(|err| unreachable_error(id, what, err))?
    {
        if bytes.len() + chunk.len() > MAX_RESPONSE_BYTES {
            let reason = format!("{what} answered with more than {} MiB", MAX_RESPONSE_BYTES >> 20);
            return Err(SourceError::Protocol { id: id.clone(), reason });
        }
        bytes.extend_from_slice(&chunk);
    }
    if status.is_redirection()
        && let Some(target) = location
    {
        let text = format!(
            "{what} answered {status}: the redirect to {target} is not followed, because that is another origin"
        );
        return Ok(ToolOutput::failure(text));
    }
    if !status.is_success() {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_ERROR_BYTES)]);
        return Ok(ToolOutput::failure(
            format!("{what} answered {status}\n\n{}", text.trim()).trim_end(),
        ));
    }
    Ok(output_of_body(&bytes, &kind))
}

/// Converts a body: JSON is structured, all else is text. Unlike the output of a program, the
/// response of a remote server is never parsed as a complete result, even if it has the keys of
/// one.
fn output_of_body(bytes: &[u8], kind: &str) -> ToolOutput {
    let may_be_json = kind.is_empty() || kind.to_ascii_lowercase().contains("json");
    if may_be_json
        && let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(Value::Object(_) | Value::Array(_)) = serde_json::from_str(text)
        && let Ok(raw) = RawJson::parse(text)
    {
        return output::structured(text.trim_end(), &raw);
    }
    output::from_text(bytes)
}

/// One shared client per connection route, created on first use, for the whole process.
fn client(url: &Url) -> Result<&'static Client, String> {
    static CLIENTS: [OnceLock<Result<Client, String>>; 3] = [const { OnceLock::new() }; 3];
    let route = ConnectionRoute::for_url(url);
    CLIENTS[route as usize].get_or_init(|| build_client(route)).as_ref().map_err(Clone::clone)
}

fn build_client(route: ConnectionRoute) -> Result<Client, String> {
    let builder = route.client()?.redirect(redirect::Policy::custom(follow_within_origin));
    builder.build().map_err(|err| format!("could not create an HTTP client: {}", error_chain(&err)))
}

/// Headers may contain secrets for one origin only.
fn follow_within_origin(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let same = attempt
        .previous()
        .first()
        .is_some_and(|previous| previous.origin() == attempt.url().origin());
    if same && attempt.previous().len() <= MAX_REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

fn unreachable_error(id: &SourceId, what: &str, err: reqwest::Error) -> SourceError {
    // The URL may contain confidential arguments; `what` identifies the request well enough.
    let err = err.without_url();
    SourceError::Unavailable {
        id: id.clone(),
        what: format!("{what} failed: {}", error_chain(&err)),
    }
}

fn invalid(reason: String) -> SourceError {
    SourceError::Invalid { reason }
}
