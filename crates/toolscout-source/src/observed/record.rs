//! Observed tools, stored from one run to the next.

use super::seen_tools::{MAX_TOOLS, SeenTool, SeenTools};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use toolscout_core::{Namespace, Store, StoreError, UnknownFields, is_newer_row};

const VERSION: u32 = 1;
/// Number of attempts if several processes write at once.
const ATTEMPTS: usize = 64;

/// The tools that were observed in a project.
#[derive(Clone)]
pub struct Observed {
    store: Arc<dyn Store>,
    project: String,
}

#[derive(Serialize, Deserialize)]
struct ObservedRow {
    version: u32,
    tools: Vec<SeenTool>,
    #[serde(flatten)]
    unknown: UnknownFields,
}

impl Observed {
    /// The observed tools of a project, by its partition key; see
    /// `toolscout_mcp_client::partition`.
    pub fn new(store: Arc<dyn Store>, project: String) -> Self {
        Self { store, project }
    }

    /// All of them, the newest last. Unreadable data counts as missing.
    pub fn tools(&self) -> Vec<SeenTool> {
        self.store
            .read(Namespace::Observed, &self.project)
            .ok()
            .flatten()
            .map_or_else(Vec::new, |bytes| read(&bytes).tools)
    }

    /// Adds these tools. If there are too many, those that were seen longest ago are dropped.
    pub fn add(&self, tools: &[SeenTool]) -> Result<(), StoreError> {
        for _ in 0..ATTEMPTS {
            let before = self.store.read(Namespace::Observed, &self.project)?;
            if before.as_deref().is_some_and(|bytes| is_newer_row(bytes, VERSION)) {
                return Err(StoreError::newer_row("the observed tools"));
            }
            let known = before.as_deref().map_or_else(ObservedRow::new, read);
            let row = ObservedRow { tools: merge(known.tools, tools), ..known };
            let next =
                serde_json::to_vec(&row).map_err(|error| store_failure(Some(error.into())))?;
            if self.store.swap(
                Namespace::Observed,
                &self.project,
                before.as_deref(),
                Some(&next),
            )? {
                return Ok(());
            }
        }
        Err(store_failure(None))
    }

    /// Removes all of them; returns whether there were any.
    pub fn clear(&self) -> Result<bool, StoreError> {
        self.store.remove(Namespace::Observed, &self.project)
    }
}

impl ObservedRow {
    /// A row without tools.
    fn new() -> Self {
        Self { version: VERSION, tools: Vec::new(), unknown: UnknownFields::default() }
    }
}

fn read(bytes: &[u8]) -> ObservedRow {
    let row = serde_json::from_slice(bytes).ok();
    row.filter(|row: &ObservedRow| row.version == VERSION).unwrap_or_else(ObservedRow::new)
}

fn merge(known: Vec<SeenTool>, tools: &[SeenTool]) -> Vec<SeenTool> {
    let mut all = SeenTools::default();
    let room = MAX_TOOLS.saturating_sub(tools.len());
    let dropped = known.len().saturating_sub(room);
    known.into_iter().skip(dropped).chain(tools.iter().cloned()).for_each(|tool| all.add(tool));
    let mut all = all.into_tools();
    all.sort_by_key(|tool| tool.last_seen);
    all
}

fn store_failure(cause: Option<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError { what: "observed tools could not be stored".to_owned(), cause }
}
