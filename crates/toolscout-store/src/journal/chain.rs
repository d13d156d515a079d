//! Chains of lines outside of a journal: the same lines, in another place.

use super::JournalRecord;
use super::line::{self, ChainPosition, JournalLine};
use super::{append, follow::FollowedLine};
use std::io;
use toolscout_core::Store;

/// Seals and checks the lines of the chains of one store.
#[derive(Clone)]
pub struct ChainKey([u8; 32]);

impl ChainKey {
    /// The key that the journal of this store uses.
    pub fn of(store: &dyn Store) -> io::Result<Self> {
        append::key(store).map(Self)
    }

    /// The line that follows this position, without a line end, and its position.
    pub fn seal(&self, after: ChainPosition, record: &JournalRecord) -> (String, ChainPosition) {
        let mut text = String::new();
        let position = line::write(&mut text, &self.0, after, record);
        text.pop();
        (text, position)
    }
}

impl std::fmt::Debug for ChainKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ChainKey")
    }
}

/// Checks the lines of one chain, in order.
#[derive(Debug)]
pub struct ChainCheck {
    key: ChainKey,
    /// The position that the next line must follow; none before the first line.
    pub last: Option<ChainPosition>,
    /// Number of lines so far.
    pub records: u64,
}

impl ChainCheck {
    /// A check of the chain that continues after this position; none if its first lines are gone.
    pub fn after(key: &ChainKey, last: Option<ChainPosition>) -> Self {
        Self { key: key.clone(), last, records: 0 }
    }

    /// Checks the next line. An error says what is wrong; the check continues after the line.
    pub fn line(&mut self, text: &str) -> Result<FollowedLine, String> {
        let line = JournalLine::read(text).ok_or("this line is not a record")?;
        let error = line.error(&self.key.0, self.last);
        self.records += 1;
        self.last = Some(line.position());
        match error {
            Some(reason) => Err(reason),
            None => Ok(FollowedLine::new(&line, text)),
        }
    }
}
