//! Opens the connection to a configured server.

use super::super::handshake::{self, HandshakeResult};
use super::super::http::HttpWire;
use super::super::peer::{Peer, ResponseRouter, time_limit};
use super::super::secrets::SecretValues;
use super::super::stdio::StdioWire;
use super::super::{
    ClientError, ConnectContext, HttpEndpoint, ProtocolChoice, ServerConfig, ServerTransport, sse,
};
use std::sync::Arc;
use std::time::Instant;
use tokio::task::spawn_blocking;
use tokio::time::timeout_at;

/// An open connection with a completed handshake.
pub(in super::super) struct OpenedConversation {
    pub(in super::super) peer: Peer,
    pub(in super::super) handshake: HandshakeResult,
    /// Whether it runs over streamable HTTP, which has headers.
    pub(in super::super) is_http: bool,
}

/// Opens a connection over the configured transport.
pub(super) async fn open(
    server: &ServerConfig,
    context: &ConnectContext,
    deadline: Instant,
) -> Result<OpenedConversation, ClientError> {
    let context =
        &ConnectContext { lookup: context.lookup.with_keyring_cache(), ..context.clone() };
    let router = make_router(server, context, deadline).await?;
    let choice = context.protocol.unwrap_or(server.protocol);
    match &server.transport {
        ServerTransport::Stdio(program) => {
            let limit = time_limit(Instant::now(), deadline);
            let wire = timeout_at(
                deadline.into(),
                StdioWire::open(server, program, context, router.clone()),
            )
            .await;
            let timed_out = |_| ClientError::TimedOut { what: "starting it".to_owned(), limit };
            let wire = wire.map_err(timed_out)??;
            let peer = Peer::new(router, wire);
            let known = context.era.as_ref();
            let handshake =
                handshake::negotiate(&peer, choice, known, &context.limits, deadline).await?;
            Ok(OpenedConversation { peer, handshake, is_http: false })
        }
        ServerTransport::Http(endpoint) if endpoint.sse => {
            open_events(router, endpoint, choice, context, deadline).await
        }
        ServerTransport::Http(endpoint) => {
            let wire = HttpWire::open(endpoint, context, router.clone(), deadline).await?;
            let peer = Peer::new(router, Arc::new(wire));
            let known = context.era.as_ref();
            match handshake::negotiate(&peer, choice, known, &context.limits, deadline).await {
                Ok(handshake) => Ok(OpenedConversation { peer, handshake, is_http: true }),
                // The address does not accept POST. It may be the older transport, HTTP with SSE.
                Err(error @ ClientError::Status { status: 400 | 404 | 405, .. })
                    if choice != ProtocolChoice::Modern =>
                {
                    drop(peer);
                    let router = make_router(server, context, deadline).await?;
                    open_events(router, endpoint, choice, context, deadline)
                        .await
                        .map_err(|_| error)
                }
                Err(error) => Err(error),
            }
        }
    }
}

async fn make_router(
    server: &ServerConfig,
    context: &ConnectContext,
    deadline: Instant,
) -> Result<Arc<ResponseRouter>, ClientError> {
    let router = ResponseRouter::new(server.id.as_str(), context.limits.clone());
    router.set_secrets(secret_values(server, context, deadline).await?);
    if context.has_counterparts {
        router.relay();
    }
    Ok(router)
}

/// Opens the older HTTP with SSE transport, which exists only in the legacy era.
async fn open_events(
    router: Arc<ResponseRouter>,
    endpoint: &HttpEndpoint,
    choice: ProtocolChoice,
    context: &ConnectContext,
    deadline: Instant,
) -> Result<OpenedConversation, ClientError> {
    let wire = sse::open(endpoint, context, router.clone(), deadline).await?;
    let peer = Peer::new(router, wire);
    let choice = if choice == ProtocolChoice::Auto { ProtocolChoice::Legacy } else { choice };
    let handshake = handshake::negotiate(&peer, choice, None, &context.limits, deadline).await?;
    Ok(OpenedConversation { peer, handshake, is_http: false })
}

/// The secrets to redact in the server's messages.
async fn secret_values(
    server: &ServerConfig,
    context: &ConnectContext,
    deadline: Instant,
) -> Result<SecretValues, ClientError> {
    let limit = time_limit(Instant::now(), deadline);
    let (server, lookup) = (server.clone(), context.lookup.clone());
    // Resolving references may read files and run the keyring program.
    let resolved = timeout_at(
        deadline.into(),
        spawn_blocking(move || SecretValues::from_config(&server, &lookup)),
    )
    .await;
    let resolved = resolved.map_err(|_| ClientError::TimedOut {
        what: "reading its configuration".to_owned(),
        limit,
    })?;
    resolved.map_err(|_| ClientError::lost("its configuration could not be read"))
}
