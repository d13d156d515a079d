//! Hearing of changes.

use super::super::ClientError;
use super::super::peer::{Ask, Standing};
use super::{Client, Conversation, meta};
use serde_json::{Map, json};
use std::sync::{PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Waits before a subscription that ended is asked for again; they double.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

impl Client {
    /// Asks to be told when tools change. Servers of the legacy era tell unasked. Asking again changes nothing.
    ///
    /// A subscription may end at any time, most of all over HTTP. It is asked for again as long as the conversation lasts,
    /// and then counts as a change: something may have happened meanwhile.
    pub async fn listen(&self) -> Result<(), ClientError> {
        if !self.era().is_modern() || self.is_listening() {
            return Ok(());
        }
        let standing = self.subscribe().await?;
        let mut listening = self.0.listening.lock().unwrap_or_else(PoisonError::into_inner);
        if listening.is_empty() {
            listening.spawn(keep_listening(std::sync::Arc::downgrade(&self.0), standing));
        }
        Ok(())
    }

    fn is_listening(&self) -> bool {
        let mut listening = self.0.listening.lock().unwrap_or_else(PoisonError::into_inner);
        while listening.try_join_next().is_some() {}
        !listening.is_empty()
    }

    async fn subscribe(&self) -> Result<Standing, ClientError> {
        let mut params = Map::from_iter([("notifications".to_owned(), json!({"toolsListChanged": true}))]);
        meta::complete(&mut params, self.era());
        let ask = Ask { cancels: !self.0.is_web, ..Ask::new("subscriptions/listen", params, Instant::now()) };
        self.0.peer.stand(ask, self.0.limits.probe).await
    }
}

async fn keep_listening(conversation: Weak<Conversation>, mut standing: Standing) {
    let mut pause = FIRST_PAUSE;
    loop {
        let began = Instant::now();
        standing.ended().await;
        if began.elapsed() > LONGEST_PAUSE {
            pause = FIRST_PAUSE;
        }
        standing = loop {
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            let Some(client) = conversation.upgrade().map(Client).filter(|it| it.is_lost().is_none()) else { return };
            if let Ok(standing) = client.subscribe().await {
                client.0.peer.hub().changed();
                break standing;
            }
        };
    }
}
