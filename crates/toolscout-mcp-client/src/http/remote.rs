//! A remote server: its address and the credentials for it.

use super::super::limits::Limits;
use super::super::tokens::TokenProvider;
use super::super::value::{ConfigText, ReferenceLookup};
use super::super::wire::Outgoing;
use super::super::{ClientError, ConnectContext, HttpEndpoint};
use super::answer::broken;
use super::credentials;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue,
};
use reqwest::{Client, Method, Request, Response, StatusCode, Url, redirect, retry};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::spawn_blocking;
use tokio::time::timeout_at;
use toolscout_http_client::{ConnectionRoute, chain, shown};

/// The connect timeout.
const CONNECT: Duration = Duration::from_secs(10);
/// The idle timeout of pooled connections. It is shorter than the timeout of common servers: a call
/// over a connection that the server is closing fails, and calls are not repeated.
const IDLE: Duration = Duration::from_secs(4);
/// The TCP keep-alive interval; an event stream may be silent for hours.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// The maximum number of idle connections.
const IDLE_CONNECTIONS: usize = 8;

/// A request, and whether repeating it is harmless.
pub(crate) struct HttpRequest {
    request: Request,
    is_harmless: bool,
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
    pub(crate) async fn of(
        endpoint: &HttpEndpoint,
        dial: &ConnectContext,
        deadline: Instant,
    ) -> Result<Self, ClientError> {
        let limit = deadline.saturating_duration_since(Instant::now());
        let (endpoint, dial) = (endpoint.clone(), dial.clone());
        // Resolving references may read files and run programs, and loading the system certificates
        // reads files.
        let made =
            timeout_at(deadline.into(), spawn_blocking(move || Self::resolve(&endpoint, &dial)))
                .await;
        let what = || "reading the server's configuration".to_owned();
        let made = made.map_err(|_| ClientError::TimedOut { what: what(), limit })?;
        made.unwrap_or_else(|_| {
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
        let is_harmless = message.method.as_deref().is_some_and(only_reads);
        let mut request =
            self.request(Method::POST, url, headers, "application/json, text/event-stream");
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        *request.body_mut() = Some(message.body.into());
        HttpRequest { request, is_harmless }
    }

    /// Creates a request for an event stream.
    pub(crate) fn listen(&self, headers: HeaderMap) -> HttpRequest {
        HttpRequest {
            request: self.request(Method::GET, &self.url, headers, "text/event-stream"),
            is_harmless: true,
        }
    }

    /// Creates a request that ends a session.
    pub(crate) fn delete(&self, headers: HeaderMap) -> HttpRequest {
        HttpRequest {
            request: self.request(Method::DELETE, &self.url, headers, "application/json"),
            is_harmless: true,
        }
    }

    /// Sends the request and waits for the head of the response, with any status. If the server
    /// rejects the token and a better one is available, sends the request once more.
    pub(crate) async fn ask(&self, mut ask: HttpRequest) -> Result<Response, ClientError> {
        let Some(tokens) = &self.tokens else { return self.send(ask).await };
        let Some(token) = tokens.current().await? else { return self.send(ask).await };
        let again = ask.copy();
        authorize(&mut ask, &token)?;
        let response = self.send(ask).await?;
        if response.status() != StatusCode::UNAUTHORIZED || !tokens.refused(&token).await {
            return Ok(response);
        }
        match (again, tokens.current().await?) {
            (Some(mut again), Some(token)) => {
                authorize(&mut again, &token)?;
                self.send(again).await
            }
            _ => Ok(response),
        }
    }

    fn resolve(endpoint: &HttpEndpoint, dial: &ConnectContext) -> Result<Self, ClientError> {
        let mut url = address(&endpoint.url, &dial.lookup)?;
        let headers = credentials::headers(endpoint, &url, &dial.lookup)?;
        credentials::take_out(&mut url);
        let tokens = if headers.contains_key(AUTHORIZATION) { None } else { dial.tokens.clone() };
        // A path can be a secret, and counts as one if the address is a reference.
        let name = if endpoint.url.is_reference() {
            url.origin().ascii_serialization()
        } else {
            shown(&url)
        };
        Ok(Self { client: client(&url)?, url, name, headers, tokens, limits: dial.limits.clone() })
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
    async fn send(&self, ask: HttpRequest) -> Result<Response, ClientError> {
        let again = ask.copy().filter(|it| it.is_harmless);
        let outcome = match (self.client.execute(ask.request).await, again) {
            (Err(err), Some(again)) if !err.is_connect() && !err.is_timeout() => {
                self.client.execute(again.request).await
            }
            (outcome, _) => outcome,
        };
        outcome.map_err(|err| broken(&self.name, err))
    }
}

impl HttpRequest {
    fn copy(&self) -> Option<Self> {
        Some(Self { request: self.request.try_clone()?, is_harmless: self.is_harmless })
    }
}

fn only_reads(method: &str) -> bool {
    matches!(method, "server/discover" | "initialize" | "ping") || method.ends_with("/list")
}

/// Creates a client per wire, so that a server cannot affect the connections of another.
fn client(url: &Url) -> Result<Client, ClientError> {
    let lost = |what| ClientError::lost(what);
    let builder = ConnectionRoute::to(url).client().map_err(lost)?;
    let builder = builder.redirect(redirect::Policy::none()).retry(retry::never()).referer(false);
    let builder = builder
        .connect_timeout(CONNECT)
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(IDLE_CONNECTIONS);
    let builder = builder.tcp_keepalive(KEEP_ALIVE);
    builder
        .build()
        .map_err(|err| lost(format!("requests cannot be made on this machine: {}", chain(&err))))
}

fn address(text: &ConfigText, lookup: &ReferenceLookup) -> Result<Url, ClientError> {
    let text = text
        .resolve(lookup)
        .map_err(|why| ClientError::invalid(format!("the server's `url`: {why}")))?;
    let mut url = Url::parse(text.trim())
        .map_err(|err| ClientError::invalid(format!("the server's `url` is no address: {err}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        // The address may be a secret that belongs in another setting, so the error does not
        // contain it.
        return Err(ClientError::invalid(
            "the server's `url` begins neither with `http:` nor with `https:`",
        ));
    }
    url.set_fragment(None);
    Ok(url)
}

fn authorize(ask: &mut HttpRequest, token: &str) -> Result<(), ClientError> {
    ask.request.headers_mut().insert(AUTHORIZATION, credentials::bearer(token)?);
    Ok(())
}
