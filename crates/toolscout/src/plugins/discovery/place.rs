//! Where a run looks for tools: the project's root, and what options and configuration make of it.

use super::Trust;
use crate::settings::Settings;
use crate::{AppError, Options, Surroundings};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::Problem;
use toolscout_source::folder::probe::ProbeLimits;
use toolscout_source::folder::{
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
        let folder = options.folder(surroundings.cwd());
        if !folder.is_dir() {
            return Err(AppError::invalid(
                format!("`{}` is not a folder", folder.display()),
                "give --project a folder that exists",
            ));
        }
        let root = DefaultRoot::find(&folder).map(Path::to_owned);
        let (settings, problems) = match &root {
            Some(root) => Settings::read(root, "toolscout")?,
            None => Default::default(),
        };
        if let (true, Some(dir)) = (problems.is_empty() && settings == Settings::default(), surroundings.config_dir()) {
            let (settings, problems) = Settings::read(&dir, "config")?;
            return Ok(Self { folder, root, settings, problems });
        }
        Ok(Self { folder, root, settings, problems })
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
            .strict(options.switch("strict") || self.settings.strict))
    }

    fn roots(&self, options: &Options, surroundings: &Surroundings) -> ChainRoots {
        let given = options.texts("root");
        let (names, base) = match (given.is_empty(), &self.settings.roots) {
            (false, _) => (given, surroundings.cwd()),
            (true, Some(roots)) => (roots.iter().map(String::as_str).collect(), self.settings.folder.as_path()),
            (true, None) => (vec!["default"], surroundings.cwd()),
        };
        let mut chain: Vec<Arc<dyn RootStrategy>> = Vec::new();
        for name in names {
            chain.push(match name {
                "default" => Arc::new(DefaultRoot { from: self.folder.clone() }),
                path => Arc::new(ExplicitRoots(vec![base.join(path)])),
            });
        }
        if options.texts("root").is_empty() {
            let folders = self.settings.tool_directories.iter().map(|it| self.settings.path(it));
            chain.push(Arc::new(ToolDirectories(folders.collect())));
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
        given.chain(self.settings.tool_files.iter().map(|it| self.settings.path(it))).collect()
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
