//! Calls that toolscout sends to the callback URL of a program, signed with a shared secret.

use crate::random::to_hex;
use ring::hmac;
use serde_json::Value;
use toolscout_core::{Moment, ToolOutput};
use toolscout_folder::output_from_bytes;
use toolscout_http_client::Post;
use toolscout_surface::operation::OperationError;

/// The maximum size of a response in bytes.
const MAX_RESPONSE_BYTES: usize = 8 << 20;
/// The number of bytes shown from the body of an error response.
const MAX_ERROR_BYTES: usize = 4 << 10;
/// The shortest secret that a program may choose, in bytes.
const MIN_SECRET: usize = 16;

/// A program that receives calls at a URL.
pub(crate) struct Callback {
    post: Post,
    key: hmac::Key,
}

impl Callback {
    /// Checks the URL and the secret. Opens no connection.
    pub(crate) fn new(url: &str, secret: &str) -> Result<Self, OperationError> {
        let invalid = |reason: String| OperationError::invalid(format!("`callback`: {reason}"));
        let post = Post::new(url, &[], "application/json").map_err(invalid)?;
        if post.has_credentials() {
            let error = invalid("the URL contains a user name or a password".to_owned());
            return Err(error.hint("remove it; verify the signature of each call instead"));
        }
        if secret.len() < MIN_SECRET {
            let error = OperationError::invalid("`secret` is shorter than 16 bytes");
            return Err(error.hint("leave it out, and use the secret in the response"));
        }
        Ok(Self { post, key: hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()) })
    }

    /// The address without its query.
    pub(crate) fn display_url(&self) -> String {
        self.post.display_url()
    }

    /// Identifies the program for reviews; see [`Post::receiver`].
    pub(crate) fn receiver(&self) -> String {
        self.post.receiver()
    }

    /// Sends a call and returns the result. The error is a message for the user.
    pub(super) async fn call(
        &self,
        request: &Value,
        trace: &[(String, String)],
    ) -> Result<ToolOutput, String> {
        let body = request.to_string();
        let timestamp = (Moment::now().0 / 1_000).to_string();
        let signature = hmac::sign(&self.key, format!("{timestamp}.{body}").as_bytes());
        let mut headers = vec![
            ("x-toolscout-timestamp", timestamp),
            ("x-toolscout-signature", format!("sha256={}", to_hex(signature.as_ref()))),
        ];
        headers.extend(trace_headers(trace));
        let response = self.post.exchange(body.into(), &headers, MAX_RESPONSE_BYTES).await;
        let response = response.map_err(|reason| format!("{} failed: {reason}", self.label()))?;
        if (200..300).contains(&response.status) {
            return Ok(output_from_bytes(&response.body));
        }
        let shown = &response.body[..response.body.len().min(MAX_ERROR_BYTES)];
        let reason = match response.status {
            300..400 => "redirects are not followed".into(),
            _ => String::from_utf8_lossy(shown),
        };
        let text = format!("{} answered {}\n\n{}", self.label(), response.status, reason.trim());
        Ok(ToolOutput::failure(text.trim_end()))
    }

    fn label(&self) -> String {
        format!("POST {}", self.display_url())
    }
}

/// The W3C trace context of the request, so that the program can continue the trace.
fn trace_headers(trace: &[(String, String)]) -> Vec<(&'static str, String)> {
    let value = |name: &'static str| {
        let (_, value) = trace.iter().find(|(key, _)| key == name)?;
        Some((name, value.clone()))
    };
    ["traceparent", "tracestate"].into_iter().filter_map(value).collect()
}
