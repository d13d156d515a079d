//! What happens, told to those who keep track of it: a journal, a trace, a meter, somebody who looks on.
//!
//! A request carries its [`Witnesses`] in its [`Cx`], so whatever is done for it can be told to them, wherever that is. Where
//! there are none, nothing is gathered and nothing is paid.

mod span;
mod told;

pub use span::{Span, trace_context};
pub use told::{Called, Decided, Discovered, Happening, Outcome, Searched, Shown, Whole};

use crate::{Caller, Cx, Moment};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Looks on. It is told where things happen, by whoever does them, so it must neither wait nor fail.
pub trait Witness: Send + Sync {
    /// Something has happened.
    fn saw(&self, event: &Event);

    /// Whether what we do is to be a part of the trace that it belongs to, for those we ask in turn.
    fn traces(&self) -> bool {
        false
    }
}

/// All who look on at a request; usually few, or nobody. Cloning is cheap.
#[derive(Clone, Default)]
pub struct Witnesses(Option<Arc<[Arc<dyn Witness>]>>);

impl Witnesses {
    /// These, and nobody else.
    pub fn new(all: Vec<Arc<dyn Witness>>) -> Self {
        Self((!all.is_empty()).then(|| all.into()))
    }

    /// Whether nobody looks on.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn all(&self) -> impl Iterator<Item = &Arc<dyn Witness>> {
        self.0.iter().flat_map(|it| it.iter())
    }
}

/// Something that has happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When it began.
    pub at: Moment,
    /// How long it took.
    pub took: Duration,
    /// For whom.
    pub who: Who,
    /// Where it stands among all that belongs to one request.
    pub span: Span,
    /// What it was.
    pub what: Happening,
}

/// For whom something was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Who {
    /// Through which door.
    pub caller: Caller,
    /// Whom the surface has recognised.
    pub user: Option<Arc<str>>,
    /// What the program calls itself that asked.
    pub client: Option<Arc<str>>,
    /// The conversation it belongs to.
    pub session: Option<Arc<str>>,
    /// The project it is about.
    pub project: Option<Arc<PathBuf>>,
}

/// Something that is under way, and is told when it ends.
#[must_use = "what is not ended is told to nobody"]
pub struct Begun(Option<Box<Watched>>);

struct Watched {
    at: Moment,
    since: Instant,
    who: Who,
    span: Span,
    witnesses: Witnesses,
}

impl Cx {
    /// Begins something that may be looked on at: that, and the request as those see it who are asked meanwhile.
    pub fn begin(mut self) -> (Self, Begun) {
        if self.witnesses.is_empty() {
            return (self, Begun(None));
        }
        let span = Span::within(&self.trace);
        if self.witnesses.all().any(|it| it.traces()) {
            self.trace = span.for_others(&self.trace);
        }
        let (who, witnesses) = (self.who(), self.witnesses.clone());
        (self, Begun(Some(Box::new(Watched { at: Moment::now(), since: Instant::now(), who, span, witnesses }))))
    }

    /// Tells what has happened at this moment.
    pub fn tell(&self, what: impl FnOnce() -> Happening) {
        self.tell_since(Instant::now(), what);
    }

    /// Tells what has happened since this moment, and is over.
    pub fn tell_since(&self, since: Instant, what: impl FnOnce() -> Happening) {
        if self.witnesses.is_empty() {
            return;
        }
        if let (_, Begun(Some(mut watched))) = self.clone().begin() {
            let ago = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
            (watched.at, watched.since) = (Moment(watched.at.0.saturating_sub(ago)), since);
            Begun(Some(watched)).end(what);
        }
    }

    /// Tells what whoever made this request has decided: about what, which one, and the word for it.
    pub fn decided(&self, about: &'static str, which: impl std::fmt::Display, word: &'static str) {
        let by = match (&self.user, self.caller) {
            (Some(user), _) => user,
            (None, Caller::Cli) => "a person at a terminal",
            (None, Caller::Http) => "an operator",
            (None, _) => self.caller.word(),
        };
        self.decided_by(about, which, word, by);
    }

    /// The same, where somebody else has, or a rule.
    pub fn decided_by(
        &self,
        about: &'static str,
        which: impl std::fmt::Display,
        word: &'static str,
        by: impl std::fmt::Display,
    ) {
        let (which, by) = (|| which.to_string(), || by.to_string());
        self.tell(|| Happening::Decided(Decided { about, which: which(), word, by: by() }));
    }

    fn who(&self) -> Who {
        Who {
            caller: self.caller,
            user: self.user.clone(),
            client: self.client.clone(),
            session: self.session.clone(),
            project: self.project.clone(),
        }
    }
}

impl Begun {
    /// Whether anybody looks on.
    pub fn is_watched(&self) -> bool {
        self.0.is_some()
    }

    /// It is over, and this is what it was.
    pub fn end(self, what: impl FnOnce() -> Happening) {
        let Some(watched) = self.0 else { return };
        let Watched { at, since, who, span, witnesses } = *watched;
        let event = Event { at, took: since.elapsed(), who, span, what: what() };
        witnesses.all().for_each(|it| it.saw(&event));
    }
}
