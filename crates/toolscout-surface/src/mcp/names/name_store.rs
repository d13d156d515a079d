//! Stores the wire names of tools, across processes.

use super::{Names, NewNames, is_exact};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use toolscout_core::{
    Namespace, SourceId, SourceKind, Store, StoreError, Tool, ToolId, ToolName, UnknownFields,
    is_newer_row,
};
use toolscout_gateway::Snapshot;

/// Maximum number of names per source. Beyond this all names of the source are dropped, and may be
/// given to other tools of it.
const MAX_NAMES_PER_SOURCE: usize = 20_000;
/// Attempts to write while other processes write as well.
const MAX_ATTEMPTS: usize = 16;
/// The major version of the record; a record with another version is ignored, and not replaced if
/// it is a later one.
const VERSION: u32 = 1;

/// Stores names: in a store, for all processes of a project, or in memory.
pub struct WireNameStore {
    store_and_project: Option<(Arc<dyn Store>, String)>,
    /// None before the first read.
    given: Mutex<Option<Arc<GivenNames>>>,
    last: Mutex<Option<LastNamed>>,
}

/// The shared tools that were named last, and their names. Saves the work if the tools are the
/// same.
struct LastNamed {
    tools: Vec<Arc<Tool>>,
    names: Arc<Names>,
}

impl LastNamed {
    fn is_for(&self, tools: &[(&Arc<Tool>, SourceKind)]) -> bool {
        self.tools.len() == tools.len()
            && self.tools.iter().zip(tools).all(|(one, (other, _))| Arc::ptr_eq(one, other))
    }
}

impl WireNameStore {
    /// Stores names in memory, for this process only.
    pub fn in_memory() -> Self {
        Self { store_and_project: None, given: Mutex::default(), last: Mutex::default() }
    }

    /// Stores names in the store, one record per project.
    pub fn in_store(store: Arc<dyn Store>, project: &str) -> Self {
        Self { store_and_project: Some((store, project.to_owned())), ..Self::in_memory() }
    }

    /// The name of each tool for the API of a model vendor: unique, at most 64 letters, digits, `_`
    /// and `-`. The names are stored, so that [`WireNameStore::tool`] finds their tools.
    pub fn model_names(&self, snapshot: &Snapshot) -> HashMap<ToolId, Arc<str>> {
        self.update(|given| Names::for_models(snapshot, given)).wires
    }

    /// The names that [`WireNameStore::model_names`] would give, without storing them.
    pub fn planned_model_names(&self, snapshot: &Snapshot) -> HashMap<ToolId, Arc<str>> {
        Names::for_models(snapshot, &self.given_names()).0.wires
    }

    /// The tool that was given this name, which MCP clients see or an export contains. `None` if the
    /// catalog does not have the tool.
    pub fn tool(&self, snapshot: &Snapshot, wire: &str) -> Option<ToolId> {
        if let Some(id) = exact_tool(snapshot, wire) {
            return Some(id);
        }
        let given = self.given_names();
        let owner = given.owners.get(wire).cloned();
        // A name that could not be stored is computed again.
        let owner = owner.or_else(|| Names::for_models(snapshot, &given).0.tool(wire).cloned())?;
        snapshot.tool(&owner).map(|known| known.tool.id.clone())
    }

    /// The names of shared tools; computed once for the same tools.
    pub(super) fn shared(
        &self,
        tools: &[(&Arc<Tool>, SourceKind)],
        assign: impl Fn(&GivenNames) -> (Names, NewNames),
    ) -> Arc<Names> {
        let mut last = self.last.lock();
        if let Some(last) = last.as_ref().filter(|value| value.is_for(tools)) {
            return last.names.clone();
        }
        let names = Arc::new(self.update(assign));
        let tools = tools.iter().map(|(tool, _)| Arc::clone(tool)).collect();
        *last = Some(LastNamed { tools, names: names.clone() });
        names
    }

    /// Gives names and stores the new ones. If another process wrote in between, names are given
    /// again with its names in mind. If the store fails, the names are valid in this process only.
    fn update(&self, assign: impl Fn(&GivenNames) -> (Names, NewNames)) -> Names {
        // Most catalogs have no new names, and then nothing is read or written.
        let current = self.given_names();
        let (names, new_names) = assign(&current);
        if new_names.is_empty() {
            return names;
        }
        self.persist(&assign).unwrap_or_else(|error| {
            if let Some(error) = error {
                tracing::warn!(event = "names_not_stored", %error);
            }
            let mut next = (*current).clone();
            next.extend(new_names);
            self.replace(next);
            names
        })
    }

    fn persist(
        &self,
        assign: &impl Fn(&GivenNames) -> (Names, NewNames),
    ) -> Result<Names, Option<StoreError>> {
        let (store, project) = self.store_and_project.as_ref().ok_or(None)?;
        for _ in 0..MAX_ATTEMPTS {
            let bytes = store.read(Namespace::Name, project)?;
            if bytes.as_deref().is_some_and(|bytes| is_newer_row(bytes, VERSION)) {
                return Err(Some(StoreError::newer_row("the names of tools")));
            }
            let mut next = bytes.as_deref().map(GivenNames::parse).unwrap_or_default();
            next.merge(&self.given_names());
            let (names, new_names) = assign(&next);
            if new_names.is_empty() {
                self.replace(next);
                return Ok(names);
            }
            next.extend(new_names);
            if store.swap(Namespace::Name, project, bytes.as_deref(), Some(&next.to_json()))? {
                self.replace(next);
                return Ok(names);
            }
        }
        Err(None)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.given_names().owners.len()
    }

