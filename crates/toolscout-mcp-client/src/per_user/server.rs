//! A server with a token per user: separate connections, sessions and tools.

#[cfg(all(test, unix))]
mod tests;

use super::{CacheLifetime, PerUser};
use crate::{ConfigText, McpSource, ServerConfig, ServerContext, ServerTransport};
use futures_util::stream;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, Diagnostic, DiagnosticKind, DiscoveryItem, Layer,
    MemoryStore, RequestSources, Source, SourceError, SourceId, SourceKind, StoreError, Tool,
    ToolCall, ToolName, ToolOutput,
};
use toolscout_source::request::{OfRequest, cache_key, header, header_name};

/// The maximum number of users with cached connections; the least recently used is evicted.
const MAX_USERS: usize = 256;
/// The lifetime of a user's connection and tool list.
const LIFETIME: Duration = Duration::from_secs(300);

/// A server whose entry refers to the request: `bearer = "request:x-github-token"`.
///
/// Each combination of user and token has its own source. Sources share nothing, and nothing of
/// them is written to disk: the record is in memory, and is dropped with the source. A request
/// without the header gets none of the server's tools, and an explanation.
pub struct PerUserServer {
    server: ServerConfig,
    context: Arc<ServerContext>,
    headers: Vec<String>,
    wrap: WrapSource,
    key: [u8; 32],
    users: PerUser<Arc<dyn Source>, Arc<dyn Source>>,
}

/// Wraps each source in the server's layers: its filter, its time limit.
type WrapSource = Arc<dyn Fn(Arc<dyn Source>) -> Arc<dyn Source> + Send + Sync>;

/// The request headers that the server's entry refers to, in lower case.
pub fn request_headers(server: &ServerConfig) -> Vec<String> {
    let ServerTransport::Http(endpoint) = &server.transport else { return Vec::new() };
    let texts = endpoint.headers.values().chain(&endpoint.bearer);
    let mut headers: Vec<_> =
        texts.filter_map(ConfigText::request_header).map(str::to_ascii_lowercase).collect();
    headers.sort();
    headers.dedup();
    headers
}

/// Checks that only permitted parts of an entry refer to a request.
///
/// # Errors
///
/// A message for display, if another part does. A program is shared by all requests, the operator
/// alone chooses the addresses and the OAuth client, and headers that authenticate a user to
/// toolscout must not be forwarded.
pub fn check_request_headers(server: &ServerConfig) -> Result<(), String> {
    let refers_to_request = |text: &ConfigText| text.request_header().is_some();
    match &server.transport {
        ServerTransport::Stdio(program) => {
            let mut texts =
                std::iter::once(&program.command).chain(&program.args).chain(program.env.values());
            if texts.any(refers_to_request) {
                Err("`request:` is allowed only in `headers` and `bearer` of HTTP servers"
                    .to_owned())
            } else {
                Ok(())
            }
        }
        ServerTransport::Http(endpoint) => {
            let others =
                [Some(&endpoint.url), endpoint.client_id.as_ref(), endpoint.client_secret.as_ref()];
            if others.into_iter().flatten().any(refers_to_request) {
                return Err("`request:` is allowed only in `headers` and `bearer`".to_owned());
            }
            request_headers(server).iter().try_for_each(|header| header_name(header).map(|_| ()))
        }
    }
}

impl PerUserServer {
    /// Creates the server with the shared context; opens nothing.
    ///
    /// # Errors
    ///
    /// Fails if the store has no secret key for hashing tokens.
    pub fn new(
        server: ServerConfig,
        context: Arc<ServerContext>,
        wrap: impl Fn(Arc<dyn Source>) -> Arc<dyn Source> + Send + Sync + 'static,
    ) -> Result<Self, StoreError> {
        let key =
            blake3::derive_key("toolscout users of servers", &context.records().store().key()?);
        let (headers, users) =
            (request_headers(&server), PerUser::new(MAX_USERS, CacheLifetime::For(LIFETIME)));
        Ok(Self { server, context, headers, wrap: Arc::new(wrap), key, users })
    }

    /// The number of users with cached connections.
    pub fn len(&self) -> usize {
        self.users.len()
    }

    /// Whether no connection is cached.
    pub fn is_empty(&self) -> bool {
        self.users.is_empty()
    }

