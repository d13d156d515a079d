//! Where a run looks for tools: the project's root, and what options and configuration make of it.

use super::Trust;
use crate::config::{Config, Settings};
use crate::{AppError, Options, Surroundings};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::Problem;
use toolscout_folder::probe::ProbeLimits;
use toolscout_folder::{
    ChainRoots, DefaultRoot, ExplicitRoots, FolderSource, FolderSourceBuilder, GlobTools, Probing, RootStrategy,
    ToolDirectories, ToolStrategy,
};

/// Where a run looks for tools.
pub(crate) struct Place {
    /// The folder the run is about.
    pub(crate) folder: PathBuf,
    /// The project's root, if one is found upward.
    pub(crate) root: Option<PathBuf>,
    pub(crate) settings: Settings,
    /// What is odd about the configuration.
    pub(crate) problems: Vec<Problem>,
}

impl Place {
    /// The place of this run; looked for once.
    pub(crate) fn of(options: &Options, surroundings: &Surroundings) -> Result<Arc<Self>, AppError> {
        options.once(|| Self::find(options, surroundings))
    }

    fn find(options: &Options, surroundings: &Surroundings) -> Result<Self, AppError> {
        let config = Config::of(options, surroundings)?;
        Ok(Self {
            folder: config.folder.clone(),
            root: config.root.clone(),
            settings: config.settings.clone(),
            problems: config.problems.clone(),
        })
    }

    /// The project's root, or where there is none the folder itself.
    pub(crate) fn project(&self) -> &Path {
        self.root.as_deref().unwrap_or(&self.folder)
    }

    /// The folder source that this run reads.
    pub(crate) fn source(
        &self,
        roots: Option<Arc<dyn RootStrategy>>,
        tools: Option<Arc<dyn ToolStrategy>>,
        options: &Options,
        surroundings: &Surroundings,
    ) -> Result<FolderSource, AppError> {
        let mut builder = self.builder(options, surroundings)?.explicit(self.explicit(options, surroundings));
        builder = match tools {
            Some(tools) => builder.tools(tools),
            None => builder.tools(self.globs(options)),
        };
        if !options.switch("no-discovery") {
            builder = builder.roots(roots.unwrap_or_else(|| Arc::new(self.roots(options, surroundings))));
        }
        Ok(builder.build())
    }

    /// What holds for every folder source of this run, whichever its roots.
    pub(crate) fn builder(
        &self,
        options: &Options,
        surroundings: &Surroundings,
    ) -> Result<FolderSourceBuilder, AppError> {
        Ok(FolderSource::builder()
            .store(surroundings.store())
            .trust(Trust::new(surroundings, options).question())
            .probing(if options.only_reads() { Probing::Never } else { Probing::Allowed })
            .limits(self.limits())
            .on_conflict(self.on_conflict(options)?)
            .strict(options.switch("strict") || self.settings.strict.unwrap_or_default()))
    }

    fn roots(&self, options: &Options, surroundings: &Surroundings) -> ChainRoots {
        let given: Vec<PathBuf> = options.texts("root").into_iter().map(PathBuf::from).collect();
        let usual = || vec![PathBuf::from("default")];
        let roots = match given.is_empty() {
            true => self.settings.roots.clone().unwrap_or_else(usual),
            false => given.clone(),
        };
        let mut chain: Vec<Arc<dyn RootStrategy>> = Vec::new();
        for root in roots {
            chain.push(match root.to_str() {
                Some("default") => Arc::new(DefaultRoot { from: self.folder.clone() }),
                _ => Arc::new(ExplicitRoots(vec![surroundings.cwd().join(root)])),
            });
        }
        if given.is_empty() {
            chain.push(Arc::new(ToolDirectories(self.settings.tool_directories.clone().unwrap_or_default())));
        }
        ChainRoots(chain)
    }

    fn globs(&self, options: &Options) -> GlobTools {
        let either = |given: Vec<&str>, set: &Option<Vec<String>>| match given.is_empty() {
            true => set.clone(),
            false => Some(given.into_iter().map(str::to_owned).collect()),
        };
        GlobTools {
            patterns: either(options.texts("pattern"), &self.settings.patterns),
            ignore: either(options.texts("ignore"), &self.settings.ignore),
        }
    }

    fn explicit(&self, options: &Options, surroundings: &Surroundings) -> Vec<PathBuf> {
        let given = options.texts("tool").into_iter().map(|it| surroundings.cwd().join(it));
        given.chain(self.settings.tool_files.iter().flatten().cloned()).collect()
    }

    fn limits(&self) -> ProbeLimits {
        let usual = ProbeLimits::default();
        let Some(per_file) = self.settings.probe_timeout_ms.map(Duration::from_millis) else { return usual };
        ProbeLimits { per_file, total: per_file.saturating_mul(4), ..usual }
    }

    fn on_conflict(&self, options: &Options) -> Result<toolscout_source::Conflict, AppError> {
        let word = options.text("on-conflict").or(self.settings.on_conflict.as_deref()).unwrap_or("replace");
        word.parse().map_err(|it: toolscout_source::UnknownConflict| {
            AppError::invalid(it.to_string(), "use replace, skip or error")
        })
    }
}
