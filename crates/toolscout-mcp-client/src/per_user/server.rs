//! A server with a token per user: separate connections, sessions and tools.

#[cfg(all(test, unix))]
mod tests;

use super::{CacheLifetime, PerUser};
use crate::{ConfigText, McpSource, ServerConfig, ServerContext, ServerTransport};
use futures_util::stream;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, Diagnostic, DiagnosticKind, DiscoveryItem, Layer, MemoryStore,
    RequestSources, Source, SourceError, SourceId, SourceKind, StoreError, Tool, ToolCall, ToolName, ToolOutput,
};
use toolscout_source::request::{OfRequest, header, header_name, whose};

/// Users whose connections are kept; who was not seen for longest makes room.
const USERS: usize = 256;
/// For so long a user's connection and list of tools are used, before both are made anew.
const TIME: Duration = Duration::from_secs(300);

/// A server whose entry refers to the request: `bearer = "request:x-github-token"`.
///
/// Each user, with each token, has a source of their own. Nothing is shared between two of them, and nothing of it is written
/// down: its record is in memory, and ends with it. A request without the header has none of the server's tools, and is told
/// why.
pub struct PerUserServer {
    server: ServerConfig,
    shared: Arc<ServerContext>,
    headers: Vec<String>,
    around: WrapSource,
    key: [u8; 32],
    users: PerUser<Arc<dyn Source>, Arc<dyn Source>>,
}

/// What goes around each source: the server's filter, its time.
type WrapSource = Arc<dyn Fn(Arc<dyn Source>) -> Arc<dyn Source> + Send + Sync>;

/// The request headers that the server's entry refers to, in lower case.
pub fn request_headers(server: &ServerConfig) -> Vec<String> {
    let ServerTransport::Http(endpoint) = &server.transport else { return Vec::new() };
    let texts = endpoint.headers.values().chain(&endpoint.bearer);
    let mut headers: Vec<_> = texts.filter_map(ConfigText::of_request).map(str::to_ascii_lowercase).collect();
    headers.sort();
    headers.dedup();
    headers
}

/// Whether each part of an entry may refer to a request that does.
///
/// # Errors
///
/// Says what may not, for people: a program is everybody's, an address is for whoever configures it to say, and what says who
/// somebody is to us is nobody else's.
pub fn check_request_headers(server: &ServerConfig) -> Result<(), String> {
    let is_of_request = |it: &ConfigText| it.of_request().is_some();
    match &server.transport {
        ServerTransport::Stdio(program) => {
            let mut texts = std::iter::once(&program.command).chain(&program.args).chain(program.env.values());
            match texts.any(is_of_request) {
                true => {
                    Err("a program is the same for all requests; `request:` is for `headers` and `bearer`".to_owned())
                }
                false => Ok(()),
            }
        }
        ServerTransport::Http(endpoint) => {
            let others = [Some(&endpoint.url), endpoint.client_id.as_ref(), endpoint.client_secret.as_ref()];
            if others.into_iter().flatten().any(is_of_request) {
                return Err("`request:` is for `headers` and `bearer` only".to_owned());
            }
            request_headers(server).iter().try_for_each(|it| header_name(it).map(|_| ()))
        }
    }
}

impl PerUserServer {
    /// The server, with what all servers share; opens nothing.
    ///
    /// # Errors
    ///
    /// Where the store has no secret to hash tokens with.
    pub fn new(
        server: ServerConfig,
        shared: Arc<ServerContext>,
        around: impl Fn(Arc<dyn Source>) -> Arc<dyn Source> + Send + Sync + 'static,
    ) -> Result<Self, StoreError> {
        let key = blake3::derive_key("toolscout users of servers", &shared.records().store().key()?);
        let (headers, users) = (request_headers(&server), PerUser::new(USERS, CacheLifetime::For(TIME)));
        Ok(Self { server, shared, headers, around: Arc::new(around), key, users })
    }

    /// How many users' connections are kept.
    pub fn len(&self) -> usize {
        self.users.len()
    }

    /// Whether none is.
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

    /// Asks the server on this user's behalf.
    async fn connect(&self, cx: &Cx, said: &[&str]) -> Result<Arc<dyn Source>, Arc<dyn Source>> {
        let own = Arc::new(McpSource::new(self.server.clone(), Arc::new(self.shared_for(said))));
        match own.refresh(cx).await {
            Ok(_) => Ok(OfRequest.layer((self.around)(own))),
            Err(error) => Err(Arc::new(ClosedSource::failed(&self.server.id, &self.headers, &error))),
        }
    }

    /// Nothing of what others have but how to reach a server.
    fn shared_for(&self, said: &[&str]) -> ServerContext {
        let known: Vec<(String, String)> =
            self.headers.iter().cloned().zip(said.iter().map(|it| (*it).to_owned())).collect();
        let find = move |name: &str| {
            known.iter().find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone())
        };
        let mut shared = ServerContext::clone(&self.shared);
        shared.records = shared.records.elsewhere(Arc::new(MemoryStore::default()), "of one user");
        shared.dial.lookup = shared.dial.lookup.for_request(find);
        shared.dial.tokens = None;
        shared
    }
}

impl RequestSources for PerUserServer {
    /// Also for requests without the headers: the missing tools are specific to them.
    fn key(&self, cx: &Cx) -> Option<String> {
        Some(self.said(cx).map_or_else(|| "nobody".to_owned(), |said| self.place(cx, &said)))
    }

    fn sources<'a>(&'a self, cx: &'a Cx) -> BoxFuture<'a, Vec<Arc<dyn Source>>> {
        Box::pin(async move {
            let Some(said) = self.said(cx) else {
                return vec![Arc::new(ClosedSource::missing(&self.server.id, &self.headers)) as Arc<dyn Source>];
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
    /// Whether that may be otherwise the next time.
    is_failure: bool,
}

impl ClosedSource {
    fn missing(id: &SourceId, headers: &[String]) -> Self {
        let what = format!("`{id}` needs a login: it is asked with your own token, sent as {}", spoken(headers));
        Self { id: id.clone(), what, is_failure: false }
    }

    fn failed(id: &SourceId, headers: &[String], error: &SourceError) -> Self {
        let what = match error {
            SourceError::Login { .. } => format!("it does not take the token sent as {}", spoken(headers)),
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

    fn load<'a>(&'a self, _: &'a ToolName, _: Cx) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async { Ok(None) })
    }

    fn call(&self, call: Authorized<ToolCall>, _: Cx) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        let name = call.get().tool.name.to_string();
        Box::pin(async move { Err(SourceError::NotMine { id: self.id.clone(), name }) })
    }
}
