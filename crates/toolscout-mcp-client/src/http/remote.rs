//! A remote server: its address and the credentials for it.

use super::super::limits::Limits;
use super::super::tokens::TokenProvider;
use super::super::value::{ConfigText, ReferenceLookup};
use super::super::wire::Outgoing;
use super::super::{ClientError, ConnectContext, HttpEndpoint};
use super::credentials;
use super::response::connection_error;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue,
};
use reqwest::{Client, Method, Request, Response, StatusCode, Url, redirect, retry};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::spawn_blocking;
use tokio::time::timeout_at;
use toolscout_http_client::{ConnectionRoute, display_url, error_chain};

/// The connect timeout.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The idle timeout of pooled connections. It is shorter than the timeout of common servers: a call
/// over a connection that the server is closing fails, and calls are not repeated.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(4);
/// The TCP keep-alive interval; an event stream may be silent for hours.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// The maximum number of idle connections.
const IDLE_CONNECTIONS: usize = 8;

/// A request, and whether repeating it is harmless.
pub(crate) struct HttpRequest {
    request: Request,
    is_idempotent: bool,
}

/// A remote server. `name` contains no secrets.
pub(crate) struct HttpRemote {
    client: Client,
    url: Url,
    /// The address, for display.
    name: String,
    headers: HeaderMap,
    /// Provides a token; `None` if an `Authorization` header is configured.
    tokens: Option<Arc<dyn TokenProvider>>,
    limits: Arc<Limits>,
}

impl HttpRemote {
    /// Resolves the references in the configuration; sends nothing.
    pub(crate) async fn from_endpoint(
        endpoint: &HttpEndpoint,
        context: &ConnectContext,
        deadline: Instant,
    ) -> Result<Self, ClientError> {
        let limit = deadline.saturating_duration_since(Instant::now());
        let (endpoint, context) = (endpoint.clone(), context.clone());
        // Resolving references may read files and run programs, and loading the system certificates
        // reads files.
        let resolved =
            timeout_at(deadline.into(), spawn_blocking(move || Self::resolve(&endpoint, &context)))
                .await;
        let what = || "reading the server's configuration".to_owned();
        let resolved = resolved.map_err(|_| ClientError::TimedOut { what: what(), limit })?;
        resolved.unwrap_or_else(|_| {
            Err(ClientError::invalid("the server's configuration could not be read"))
        })
    }

    /// The configured address, without credentials.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// The address, for display.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Creates a request that posts a message; the response may contain one message or many.
    pub(crate) fn post(&self, url: &Url, headers: HeaderMap, message: Outgoing) -> HttpRequest {
        let is_idempotent = message.method.as_deref().is_some_and(is_read_only);
        let mut request =
            self.request(Method::POST, url, headers, "application/json, text/event-stream");
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        *request.body_mut() = Some(message.body.into());
        HttpRequest { request, is_idempotent }
    }

    /// Creates a request for an event stream.
    pub(crate) fn listen(&self, headers: HeaderMap) -> HttpRequest {
        HttpRequest {
            request: self.request(Method::GET, &self.url, headers, "text/event-stream"),
            is_idempotent: true,
        }
    }

    /// Creates a request that ends a session.
    pub(crate) fn delete(&self, headers: HeaderMap) -> HttpRequest {
        HttpRequest {
            request: self.request(Method::DELETE, &self.url, headers, "application/json"),
            is_idempotent: true,
        }
    }

    /// Sends the request and waits for the head of the response, with any status. If the server
    /// rejects the token and a better one is available, sends the request once more.
    pub(crate) async fn send(
        &self,
        mut http_request: HttpRequest,
    ) -> Result<Response, ClientError> {
        let Some(tokens) = &self.tokens else { return self.send_once(http_request).await };
        let Some(token) = tokens.current().await? else {
            return self.send_once(http_request).await;
        };
        let retry = http_request.copy();
        authorize(&mut http_request, &token)?;
        let response = self.send_once(http_request).await?;
        if response.status() != StatusCode::UNAUTHORIZED || !tokens.refused(&token).await {
            return Ok(response);
        }
        match (retry, tokens.current().await?) {
            (Some(mut retry), Some(token)) => {
                authorize(&mut retry, &token)?;
                self.send_once(retry).await
            }
            _ => Ok(response),
        }
    }

