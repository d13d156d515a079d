//! An MCP server and its state between requests.

use super::client::Identity;
use super::client_view::{ClientView, ClientViews};
use super::first_requests::FirstRequests;
use super::meter::Meter;
use super::operations::OperationTools;
use super::options::ServerOptions;
use super::result_storage::ResultStorage;
use super::sealed::Seal;
use super::subscriptions::EndedSubscriptions;
use super::suspended::SuspendedCalls;
use std::sync::Arc;
use toolscout_core::jsonrpc::{self, RpcError};
use toolscout_core::{Cx, RawJson};
use toolscout_gateway::{CatalogView, Gateway};

/// Offers the tools of a gateway to MCP clients. One server handles all connections; it opens none
/// itself.
pub struct Server {
    pub(super) gateway: Arc<Gateway>,
    pub(super) options: ServerOptions,
    client_views: ClientViews,
    pub(super) seal: Seal,
    pub(super) suspended: SuspendedCalls,
    pub(super) results: ResultStorage,
    pub(super) meter: Meter,
    pub(super) first_requests: FirstRequests,
    pub(super) ended_subscriptions: EndedSubscriptions,
}

/// The response to a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The whole message, on one line.
    pub text: String,
    /// The error code, if it is an error.
    pub code: Option<i64>,
}

impl Server {
    /// Creates a server. `names` stores the wire names of tools; `operations` are offered as tools.
    pub fn new(
        gateway: Arc<Gateway>,
        options: ServerOptions,
        names: super::names::WireNameStore,
        operations: OperationTools,
    ) -> Arc<Self> {
        let client_views = ClientViews::new(names, operations);
        let seal = Seal::new(&options.key).by_clock(options.clock.clone());
        let (suspended, results, meter) = (
            SuspendedCalls::default(),
            ResultStorage::of_replica(options.replica.clone()),
            Meter::default(),
        );
        let first_requests = FirstRequests::default();
        Arc::new(Self {
            gateway,
            options,
            client_views,
            seal,
            suspended,
            results,
            meter,
            first_requests,
            ended_subscriptions: EndedSubscriptions::default(),
        })
    }

    /// Ends the subscriptions to resources of clients that are gone. A serving process calls this
    /// periodically.
    pub async fn end_subscriptions(&self) {
        self.ended_subscriptions.unsubscribe().await;
    }

    /// Drops expired suspended requests and stored results. A serving process calls this
    /// periodically.
    pub fn remove_expired(&self) {
        self.suspended.remove_expired();
        self.results.remove_expired();
    }

    /// The owner of the data that is stored for a request: the user, and anything else that gives a
    /// request its own sources.
    pub fn owner(&self, identity: &Identity) -> Option<Arc<str>> {
        match self.gateway.requester_hash(&identity.cx(&self.options.request)) {
            None => identity.user.clone(),
            Some(request_owner) => Some(
                serde_json::json!([identity.user.as_deref(), request_owner]).to_string().into(),
            ),
        }
    }

    /// The view of a request, and its presentation for MCP.
    pub(super) async fn client_view(&self, cx: &Cx) -> (CatalogView, Arc<ClientView>) {
        let view = self.gateway.view(cx).await;
        let client_view = self.client_views.for_view(&view, &self.options);
        (view, client_view)
    }
}

/// Methods that need a session; they do not exist in the modern era.
pub(super) const SESSION_METHODS: [&str; 4] =
    ["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

impl Reply {
    pub(super) fn from_result(id: &RawJson, result: Result<String, RpcError>) -> Self {
        match result {
            Ok(result) => Self { text: jsonrpc::result(id.as_str(), &result), code: None },
            Err(error) => Self::error(Some(id), &error),
        }
    }

    /// An error response, which may have no id.
    pub fn error(id: Option<&RawJson>, error: &RpcError) -> Self {
        Self { text: jsonrpc::error(id.map(RawJson::as_str), error), code: Some(error.code) }
    }
}
