//! Accepts requests that other replicas forward. The replica that authenticated the client has
//! decided who it is; its signature replaces the token.

use super::envelope::{Envelope, NotFromReplica, SIGNATURE};
use super::fleet::FleetSessions;
use crate::http::{ClientAddress, HttpRejection, Limits, Routes, read};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use toolscout_core::ShareKey;

/// The path of forwarded requests.
pub(super) const PATH: &str = "/fleet/forward";
/// Bytes of the headers and the decision, beside the body of the client.
const MAX_ENVELOPE: usize = 64 << 10;

/// Marks a request that another replica has forwarded: it is not forwarded again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Forwarded;

impl FleetSessions {
    /// The route for requests of other replicas, which end in the guarded routes of these
    /// endpoints. It is open, because the signature of the request replaces the token.
    pub fn routes(self: &Arc<Self>, endpoints: Routes) -> Routes {
        let state = (self.clone(), endpoints.into_guarded());
        Routes::new().open(Router::new().route(PATH, post(accept)).with_state(state))
    }
}

async fn accept(
    State((fleet, endpoints)): State<(Arc<FleetSessions>, Router)>,
    request: Request,
) -> Response {
    forwarded(&fleet, endpoints, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn forwarded(
    fleet: &FleetSessions,
    endpoints: Router,
    request: Request,
) -> Result<Response, HttpRejection> {
    let (head, body) = request.into_parts();
    let refused = |NotFromReplica(reason)| HttpRejection::new(StatusCode::UNAUTHORIZED, reason);
    let limits = Limits { body: fleet.limits.body + MAX_ENVELOPE, ..fleet.limits.clone() };
    let permit = fleet.shares.bodies.empty_permit(&ShareKey { principal: None, client: None });
    let (bytes, _permit) = read(body, &limits, permit).await?;
    let signature = head.headers.get(SIGNATURE).and_then(|value| value.to_str().ok());
    let (envelope, body) = Envelope::open(fleet, signature, bytes).map_err(refused)?;
    let mut inner = Request::builder().method(envelope.method.as_str()).uri(&envelope.uri);
    for (name, value) in &envelope.headers {
        inner = inner.header(name, value);
    }
    let inner = inner.body(Body::from(body));
    let mut inner = inner.map_err(|error| HttpRejection::bad_request(error.to_string()))?;
    inner.extensions_mut().insert(envelope.principal());
    inner.extensions_mut().insert(Forwarded);
    if let Some(address) = envelope.address {
        inner.extensions_mut().insert(ClientAddress(address));
    }
    let Ok(response) = TowerToHyperService::new(endpoints).call(inner).await;
    Ok(response)
}
