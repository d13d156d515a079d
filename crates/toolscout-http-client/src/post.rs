//! Repeatedly sends bytes to one address: telemetry, and calls for another program.

use super::{ConnectionRoute, display_url, error_chain, is_this_machine};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use std::time::Duration;

/// One address, and the headers of every request to it.
pub struct Post {
    client: Client,
    url: Url,
    headers: HeaderMap,
}

/// The response of the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostResponse {
    /// The HTTP status.
    pub status: u16,
    /// The delay before the next attempt, if the receiver requests one.
    pub retry_after: Option<Duration>,
}

/// The whole response of the receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FullResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

impl Post {
    /// A sender to this address with these headers, all of which may be secrets. Opens no
    /// connection. The error is a message for the user, and contains no header value.
    pub fn new(
        url: &str,
        headers: &[(String, String)],
        content: &'static str,
    ) -> Result<Self, String> {
        let url = Url::parse(url).map_err(|_| "it is not a valid URL".to_owned())?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err("it is not an `http` or `https` URL".to_owned());
        }
        let mut header_map = HeaderMap::new();
        for (name, value) in headers {
            let label = format!("header `{}`", name.escape_debug());
            let name = HeaderName::try_from(name.as_str())
                .map_err(|_| format!("{label} is not a valid header name"))?;
            let mut value = HeaderValue::try_from(value)
                .map_err(|_| format!("{label} has a value that is not allowed in a header"))?;
            value.set_sensitive(true);
            header_map.insert(name, value);
        }
        header_map.insert(CONTENT_TYPE, HeaderValue::from_static(content));
        // No redirects: reports go only to the address that the operator configured.
        let client = ConnectionRoute::for_url(&url)
            .client()?
            .redirect(Policy::none())
            .build()
            .map_err(|error| error_chain(&error))?;
        Ok(Self { client, url, headers: header_map })
    }

    /// The address without its possibly private parts.
    pub fn display_url(&self) -> String {
        display_url(&self.url)
    }

    /// Identifies the receiver: as [`Post::display_url`], but without the port if it is on this
    /// machine, because a local program may get another port each time it starts.
    pub fn receiver(&self) -> String {
        let mut url = self.url.clone();
        if is_this_machine(&url) {
            // Fails only for URLs without a host.
            let _ = url.set_port(None);
        }
        display_url(&url)
    }

    /// Whether the address contains a user name or a password.
    pub fn has_credentials(&self) -> bool {
        !self.url.username().is_empty() || self.url.password().is_some()
    }

    /// Sends the body, compressed as `encoding` states. The error is a message for the user.
    /// Cancel-safe: dropping the future cancels the request.
    pub async fn send(
        &self,
        body: Vec<u8>,
        encoding: Option<&'static str>,
        limit: Duration,
    ) -> Result<PostResponse, String> {
        let mut request = self
            .client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .timeout(limit)
            .body(body);
        if let Some(encoding) = encoding {
            request = request.header("content-encoding", encoding);
        }
        let response = request.send().await.map_err(|error| error_chain(&error.without_url()))?;
        let seconds = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|header| header.to_str().ok()?.trim().parse().ok());
        Ok(PostResponse {
            status: response.status().as_u16(),
            retry_after: seconds.map(Duration::from_secs),
        })
    }

    /// Sends the body with more headers, and returns the whole response, which may have at most
    /// `max_bytes`. The error is a message for the user. Has no time limit of its own. Cancel-safe:
    /// dropping the future closes the connection.
    pub async fn exchange(
        &self,
        body: Vec<u8>,
        headers: &[(&'static str, String)],
        max_bytes: usize,
    ) -> Result<FullResponse, String> {
        let mut request =
            self.client.post(self.url.clone()).headers(self.headers.clone()).body(body);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let failed = |error: reqwest::Error| error_chain(&error.without_url());
        let mut response = request.send().await.map_err(failed)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > max_bytes {
                return Err(format!("the response is larger than {} MiB", max_bytes >> 20));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(FullResponse { status: response.status().as_u16(), body })
    }
}
