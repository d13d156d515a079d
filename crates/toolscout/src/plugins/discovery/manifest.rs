//! `manifest build` writes a folder's manifest from what its tools say themselves; `manifest check` compares the two.

use crate::{AppError, Command, RunCx};
use futures_util::StreamExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{BoxFuture, Diagnostic, DiagnosticKind, DiscoveryItem, Source, ToolName};
use toolscout_folder::manifest::{self, ProbedDefinition};
use toolscout_folder::{FolderSource, GlobTools, ToolDirectories};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;

pub(super) struct ManifestCommand;

const FILE: &str = "manifest.json";

impl Command for ManifestCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("manifest", "Write a folder's manifest, or check it")
            .positional(PositionalSpec::new("ACTION", "What to do").required().choices(["build", "check"]))
            .positional(PositionalSpec::new("DIR", "The folder of tools; the project's `tools` if left out"))
            .option(OptionSpec::help("Show this help"))
            .note("Both start the folder's executables and modules to ask what they are.")
            .example("toolscout manifest build")
            .example("toolscout manifest check tools")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let folder = folder(cx)?;
            let definitions = ask(cx, &folder).await?;
            match cx.parsed.positionals[0].as_str() {
                "build" => build(cx, &folder, &definitions),
                _ => check(cx, &folder, &definitions),
            }
        })
    }
}

fn folder(cx: &RunCx) -> Result<PathBuf, AppError> {
    let place = cx.workspace().config();
    let folder = match cx.parsed.positionals.get(1) {
        Some(given) => cx.environment().cwd().join(given),
        None => place.project_folder().join("tools"),
    };
    folder.canonicalize().map_err(AppError::io("find", &folder))
}

fn build(cx: &RunCx, folder: &Path, definitions: &[ProbedDefinition]) -> Result<Exit, AppError> {
    let (file, text) = (folder.join(FILE), manifest::build(folder, definitions));
    if cx.options().switch("dry-run") {
        return cx.print(&text).map(|()| Exit::Done);
    }
    // Aside first, so that a crash leaves the old file or the new one.
    let aside = folder.join(format!(".{FILE}.{}", std::process::id()));
    std::fs::write(&aside, text).map_err(AppError::io("write", &aside))?;
    std::fs::rename(&aside, &file).map_err(AppError::io("write", &file))?;
    cx.say(&format!("Wrote {} to {}\n", counted(definitions.len(), "tool"), file.display()));
    Ok(Exit::Done)
}

fn check(cx: &RunCx, folder: &Path, definitions: &[ProbedDefinition]) -> Result<Exit, AppError> {
    let file = folder.join(FILE);
    let text = std::fs::read_to_string(&file).map_err(AppError::io("read", &file))?;
    let broken =
        |reason| AppError::invalid(format!("{}: {reason}", file.display()), "mend it, or `toolscout manifest build`");
    let drifts = manifest::check(&text, folder, definitions, Path::exists).map_err(broken)?;
    if drifts.is_empty() {
        cx.say(&format!("{} is up to date\n", file.display()));
        return Ok(Exit::Done);
    }
    cx.print(&drifts.into_iter().map(|it| it + "\n").collect::<String>())?;
    cx.say("  hint: toolscout manifest build\n");
    Ok(Exit::Failed)
}

/// What the folder's executables and modules say themselves, whatever its manifest says of them. A person typed this, so
/// they may be started.
async fn ask(cx: &RunCx, folder: &Path) -> Result<Vec<ProbedDefinition>, AppError> {
    let ignore = GlobTools::IGNORED.iter().copied().chain([FILE]).map(str::to_owned);
    let source = FolderSource::builder()
        .roots(ToolDirectories(vec![folder.to_owned()]))
        .tools(GlobTools { patterns: None, ignore: Some(ignore.collect()) })
        .store(cx.environment().store())
        .trust(Arc::new(|_: &Path| true))
        .build();
    let mut names: Vec<ToolName> = Vec::new();
    let mut found = source.discover(cx.request());
    while let Some(finding) = found.next().await {
        match finding? {
            DiscoveryItem::Tool(tool) => names.push(tool.id.name.clone()),
            DiscoveryItem::Diagnostic(problem) => cx.tools().warn(&problem),
            _ => {}
        }
    }
    let mut definitions = Vec::new();
    for name in names {
        match source.definition(&name, &cx.request()).await {
            // Tool files and plain scripts say everything themselves; a manifest lists what would have to be asked.
            Ok(definition) => definitions.extend(definition),
            Err(error) => cx.tools().warn(&Diagnostic::warning(DiagnosticKind::Broken, error.to_string()).at(folder)),
        }
    }
    Ok(definitions)
}