    /// The names that were given so far.
    pub(super) fn given_names(&self) -> Arc<GivenNames> {
        let mut given = self.given.lock();
        given.get_or_insert_with(|| Arc::new(self.load().unwrap_or_default())).clone()
    }

    /// The stored names. If they cannot be read, `persist` reads them again when there is a new name
    /// to write.
    fn load(&self) -> Option<GivenNames> {
        let (store, project) = self.store_and_project.as_ref()?;
        store.read(Namespace::Name, project).ok()?.as_deref().map(GivenNames::parse)
    }

    fn replace(&self, next: GivenNames) {
        *self.given.lock() = Some(Arc::new(next));
    }
}

/// The tool whose source and name are exactly this `source__tool`.
fn exact_tool(snapshot: &Snapshot, wire: &str) -> Option<ToolId> {
    let (source, name) = wire.split_once("__")?;
    let id = ToolId::new(SourceId::new(source).ok()?, ToolName::new(name).ok()?);
    snapshot.tool(&id).map(|known| known.tool.id.clone())
}

/// The names that were given. A tool may have had several names; a name belongs to one tool.
#[derive(Debug, Clone, Default)]
pub(super) struct GivenNames {
    owners: HashMap<Arc<str>, ToolId>,
    wires: HashMap<ToolId, Vec<Arc<str>>>,
    count_by_source: HashMap<SourceId, usize>,
    /// Fields of the record that a later version has added.
    unknown: UnknownFields,
}

impl GivenNames {
    /// All names that the tool has had.
    pub(super) fn names_of(&self, tool: &ToolId) -> &[Arc<str>] {
        self.wires.get(tool).map_or(&[], Vec::as_slice)
    }

    /// Whether the name was given to some tool.
    pub(super) fn is_taken(&self, wire: &str) -> bool {
        self.owners.contains_key(wire)
    }

    fn extend(&mut self, new_names: impl IntoIterator<Item = (Arc<str>, ToolId)>) {
        for (wire, tool) in new_names {
            if self.is_taken(&wire) && !self.hand_over(&wire, &tool) {
                continue;
            }
            let count = self.count_by_source.entry(tool.source.clone()).or_default();
            *count += 1;
            if *count > MAX_NAMES_PER_SOURCE {
                self.forget(&tool.source);
            }
            self.wires.entry(tool.clone()).or_default().push(wire.clone());
            self.owners.insert(wire, tool);
        }
    }

    /// Takes a name from its owner if it is exactly the name of this other tool; returns whether it
    /// was.
    fn hand_over(&mut self, wire: &Arc<str>, tool: &ToolId) -> bool {
        let Some(owner) = self.owners.get(wire).filter(|owner| *owner != tool) else {
            return false;
        };
        if !is_exact(tool, wire) {
            return false;
        }
        if let Some(wires) = self.wires.get_mut(owner) {
            wires.retain(|name| name != wire);
        }
        self.owners.remove(wire);
        true
    }

    fn forget(&mut self, source: &SourceId) {
        self.owners.retain(|_, owner| owner.source != *source);
        self.wires.retain(|wire, _| wire.source != *source);
        self.count_by_source.insert(source.clone(), 1);
    }

    /// Adds the names that this process gave while the store failed.
    fn merge(&mut self, other: &Self) {
        let mut all: Vec<_> =
            other.owners.iter().map(|(wire, tool)| (wire.clone(), tool.clone())).collect();
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.extend(all);
    }

    /// Parses a record. An unreadable record counts as empty, and names are given again.
    fn parse(bytes: &[u8]) -> Self {
        let mut given = Self::default();
        let Ok(record) = serde_json::from_slice::<NamesRecord>(bytes) else { return given };
        if record.version != VERSION {
            return given;
        }
        let count = record.sources.values().map(BTreeMap::len).sum();
        given.owners.reserve(count);
        given.wires.reserve(count);
        given.unknown = record.unknown;
        for (source, tools) in record.sources {
            let Ok(source) = SourceId::new(&source) else { continue };
            for (tool, wires) in tools {
                let Ok(name) = ToolName::new(&tool) else { continue };
                let id = ToolId::new(source.clone(), name);
                given.extend(wires.into_iter().map(|wire| (wire.into(), id.clone())));
            }
        }
        given
    }

    fn to_json(&self) -> Vec<u8> {
        let unknown = self.unknown.clone();
        let mut record = NamesRecord { version: VERSION, sources: BTreeMap::new(), unknown };
        for (tool, wires) in &self.wires {
            let tools = record.sources.entry(tool.source.to_string()).or_default();
            tools
                .insert(tool.name.to_string(), wires.iter().map(|wire| wire.to_string()).collect());
        }
        serde_json::to_vec(&record).unwrap_or_default()
    }
}

/// The stored form: by source, then by tool.
#[derive(Serialize, Deserialize)]
struct NamesRecord {
    version: u32,
    sources: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    #[serde(flatten)]
    unknown: UnknownFields,
}
