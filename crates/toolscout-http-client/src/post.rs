//! Sends bytes to one address, again and again: what is reported to another program about what we do.

use super::{ConnectionRoute, chain, shown};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use std::time::Duration;

/// One address, and what is said with each request to it.
pub struct Post {
    client: Client,
    url: Url,
    headers: HeaderMap,
}

/// What the other side made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostResponse {
    /// Of HTTP.
    pub status: u16,
    /// When to come again, where it says so.
    pub retry_after: Option<Duration>,
}

impl Post {
    /// To this address, with these headers, of which all may be secrets. Opens nothing yet. The error is for people, and says
    /// no value.
    pub fn to(url: &str, headers: &[(String, String)], content: &'static str) -> Result<Self, String> {
        let url = Url::parse(url).map_err(|_| "it is no address".to_owned())?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err("it is no address of the web".to_owned());
        }
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            let what = format!("header `{}`", name.escape_debug());
            let name = HeaderName::try_from(name.as_str()).map_err(|_| format!("{what} is no header name"))?;
            let mut value =
                HeaderValue::try_from(value).map_err(|_| format!("{what} holds what no header can carry"))?;
            value.set_sensitive(true);
            all.insert(name, value);
        }
        all.insert(CONTENT_TYPE, HeaderValue::from_static(content));
        // What we report goes where a person said, and nowhere else.
        let client = ConnectionRoute::to(&url).client()?.redirect(Policy::none()).build().map_err(|it| chain(&it))?;
        Ok(Self { client, url, headers: all })
    }

    /// The address, without what may be private in it.
    pub fn place(&self) -> String {
        shown(&self.url)
    }

    /// Sends this, compressed where `encoding` says so. The error is for people. Cancel-safe: dropping the future ends it.
    pub async fn send(
        &self,
        body: Vec<u8>,
        encoding: Option<&'static str>,
        limit: Duration,
    ) -> Result<PostResponse, String> {
        let mut request = self.client.post(self.url.clone()).headers(self.headers.clone()).timeout(limit).body(body);
        if let Some(encoding) = encoding {
            request = request.header("content-encoding", encoding);
        }
        let answer = request.send().await.map_err(|it| chain(&it.without_url()))?;
        let seconds = answer.headers().get(RETRY_AFTER).and_then(|it| it.to_str().ok()?.trim().parse().ok());
        Ok(PostResponse { status: answer.status().as_u16(), retry_after: seconds.map(Duration::from_secs) })
    }
}
