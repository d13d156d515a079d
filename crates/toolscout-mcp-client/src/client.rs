//! A connection to one running server.
//!
//! This client replaces the official SDK, because toolscout must guarantee its behaviour when a
//! server misbehaves. Sizes and depths are limited before anything is parsed. A malformed message
//! fails only the request it belongs to, at once. Results pass through byte for byte, so unknown
//! members survive. One broken tool does not hide the others. Progress arrives in order. Cancelling
//! a call cancels it at the server. None of these guarantees can be added from outside an SDK.

mod call;
mod list;
mod meta;
pub(super) mod open;
mod subscription;

#[cfg(all(test, unix))]
mod tests;

pub use super::definition::ToolDefinition;
pub use super::era::ProtocolEra;
pub use super::handshake::ServerDescription;
pub use super::peer::PeerCounts;
pub use list::library::LibraryListing;
pub use list::{CacheScope, ServerListing};

use super::handshake::{self, HandshakeResult};
use super::limits::Limits;
use super::params::RequestParams;
use super::peer::{Behalf, Peer, PeerRequest, ResponseRouter};
use super::{ClientError, ConnectContext, ServerConfig};
use list::ListMethod;
use open::OpenedConversation;
use parking_lot::Mutex;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{OnceCell, watch};
use tokio::task::JoinSet;
use toolscout_core::{Cx, RawJson, SourceId};

/// A connection to one running server. Clones share the connection; dropping the last one stops the
/// server.
#[derive(Clone)]
pub struct McpClient(Arc<Conversation>);

struct Conversation {
    id: SourceId,
    limits: Arc<Limits>,
    peer: Peer,
    is_http: bool,
    first_handshake: HandshakeResult,
    /// The second handshake, made if the server turns out to be of the legacy era. It is `None`
    /// inside if that handshake failed.
    second_handshake: OnceCell<Option<HandshakeResult>>,
    subscription_task: Mutex<JoinSet<()>>,
    /// The resources with a subscription.
    subscribed_resources: watch::Sender<BTreeSet<String>>,
}

impl McpClient {
    /// Starts the program or connects to the address, determines the era, and does the handshake.
    ///
    /// Cancel-safe: dropping the future stops everything that was started.
    pub async fn connect(
        server: &ServerConfig,
        context: &ConnectContext,
        deadline: Instant,
    ) -> Result<Self, ClientError> {
        let opened = open::open(server, context, deadline).await?;
        Ok(Self::from_opened(server.id.clone(), context.limits.clone(), opened))
    }

    pub(super) fn from_opened(
        id: SourceId,
        limits: Arc<Limits>,
        OpenedConversation { peer, handshake: first_handshake, is_http }: OpenedConversation,
    ) -> Self {
        let (second_handshake, subscription_task, subscribed_resources) =
            (OnceCell::new(), Mutex::new(JoinSet::new()), watch::Sender::default());
        let client = Self(Arc::new(Conversation {
            id,
            limits,
            peer,
            is_http,
            first_handshake,
            second_handshake,
            subscription_task,
            subscribed_resources,
        }));
        client.set_era(client.era());
        client
    }

    /// The agreed protocol era.
    pub fn era(&self) -> &ProtocolEra {
        &self.handshake().era
    }

    /// The server's description of itself, not escaped.
    pub fn description(&self) -> &ServerDescription {
        &self.handshake().description
    }

    /// Lists the tools of all pages. Returns an error rather than an incomplete list.
    pub async fn list_tools(&self, deadline: Instant) -> Result<ServerListing, ClientError> {
        list::list(self, &self.0.limits, deadline).await
    }

    /// Lists resources, templates and prompts, if the server declares them. One failed list does
    /// not affect the others.
    pub async fn list_library(&self, deadline: Instant) -> LibraryListing {
        list::library::list(self, &self.0.limits, deadline).await
    }

    /// Sends any other request, with raw parameters and a raw result. `params` is an object or
    /// null. The request is made on behalf of `cx`: its counterpart receives reverse requests, its
    /// progress callback receives progress.
    ///
    /// Cancel-safe: dropping the future cancels the request at the server.
    pub async fn request(
        &self,
        method: &str,
        params: &RawJson,
        cx: &Cx,
        deadline: Instant,
    ) -> Result<RawJson, ClientError> {
        let not_an_object =
            || ClientError::invalid(format!("the parameters of `{method}` are not an object"));
        let mut request_params = match params.as_str() {
            "null" => RequestParams::default(),
            _ => RequestParams::from_raw(params).ok_or_else(not_an_object)?,
        };
        let trace = cx.trace.iter().map(|(name, value)| (name.clone(), value.as_str().into()));
        request_params.meta.extend(trace);
        let request = PeerRequest {
            name: request_target(params),
            progress: cx.progress.clone(),
            behalf: Behalf::Caller(cx.reverse_channel.clone()),
            ..PeerRequest::new(method, request_params, deadline)
        };
        self.send_request(request).await
    }

