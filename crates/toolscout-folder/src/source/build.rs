//! Configures a folder source. Nothing is opened before the first discovery.

use super::FolderSource;
use crate::gather::GatherRules;
use crate::globs::GlobTools;
use crate::probe::ProbeLimits;
use crate::prober::Prober;
use crate::prompts::PromptLibrary;
use crate::roots::{ChainRoots, RootStrategy};
use crate::sandbox::ToolSandbox;
use crate::strategy::ToolStrategy;
use crate::trust::FolderTrust;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{SourceId, Store};
use toolscout_process::sandbox::SandboxHost;
use toolscout_source::Conflict;

/// Whether files may be started to probe them for their tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Probing {
    /// Files in trusted folders are probed, once per content digest.
    #[default]
    Allowed,
    /// Only cached probe results are used. For help texts and completion, which must be quick and
    /// start nothing.
    Never,
}

/// Builder for [`FolderSource`].
#[derive(Clone)]
pub struct FolderSourceBuilder {
    pub(super) id: SourceId,
    pub(super) roots: Arc<dyn RootStrategy>,
    pub(super) tools: Arc<dyn ToolStrategy>,
    pub(super) explicit: Vec<PathBuf>,
    pub(super) store: Option<Arc<dyn Store>>,
    pub(super) trust: Arc<dyn Fn(&Path) -> FolderTrust + Send + Sync>,
    pub(super) probing: Probing,
    pub(super) rules: GatherRules,
    pub(super) limits: ProbeLimits,
    pub(super) sandbox: ToolSandbox,
}

impl Default for FolderSourceBuilder {
    fn default() -> Self {
        Self {
            id: SourceId::local(),
            roots: Arc::new(ChainRoots::default()),
            tools: Arc::new(GlobTools::default()),
            explicit: Vec::new(),
            store: None,
            trust: Arc::new(|_| FolderTrust::Untrusted),
            probing: Probing::default(),
            rules: GatherRules::default(),
            limits: ProbeLimits::default(),
            sandbox: ToolSandbox::default(),
        }
    }
}

impl FolderSourceBuilder {
    /// The id of the source; `local` by default.
    pub fn id(mut self, id: SourceId) -> Self {
        self.id = id;
        self
    }

    /// The folders to search; none by default.
    pub fn roots(mut self, roots: impl RootStrategy) -> Self {
        self.roots = Arc::new(roots);
        self
    }

    /// The strategy that finds tools in the roots; [`GlobTools`] by default.
    pub fn tools(mut self, tools: impl ToolStrategy) -> Self {
        self.tools = Arc::new(tools);
        self
    }

    /// Files to list before all others; they may lie outside the roots.
    pub fn explicit(mut self, files: Vec<PathBuf>) -> Self {
        self.explicit = files;
        self
    }

    /// The store that caches scans and probe results; no cache by default.
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// What may be started of a root, given by its real path; nothing by default. Runs again for
    /// every call.
    pub fn trust<T: Into<FolderTrust>>(
        mut self,
        trust: impl Fn(&Path) -> T + Send + Sync + 'static,
    ) -> Self {
        self.trust = Arc::new(move |root| trust(root).into());
        self
    }

    /// Whether files may be started to probe them for their tools.
    pub fn probing(mut self, probing: Probing) -> Self {
        self.probing = probing;
        self
    }

    /// Which of two tools with the same name is listed.
    pub fn on_conflict(mut self, on_conflict: Conflict) -> Self {
        self.rules.on_conflict = on_conflict;
        self
    }

    /// Whether the first warning ends the discovery.
    pub fn strict(mut self, strict: bool) -> Self {
        self.rules.strict = strict;
        self
    }

    /// Time and output limits for probing files.
    pub fn limits(mut self, limits: ProbeLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The folders and decisions for sandboxes; by default nothing is confined.
    pub fn sandbox(mut self, host: Option<Arc<SandboxHost>>) -> Self {
        self.sandbox = ToolSandbox(host);
        self
    }

    /// Builds the source. Opens nothing.
    pub fn build(self) -> FolderSource {
        FolderSource {
            prober: Prober::new(self.id.clone(), self.store.clone(), self.sandbox.clone()),
            prompts: PromptLibrary::new(self.id.clone()),
            table: Mutex::new(None),
            config: self,
        }
    }
}
