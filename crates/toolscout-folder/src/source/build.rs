//! Says what a folder source is made of. Nothing is opened before the first discovery.

use super::FolderSource;
use crate::ask::Prober;
use crate::gather::GatherRules;
use crate::globs::GlobTools;
use crate::probe::ProbeLimits;
use crate::prompts::PromptLibrary;
use crate::roots::{ChainRoots, RootStrategy};
use crate::strategy::ToolStrategy;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{SourceId, Store};
use toolscout_source::Conflict;

/// Whether files may be started to be asked what they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Probing {
    /// In trusted folders, once for each content.
    #[default]
    Allowed,
    /// Only what is remembered is used: for help texts and completion, which must be quick and start nothing.
    Never,
}

/// Makes a [`FolderSource`].
#[derive(Clone)]
pub struct FolderSourceBuilder {
    pub(super) id: SourceId,
    pub(super) roots: Arc<dyn RootStrategy>,
    pub(super) tools: Arc<dyn ToolStrategy>,
    pub(super) explicit: Vec<PathBuf>,
    pub(super) store: Option<Arc<dyn Store>>,
    pub(super) trust: Arc<dyn Fn(&Path) -> bool + Send + Sync>,
    pub(super) probing: Probing,
    pub(super) rules: GatherRules,
    pub(super) limits: ProbeLimits,
}

impl Default for FolderSourceBuilder {
    fn default() -> Self {
        Self {
            id: SourceId::local(),
            roots: Arc::new(ChainRoots::default()),
            tools: Arc::new(GlobTools::default()),
            explicit: Vec::new(),
            store: None,
            trust: Arc::new(|_| false),
            probing: Probing::default(),
            rules: GatherRules::default(),
            limits: ProbeLimits::default(),
        }
    }
}

impl FolderSourceBuilder {
    /// Whose tools they are; `local` unless said otherwise.
    pub fn id(mut self, id: SourceId) -> Self {
        self.id = id;
        self
    }

    /// Which folders are searched; none unless said.
    pub fn roots(mut self, roots: impl RootStrategy) -> Self {
        self.roots = Arc::new(roots);
        self
    }

    /// Which files in them are tools; [`GlobTools`] unless said otherwise.
    pub fn tools(mut self, tools: impl ToolStrategy) -> Self {
        self.tools = Arc::new(tools);
        self
    }

    /// Files that are listed before all others, wherever they are.
    pub fn explicit(mut self, files: Vec<PathBuf>) -> Self {
        self.explicit = files;
        self
    }

    /// Where scans and answers are remembered; nowhere unless said.
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Whether a root, named by its real path, is trusted; none is unless said. Asked again for every call.
    pub fn trust(mut self, trust: Arc<dyn Fn(&Path) -> bool + Send + Sync>) -> Self {
        self.trust = trust;
        self
    }

    /// Whether files may be started to be asked what they hold.
    pub fn probing(mut self, probing: Probing) -> Self {
        self.probing = probing;
        self
    }

    /// Which of two tools of one name stays.
    pub fn on_conflict(mut self, on_conflict: Conflict) -> Self {
        self.rules.on_conflict = on_conflict;
        self
    }

    /// Whether the first warning ends the discovery.
    pub fn strict(mut self, strict: bool) -> Self {
        self.rules.strict = strict;
        self
    }

    /// How long and how much files may say when asked.
    pub fn limits(mut self, limits: ProbeLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The source. Opens nothing.
    pub fn build(self) -> FolderSource {
        FolderSource {
            prober: Prober::new(self.id.clone(), self.store.clone()),
            prompts: PromptLibrary::new(self.id.clone()),
            table: Mutex::new(None),
            terms: self,
        }
    }
}
