//! Caches probe results, so that each file content is probed once.

use super::packages;
use super::probe::{self, ProbeLimits};
use super::recipe::{Flavour, Probed, Recipe};
use super::sandbox::ToolSandbox;
use super::stamp::nanos_of;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::OnceCell;
use toolscout_core::{Cx, Digest, Namespace, SourceError, SourceId, Store, StoreError};

/// A probe result, cached in memory and in a namespace of the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ProbeRecord {
    version: u32,
    /// The time of the probe, in nanoseconds since 1970.
    at: i64,
    #[serde(rename = "said")]
    pub(super) result: ProbeResult,
    /// The state of the packages that the file may import, for a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    packages: Option<Digest>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ProbeResult {
    /// The tools of the file, each valid or with the reason why not.
    Tools(Vec<Result<Probed, String>>),
    /// The output could not be parsed.
    #[serde(rename = "nonsense")]
    InvalidOutput(String),
    /// The probe timed out.
    TimedOut {
        /// The time limit of the probe.
        limit_ms: u64,
    },
    /// The file could not be started. The cause is more likely the machine than the file.
    NotStarted {
        /// The program to start.
        program: String,
        /// The reason for the failure.
        reason: String,
    },
}

const VERSION: u32 = 4;

/// A failure may have a cause outside the file, such as a service that is down, so listings retry
/// after an hour, and at once if the installed packages have changed. In nanoseconds.
const FAILURE_LIFETIME: i64 = 3_600_000_000_000;

/// Forgets all failed probes in a store, so that the next discovery tries these files again.
pub fn forget_failures(store: &dyn Store) -> Result<(), StoreError> {
    for key in store.keys(Namespace::Probe)? {
        let bytes = store.read(Namespace::Probe, &key)?.unwrap_or_default();
        let record: Option<ProbeRecord> = serde_json::from_slice(&bytes).ok();
        if record.is_none_or(|record| record.is_failure()) {
            store.remove(Namespace::Probe, &key)?;
        }
    }
    Ok(())
}

/// When a caller accepts a cached result, and when it starts the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProbeEagerness {
    /// Uses cached results only.
    CachedOnly,
    /// Starts the file if no result is cached, or if a cached failure has expired.
    Once,
    /// Starts the file also if a failure is cached, because a caller needs the tool now.
    AfterFailure,
}

/// Probes files, once per content digest.
pub(super) struct Prober {
    id: SourceId,
    store: Option<Arc<dyn Store>>,
    sandbox: ToolSandbox,
    results: Mutex<HashMap<String, Arc<ProbeRecord>>>,
    /// Probes in flight; concurrent callers share the result.
    in_flight: Mutex<HashMap<String, Arc<OnceCell<Arc<ProbeRecord>>>>>,
}

impl Prober {
    pub(super) fn new(id: SourceId, store: Option<Arc<dyn Store>>, sandbox: ToolSandbox) -> Self {
        Self { id, store, sandbox, results: Mutex::default(), in_flight: Mutex::default() }
    }

    /// The probe result; `None` if no result is cached and the file may not be started.
    /// Cancel-safe: a concurrent caller that waits for the same file starts it again.
    pub(super) async fn probe(
        &self,
        recipe: &Recipe,
        content: Digest,
        eagerness: ProbeEagerness,
        limits: &ProbeLimits,
        cx: &Cx,
    ) -> Option<Arc<ProbeRecord>> {
        let key = key(recipe, content);
        match self.cached(&key) {
            Some(record) if record.satisfies(eagerness, recipe) => return Some(record),
            _ if eagerness == ProbeEagerness::CachedOnly => return None,
            _ => {}
        }
        let cell = self.in_flight.lock().entry(key.clone()).or_default().clone();
        let record = cell.get_or_init(|| self.start(recipe, limits, cx)).await.clone();
        if record.is_cacheable(cx) {
            self.cache(&key, &record);
        }
        self.in_flight.lock().remove(&key);
        Some(record)
    }

