//! The folder source of a run, as options and configuration describe it.

use super::Startup;
use crate::{AppError, Trust, sandbox_host};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use toolscout_config::TaskProgram;
use toolscout_folder::probe::ProbeLimits;
use toolscout_folder::tasks::{TaskRunner, TaskTools};
use toolscout_folder::{
    ChainRoots, DefaultRoot, ExplicitRoots, FolderSource, FolderSourceBuilder, GlobTools, Probing,
    RootStrategy, ToolDirectories, ToolStrategy,
};

impl Startup {
    /// The folder source that this run reads.
    pub fn folder_source(
        &self,
        roots: Option<Arc<dyn RootStrategy>>,
        tools: Option<Arc<dyn ToolStrategy>>,
    ) -> Result<FolderSource, AppError> {
        Ok(self.folder_source_builder(roots, tools)?.build())
    }

    /// A builder of the folder source that this run reads.
    pub(crate) fn folder_source_builder(
        &self,
        roots: Option<Arc<dyn RootStrategy>>,
        tools: Option<Arc<dyn ToolStrategy>>,
    ) -> Result<FolderSourceBuilder, AppError> {
        let mut builder = self.folder_builder()?.explicit(self.explicit_files());
        builder = match tools {
            Some(tools) => builder.tools(tools),
            None => builder.tools(TaskTools::new(self.glob_tools(), self.task_runners())),
        };
        if !self.options.switch("no-discovery") {
            builder = builder.roots(roots.unwrap_or_else(|| Arc::new(self.roots())));
        }
        Ok(builder)
    }

    /// A builder with the settings that all folder sources of this run share.
    pub fn folder_builder(&self) -> Result<FolderSourceBuilder, AppError> {
        let options = &self.options;
        Ok(FolderSource::builder()
            .store(self.environment.store())
            .trust(Trust::new(&self.environment, options).checker())
            .probing(if options.command.only_reads { Probing::Never } else { Probing::Allowed })
            .limits(self.probe_limits())
            .sandbox(sandbox_host(&self.config, &self.environment))
            .on_conflict(self.on_conflict()?)
            .strict(
                self.options.switch("strict") || self.config.settings.strict.unwrap_or_default(),
            ))
    }

    fn roots(&self) -> ChainRoots {
        let given: Vec<PathBuf> =
            self.options.texts("root").into_iter().map(PathBuf::from).collect();
        let default = || vec![PathBuf::from("default")];
        let roots = if given.is_empty() {
            self.config.settings.roots.clone().unwrap_or_else(default)
        } else {
            given.clone()
        };
        let mut chain: Vec<Arc<dyn RootStrategy>> = Vec::new();
        for root in roots {
            chain.push(match root.to_str() {
                Some("default") => Arc::new(DefaultRoot { from: self.config.folder.clone() }),
                _ => Arc::new(ExplicitRoots(vec![self.environment.cwd().join(root)])),
            });
        }
        if given.is_empty() {
            chain.push(Arc::new(ToolDirectories(
                self.config.settings.tool_directories.clone().unwrap_or_default(),
            )));
        }
        ChainRoots(chain)
    }

    fn glob_tools(&self) -> GlobTools {
        let given_or_set = |given: Vec<&str>, set: &Option<Vec<String>>| {
            if given.is_empty() {
                set.clone()
            } else {
                Some(given.into_iter().map(str::to_owned).collect())
            }
        };
        GlobTools {
            patterns: given_or_set(self.options.texts("pattern"), &self.config.settings.patterns),
            ignore: given_or_set(self.options.texts("ignore"), &self.config.settings.ignore),
        }
    }

    fn task_runners(&self) -> Vec<TaskRunner> {
        let runner = |program: &TaskProgram| match program {
            TaskProgram::Make => TaskRunner::Make,
            TaskProgram::Just => TaskRunner::Just,
            TaskProgram::Npm => TaskRunner::Npm,
        };
        self.config.settings.tasks.iter().flatten().map(runner).collect()
    }

    fn explicit_files(&self) -> Vec<PathBuf> {
        let given =
            self.options.texts("tool").into_iter().map(|text| self.environment.cwd().join(text));
        given.chain(self.config.settings.tool_files.iter().flatten().cloned()).collect()
    }

    fn probe_limits(&self) -> ProbeLimits {
        let default = ProbeLimits::default();
        let Some(per_file) = self.config.settings.probe_timeout_ms.map(Duration::from_millis)
        else {
            return default;
        };
        ProbeLimits { per_file, total: per_file.saturating_mul(4), ..default }
    }

    fn on_conflict(&self) -> Result<toolscout_source::Conflict, AppError> {
        let policy = self
            .options
            .text("on-conflict")
            .or(self.config.settings.on_conflict.as_deref())
            .unwrap_or("replace");
        policy.parse().map_err(|error: toolscout_source::UnknownConflict| {
            AppError::invalid(error.to_string(), "use replace, skip or error")
        })
    }
}
