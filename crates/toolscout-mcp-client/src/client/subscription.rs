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
const FIRST_DELAY: Duration = Duration::from_secs(5);
const LONGEST_DELAY: Duration = Duration::from_secs(300);

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
        let subscription = self.subscribe().await?;
        let mut tasks = self.0.subscription_task.lock();
        if tasks.is_empty() {
            let changed_resources = self.0.subscribed_resources.subscribe();
            tasks.spawn(renew_subscription(
                Arc::downgrade(&self.0),
                subscription,
                changed_resources,
            ));
        }
        Ok(())
    }

    /// Subscribes to changes of exactly these resources. In the legacy era, each resource takes a
    /// separate request.
    pub(in super::super) async fn subscribe_to_resources(
        &self,
        resources: BTreeSet<String>,
    ) -> Result<(), ClientError> {
        self.0.subscribed_resources.send_if_modified(|subscribed| {
            let is_new = *subscribed != resources;
            *subscribed = resources;
            is_new
        });
        self.listen().await
    }

    fn is_listening(&self) -> bool {
        let mut tasks = self.0.subscription_task.lock();
        while tasks.try_join_next().is_some() {}
        !tasks.is_empty()
    }

    async fn subscribe(&self) -> Result<StandingRequest, ClientError> {
        let mut filter = Map::from_iter([("toolsListChanged".to_owned(), true.into())]);
        let optional = [("resources", "resourcesListChanged"), ("prompts", "promptsListChanged")];
        for (_, key) in optional
            .into_iter()
            .filter(|(capability, _)| self.description().declares_list_changes(capability))
        {
            filter.insert(key.to_owned(), true.into());
        }
        let resources = self.0.subscribed_resources.borrow().clone();
        if !resources.is_empty() {
            filter.insert("resourceSubscriptions".to_owned(), resources.into_iter().collect());
        }
        let mut params = RequestParams::default().with("notifications", &filter);
        meta::complete(&mut params.meta, self.era(), None);
        let request = PeerRequest {
            cancels: !self.0.is_http,
            ..PeerRequest::new("subscriptions/listen", params, Instant::now())
        };
        self.0.peer.open_standing(request, self.0.limits.probe).await
    }
}

async fn renew_subscription(
    conversation: Weak<Conversation>,
    mut subscription: StandingRequest,
    mut resources: watch::Receiver<BTreeSet<String>>,
) {
    let mut delay = FIRST_DELAY;
    loop {
        let started = Instant::now();
        let has_ended = tokio::select! {
            () = subscription.ended() => true,
            Ok(()) = resources.changed() => false,
        };
        if started.elapsed() > LONGEST_DELAY {
            delay = FIRST_DELAY;
        }
        subscription = loop {
            if has_ended {
                sleep(delay).await;
                delay = (delay * 2).min(LONGEST_DELAY);
            }
            let Some(client) = conversation
                .upgrade()
                .map(McpClient)
                .filter(|client| client.lost_reason().is_none())
            else {
                return;
            };
            match client.subscribe().await {
                // The new subscription exists before the old one is dropped, so that no change is
                // missed.
                Ok(subscription) if !has_ended => break subscription,
                Ok(subscription) => {
                    client.0.peer.router().all_may_have_changed();
                    break subscription;
                }
                // The old subscription remains, which is better than none.
                Err(_) if !has_ended => break subscription,
                Err(_) => {}
            }
        };
    }
}
