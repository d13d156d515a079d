//! A remote server: its address, and our credentials there.

use super::super::limits::Limits;
use super::super::tokens::TokenProvider;
use super::super::value::{ConfigText, ReferenceLookup};
use super::super::wire::Outgoing;
use super::super::{ClientError, ConnectContext, HttpEndpoint};
use super::answer::broken;
use super::credentials;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Method, Request, Response, StatusCode, Url, redirect, retry};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::spawn_blocking;
use tokio::time::timeout_at;
use toolscout_http_client::{ConnectionRoute, chain, shown};

/// The connect timeout.
const CONNECT: Duration = Duration::from_secs(10);
/// Shorter than common servers keep a silent connection: a call that meets a closing one fails, and is not repeated.
const IDLE: Duration = Duration::from_secs(4);
/// The TCP keep-alive interval; an event stream may be silent for hours.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// Silent connections kept.
const IDLE_CONNECTIONS: usize = 8;

/// A request, and whether it does no harm to make it twice.
pub(crate) struct HttpRequest {
    request: Request,
    is_harmless: bool,
}

/// A server on the web. Nothing private of it is in `name`.
pub(crate) struct HttpRemote {
    client: Client,
    url: Url,
    /// The address, for people.
    name: String,
    /// The configured headers.
    headers: HeaderMap,
    /// Provides a token; none if one is configured.
    tokens: Option<Arc<dyn TokenProvider>>,
    limits: Arc<Limits>,
}

impl HttpRemote {
    /// Resolves references of the configuration; sends nothing.
    pub(crate) async fn of(
        endpoint: &HttpEndpoint,
        dial: &ConnectContext,
        deadline: Instant,
    ) -> Result<Self, ClientError> {
        let limit = deadline.saturating_duration_since(Instant::now());
        let (endpoint, dial) = (endpoint.clone(), dial.clone());
        // References lead to files and other programs, and the system's certificates are files too.
        let made = timeout_at(deadline.into(), spawn_blocking(move || Self::resolve(&endpoint, &dial))).await;
        let what = || "reading the server's configuration".to_owned();
        let made = made.map_err(|_| ClientError::TimedOut { what: what(), limit })?;
        made.unwrap_or_else(|_| Err(ClientError::invalid("the server's configuration could not be read")))
    }

    /// The address that was configured.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// The address, for people.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Posts a message, which may be answered by one message or by many.
    pub(crate) fn post(&self, url: &Url, headers: HeaderMap, message: Outgoing) -> HttpRequest {
        let is_harmless = message.method.as_deref().is_some_and(only_reads);
        let mut request = self.request(Method::POST, url, headers, "application/json, text/event-stream");
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        *request.body_mut() = Some(message.body.into());
        HttpRequest { request, is_harmless }
    }

    /// Asks for an event stream.
    pub(crate) fn listen(&self, headers: HeaderMap) -> HttpRequest {
        HttpRequest { request: self.request(Method::GET, &self.url, headers, "text/event-stream"), is_harmless: true }
    }

    /// Ends a session.
    pub(crate) fn delete(&self, headers: HeaderMap) -> HttpRequest {
        HttpRequest { request: self.request(Method::DELETE, &self.url, headers, "application/json"), is_harmless: true }
    }

    /// Sends the request and waits for the head of the answer, whatever its status. Where a token of ours was not taken
    /// and there is a better one, asks once more.
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
        // A path can be a secret as well, and counts as one if the address is a reference.
        let name = if endpoint.url.is_reference() { url.origin().ascii_serialization() } else { shown(&url) };
        Ok(Self { client: client(&url)?, url, name, headers, tokens, limits: dial.limits.clone() })
    }

    fn request(&self, method: Method, url: &Url, headers: HeaderMap, accept: &'static str) -> Request {
        let mut request = Request::new(method, url.clone());
        let all = request.headers_mut();
        *all = self.headers.clone();
        all.extend(headers);
        all.insert(ACCEPT, HeaderValue::from_static(accept));
        // Limits count the bytes that arrive, so they must not be compressed.
        all.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        request
    }

    /// A connection kept from before may be closed by the server in the moment it is used again; whether the request was
    /// read then, nobody knows. One that only reads is made again.
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

/// A client of its own for each wire: what one server does to its connections is nothing to another.
fn client(url: &Url) -> Result<Client, ClientError> {
    let lost = |what| ClientError::lost(what);
    let builder = ConnectionRoute::to(url).client().map_err(lost)?;
    let builder = builder.redirect(redirect::Policy::none()).retry(retry::never()).referer(false);
    let builder = builder.connect_timeout(CONNECT).pool_idle_timeout(IDLE).pool_max_idle_per_host(IDLE_CONNECTIONS);
    let builder = builder.tcp_keepalive(KEEP_ALIVE);
    builder.build().map_err(|err| lost(format!("requests cannot be made on this machine: {}", chain(&err))))
}

fn address(text: &ConfigText, lookup: &ReferenceLookup) -> Result<Url, ClientError> {
    let text = text.resolve(lookup).map_err(|why| ClientError::invalid(format!("the server's `url`: {why}")))?;
    let mut url = Url::parse(text.trim())
        .map_err(|err| ClientError::invalid(format!("the server's `url` is no address: {err}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        // The rest of it may be a secret that was meant for another setting.
        return Err(ClientError::invalid("the server's `url` begins neither with `http:` nor with `https:`"));
    }
    url.set_fragment(None);
    Ok(url)
}

fn authorize(ask: &mut HttpRequest, token: &str) -> Result<(), ClientError> {
    ask.request.headers_mut().insert(AUTHORIZATION, credentials::bearer(token)?);
    Ok(())
}
