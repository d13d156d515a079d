//! Which names were given to which tools, across processes.

use super::{Names, News};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use toolscout_core::{Namespace, SourceId, SourceKind, Store, StoreError, Tool, ToolId, ToolName};

/// A source that has had more names than this forgets them all and begins anew; only its own are then given again.
const MOST_OF_A_SOURCE: usize = 20_000;
/// So often others may have been faster.
const TRIES: usize = 16;
/// Of what is kept; another one is taken for nothing.
const VERSION: u32 = 1;

/// Remembers names: in a store, where there is one, for all processes of a project; else for as long as it lives.
pub struct Remembered {
    kept: Option<(Arc<dyn Store>, String)>,
    /// Nothing before it was first read.
    given: Mutex<Option<Arc<Given>>>,
    last: Mutex<Option<Last>>,
}

/// What everybody had when it was last named, and the names.
struct Last {
    tools: Vec<Arc<Tool>>,
    names: Arc<Names>,
}

impl Last {
    fn is_of(&self, tools: &[(&Arc<Tool>, SourceKind)]) -> bool {
        self.tools.len() == tools.len() && self.tools.iter().zip(tools).all(|(one, (other, _))| Arc::ptr_eq(one, other))
    }
}

impl Remembered {
    /// Remembers for this process only.
    pub fn in_memory() -> Self {
        Self { kept: None, given: Mutex::default(), last: Mutex::default() }
    }

    /// Remembers in the store, one record for each project.
    pub fn kept(store: Arc<dyn Store>, project: &str) -> Self {
        Self { kept: Some((store, project.to_owned())), ..Self::in_memory() }
    }

    /// The names of what everybody has; made once for the same tools, however many requests have others besides.
    pub(super) fn shared(
        &self,
        tools: &[(&Arc<Tool>, SourceKind)],
        give: impl Fn(&Given) -> (Names, News),
    ) -> Arc<Names> {
        let mut last = self.last.lock();
        if let Some(last) = last.as_ref().filter(|it| it.is_of(tools)) {
            return last.names.clone();
        }
        let names = Arc::new(self.update(give));
        let tools = tools.iter().map(|(it, _)| Arc::clone(it)).collect();
        *last = Some(Last { tools, names: names.clone() });
        names
    }

    /// Has names given by what was given before, and remembers the new ones. Where another process was faster they are
    /// given again, by what it gave; where the store cannot be used they hold in this process.
    fn update(&self, give: impl Fn(&Given) -> (Names, News)) -> Names {
        // Most catalogs bring nothing new, and then there is nothing to read or to write.
        let known = self.known();
        let (names, news) = give(&known);
        if news.is_empty() {
            return names;
        }
        self.keep(&give).unwrap_or_else(|error| {
            if let Some(error) = error {
                tracing::warn!(event = "names_unkept", %error);
            }
            let mut next = (*known).clone();
            next.extend(news);
            self.replace(next);
            names
        })
    }

    fn keep(&self, give: &impl Fn(&Given) -> (Names, News)) -> Result<Names, Option<StoreError>> {
        let (store, project) = self.kept.as_ref().ok_or(None)?;
        for _ in 0..TRIES {
            let bytes = store.read(Namespace::Name, project)?;
            let mut next = bytes.as_deref().map(Given::read).unwrap_or_default();
            next.include(&self.known());
            let (names, news) = give(&next);
            if news.is_empty() {
                self.replace(next);
                return Ok(names);
            }
            next.extend(news);
            if store.swap(Namespace::Name, project, bytes.as_deref(), Some(&next.write()))? {
                self.replace(next);
                return Ok(names);
            }
        }
        Err(None)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.known().owners.len()
    }

    /// What was given so far.
    pub(super) fn known(&self) -> Arc<Given> {
        let mut given = self.given.lock();
        given.get_or_insert_with(|| Arc::new(self.read().unwrap_or_default())).clone()
    }

    /// What is kept; what cannot be read is asked for again when there is something new to keep.
    fn read(&self) -> Option<Given> {
        let (store, project) = self.kept.as_ref()?;
        store.read(Namespace::Name, project).ok()?.as_deref().map(Given::read)
    }

    fn replace(&self, next: Given) {
        *self.given.lock() = Some(Arc::new(next));
    }
}

/// Which names were given. A tool may have had several, a name has one tool.
#[derive(Debug, Clone, Default)]
pub(super) struct Given {
    owners: HashMap<Arc<str>, ToolId>,
    wires: HashMap<ToolId, Vec<Arc<str>>>,
    of_source: HashMap<SourceId, usize>,
}

impl Given {
    /// All names that the tool has had.
    pub(super) fn of(&self, tool: &ToolId) -> &[Arc<str>] {
        self.wires.get(tool).map_or(&[], Vec::as_slice)
    }

    /// Whether the name was given to some tool.
    pub(super) fn is_known(&self, wire: &str) -> bool {
        self.owners.contains_key(wire)
    }

    fn extend(&mut self, news: impl IntoIterator<Item = (Arc<str>, ToolId)>) {
        for (wire, tool) in news {
            if self.is_known(&wire) {
                continue;
            }
            let count = self.of_source.entry(tool.source.clone()).or_default();
            *count += 1;
            if *count > MOST_OF_A_SOURCE {
                self.forget(&tool.source);
            }
            self.wires.entry(tool.clone()).or_default().push(wire.clone());
            self.owners.insert(wire, tool);
        }
    }

    fn forget(&mut self, source: &SourceId) {
        self.owners.retain(|_, it| it.source != *source);
        self.wires.retain(|it, _| it.source != *source);
        self.of_source.insert(source.clone(), 1);
    }

    /// What this process has given while the store could not be used.
    fn include(&mut self, other: &Self) {
        let mut all: Vec<_> = other.owners.iter().map(|(wire, tool)| (wire.clone(), tool.clone())).collect();
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.extend(all);
    }

    /// What cannot be read is as good as nothing: names are given anew.
    fn read(bytes: &[u8]) -> Self {
        let mut given = Self::default();
        let Ok(record) = serde_json::from_slice::<Record>(bytes) else { return given };
        if record.version != VERSION {
            return given;
        }
        let count = record.sources.values().map(BTreeMap::len).sum();
        given.owners.reserve(count);
        given.wires.reserve(count);
        for (source, tools) in record.sources {
            let Ok(source) = SourceId::new(&source) else { continue };
            for (tool, wires) in tools {
                let Ok(name) = ToolName::new(&tool) else { continue };
                let id = ToolId::new(source.clone(), name);
                given.extend(wires.into_iter().map(|it| (it.into(), id.clone())));
            }
        }
        given
    }

    fn write(&self) -> Vec<u8> {
        let mut record = Record { version: VERSION, sources: BTreeMap::new() };
        for (tool, wires) in &self.wires {
            let tools = record.sources.entry(tool.source.to_string()).or_default();
            tools.insert(tool.name.to_string(), wires.iter().map(|it| it.to_string()).collect());
        }
        serde_json::to_vec(&record).unwrap_or_default()
    }
}

/// As it is kept: by source, then by tool.
#[derive(Serialize, Deserialize)]
struct Record {
    version: u32,
    sources: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}
