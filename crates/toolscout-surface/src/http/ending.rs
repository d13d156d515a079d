//! Something ends, and everybody who waits for it learns of it.

use tokio::sync::watch;

/// Ends what others watch; dropping it ends it, too.
#[derive(Debug)]
pub(crate) struct End(watch::Sender<bool>);

/// Learns when something ends.
#[derive(Debug, Clone)]
pub struct Ending(watch::Receiver<bool>);

impl End {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    pub(crate) fn end(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn watch(&self) -> Ending {
        Ending(self.0.subscribe())
    }
}

impl Ending {
    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        *self.0.borrow() || self.0.has_changed().is_err()
    }

    /// Waits until it is over.
    pub async fn over(&self) {
        // An error says that nobody can end it any more, which comes to the same.
        let _ = self.0.clone().wait_for(|it| *it).await;
    }
}
