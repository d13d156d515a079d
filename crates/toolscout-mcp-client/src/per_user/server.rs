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
use toolscout_source::request::{OfRequest, header, header_name, whose};

/// The maximum number of users with cached connections; the least recently used is evicted.
const USERS: usize = 256;
/// The lifetime of a user's connection and tool list.
const TIME: Duration = Duration::from_secs(300);

/// A server whose entry refers to the request: `bearer = "request:x-github-token"`.
///
/// Each combination of user and token has its own source. Sources share nothing, and nothing of
/// them is written to disk: the record is in memory, and is dropped with the source. A request
/// without the header gets none of the server's tools, and an explanation.
pub struct PerUserServer {
    server: ServerConfig,
    shared: Arc<ServerContext>,
    headers: Vec<String>,
    around: WrapSource,
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
        texts.filter_map(ConfigText::of_request).map(str::to_ascii_lowercase).collect();
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
    let is_of_request = |it: &ConfigText| it.of_request().is_some();
    match &server.transport {
        ServerTransport::Stdio(program) => {
            let mut texts =
                std::iter::once(&program.command).chain(&program.args).chain(program.env.values());
            match texts.any(is_of_request) {
                true => {
                    Err("a program is the same for all requests; `request:` is for `headers` and `bearer`".to_owned())
                }
                false => Ok(()),
            }
        }
        ServerTransport::Http(endpoint) => {
            let others =
                [Some(&endpoint.url), endpoint.client_id.as_ref(), endpoint.client_secret.as_ref()];
            if others.into_iter().flatten().any(is_of_request) {
                return Err("`request:` is for `headers` and `bearer` only".to_owned());
            }
            request_headers(server).iter().try_for_each(|it| header_name(it).map(|_| ()))
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
        shared: Arc<ServerContext>,
        around: impl Fn(Arc<dyn Source>) -> Arc<dyn Source> + Send + Sync + 'static,
    ) -> Result<Self, StoreError> {
        let key =
            blake3::derive_key("toolscout users of servers", &shared.records().store().key()?);
        let (headers, users) =
            (request_headers(&server), PerUser::new(USERS, CacheLifetime::For(TIME)));
        Ok(Self { server, shared, headers, around: Arc::new(around), key, users })
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
    fn said<'a>(&self, cx: &'a Cx) -> Option<Vec<&'a str>> {
        self.headers.iter().map(|it| header(cx, it).filter(|it| !it.trim().is_empty())).collect()
    }

    /// A keyed hash of the user and the header values.
    fn place(&self, cx: &Cx, said: &[&str]) -> String {
        blake3::keyed_hash(&self.key, whose(cx, said).as_bytes()).to_hex().to_string()
    }

    /// Connects to the server on this user's behalf.
    async fn connect(&self, cx: &Cx, said: &[&str]) -> Result<Arc<dyn Source>, Arc<dyn Source>> {
        let own = Arc::new(McpSource::new(self.server.clone(), Arc::new(self.shared_for(said))));
        match own.refresh(cx).await {
            Ok(_) => Ok(OfRequest.layer((self.around)(own))),
            Err(error) => {
                Err(Arc::new(ClosedSource::failed(&self.server.id, &self.headers, &error)))
            }
        }
    }

    /// A context that shares only the connection settings with other users.
    fn shared_for(&self, said: &[&str]) -> ServerContext {
        let known: Vec<(String, String)> =
            self.headers.iter().cloned().zip(said.iter().map(|it| (*it).to_owned())).collect();
        let find = move |name: &str| {
            known
                .iter()
                .find(|(it, _)| it.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.clone())
        };
        let mut shared = ServerContext::clone(&self.shared);
        shared.records = shared.records.elsewhere(Arc::new(MemoryStore::default()), "of one user");
        shared.dial.lookup = shared.dial.lookup.for_request(find);
        shared.dial.tokens = None;
        shared
    }
}

impl RequestSources for PerUserServer {
    /// Requests without the headers have a key, too, because their set of tools also differs.
    fn key(&self, cx: &Cx) -> Option<String> {
        Some(self.said(cx).map_or_else(|| "nobody".to_owned(), |said| self.place(cx, &said)))
    }

    fn sources<'a>(&'a self, cx: &'a Cx) -> BoxFuture<'a, Vec<Arc<dyn Source>>> {
        Box::pin(async move {
            let Some(said) = self.said(cx) else {
                return vec![Arc::new(ClosedSource::missing(&self.server.id, &self.headers))
                    as Arc<dyn Source>];
            };
            let found = self.users.value(&self.place(cx, &said), || self.connect(cx, &said)).await;
            vec![found.unwrap_or_else(|it| it)]
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
        let what = format!(
            "`{id}` needs a login: it is asked with your own token, sent as {}",
            spoken(headers)
        );
        Self { id: id.clone(), what, is_failure: false }
    }

    fn failed(id: &SourceId, headers: &[String], error: &SourceError) -> Self {
        let what = match error {
            SourceError::Login { .. } => {
                format!("it does not take the token sent as {}", spoken(headers))
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
    headers.iter().map(|it| format!("header `{it}`")).collect::<Vec<_>>().join(" and ")
}

impl Source for ClosedSource {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn origin(&self) -> SourceKind {
        SourceKind::Request
    }

    fn discover(&self, _: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        let said = match self.is_failure {
            true => Err(SourceError::Unavailable { id: self.id.clone(), what: self.what.clone() }),
            false => {
                let problem = Diagnostic::warning(DiagnosticKind::Unavailable, self.what.clone());
                Ok(DiscoveryItem::Diagnostic(problem.of(self.id.clone())))
            }
        };
        Box::pin(stream::iter([said]))
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