    /// Counts the server's `list_changed` notifications. The receiver wakes on each; it may observe
    /// several as one.
    pub fn list_changes(&self) -> watch::Receiver<u64> {
        self.0.peer.router().changes()
    }

    /// The reason the connection is lost, if it is.
    pub fn lost_reason(&self) -> Option<ClientError> {
        self.0.peer.router().lost_reason()
    }

    /// Waits until the connection is lost, and returns the reason.
    pub async fn wait_until_lost(&self) -> ClientError {
        self.0.peer.router().wait_until_lost().await
    }

    /// The end of the server's stderr, with secrets removed; not escaped.
    pub fn tail(&self) -> String {
        self.0.peer.router().redact(self.0.peer.wire().tail())
    }

    /// The process id, if the server is a child process.
    pub fn process(&self) -> Option<u32> {
        self.0.peer.wire().process()
    }

    /// Whether the server is a program that runs in a sandbox.
    pub fn is_confined(&self) -> bool {
        self.0.peer.wire().is_confined()
    }

    /// Counts of ignored messages.
    pub fn counts(&self) -> PeerCounts {
        self.0.peer.router().counts()
    }

    /// The number of unanswered requests.
    pub fn pending(&self) -> usize {
        self.0.peer.router().pending()
    }

    /// Closes the connection and stops the process behind it, within five seconds. Pending requests
    /// fail.
    pub async fn close(&self) {
        self.0.peer.wire().close().await;
    }

    pub(super) fn id(&self) -> &SourceId {
        &self.0.id
    }

    /// Whether arguments may have to be mirrored as headers.
    pub(super) fn needs_headers(&self) -> bool {
        self.0.is_http && self.era().is_modern()
    }

    /// Requests one page of a list.
    async fn request_page(
        &self,
        list: &ListMethod,
        cursor: Option<&str>,
        deadline: Instant,
    ) -> Result<RawJson, ClientError> {
        let params = RequestParams::default();
        let params =
            cursor.into_iter().fold(params, |params, cursor| params.with("cursor", &cursor));
        self.send_request(
            PeerRequest::new(list.method, params, deadline)
                .described_as(format!("listing its {}", list.entries)),
        )
        .await
    }

    pub(super) fn router(&self) -> &ResponseRouter {
        self.0.peer.router()
    }

    fn handshake(&self) -> &HandshakeResult {
        self.0.second_handshake.get().and_then(Option::as_ref).unwrap_or(&self.0.first_handshake)
    }

    fn set_era(&self, era: &ProtocolEra) {
        self.0.peer.router().set_modern(era.is_modern());
        self.0.peer.wire().set_era(era);
    }

    /// Sends a request in the form of the agreed era. If the server refuses because it expects a
    /// handshake, it gets one handshake and the request is sent again. This is safe because the
    /// server refused before it did anything.
    async fn send_request(&self, mut request: PeerRequest) -> Result<RawJson, ClientError> {
        let Conversation { peer, second_handshake, is_http, .. } = &*self.0;
        let may_be_legacy = second_handshake.get().is_none() && self.era().is_modern();
        let mut retry = may_be_legacy.then(|| request.clone());
        loop {
            let counterpart = request.behalf.counterpart().map(|counterpart| &**counterpart);
            meta::complete(&mut request.params.meta, self.era(), counterpart);
            // Over HTTP, a request of the modern era is cancelled by closing its stream.
            request.cancels &= !(*is_http && self.era().is_modern());
            let error = match peer.request(request).await {
                Err(error) if handshake::wants_initialize(&error) => error,
                outcome => return outcome,
            };
            let Some(retry_request) = retry.take() else { return Err(error) };
            let initialize =
                || handshake::initialize(peer, handshake::newest_legacy(), retry_request.deadline);
            let agreed = second_handshake.get_or_init(|| async { initialize().await.ok() }).await;
            self.set_era(&agreed.as_ref().ok_or(error)?.era);
            request = retry_request;
        }
    }
}

/// The subject of a request, for proxies that route by headers: the name of a prompt or the URI of
/// a resource.
fn request_target(params: &RawJson) -> Option<String> {
    #[derive(Deserialize)]
    struct RequestTarget {
        name: Option<String>,
        uri: Option<String>,
    }
    let target: RequestTarget = serde_json::from_str(params.as_str()).ok()?;
    target.name.or(target.uri)
}
