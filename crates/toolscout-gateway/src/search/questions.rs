//! What questions mean, remembered: who asks the same again does not wait for the encoder.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use toolscout_index::Meaning;

/// So many questions are remembered.
const MOST: usize = 256;
/// Longer questions are asked once.
const LONGEST: usize = 4096;

/// The last questions, and what they mean.
#[derive(Default)]
pub(super) struct Questions(Mutex<Asked>);

#[derive(Default)]
struct Asked {
    /// With the time each was last asked.
    meanings: HashMap<Box<str>, (u64, Arc<Meaning>)>,
    /// Counts questions.
    time: u64,
}

impl Questions {
    pub(super) fn meaning(&self, text: &str) -> Option<Arc<Meaning>> {
        let mut asked = self.0.lock();
        asked.time += 1;
        let now = asked.time;
        let (last, meaning) = asked.meanings.get_mut(text)?;
        *last = now;
        Some(meaning.clone())
    }

    /// Remembers this one, and forgets the one that was not asked for longest.
    pub(super) fn keep(&self, text: &str, meaning: &Arc<Meaning>) {
        if text.len() > LONGEST {
            return;
        }
        let mut asked = self.0.lock();
        if asked.meanings.len() >= MOST
            && let Some(oldest) = asked.meanings.iter().min_by_key(|(_, (last, _))| *last).map(|(text, _)| text.clone())
        {
            asked.meanings.remove(&oldest);
        }
        let now = asked.time;
        asked.meanings.insert(text.into(), (now, meaning.clone()));
    }
}
