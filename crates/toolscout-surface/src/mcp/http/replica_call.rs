//! Calls that one replica has authorized and another one runs, because it runs the server.

use super::fleet::{FleetSessions, ReplicaGone};
use super::forward::Forwarding;
use crate::http::{HttpRejection, Principal, Routes};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Extension, Request as HttpRequest, State};
use axum::http::{Request, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use std::sync::Arc;
use toolscout_core::BoxFuture;

/// The path of these calls, on the fleet listener only.
const PATH: &str = "/fleet/call";
/// Bytes of a call or a result.
const MAX_BYTES: usize = 64 << 20;

/// Runs the calls that other replicas have authorized.
pub trait ReplicaCallHandler: Send + Sync + 'static {
    /// Runs the call in this message on behalf of the client; returns the message with the result.
    fn run(&self, principal: Principal, message: Vec<u8>) -> BoxFuture<'_, Vec<u8>>;
}

/// Why another replica has returned no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplicaCallError {
    /// It has not received the call.
    NotSent,
    /// It is gone, and may have run the call.
    Lost,
}

impl FleetSessions {
    /// The route for the calls of other replicas, to be added to the routes of the fleet listener.
    pub fn call_routes(handler: Arc<dyn ReplicaCallHandler>) -> Routes {
        Routes::new().guarded(Router::new().route(PATH, post(run)).with_state(handler))
    }

    /// Sends a call to another replica on behalf of the client, and returns the message with the
    /// result. Dropping the future cancels the call.
    pub async fn send_call(
        self: &Arc<Self>,
        replica: &str,
        principal: &Principal,
        message: &[u8],
    ) -> Result<Vec<u8>, ReplicaCallError> {
        let request = Request::builder().method("POST").uri(PATH).body(());
        let (head, ()) = request.map_err(|_| ReplicaCallError::NotSent)?.into_parts();
        let forwarding = Forwarding { fleet: self, principal, head: &head, body: message };
        let sent = forwarding.send(replica).await;
        let response = sent.map_err(|ReplicaGone { was_sent }| {
            if was_sent { ReplicaCallError::Lost } else { ReplicaCallError::NotSent }
        })?;
        let is_received = response.status() == StatusCode::OK;
        let bytes = to_bytes(response.into_body(), MAX_BYTES).await;
        match bytes {
            Ok(bytes) if is_received => Ok(bytes.into()),
            // Refused before the handler: the path, the signature or the size.
            Ok(_) => Err(ReplicaCallError::NotSent),
            Err(_) => Err(ReplicaCallError::Lost),
        }
    }
}

async fn run(
    State(handler): State<Arc<dyn ReplicaCallHandler>>,
    Extension(principal): Extension<Principal>,
    request: HttpRequest,
) -> Response {
    match to_bytes(request.into_body(), MAX_BYTES).await {
        Ok(message) => {
            let result = handler.run(principal, message.into()).await;
            Response::new(Body::from(result))
        }
        Err(_) => HttpRejection::bad_request("the call cannot be read").into_response(),
    }
}
