//! Counts what is under way, for everybody and for each, and lets nobody in beyond that.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Whom something is counted for; none where all are the same.
type Who = Option<Arc<str>>;

/// Counts what is under way.
#[derive(Debug)]
pub(crate) struct Gate {
    most: usize,
    each: usize,
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    all: usize,
    /// Nobody is here with none.
    each: HashMap<Who, usize>,
}

/// Somebody is in; dropping it lets them out.
#[derive(Debug)]
pub(crate) struct Pass {
    gate: Arc<Gate>,
    who: Who,
}

impl Gate {
    pub(crate) fn new(most: usize, each: usize) -> Arc<Self> {
        Arc::new(Self { most, each, inside: Mutex::default() })
    }

    pub(crate) fn enter(self: &Arc<Self>, who: &Who) -> Option<Pass> {
        let mut inside = self.inside.lock();
        let own = inside.each.get(who).copied().unwrap_or(0);
        if inside.all >= self.most || own >= self.each {
            return None;
        }
        inside.all += 1;
        inside.each.insert(who.clone(), own + 1);
        Some(Pass { gate: self.clone(), who: who.clone() })
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.inside.lock().all
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let mut inside = self.gate.inside.lock();
        inside.all -= 1;
        match inside.each.get_mut(&self.who) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                inside.each.remove(&self.who);
            }
        }
    }
}