    fn resolve(endpoint: &HttpEndpoint, context: &ConnectContext) -> Result<Self, ClientError> {
        let mut url = address(&endpoint.url, &context.lookup)?;
        let headers = credentials::headers(endpoint, &url, &context.lookup)?;
        credentials::strip_userinfo(&mut url);
        let tokens =
            if headers.contains_key(AUTHORIZATION) { None } else { context.tokens.clone() };
        // A path can be a secret, and counts as one if the address is a reference.
        let name = if endpoint.url.is_reference() {
            url.origin().ascii_serialization()
        } else {
            display_url(&url)
        };
        Ok(Self {
            client: client(&url)?,
            url,
            name,
            headers,
            tokens,
            limits: context.limits.clone(),
        })
    }

    fn request(
        &self,
        method: Method,
        url: &Url,
        headers: HeaderMap,
        accept: &'static str,
    ) -> Request {
        let mut request = Request::new(method, url.clone());
        let all = request.headers_mut();
        *all = self.headers.clone();
        all.extend(headers);
        all.insert(ACCEPT, HeaderValue::from_static(accept));
        // Limits count received bytes, so responses must not be compressed.
        all.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        request
    }

    /// Sends a request. The server may close a pooled connection at the moment it is reused, and
    /// then it is unknown whether the server has read the request. Only a read-only request is sent
    /// again.
    async fn send_once(&self, http_request: HttpRequest) -> Result<Response, ClientError> {
        let retry = http_request.copy().filter(|copy| copy.is_idempotent);
        let outcome = match (self.client.execute(http_request.request).await, retry) {
            (Err(err), Some(retry)) if !err.is_connect() && !err.is_timeout() => {
                self.client.execute(retry.request).await
            }
            (outcome, _) => outcome,
        };
        outcome.map_err(|err| connection_error(&self.name, err))
    }
}

impl HttpRequest {
    fn copy(&self) -> Option<Self> {
        Some(Self { request: self.request.try_clone()?, is_idempotent: self.is_idempotent })
    }
}

fn is_read_only(method: &str) -> bool {
    matches!(method, "server/discover" | "initialize" | "ping") || method.ends_with("/list")
}

/// Creates a client per wire, so that a server cannot affect the connections of another.
fn client(url: &Url) -> Result<Client, ClientError> {
    let lost = |what| ClientError::lost(what);
    let builder = ConnectionRoute::for_url(url).client().map_err(lost)?;
    let builder = builder.redirect(redirect::Policy::none()).retry(retry::never()).referer(false);
    let builder = builder
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(POOL_IDLE_TIMEOUT)
        .pool_max_idle_per_host(IDLE_CONNECTIONS);
    let builder = builder.tcp_keepalive(KEEP_ALIVE);
    builder
        .build()
        .map_err(|err| lost(format!("could not create an HTTP client: {}", error_chain(&err))))
}

fn address(text: &ConfigText, lookup: &ReferenceLookup) -> Result<Url, ClientError> {
    let text = text
        .resolve(lookup)
        .map_err(|reason| ClientError::invalid(format!("the server's `url`: {reason}")))?;
    let mut url = Url::parse(text.trim()).map_err(|err| {
        ClientError::invalid(format!("the server's `url` is not a valid URL: {err}"))
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        // The address may be a secret that belongs in another setting, so the error does not
        // contain it.
        return Err(ClientError::invalid(
            "the server's `url` must start with `http://` or `https://`",
        ));
    }
    url.set_fragment(None);
    Ok(url)
}

fn authorize(http_request: &mut HttpRequest, token: &str) -> Result<(), ClientError> {
    http_request.request.headers_mut().insert(AUTHORIZATION, credentials::bearer(token)?);
    Ok(())
}
