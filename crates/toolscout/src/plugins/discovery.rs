//! Tools in the project's folders, and the commands about them.

mod ask_trust;
mod preset;

use crate::{AfterSetup, AppError, Plugin, Setup, Startup};
use std::sync::Arc;
use toolscout_core::Source;
use toolscout_folder::{RootStrategy, ToolStrategy};
use toolscout_surface::cli::OptionSpec;

/// Adds the source `local`, and the operations `discover`, `manifest …`, `doctor` and `trust …`.
///
/// Roots come from `--root`, else the configuration, else the project around the working folder; an
/// application may provide its own.
#[derive(Default)]
pub struct Discovery {
    roots: Option<Arc<dyn RootStrategy>>,
    tools: Option<Arc<dyn ToolStrategy>>,
}

impl Discovery {
    /// Searches these roots; overrides options and configuration.
    pub fn roots(mut self, roots: impl RootStrategy + 'static) -> Self {
        self.roots = Some(Arc::new(roots));
        self
    }

    /// Finds tools in a root with this strategy; overrides options and configuration.
    pub fn tools(mut self, tools: impl ToolStrategy + 'static) -> Self {
        self.tools = Some(Arc::new(tools));
        self
    }
}

type MakeSource = fn(&Startup) -> Result<Option<Arc<dyn Source>>, AppError>;

/// Source kinds that need only the configuration. Each returns its source, or `None` if the project
/// does not use it.
const SOURCES: &[MakeSource] = &[
    preset::source, // Tools that agents have by themselves.
];

fn options() -> Vec<OptionSpec> {
    let conflicts = ["replace", "skip", "error"];
    vec![
        OptionSpec::text(
            "root",
            "Discover tools in this folder instead; `default` is the project root",
        )
        .value("DIR")
        .repeat(),
        OptionSpec::text("pattern", "Inspect these files instead of the default ones")
            .value("GLOB")
            .repeat(),
        OptionSpec::text("ignore", "Ignore these files instead of the default ones")
            .value("GLOB")
            .repeat(),
        OptionSpec::text("tool", "Add the tools of this file, before all others")
            .value("FILE")
            .repeat(),
        OptionSpec::text("on-conflict", "What to do if two tools have the same name")
            .value("RULE")
            .choices(conflicts)
            .default("replace"),
        OptionSpec::switch("strict", "Stop at the first warning"),
        OptionSpec::switch("no-discovery", "Discover no tools in folders"),
        OptionSpec::switch("trust", "Trust the project's folders for this run"),
    ]
}

impl Plugin for Discovery {
    fn id(&self) -> &str {
        "discovery"
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        options().into_iter().try_for_each(|option| cx.add_option(option))?;
        cx.decorate(ask_trust::AskTrust);
        let (roots, tools) = (self.roots.clone(), self.tools.clone());
        cx.parts.configuration = true;
        cx.add_source(move |startup| {
            if startup.options.text("tools-from").is_some() {
                return Ok(None);
            }
            let source = startup.folder_source(roots, tools)?;
            Ok(Some(Arc::new(source) as Arc<dyn Source>))
        });
        SOURCES.iter().for_each(|source| cx.add_source(source));
        Ok(())
    }

    fn after_setup(&self, cx: &AfterSetup) -> Result<(), AppError> {
        cx.workspace.config().diagnostics.iter().for_each(|problem| cx.tools().warn(problem));
        Ok(())
    }
}
