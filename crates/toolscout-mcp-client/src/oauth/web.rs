//! The HTTP requests of a login: small, short, and never redirected.

use super::super::ClientError;
use super::super::http::retry_after;
use super::reach::{Reach, proxies, system_names};
use super::{broken, shown};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Method, Request, Response, StatusCode, Url, redirect};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use toolscout_http_client::{ConnectionRoute, error_chain};

/// The time limit of one request, from name resolution to the last byte.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// The largest response, in bytes.
const MAX_RESPONSE_BYTES: usize = 1 << 20;

/// Sends requests to the addresses that belong to one server's login.
pub(super) struct OAuthHttp {
    reach: Reach,
}

/// A complete response.
pub(super) struct OAuthResponse {
    pub(super) status: StatusCode,
    /// The `Retry-After` delay.
    pub(super) after: Option<Duration>,
    body: Vec<u8>,
}

impl OAuthHttp {
    /// Creates the client for this server's login. Resolves the server's name, but contacts nothing
    /// else.
    pub(super) async fn for_server(server: &Url) -> Self {
        Self::new(Reach::for_server(server, system_names(), proxies()).await)
    }

    pub(super) fn new(reach: Reach) -> Self {
        Self { reach }
    }

    /// Parses an address that a server named, if it may be contacted, or shown to the user as the
    /// login page.
    pub(super) fn url(&self, text: &str) -> Result<Url, ClientError> {
        let url = Url::parse(text).map_err(|_| broken("the server refers to an invalid URL"))?;
        self.check(&url)?;
        Ok(url)
    }

    pub(super) async fn read(&self, url: &Url) -> Result<OAuthResponse, ClientError> {
        self.send(Request::new(Method::GET, url.clone())).await
    }

    pub(super) async fn post_json(
        &self,
        url: &Url,
        body: &serde_json::Value,
    ) -> Result<OAuthResponse, ClientError> {
        self.send(post(url, "application/json", body.to_string())).await
    }

    /// Posts a form, with the client authentication in a header if there is one.
    pub(super) async fn post_form(
        &self,
        url: &Url,
        pairs: &[(&str, &str)],
        authorization: Option<HeaderValue>,
    ) -> Result<OAuthResponse, ClientError> {
        let mut request = post(url, "application/x-www-form-urlencoded", form(pairs));
        request
            .headers_mut()
            .extend(authorization.map(|authorization| (AUTHORIZATION, authorization)));
        self.send(request).await
    }

    async fn send(&self, mut request: Request) -> Result<OAuthResponse, ClientError> {
        self.check(request.url())?;
        let client = self.client(request.url())?;
        let what = format!("{} {}", request.method(), shown(request.url()));
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
        let response = async {
            let response = client.execute(request).await.map_err(|err| lost(&what, err))?;
            receive(&what, response).await
        };
        let timed_out = |_| ClientError::TimedOut { what: what.clone(), limit: REQUEST_TIMEOUT };
        tokio::time::timeout(REQUEST_TIMEOUT, response).await.map_err(timed_out)?
    }

    /// A client that follows no redirects and connects only to addresses within reach. It is
    /// created per request, because requests are few and each may need another route.
    fn client(&self, url: &Url) -> Result<Client, ClientError> {
        let lost = |what| ClientError::lost(what);
        let builder = ConnectionRoute::for_url(url)
            .client()
            .map_err(lost)?
            .redirect(redirect::Policy::none())
            .referer(false);
        let builder = if self.reach.is_direct() { builder.no_proxy() } else { builder };
        builder
            .dns_resolver(Arc::new(self.reach.clone()))
            .build()
            .map_err(|err| lost(error_chain(&err)))
    }

    fn check(&self, url: &Url) -> Result<(), ClientError> {
        self.reach
            .check(url)
            .map_err(|reason| broken(format!("refused a URL that the server refers to: {reason}")))
    }
}

impl OAuthResponse {
    /// The body, if it is JSON of this type.
    pub(super) fn json<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.body).ok()
    }
}

/// Fetches a document of an issuer, to verify tokens that it issued to other parties. The request
/// uses `https` unless the issuer is on this machine, follows no redirect, and contacts no address
/// nearer to this machine than the issuer itself. The error is a message.
pub async fn document(issuer: &str, url: &str) -> Result<Vec<u8>, String> {
    let issuer =
        Url::parse(issuer).map_err(|error| format!("the issuer is not a valid URL: {error}"))?;
    let web = OAuthHttp::for_server(&issuer).await;
    let url = web.url(url).map_err(|error| error.to_string())?;
    let response = web.read(&url).await.map_err(|error| error.to_string())?;
    if !response.status.is_success() {
        return Err(format!("it answered {}", response.status));
    }
    Ok(response.body)
}

/// The pairs in `application/x-www-form-urlencoded` form.
pub(super) fn form(pairs: &[(&str, &str)]) -> String {
    let mut url = Url::parse("http://localhost/").expect("a fixed address");
    url.query_pairs_mut().extend_pairs(pairs);
    url.query().unwrap_or_default().to_owned()
}

fn post(url: &Url, kind: &'static str, body: String) -> Request {
    let mut request = Request::new(Method::POST, url.clone());
    request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    *request.body_mut() = Some(body.into());
    request
}

async fn receive(what: &str, mut response: Response) -> Result<OAuthResponse, ClientError> {
    let status = response.status();
    let after = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|header| retry_after::parse(header.to_str().ok()?, SystemTime::now()));
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|err| lost(what, err))? {
        if body.len() + chunk.len() > MAX_RESPONSE_BYTES {
            return Err(broken(format!(
                "{what} answered with more than {} MiB",
                MAX_RESPONSE_BYTES >> 20
            )));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(OAuthResponse { status, after, body })
}

fn lost(what: &str, err: reqwest::Error) -> ClientError {
    ClientError::lost(format!("{what} failed: {}", error_chain(&err.without_url())))
}