    async fn start(&self, recipe: &Recipe, limits: &ProbeLimits, cx: &Cx) -> Arc<ProbeRecord> {
        let result = match probe::probe(&self.id, recipe, limits, &self.sandbox, cx).await {
            Ok(tools) => ProbeResult::Tools(tools),
            Err(SourceError::TimedOut { limit, .. }) => ProbeResult::TimedOut {
                limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
            },
            Err(SourceError::Spawn { program, reason, .. }) => {
                ProbeResult::NotStarted { program, reason }
            }
            Err(SourceError::Protocol { reason, .. } | SourceError::Invalid { reason }) => {
                ProbeResult::InvalidOutput(reason)
            }
            Err(other) => ProbeResult::NotStarted {
                program: recipe
                    .probe_file()
                    .map(|file| file.display().to_string())
                    .unwrap_or_default(),
                reason: other.to_string(),
            },
        };
        let is_failure = !matches!(result, ProbeResult::Tools(_));
        let packages = recipe.probe_file().filter(|_| is_failure).map(packages::state);
        let at = nanos_of(SystemTime::now());
        Arc::new(ProbeRecord { version: VERSION, at, result, packages })
    }

    fn cached(&self, key: &str) -> Option<Arc<ProbeRecord>> {
        if let Some(record) = self.results.lock().get(key) {
            return Some(record.clone());
        }
        let bytes = self.store.as_ref()?.read(Namespace::Probe, key).ok().flatten()?;
        let record: ProbeRecord = serde_json::from_slice(&bytes).ok()?;
        let record = Arc::new(Some(record).filter(|record| record.version == VERSION)?);
        self.results.lock().insert(key.to_owned(), record.clone());
        Some(record)
    }

    fn cache(&self, key: &str, record: &Arc<ProbeRecord>) {
        if let (Some(store), Ok(bytes)) = (&self.store, serde_json::to_vec(&**record)) {
            // A failed write only means that the file is probed again later.
            let _ = store.write(Namespace::Probe, key, &bytes);
        }
        self.results.lock().insert(key.to_owned(), record.clone());
    }
}

impl ProbeRecord {
    fn is_failure(&self) -> bool {
        !matches!(self.result, ProbeResult::Tools(_))
    }

    fn satisfies(&self, eagerness: ProbeEagerness, recipe: &Recipe) -> bool {
        match eagerness {
            ProbeEagerness::CachedOnly => true,
            ProbeEagerness::Once => {
                let is_recent = || nanos_of(SystemTime::now()) - self.at < FAILURE_LIFETIME;
                let packages = || recipe.probe_file().map(packages::state);
                !self.is_failure() || (is_recent() && self.packages == packages())
            }
            ProbeEagerness::AfterFailure => !self.is_failure(),
        }
    }

    /// Whether the result may be cached: not if the cause was the machine or the caller's own
    /// deadline.
    fn is_cacheable(&self, cx: &Cx) -> bool {
        match self.result {
            ProbeResult::NotStarted { .. } => false,
            ProbeResult::TimedOut { .. } => {
                cx.remaining().is_none_or(|remaining| !remaining.is_zero())
            }
            ProbeResult::Tools(_) | ProbeResult::InvalidOutput(_) => true,
        }
    }

    /// The tools, or the error that explains why there are none.
    pub(super) fn tools(
        &self,
        id: &SourceId,
        what: &str,
    ) -> Result<&[Result<Probed, String>], SourceError> {
        let id = id.clone();
        match &self.result {
            ProbeResult::Tools(tools) => Ok(tools),
            ProbeResult::InvalidOutput(reason) => {
                Err(SourceError::Protocol { id, reason: format!("`{what}` {reason}") })
            }
            ProbeResult::TimedOut { limit_ms } => Err(SourceError::TimedOut {
                id,
                what: format!("listing the tools of `{what}`"),
                limit: std::time::Duration::from_millis(*limit_ms),
            }),
            ProbeResult::NotStarted { program, reason } => Err(SourceError::Spawn {
                id,
                program: program.clone(),
                reason: reason.clone(),
                cause: None,
            }),
        }
    }
}

/// The cache key. The same content may give different results as a program and as a module, and
/// with each flavour.
fn key(recipe: &Recipe, content: Digest) -> String {
    let kind = match recipe {
        Recipe::Module { flavour: Flavour::Plain, .. } => "module",
        Recipe::Module { flavour: Flavour::Opencode, .. } => "opencode",
        _ => "executable",
    };
    format!("{kind}-{content}")
}
