//! Repeatedly sends bytes to one address: telemetry for another program.

use super::{ConnectionRoute, chain, shown};
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
    pub fn to(
        url: &str,
        headers: &[(String, String)],
        content: &'static str,
    ) -> Result<Self, String> {
        let url = Url::parse(url).map_err(|_| "it is no address".to_owned())?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err("it is no address of the web".to_owned());
        }
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            let what = format!("header `{}`", name.escape_debug());
            let name = HeaderName::try_from(name.as_str())
                .map_err(|_| format!("{what} is no header name"))?;
            let mut value = HeaderValue::try_from(value)
                .map_err(|_| format!("{what} holds what no header can carry"))?;
            value.set_sensitive(true);
            all.insert(name, value);
        }
        all.insert(CONTENT_TYPE, HeaderValue::from_static(content));
        // No redirects: reports go only to the address that the operator configured.
        let client = ConnectionRoute::to(&url)
            .client()?
            .redirect(Policy::none())
            .build()
            .map_err(|it| chain(&it))?;
        Ok(Self { client, url, headers: all })
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
        let answer = request.send().await.map_err(|it| chain(&it.without_url()))?;
        let seconds =
            answer.headers().get(RETRY_AFTER).and_then(|it| it.to_str().ok()?.trim().parse().ok());
        Ok(PostResponse {
            status: answer.status().as_u16(),
            retry_after: seconds.map(Duration::from_secs),
        })
    }
}