    /// The values of the headers in this request; none if one is missing.
    fn header_values<'a>(&self, cx: &'a Cx) -> Option<Vec<&'a str>> {
        self.headers
            .iter()
            .map(|item| header(cx, item).filter(|header| !header.trim().is_empty()))
            .collect()
    }

    /// A keyed hash of the user and the header values.
    fn cache_key(&self, cx: &Cx, header_values: &[&str]) -> String {
        blake3::keyed_hash(&self.key, cache_key(cx, header_values).as_bytes()).to_hex().to_string()
    }

    /// Connects to the server on this user's behalf.
    async fn connect(
        &self,
        cx: &Cx,
        header_values: &[&str],
    ) -> Result<Arc<dyn Source>, Arc<dyn Source>> {
        let own = Arc::new(McpSource::new(
            self.server.clone(),
            Arc::new(self.context_for_user(header_values)),
        ));
        match own.refresh(cx).await {
            Ok(_) => Ok(OfRequest.layer((self.wrap)(own))),
            Err(error) => {
                Err(Arc::new(ClosedSource::failed(&self.server.id, &self.headers, &error)))
            }
        }
    }

    /// A context that shares only the connection settings with other users.
    fn context_for_user(&self, header_values: &[&str]) -> ServerContext {
        let values: Vec<(String, String)> = self
            .headers
            .iter()
            .cloned()
            .zip(header_values.iter().map(|item| (*item).to_owned()))
            .collect();
        let find = move |name: &str| {
            values
                .iter()
                .find(|(item, _)| item.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.clone())
        };
        let mut context = ServerContext::clone(&self.context);
        context.records = context.records.in_store(Arc::new(MemoryStore::default()), "of one user");
        context.connect.lookup = context.connect.lookup.for_request(find);
        context.connect.tokens = None;
        context
    }
}

impl RequestSources for PerUserServer {
    fn is_cacheable(&self) -> bool {
        true
    }

    /// Requests without the headers have a key, too, because their set of tools also differs.
    fn key(&self, cx: &Cx) -> Option<String> {
        Some(self.header_values(cx).map_or_else(
            || "nobody".to_owned(),
            |header_values| self.cache_key(cx, &header_values),
        ))
    }

    fn sources<'a>(&'a self, cx: &'a Cx) -> BoxFuture<'a, Vec<Arc<dyn Source>>> {
        Box::pin(async move {
            let Some(header_values) = self.header_values(cx) else {
                return vec![Arc::new(ClosedSource::missing(&self.server.id, &self.headers))
                    as Arc<dyn Source>];
            };
            let found = self
                .users
                .value(&self.cache_key(cx, &header_values), || self.connect(cx, &header_values))
                .await;
            vec![found.unwrap_or_else(|error| error)]
        })
    }
}

/// A server that is not available to this user, and why.
struct ClosedSource {
    id: SourceId,
    what: String,
    /// Whether a retry may succeed.
    is_failure: bool,
}

impl ClosedSource {
    fn missing(id: &SourceId, headers: &[String]) -> Self {
        let what = format!("`{id}` needs your own token, sent as {}", spoken(headers));
        Self { id: id.clone(), what, is_failure: false }
    }

    fn failed(id: &SourceId, headers: &[String], error: &SourceError) -> Self {
        let what = match error {
            SourceError::Login { .. } => {
                format!("it rejected the token sent as {}", spoken(headers))
            }
            // The caller adds the server's name.
            SourceError::Unavailable { what, .. } | SourceError::Busy { what, .. } => what.clone(),
            error => error.to_string(),
        };
        Self { id: id.clone(), what, is_failure: true }
    }
}

/// `header x-a and header x-b`
fn spoken(headers: &[String]) -> String {
    headers.iter().map(|header| format!("header `{header}`")).collect::<Vec<_>>().join(" and ")
}

impl Source for ClosedSource {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Request
    }

    fn discover(&self, _: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        let item = if self.is_failure {
            Err(SourceError::Unavailable { id: self.id.clone(), what: self.what.clone() })
        } else {
            let diagnostic = Diagnostic::warning(DiagnosticKind::Unavailable, self.what.clone());
            Ok(DiscoveryItem::Diagnostic(diagnostic.with_source(self.id.clone())))
        };
        Box::pin(stream::iter([item]))
    }

    fn load<'a>(
        &'a self,
        _: &'a ToolName,
        _: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async { Ok(None) })
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        _: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        let name = call.get().tool.name.to_string();
        Box::pin(async move { Err(SourceError::NotMine { id: self.id.clone(), name }) })
    }
}
