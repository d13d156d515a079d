//! `lock` and `verify`: writes down which definitions a project was made with, and compares.

use crate::{AppError, Command, RunCx};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_config::overwrite;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{BoxFuture, SourceId, escape};
use toolscout_gateway::Snapshot;
use toolscout_gateway::pins::{Drift, LockFile};
use toolscout_mcp_client::{ServerConfig, ServerTransport, entry_of};
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;
use toolscout_surface::output::Format;
use toolscout_workspace::servers::ServerSet;

pub(super) struct LockCommand;
pub(super) struct VerifyCommand;

const FILE: &str = "toolscout.lock";

impl Command for LockCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("lock", "Write down all definitions, to commit and to compare with")
            .option(OptionSpec::help("Show this help"))
            .note("Writes `toolscout.lock` in the project's root: one line a tool, sorted.")
            .example("toolscout lock")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let gateway = cx.tools().known_quietly().await?;
            let project = Project::of(cx)?;
            let lock = LockFile::of(&gateway.whole_snapshot(), |it| project.entry(it));
            if cx.options().switch("dry-run") {
                return cx.print(&lock.to_text()).map(|()| Exit::Done);
            }
            let file = project.file();
            let (subject, summary) = (file.display().to_string(), format!("write `{}`", file.display()));
            let change = PlannedChange { kind: ChangeKind::Lock, subject, action: "changed", summary };
            let change = cx.request().change(change).map_err(toolscout_gateway::Error::from)?;
            overwrite(&file, &lock.to_text())?;
            change.commit();
            cx.say(&format!("Wrote {} to {}\n", counted(lock.tools.len(), "tool"), file.display()));
            Ok(Exit::Done)
        })
    }
}

impl Command for VerifyCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("verify", "Compare all definitions with `toolscout.lock`")
            .option(OptionSpec::help("Show this help"))
            .note("Exits with 1 if anything differs. Compares what is remembered: `toolscout server refresh` first asks the servers.")
            .example("toolscout server refresh && toolscout verify")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let project = Project::of(cx)?;
            let file = project.file();
            let text = std::fs::read_to_string(&file).map_err(|cause| AppError::Said {
                kind: toolscout_core::ErrorKind::NotFound,
                message: format!("could not read `{}`: {cause}", file.display()),
                hint: Some("`toolscout lock` writes it".to_owned()),
            })?;
            let lock = LockFile::parse(&text).map_err(|it| {
                let message = format!("`{}`: {}", file.display(), escape::line(&it.to_string()));
                AppError::invalid(message, "take back what changed it, or write it anew: toolscout lock")
            })?;
            let gateway = cx.tools().known_quietly().await?;
            let snapshot = gateway.whole_snapshot();
            let drifts = lock.verify(&snapshot, |it| project.entry(it));
            let views: Vec<_> = drifts.iter().map(DriftView::from).collect();
            match cx.options().format() {
                Format::Text => cx.print(&views.iter().map(DriftView::line).collect::<String>())?,
                format => cx.print_value(&views, format)?,
            }
            if drifts.is_empty() {
                cx.say(&format!("{} as locked\n", counted(lock.tools.len(), "tool")));
                return Ok(Exit::Done);
            }
            cx.say(&format!("  hint: {}\n", project.next(&lock, &snapshot)));
            Ok(Exit::Failed)
        })
    }
}

/// A difference as `verify --json` shows it.
#[derive(Serialize)]
struct DriftView {
    change: &'static str,
    /// The tool, or the source.
    name: String,
}

impl From<&Drift> for DriftView {
    fn from(drift: &Drift) -> Self {
        let (change, name) = match drift {
            Drift::Added { tool } => ("added", tool.to_string()),
            Drift::Removed { tool } => ("removed", tool.to_string()),
            Drift::Changed { tool, .. } => ("changed", tool.to_string()),
            Drift::Reconfigured { source } => ("reconfigured", source.to_string()),
            _ => ("different", String::new()),
        };
        Self { change, name }
    }
}

impl DriftView {
    fn line(&self) -> String {
        format!("{}: {}\n", self.change, escape::line(&self.name))
    }
}

/// What a lock is about: a folder, and the servers configured for it.
struct Project {
    folder: PathBuf,
    servers: Arc<ServerSet>,
}

impl Project {
    fn of(cx: &RunCx) -> Result<Self, AppError> {
        let folder = cx.workspace().config().project_folder().to_owned();
        Ok(Self { folder, servers: cx.workspace().servers() })
    }

    fn file(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// What is configured for a source, hashed. A folder inside the project is meant from there, wherever the project lies.
    fn entry(&self, source: &SourceId) -> Option<String> {
        let mut server = self.server(source)?.clone();
        if let ServerTransport::Stdio(program) = &mut server.transport {
            let within = |it: PathBuf| it.strip_prefix(&self.folder).map(Path::to_owned).unwrap_or(it);
            program.cwd = program.cwd.take().map(within);
        }
        Some(entry_of(&server))
    }

    /// What to do about differences. Of a server that has no tools at all nobody has asked yet, as on a fresh machine.
    fn next(&self, lock: &LockFile, snapshot: &Snapshot) -> String {
        let is_unasked =
            |it: &&SourceId| !snapshot.tools().any(|tool| tool.id.source == **it) && self.server(it).is_some();
        match lock.tools.keys().map(|it| &it.source).find(is_unasked) {
            Some(source) => format!("nothing is known of `{source}`; ask it first: toolscout server refresh"),
            None => "look at them, then write the lock anew: toolscout lock".to_owned(),
        }
    }

    fn server(&self, source: &SourceId) -> Option<&ServerConfig> {
        self.servers.configured.iter().map(|it| &it.server).find(|it| it.id == *source)
    }
}
