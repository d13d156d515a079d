//! The address on which this replica accepts requests that other replicas of the fleet forward.

use super::placed_calls::PlacedCalls;
use super::replicas::FleetReplicas;
use crate::{AppError, RunCx};
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{Store, escape};
use toolscout_fleet::FleetStore;
use toolscout_surface::http::{Auth, Limits, Listener, Routes, Terms};
use toolscout_surface::mcp::http::{Endpoint, FleetSessions};

/// The variable with the address that other replicas use, if it is not the one that is listened on.
const ADDRESS: &str = "TOOLSCOUT_REPLICA_ADDRESS";
/// How long forwarded requests may take after the clients' listener has ended.
const DRAIN_TIME: Duration = Duration::from_secs(1);

/// This process as a replica of the fleet.
pub(super) struct FleetNode {
    store: Arc<FleetStore>,
    replicas: Arc<FleetReplicas>,
    sessions: Arc<FleetSessions>,
    listener: Option<Listener>,
    /// Where other replicas reach it.
    address: Option<String>,
    /// What this machine offers.
    labels: Vec<String>,
}

impl FleetNode {
    /// Listens on `fleet.listen`, if it is set and `listens`. Otherwise other replicas cannot forward
    /// requests to this one.
    pub(super) async fn open(
        cx: &RunCx,
        store: Arc<FleetStore>,
        limits: &Limits,
        listens: bool,
    ) -> Result<Self, AppError> {
        let config = cx.workspace().config();
        let (mut listener, mut address) = (None, None);
        if let Some(listen) = config.settings.fleet.listen.as_ref().filter(|_| listens) {
            let advertised = cx.environment().var(ADDRESS).map(str::to_owned);
            let mut terms = Terms::new(parsed(listen)?, Auth::Replicas);
            terms.limits = Limits { drain_time: DRAIN_TIME, ..limits.clone() };
            terms.allowed_hosts.extend(advertised.clone());
            let bound = Listener::bind(terms).await.map_err(super::listener_error)?;
            if bound.addr().ip().is_unspecified() && advertised.is_none() {
                return Err(AppError::invalid(
                    format!("other replicas cannot reach `fleet.listen = \"{}\"`", bound.addr()),
                    format!("set {ADDRESS} to the address of this replica, such as 10.0.0.5:7421"),
                ));
            }
            address = Some(advertised.unwrap_or_else(|| bound.addr().to_string()));
            listener = Some(bound);
        }
        let replicas = FleetReplicas::follow(store.clone());
        let keys = store.key().and_then(|key| Ok((key, store.listener_key()?)));
        let (key, listener_key) = keys
            .map_err(|error| AppError::unavailable(error.to_string(), "toolscout fleet status"))?;
        let sessions = FleetSessions::new(replicas.clone(), &key, &[listener_key], limits);
        let labels = config.settings.fleet.labels.clone();
        let calls = PlacedCalls::new(store.clone(), sessions.clone());
        let _ = cx.environment().replica_calls().set(Arc::new(calls));
        Ok(Self { store, replicas, sessions, listener, address, labels })
    }

    /// What the endpoints share with those of other replicas.
    pub(super) fn sessions(&self) -> Arc<FleetSessions> {
        self.sessions.clone()
    }

    /// Ends the sessions of this endpoint that clients end on other replicas.
    pub(super) fn follow_ended_sessions(&self, endpoint: &Arc<Endpoint>) {
        self.replicas.add(endpoint);
    }

    /// Accepts clients from now on: other replicas see this one.
    pub(super) fn join(&self) {
        self.store.join(self.address.clone(), self.labels.clone());
    }

    /// Serves other replicas until `stop` resolves.
    pub(super) async fn serve(mut self, endpoints: Routes, stop: impl Future<Output = ()>) {
        match self.listener.take() {
            Some(listener) => {
                listener.serve(self.sessions.routes(endpoints), stop).await;
            }
            None => stop.await,
        }
    }
}

fn parsed(listen: &str) -> Result<SocketAddr, AppError> {
    let addresses = listen.to_socket_addrs().ok();
    addresses.and_then(|mut addresses| addresses.next()).ok_or_else(|| {
        AppError::invalid(
            format!("`fleet.listen = \"{}\"` is not an address with a port", escape::line(listen)),
            "for example 127.0.0.1:0 or 10.0.0.5:7421",
        )
    })
}
