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
    pub fn place(&self) -> String {
        shown(&self.url)
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
}
