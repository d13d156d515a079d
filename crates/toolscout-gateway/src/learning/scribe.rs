//! The thread that writes down what was asked and called, so that nobody else waits for it.

use super::cache::Cache;
use super::ledger::Ledger;
use super::owner::Owner;
use super::recent::{Question, Recent};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use toolscout_core::{Moment, StoreError, ToolId};

/// What waits to be written down at most; while that many wait, nobody learns anything.
const WAITING: usize = 1_024;
/// What comes within that time is written together.
const TOGETHER: Duration = Duration::from_millis(250);
/// Owners whose recent questions are known; those who asked nothing for longest are forgotten first.
const OWNERS: usize = 512;
/// Longer nobody waits at the end of a process.
const PATIENCE: Duration = Duration::from_secs(5);

/// What there is to write down.
pub(super) enum Told {
    Asked(Owner, Question),
    Called(Owner, Called),
    /// All of what this owner asked is forgotten.
    Forgotten(Owner),
    /// Who waits until all of the above is written.
    Settle(SyncSender<()>),
}

/// A call that has worked.
pub(super) struct Called {
    pub(super) tool: ToolId,
    /// The project whose tool it is; empty for tools of servers.
    pub(super) project: Arc<str>,
    pub(super) at: Moment,
}

/// Who writes. The thread begins with the first thing to write, and ends with this, when all is written.
pub(super) struct Scribe {
    ledger: Arc<Ledger>,
    cache: Arc<Cache>,
    desk: Mutex<Option<Desk>>,
}

struct Desk {
    tell: SyncSender<Told>,
    thread: JoinHandle<()>,
}

impl Scribe {
    pub(super) fn new(ledger: Arc<Ledger>, cache: Arc<Cache>) -> Self {
        Self { ledger, cache, desk: Mutex::default() }
    }

    /// Never waits. What there is no room for is not learned.
    pub(super) fn tell(&self, told: Told) {
        if let Some(tell) = self.way() {
            let _ = tell.try_send(told);
        }
    }

    /// Whether nothing was ever told.
    pub(super) fn is_idle(&self) -> bool {
        self.desk.lock().is_none()
    }

    pub(super) fn settle(&self) {
        let tell = self.desk.lock().as_ref().map(|it| it.tell.clone());
        let (done, is_done) = sync_channel(1);
        if tell.is_some_and(|it| it.send(Told::Settle(done)).is_ok()) {
            let _ = is_done.recv_timeout(PATIENCE);
        }
    }

    fn way(&self) -> Option<SyncSender<Told>> {
        let mut desk = self.desk.lock();
        if desk.is_none() {
            let (tell, told) = sync_channel(WAITING);
            let work = Work { ledger: self.ledger.clone(), cache: self.cache.clone(), recent: HashMap::new() };
            let begun = std::thread::Builder::new().name("learning".to_owned()).spawn(move || work.go_on(&told));
            // Without a thread nothing is learned, and all else goes on.
            *desk = begun.ok().map(|thread| Desk { tell, thread });
        }
        desk.as_ref().map(|it| it.tell.clone())
    }
}

impl Drop for Scribe {
    fn drop(&mut self) {
        if let Some(Desk { tell, thread }) = self.desk.get_mut().take() {
            drop(tell);
            let _ = thread.join();
        }
    }
}

struct Work {
    ledger: Arc<Ledger>,
    cache: Arc<Cache>,
    /// By who is talking.
    recent: HashMap<Arc<str>, Recent>,
}

/// What was learned, by tenant.
type Batch = HashMap<Arc<str>, Vec<(Question, Called)>>;

impl Work {
    fn go_on(mut self, told: &Receiver<Told>) {
        while let Ok(first) = told.recv() {
            let (mut batch, mut settled) = (Batch::new(), Vec::new());
            let until = Instant::now() + TOGETHER;
            let mut next = Ok(first);
            while let Ok(told_now) = next {
                match told_now {
                    Told::Settle(done) => settled.push(done),
                    other => self.take(other, &mut batch),
                }
                // Who waits does so for what was said before, and not for what may come.
                let wait =
                    if settled.is_empty() { until.saturating_duration_since(Instant::now()) } else { Duration::ZERO };
                next = told.recv_timeout(wait);
            }
            self.write(batch);
            for done in settled {
                // Who does not wait any more need not know.
                let _ = done.send(());
            }
            if next.err() == Some(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    }

    fn take(&mut self, told: Told, batch: &mut Batch) {
        match told {
            Told::Asked(owner, question) => self.asked(&owner, question),
            Told::Called(owner, called) => {
                if let Some(question) = self.question(&owner, &called) {
                    batch.entry(owner.whose).or_default().push((question, called));
                }
            }
            Told::Forgotten(owner) => drop(self.recent.remove(&owner.talk)),
            Told::Settle(_) => {}
        }
    }

    fn asked(&mut self, owner: &Owner, question: Question) {
        if owner.is_at_terminal {
            let kept = self.ledger.change_recent(&owner.talk, |it| it.add(question.clone()));
            return unwritten(kept);
        }
        let now = question.asked;
        self.recent.entry(owner.talk.clone()).or_default().add(question);
        if self.recent.len() > OWNERS {
            self.recent.values_mut().for_each(|it| it.expire(now));
            self.recent.retain(|_, it| !it.is_empty());
        }
        while self.recent.len() > OWNERS {
            let oldest = self.recent.iter().min_by_key(|(_, it)| it.newest()).map(|(talk, _)| talk.clone());
            oldest.map(|it| self.recent.remove(&it));
        }
    }

    /// What the call was the answer to.
    fn question(&mut self, owner: &Owner, called: &Called) -> Option<Question> {
        if !owner.is_at_terminal {
            return self.recent.get_mut(&owner.talk)?.take(&called.tool, called.at);
        }
        let taken = self.ledger.change_recent(&owner.talk, |it| it.take(&called.tool, called.at));
        taken.unwrap_or_else(|error| {
            unwritten(Err(error));
            None
        })
    }

    fn write(&self, batch: Batch) {
        for (whose, news) in batch {
            unwritten(self.ledger.change_lessons(&whose, |lessons| {
                for (question, called) in &news {
                    lessons.add(question.clone(), &called.tool, &called.project, called.at);
                }
            }));
            self.cache.let_go(&whose);
        }
    }
}

/// That something is not learned stops nothing.
fn unwritten(kept: Result<(), StoreError>) {
    if let Err(error) = kept {
        tracing::debug!(event = "not_learned", error = %error);
    }
}
