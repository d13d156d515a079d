//! Subscriptions to changes.

use super::super::ClientError;
use super::super::params::RequestParams;
use super::super::peer::{PeerRequest, StandingRequest};
use super::{Conversation, McpClient, meta};
use serde_json::Map;
use std::collections::BTreeSet;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::time::sleep;

/// The delays before an ended subscription is renewed; they double.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

impl McpClient {
    /// Subscribes to changes of the tools, resources and prompts. Legacy servers notify without a
    /// subscription. A second call has no effect.
    ///
    /// A subscription may end at any time, especially over HTTP. It is renewed as long as the
    /// connection lasts. A renewal counts as a change, because notifications may have been missed
    /// in between.
    pub async fn listen(&self) -> Result<(), ClientError> {
        if !self.era().is_modern() || self.is_listening() {
            return Ok(());
        }
        let standing = self.subscribe().await?;
        let mut listening = self.0.listening.lock();
        if listening.is_empty() {
            let renewed = self.0.watched.subscribe();
            listening.spawn(keep_listening(Arc::downgrade(&self.0), standing, renewed));
        }
        Ok(())
    }

    /// Subscribes to changes of exactly these resources. In the legacy era, each resource takes a
    /// separate request.
    pub(in super::super) async fn watch(
        &self,
        resources: BTreeSet<String>,
    ) -> Result<(), ClientError> {
        self.0.watched.send_if_modified(|it| {
            let is_new = *it != resources;
            *it = resources;
            is_new
        });
        self.listen().await
    }

    fn is_listening(&self) -> bool {
        let mut listening = self.0.listening.lock();
        while listening.try_join_next().is_some() {}
        !listening.is_empty()
    }

    async fn subscribe(&self) -> Result<StandingRequest, ClientError> {
        let mut filter = Map::from_iter([("toolsListChanged".to_owned(), true.into())]);
        let others = [("resources", "resourcesListChanged"), ("prompts", "promptsListChanged")];
        for (_, key) in others.into_iter().filter(|(things, _)| self.said().tells_of(things)) {
            filter.insert(key.to_owned(), true.into());
        }
        let watched = self.0.watched.borrow().clone();
        if !watched.is_empty() {
            filter.insert("resourceSubscriptions".to_owned(), watched.into_iter().collect());
        }
        let mut params = RequestParams::default().with("notifications", &filter);
        meta::complete(&mut params.meta, self.era(), None);
        let ask = PeerRequest {
            cancels: !self.0.is_web,
            ..PeerRequest::new("subscriptions/listen", params, Instant::now())
        };
        self.0.peer.stand(ask, self.0.limits.probe).await
    }
}

async fn keep_listening(
    conversation: Weak<Conversation>,
    mut standing: StandingRequest,
    mut watched: watch::Receiver<BTreeSet<String>>,
) {
    let mut pause = FIRST_PAUSE;
    loop {
        let began = Instant::now();
        let is_over = tokio::select! {
            () = standing.ended() => true,
            Ok(()) = watched.changed() => false,
        };
        if began.elapsed() > LONGEST_PAUSE {
            pause = FIRST_PAUSE;
        }
        standing = loop {
            if is_over {
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            let Some(client) =
                conversation.upgrade().map(McpClient).filter(|it| it.is_lost().is_none())
            else {
                return;
            };
            match client.subscribe().await {
                // The new subscription exists before the old one is dropped, so that no change is
                // missed.
                Ok(standing) if !is_over => break standing,
                Ok(standing) => {
                    client.0.peer.router().all_may_have_changed();
                    break standing;
                }
                // The old subscription remains, which is better than none.
                Err(_) if !is_over => break standing,
                Err(_) => {}
            }
        };
    }
}
