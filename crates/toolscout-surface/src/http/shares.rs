//! The client that a request is counted for, and the places that all clients share.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// The name of a principal; `None` if principals are not distinguished.
type PrincipalName = Option<Arc<str>>;

/// Limits the number of running requests.
#[derive(Debug)]
pub(crate) struct ConcurrencyLimit {
    total: usize,
    each: usize,
    running: Mutex<RunningRequests>,
}

#[derive(Debug, Default)]
struct RunningRequests {
    total: usize,
    /// Only principals with a running request.
    each: HashMap<PrincipalName, usize>,
}

/// One running request; dropping the permit releases it.
#[derive(Debug)]
pub(crate) struct ConcurrencyPermit {
    limit: Arc<ConcurrencyLimit>,
    principal: PrincipalName,
}

impl ConcurrencyLimit {
    pub(crate) fn new(total: usize, each: usize) -> Arc<Self> {
        Arc::new(Self { total, each, running: Mutex::default() })
    }

    /// A permit for a request of this principal, unless a limit is reached.
    pub(crate) fn enter(self: &Arc<Self>, principal: &PrincipalName) -> Option<ConcurrencyPermit> {
        let mut running = self.running.lock();
        let own = running.each.get(principal).copied().unwrap_or(0);
        if running.total >= self.total || own >= self.each {
            return None;
        }
        running.total += 1;
        running.each.insert(principal.clone(), own + 1);
        Some(ConcurrencyPermit { limit: self.clone(), principal: principal.clone() })
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.running.lock().total
    }
}

impl Drop for ConcurrencyPermit {
    fn drop(&mut self) {
        let mut running = self.limit.running.lock();
        running.total -= 1;
        match running.each.get_mut(&self.principal) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                running.each.remove(&self.principal);
            }
        }
    }
}
