//! Remembers what files said about themselves, so that each content is asked once.

use super::probe::{self, ProbeLimits};
use super::recipe::{Flavour, Probed, Recipe};
use super::stamp::nanos_of;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::OnceCell;
use toolscout_core::{Cx, Digest, Namespace, SourceError, SourceId, Store};

/// A file's answer, kept in memory and on a namespace of the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ProbeRecord {
    version: u32,
    /// When it was asked, in nanoseconds since 1970.
    at: i64,
    pub(super) said: ProbeResult,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ProbeResult {
    /// Its tools, each sound or with the reason why not.
    Tools(Vec<Result<Probed, String>>),
    /// Nothing that could be understood.
    Nonsense(String),
    /// Nothing in time.
    TimedOut {
        /// How long it was given.
        limit_ms: u64,
    },
    /// It could not be started. This says more about the machine than about the file.
    NotStarted {
        /// What should have been started.
        program: String,
        /// Why it was not.
        reason: String,
    },
}

const VERSION: u32 = 1;

/// A failure may have had its cause outside the file (a package not yet installed), so listings try again after an hour.
const FAILURE_LASTS: i64 = 3_600_000_000_000;

/// Who asks, and so how readily a file is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProbeEagerness {
    /// Only what is remembered.
    Remembered,
    /// Starts the file where nothing is remembered.
    Once,
    /// Also where only a failure is remembered: somebody wants to use it now.
    AfterFailure,
}

/// Asks files, each content once.
pub(super) struct Prober {
    id: SourceId,
    store: Option<Arc<dyn Store>>,
    answers: Mutex<HashMap<String, Arc<ProbeRecord>>>,
    /// Files being asked right now; who else wants to know waits for the same answer.
    asking: Mutex<HashMap<String, Arc<OnceCell<Arc<ProbeRecord>>>>>,
}

impl Prober {
    pub(super) fn new(id: SourceId, store: Option<Arc<dyn Store>>) -> Self {
        Self { id, store, answers: Mutex::default(), asking: Mutex::default() }
    }

    /// What the file says; `None` where nothing is remembered and it may not be started. Cancel-safe: another who waits
    /// for the same file starts it again.
    pub(super) async fn ask(
        &self,
        recipe: &Recipe,
        content: Digest,
        eagerness: ProbeEagerness,
        limits: &ProbeLimits,
        cx: &Cx,
    ) -> Option<Arc<ProbeRecord>> {
        let key = key(recipe, content);
        match self.remembered(&key) {
            Some(answer) if answer.holds(eagerness) => return Some(answer),
            _ if eagerness == ProbeEagerness::Remembered => return None,
            _ => {}
        }
        let cell = self.asking.lock().entry(key.clone()).or_default().clone();
        let answer = cell.get_or_init(|| self.start(recipe, limits, cx)).await.clone();
        if answer.is_lasting(cx) {
            self.remember(&key, &answer);
        }
        self.asking.lock().remove(&key);
        Some(answer)
    }

    async fn start(&self, recipe: &Recipe, limits: &ProbeLimits, cx: &Cx) -> Arc<ProbeRecord> {
        let said = match probe::probe(&self.id, recipe, limits, cx).await {
            Ok(tools) => ProbeResult::Tools(tools),
            Err(SourceError::TimedOut { limit, .. }) => {
                ProbeResult::TimedOut { limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX) }
            }
            Err(SourceError::Spawn { program, reason, .. }) => ProbeResult::NotStarted { program, reason },
            Err(SourceError::Protocol { reason, .. } | SourceError::Invalid { reason }) => {
                ProbeResult::Nonsense(reason)
            }
            Err(other) => ProbeResult::NotStarted {
                program: recipe.askable().map(|it| it.display().to_string()).unwrap_or_default(),
                reason: other.to_string(),
            },
        };
        Arc::new(ProbeRecord { version: VERSION, at: nanos_of(SystemTime::now()), said })
    }

    fn remembered(&self, key: &str) -> Option<Arc<ProbeRecord>> {
        if let Some(answer) = self.answers.lock().get(key) {
            return Some(answer.clone());
        }
        let bytes = self.store.as_ref()?.read(Namespace::Probe, key).ok().flatten()?;
        let answer: ProbeRecord = serde_json::from_slice(&bytes).ok()?;
        let answer = Arc::new(Some(answer).filter(|it| it.version == VERSION)?);
        self.answers.lock().insert(key.to_owned(), answer.clone());
        Some(answer)
    }

    fn remember(&self, key: &str, answer: &Arc<ProbeRecord>) {
        if let (Some(store), Ok(bytes)) = (&self.store, serde_json::to_vec(&**answer)) {
            // A store that cannot be written costs another start some day, nothing else.
            let _ = store.write(Namespace::Probe, key, &bytes);
        }
        self.answers.lock().insert(key.to_owned(), answer.clone());
    }
}

impl ProbeRecord {
    fn is_failure(&self) -> bool {
        !matches!(self.said, ProbeResult::Tools(_))
    }

    fn holds(&self, eagerness: ProbeEagerness) -> bool {
        match eagerness {
            ProbeEagerness::Remembered => true,
            ProbeEagerness::Once => !self.is_failure() || nanos_of(SystemTime::now()) - self.at < FAILURE_LASTS,
            ProbeEagerness::AfterFailure => !self.is_failure(),
        }
    }

    /// Whether the next one may rely on it: not where the machine, or the asker's own hurry, was the cause.
    fn is_lasting(&self, cx: &Cx) -> bool {
        match self.said {
            ProbeResult::NotStarted { .. } => false,
            ProbeResult::TimedOut { .. } => cx.remaining().is_none_or(|it| !it.is_zero()),
            ProbeResult::Tools(_) | ProbeResult::Nonsense(_) => true,
        }
    }

    /// The tools, or why there are none.
    pub(super) fn tools(&self, id: &SourceId, what: &str) -> Result<&[Result<Probed, String>], SourceError> {
        let id = id.clone();
        match &self.said {
            ProbeResult::Tools(tools) => Ok(tools),
            ProbeResult::Nonsense(reason) => Err(SourceError::Protocol { id, reason: format!("`{what}` {reason}") }),
            ProbeResult::TimedOut { limit_ms } => Err(SourceError::TimedOut {
                id,
                what: format!("asking `{what}` what it holds"),
                limit: std::time::Duration::from_millis(*limit_ms),
            }),
            ProbeResult::NotStarted { program, reason } => {
                Err(SourceError::Spawn { id, program: program.clone(), reason: reason.clone(), cause: None })
            }
        }
    }
}

/// The same content may answer otherwise as a program than as a module, and as one flavour than as another.
fn key(recipe: &Recipe, content: Digest) -> String {
    let manner = match recipe {
        Recipe::Module { flavour: Flavour::Plain, .. } => "module",
        Recipe::Module { flavour: Flavour::Opencode, .. } => "opencode",
        _ => "executable",
    };
    format!("{manner}-{content}")
}
