//! Wakes the calls that wait for a decision.

use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use tokio::time::sleep;
use toolscout_core::{ChangeSubscription, Digest, Namespace, Store};

/// How often a store is checked that does not report the writes of other processes by itself.
const POLL: Duration = Duration::from_millis(100);

/// Changes of the pending approvals. A store that reports changes is not polled; of another one, a
/// counter is compared, by one waiting call for all of them.
pub(super) struct PendingChanges {
    store: Arc<dyn Store>,
    sender: watch::Sender<u64>,
    subscription: OnceLock<Option<ChangeSubscription>>,
    polling: Mutex<()>,
}

impl PendingChanges {
    pub(super) fn of(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            sender: watch::Sender::new(0),
            subscription: OnceLock::new(),
            polling: Mutex::new(()),
        }
    }

    /// Starts with the changes from now on.
    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        self.subscription.get_or_init(|| {
            let sender = self.sender.clone();
            let changed = move || sender.send_modify(|count| *count += 1);
            self.store.on_change(Namespace::Pending, Box::new(changed))
        });
        self.sender.subscribe()
    }

    /// Waits for the next change.
    pub(super) async fn next(&self, changes: &mut watch::Receiver<u64>) {
        tokio::select! {
            // `self` owns the sender, so the channel stays open.
            _ = changes.changed() => {}
            () = self.poll() => {}
        }
    }

    /// Reports changes as long as it is polled. One at a time works; the others wait.
    async fn poll(&self) {
        if matches!(self.subscription.get(), Some(Some(_))) {
            return std::future::pending().await;
        }
        let before = self.state();
        let _one = self.polling.lock().await;
        while self.state() == before {
            sleep(POLL).await;
        }
        self.sender.send_modify(|count| *count += 1);
    }

    fn state(&self) -> (Option<u64>, Option<Digest>) {
        let revision = self.store.revision(Namespace::Pending);
        let fingerprint = match revision {
            Some(_) => None,
            None => self.store.fingerprint(Namespace::Pending),
        };
        (revision, fingerprint)
    }
}
