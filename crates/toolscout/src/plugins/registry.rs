//! Tools registered in code, and tools saved in a file.

use crate::{AppError, Plugin, Setup};
use std::sync::Arc;
use toolscout_core::{Source, SourceId};
use toolscout_folder::FolderSource;
use toolscout_source::{AlreadyRegistered, CodeTool};
use toolscout_surface::cli::OptionSpec;
use toolscout_workspace::SavedTools;

/// Adds the source `app` with the application's own tools, and `--tools-from`.
#[derive(Clone, Default)]
pub struct Registry {
    tools: toolscout_source::Registry,
    /// Adds the source although it has no tools yet.
    may_be_empty: bool,
}

impl Registry {
    /// Serves [`toolscout_source::Registry::global`], also the tools that are registered later.
    pub fn global() -> Self {
        Self { tools: toolscout_source::Registry::global().clone(), may_be_empty: true }
    }

    /// Registers a tool.
    pub fn tool(self, tool: CodeTool) -> Result<Self, AlreadyRegistered> {
        self.tools.register(tool)?;
        Ok(self)
    }

    /// The registry, to change while the program runs.
    pub fn tools(&self) -> toolscout_source::Registry {
        self.tools.clone()
    }
}

impl Plugin for Registry {
    fn id(&self) -> &str {
        "registry"
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        cx.add_option(
            OptionSpec::text("tools-from", "Read the tools from the output of `discover --json`")
                .value("FILE"),
        )?;
        cx.offer(self.tools());
        let (tools, may_be_empty) = (self.tools(), self.may_be_empty);
        cx.add_source(move |_| {
            let used = may_be_empty || !tools.is_empty();
            Ok(used.then(|| Arc::new(tools) as Arc<dyn Source>))
        });
        cx.add_source(|startup| {
            let (options, environment) = (&startup.options, &startup.environment);
            let Some(file) = options.text("tools-from") else { return Ok(None) };
            let open = |path| FolderSource::builder().explicit(vec![path]);
            let saved = SavedTools::read(
                &environment.cwd().join(file),
                SourceId::local(),
                environment.store(),
                open,
            )?;
            Ok(Some(Arc::new(saved) as Arc<dyn Source>))
        });
        Ok(())
    }
}
