//! Resources that clients are subscribed to. A subscription of a client counts once at its server,
//! and ends with the client.

use parking_lot::Mutex;
use serde_json::json;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use toolscout_core::{Cx, RawJson, Source};

/// Maximum number of resources that one client can subscribe to.
const MAX_SUBSCRIPTIONS: usize = 256;

/// A subscription at a server. Dropping it ends the subscription soon.
pub(super) struct Subscription {
    uri: String,
    /// None once the client itself has ended it.
    server: Option<SubscribedServer>,
    ended: UnboundedSender<(SubscribedServer, String)>,
}

struct SubscribedServer {
    source: Arc<dyn Source>,
    cx: Cx,
}

impl Subscription {
    pub(super) fn uri(&self) -> &str {
        &self.uri
    }

    /// The source, which the caller unsubscribes from.
    fn into_source(mut self) -> Option<Arc<dyn Source>> {
        self.server.take().map(|server| server.source)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            // Fails if the process ends, and its servers with it.
            let _ = self.ended.send((server, std::mem::take(&mut self.uri)));
        }
    }
}

/// The subscriptions of one client.
#[derive(Default)]
pub(super) struct ClientSubscriptions(Mutex<Vec<Subscription>>);

impl ClientSubscriptions {
    pub(super) fn contains(&self, uri: &str) -> bool {
        self.0.lock().iter().any(|subscription| subscription.uri == uri)
    }

    /// Adds a subscription. One beyond the limit replaces the oldest.
    pub(super) fn add(&self, subscription: Subscription) {
        let mut all = self.0.lock();
        all.push(subscription);
        let excess = all.len().saturating_sub(MAX_SUBSCRIPTIONS);
        let evicted: Vec<_> = all.drain(..excess).collect();
        drop(all);
        drop(evicted);
    }

    /// Removes a subscription; returns the source to unsubscribe from, if there was one.
    pub(super) fn remove(&self, uri: &str) -> Option<Arc<dyn Source>> {
        let mut all = self.0.lock();
        let index = all.iter().position(|subscription| subscription.uri == uri)?;
        let removed = all.remove(index);
        drop(all);
        removed.into_source()
    }
}

/// Ends the subscriptions of clients that are gone.
pub(super) struct EndedSubscriptions {
    sender: UnboundedSender<(SubscribedServer, String)>,
    receiver: Mutex<UnboundedReceiver<(SubscribedServer, String)>>,
}

impl Default for EndedSubscriptions {
    fn default() -> Self {
        let (sender, receiver) = unbounded_channel();
        Self { sender, receiver: Mutex::new(receiver) }
    }
}

impl EndedSubscriptions {
    /// A subscription that the server has accepted.
    pub(super) fn subscription(&self, source: &Arc<dyn Source>, uri: &str, cx: Cx) -> Subscription {
        let server = SubscribedServer { source: source.clone(), cx };
        Subscription { uri: uri.to_owned(), server: Some(server), ended: self.sender.clone() }
    }

    /// Unsubscribes from what has ended since the last call.
    pub(super) async fn unsubscribe(&self) {
        loop {
            let Ok((server, uri)) = self.receiver.lock().try_recv() else { return };
            let Some(library) = server.source.library() else { continue };
            let params = RawJson::from_value(&json!({"uri": uri}));
            // A server that is gone has no subscriptions.
            let _ = library.request("resources/unsubscribe", params, server.cx).await;
        }
    }
}
