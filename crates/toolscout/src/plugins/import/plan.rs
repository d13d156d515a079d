//! Decides about every server that was found: taken, there already, or left, and why. Changes nothing.

use super::look::{Content, FoundServer, Looking};
use super::secrets::{Taken, Treated};
use super::{Client, Known, Ourselves, Section, Treatment};
use crate::config::Entry;
use std::path::{Path, PathBuf};
use toolscout_core::SourceId;

/// What a person wants of what is found.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    /// Only these; all where empty.
    pub(crate) only: Vec<Only>,
    pub(crate) treatment: Treatment,
    /// What `cwd` is relative to where it was written, and where it will be.
    pub(crate) project: PathBuf,
    pub(crate) base: PathBuf,
    /// Nobody needs us behind ourselves.
    pub(crate) us: Ourselves,
}

/// A server by its name, and the id it is to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Only {
    pub(crate) name: String,
    pub(crate) id: Option<SourceId>,
}

/// What would become of every server that was found.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) files: Vec<PlannedFile>,
}

pub(crate) struct PlannedFile {
    pub(crate) client: &'static dyn Client,
    pub(crate) path: PathBuf,
    /// Why no server is read from it, where that is so.
    pub(crate) remark: Option<String>,
    pub(crate) servers: Vec<Planned>,
}

pub(crate) struct Planned {
    /// What it is called there.
    pub(crate) name: String,
    pub(crate) section: Section,
    pub(crate) fate: Fate,
    pub(crate) notes: Vec<String>,
}

pub(crate) enum Fate {
    /// It is added under this id.
    Add {
        id: SourceId,
        treated: Box<Treated>,
    },
    /// It is there already, or will be.
    Same {
        id: String,
    },
    Skip {
        reason: String,
        hint: Option<String>,
    },
}

impl Plan {
    /// Decides; `known` are the servers that are configured already.
    pub(crate) fn of(looking: Looking, known: &Known, choice: &Choice) -> Self {
        let mut planner = Planner { known, choice, planned: Known::new(), taken: Taken::default() };
        let mut plan = Self::default();
        for file in looking.files {
            let (servers, remark) = match file.content {
                Content::Native => (Vec::new(), Some("read as it is: nothing to import".to_owned())),
                Content::Broken(reason) => (Vec::new(), Some(format!("cannot be read: {reason}"))),
                Content::Servers(servers) if servers.is_empty() => (servers, Some("no servers".to_owned())),
                Content::Servers(servers) => (servers, None),
            };
            let servers = servers.into_iter().filter_map(|it| planner.plan(it)).collect();
            plan.files.push(PlannedFile { client: file.client, path: file.path, remark, servers });
        }
        plan
    }

    pub(crate) fn servers(&self) -> impl Iterator<Item = &Planned> {
        self.files.iter().flat_map(|it| &it.servers)
    }

    /// Those that are to be added, in the order found.
    pub(crate) fn additions(&self) -> impl Iterator<Item = (&SourceId, &Treated)> {
        self.servers().filter_map(|it| match &it.fate {
            Fate::Add { id, treated } => Some((id, &**treated)),
            _ => None,
        })
    }
}

impl Choice {
    /// The entry with its `cwd` where it was, wherever it will be written.
    fn placed(&self, mut entry: Entry) -> Entry {
        let is_relative = |it: &str| Path::new(it).is_relative() && !it.starts_with(['$', '~']) && !it.contains(':');
        if let Some(cwd) = entry.cwd.as_mut().filter(|it| self.base != self.project && is_relative(it)) {
            *cwd = self.project.join(&*cwd).display().to_string();
        }
        entry
    }
}

struct Planner<'a> {
    known: &'a Known,
    choice: &'a Choice,
    planned: Known,
    taken: Taken,
}

impl Planner<'_> {
    /// None for a server nobody wants.
    fn plan(&mut self, found: FoundServer) -> Option<Planned> {
        let near = nearest(&found.name);
        let only = self.choice.only.iter().find(|it| it.name == found.name || it.name == near.as_str());
        if only.is_none() && !self.choice.only.is_empty() {
            return None;
        }
        let wanted = only.and_then(|it| it.id.clone());
        let mut notes = found.notes;
        let fate = match found.entry {
            Err(reason) => Fate::Skip { reason, hint: None },
            Ok(entry) if entry.command.as_deref().is_some_and(|it| self.choice.us.are(it)) => {
                Fate::Skip { reason: "it is this program itself".to_owned(), hint: None }
            }
            Ok(entry) => self.fate(entry, &found.name, wanted.unwrap_or(near)),
        };
        match &fate {
            Fate::Add { treated, .. } => notes.extend(treated.notes.iter().cloned()),
            Fate::Same { .. } | Fate::Skip { .. } => notes.clear(),
        }
        Some(Planned { name: found.name, section: found.section, fate, notes })
    }

    fn fate(&mut self, entry: Entry, name: &str, wanted: SourceId) -> Fate {
        let treated = self.choice.treatment.apply(self.choice.placed(entry), wanted.as_str(), &mut self.taken);
        let mut there = self.known.iter().chain(&self.planned);
        if let Some((id, _)) =
            there.find(|(_, it)| it.as_ref().is_some_and(|it| is_same(it, &treated.entry, &self.choice.base)))
        {
            return Fate::Same { id: id.clone() };
        }
        if self.known.contains_key(wanted.as_str()) {
            let free = self.free(&wanted);
            return Fate::Skip {
                reason: format!("`{wanted}` is configured already, differently"),
                hint: Some(format!("--only '{name}={free}' takes it under another id")),
            };
        }
        let id = self.free(&wanted);
        self.planned.insert(id.as_str().to_owned(), Some(treated.entry.clone()));
        Fate::Add { id, treated: Box::new(treated) }
    }

    /// The id, or with a number where it is taken or is nobody's to give.
    fn free(&self, wanted: &SourceId) -> SourceId {
        let is_free = |it: &SourceId| {
            let taken = |map: &Known| map.contains_key(it.as_str());
            !taken(self.known) && !taken(&self.planned) && !SourceId::RESERVED.contains(&it.as_str())
        };
        let numbered = (2..10_000).filter_map(|it: u32| {
            let stem: String = wanted.as_str().chars().take(27).collect();
            SourceId::new(&format!("{}-{it}", stem.trim_end_matches(['-', '_']))).ok()
        });
        [wanted.clone()].into_iter().chain(numbered).find(is_free).unwrap_or_else(|| wanted.clone())
    }
}

/// The name as an id, or the id that comes nearest.
pub(super) fn nearest(name: &str) -> SourceId {
    SourceId::new(name).or_else(|it| SourceId::new(&it.nearest)).unwrap_or_else(|_| SourceId::app())
}

/// Whether both start the same thing in the same way; what may be done with its tools is another matter.
fn is_same(one: &Entry, other: &Entry, base: &Path) -> bool {
    let cwd = |it: &Entry| it.cwd.as_deref().map(|it| base.join(it));
    let is_sse = |it: &Entry| it.kind.as_deref() == Some("sse");
    one.command == other.command
        && one.args == other.args
        && one.env == other.env
        && cwd(one) == cwd(other)
        && one.url == other.url
        && one.headers == other.headers
        && one.bearer == other.bearer
        && is_sse(one) == is_sse(other)
}
