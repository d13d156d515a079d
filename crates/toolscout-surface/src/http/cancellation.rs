//! Cancellation: one side cancels, any number of tasks wait for it.

use tokio::sync::watch;

/// Cancels its tokens, also when it is dropped.
#[derive(Debug)]
pub(crate) struct CancelSource(watch::Sender<bool>);

/// Waits until its source cancels.
#[derive(Debug, Clone)]
pub struct CancelToken(watch::Receiver<bool>);

impl CancelSource {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    pub(crate) fn cancel(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn token(&self) -> CancelToken {
        CancelToken(self.0.subscribe())
    }
}

impl CancelToken {
    pub async fn cancelled(&self) {
        // An error means that the source was dropped, which cancels as well.
        let _ = self.0.clone().wait_for(|is_cancelled| *is_cancelled).await;
    }
}

/// Waits for the cancellation; without a token, forever.
pub(crate) async fn cancelled(token: Option<&CancelToken>) {
    match token {
        Some(token) => token.cancelled().await,
        None => std::future::pending().await,
    }
}
