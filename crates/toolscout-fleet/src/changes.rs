//! Reports changes of the shared namespaces to this process.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use toolscout_core::{ChangeListener, ChangeSubscription, Namespace};

/// By number, each with its namespace.
type Listeners = BTreeMap<u64, (Namespace, Arc<ChangeListener>)>;

/// The listeners of this process, and the revisions that they know.
#[derive(Default)]
pub(crate) struct Changes {
    next: AtomicU64,
    listeners: Arc<Mutex<Listeners>>,
    reported: Mutex<BTreeMap<String, i64>>,
}

impl Changes {
    pub(crate) fn subscribe(
        &self,
        namespace: Namespace,
        listener: ChangeListener,
    ) -> ChangeSubscription {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.listeners.lock().insert(number, (namespace, Arc::new(listener)));
        ChangeSubscription::new(Unsubscribe { number, listeners: self.listeners.clone() })
    }

    /// Reports the namespaces whose revision differs from the last report. Another process of this
    /// machine may have applied them to the copy.
    pub(crate) fn report(&self, positions: &BTreeMap<String, i64>) {
        let before = {
            let mut reported = self.reported.lock();
            if *reported == *positions {
                return;
            }
            std::mem::replace(&mut *reported, positions.clone())
        };
        let has_changed = |namespace: &Namespace| {
            before.get(namespace.as_str()) != positions.get(namespace.as_str())
        };
        let listeners = self.listeners.lock();
        let changed = listeners.values().filter(|(namespace, _)| has_changed(namespace));
        let changed: Vec<_> = changed.map(|(_, listener)| listener.clone()).collect();
        drop(listeners);
        changed.iter().for_each(|listener| listener());
    }
}

impl std::fmt::Debug for Changes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Changes").finish_non_exhaustive()
    }
}

/// Removes a listener when it is dropped.
struct Unsubscribe {
    number: u64,
    listeners: Arc<Mutex<Listeners>>,
}

impl Drop for Unsubscribe {
    fn drop(&mut self) {
        self.listeners.lock().remove(&self.number);
    }
}
