//! Requests to reload the configuration now, instead of when a change of its files is noticed.

use crate::AppError;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};
use toolscout_core::ErrorKind;

/// The maximum number of queued requests.
const LIMIT: usize = 64;

/// A reload request; the sender receives the result.
pub(super) type ReloadRequest = oneshot::Sender<Result<(), AppError>>;

/// The queue of reload requests.
pub(super) struct ReloadRequests {
    sender: mpsc::Sender<ReloadRequest>,
    receiver: Mutex<Option<mpsc::Receiver<ReloadRequest>>>,
}

impl Default for ReloadRequests {
    fn default() -> Self {
        let (sender, receiver) = mpsc::channel(LIMIT);
        Self { sender, receiver: Mutex::new(Some(receiver)) }
    }
}

impl ReloadRequests {
    /// Requests a reload, and waits for its result.
    pub(super) async fn reload(&self) -> Result<(), AppError> {
        let (request, done) = oneshot::channel();
        self.sender.send(request).await.map_err(|_| not_followed())?;
        done.await.map_err(|_| not_followed())?
    }

    /// The receiving end; only the first caller gets it.
    pub(super) fn receiver(&self) -> Option<mpsc::Receiver<ReloadRequest>> {
        self.receiver.lock().take()
    }
}

fn not_followed() -> AppError {
    let message = "this process does not reload its configuration".to_owned();
    AppError::Message { kind: ErrorKind::Unavailable, message, hint: None }
}
