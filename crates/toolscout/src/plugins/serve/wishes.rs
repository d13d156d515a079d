//! Who has changed a file need not wait until somebody looks.

use crate::AppError;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};
use toolscout_core::ErrorKind;

/// So many may wait at once.
const WAITING: usize = 64;

/// Somebody wants the configuration to be read now, and to know what came of it.
pub(super) type Wish = oneshot::Sender<Result<(), AppError>>;

/// Wishes, and where they are heard.
pub(super) struct Wishes {
    sender: mpsc::Sender<Wish>,
    receiver: Mutex<Option<mpsc::Receiver<Wish>>>,
}

impl Default for Wishes {
    fn default() -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        Self { sender, receiver: Mutex::new(Some(receiver)) }
    }
}

impl Wishes {
    /// Has the configuration read, and waits for it.
    pub(super) async fn reload(&self) -> Result<(), AppError> {
        let (wish, done) = oneshot::channel();
        self.sender.send(wish).await.map_err(|_| nobody())?;
        done.await.map_err(|_| nobody())?
    }

    /// Where they are heard: by the first who asks.
    pub(super) fn heard(&self) -> Option<mpsc::Receiver<Wish>> {
        self.receiver.lock().take()
    }
}

fn nobody() -> AppError {
    let message = "nobody follows the configuration here".to_owned();
    AppError::Said { kind: ErrorKind::Unavailable, message, hint: None }
}
