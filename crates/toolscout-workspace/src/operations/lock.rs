//! `lock` and `verify`: write the definitions of all tools to a lock file, and compare with it.

use super::status::NoInput;
use crate::Workspace;
use crate::error::failure;
use crate::servers::ServerSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_config::overwrite;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, SourceId, escape};
use toolscout_gateway::Snapshot;
use toolscout_gateway::lock_file::{Drift, LockFile};
use toolscout_mcp_client::{ServerConfig, ServerTransport, entry_fingerprint};
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::{ErrorCode, Operation, OperationError, OperationSpec, Text};
use toolscout_surface::output::counted;
use toolscout_surface::output::json;

const LOCK_FILE: &str = "toolscout.lock";

/// Write the definitions of all tools to the lock file.
pub(crate) struct WriteLock;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteLockInput {
    /// Print the lock file instead of writing it
    #[serde(default)]
    print: bool,
}

/// The lock file.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WrittenLock {
    /// The path of the lock file.
    file: String,
    /// The number of tools in it.
    tools: usize,
    /// Its content; only with `print`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Operation<Workspace> for WriteLock {
    type Input = WriteLockInput;
    type Output = WrittenLock;

    const SPEC: OperationSpec = OperationSpec {
        notes: &["Writes `toolscout.lock` in the project's root: one line for each tool, sorted."],
        examples: &["toolscout lock"],
        ..OperationSpec::local_change(
            "lock",
            "Write the definitions of all tools to `toolscout.lock`",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: WriteLockInput,
        cx: &Cx,
    ) -> Result<WrittenLock, OperationError> {
        let gateway = workspace.full_gateway().await?;
        let project = LockedProject::new(workspace);
        let lock =
            LockFile::from_snapshot(&gateway.full_snapshot(), |source| project.entry_hash(source));
        let (path, text) = (project.file(), lock.to_text());
        let file = path.display().to_string();
        if !input.print {
            let summary = format!("write `{file}`");
            let change = PlannedChange {
                kind: ChangeKind::Lock,
                subject: file.clone(),
                action: "changed",
                summary,
            };
            let change = cx.change(change)?;
            overwrite(workspace.config().project_folder(), &path, &text).map_err(failure)?;
            change.commit();
        }
        Ok(WrittenLock { file, tools: lock.tools.len(), text: input.print.then_some(text) })
    }

    fn text(output: &WrittenLock, _: &Text) -> String {
        match &output.text {
            Some(text) => text.clone(),
            None => format!("Wrote {} to {}\n", counted(output.tools, "tool"), output.file),
        }
    }

    fn is_data(output: &WrittenLock) -> bool {
        output.text.is_some()
    }
}

/// Compare all definitions with the lock file.
pub(crate) struct VerifyLock;

/// The comparison with the lock file.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LockVerification {
    /// All differences; empty if there is none.
    differences: Vec<LockDifference>,
    /// The number of tools in the lock file.
    tools: usize,
    #[serde(skip)]
    hint: String,
}

/// A difference from the lock file.
#[derive(Serialize, JsonSchema)]
struct LockDifference {
    /// `added`, `removed`, `changed` or `reconfigured`.
    change: &'static str,
    /// The tool; for `reconfigured`, the source.
    name: String,
}

impl Operation<Workspace> for VerifyLock {
    type Input = NoInput;
    type Output = LockVerification;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "Exits with 1 if anything differs. Compares cached definitions: run `toolscout server refresh` first to update them.",
        ],
        examples: &["toolscout verify"],
        ..OperationSpec::local("verify", "Compare all definitions with `toolscout.lock`")
    };

    async fn run(
        workspace: &Workspace,
        _: NoInput,
        _: &Cx,
    ) -> Result<LockVerification, OperationError> {
        let project = LockedProject::new(workspace);
        let file = project.file();
        let text = std::fs::read_to_string(&file).map_err(|cause| {
            let message = format!("could not read `{}`: {cause}", file.display());
            OperationError::new(ErrorCode::ResourceNotFound, message)
                .hint("run `toolscout lock` to create it")
        })?;
        let lock = LockFile::parse(&text).map_err(|error| {
            let message = format!("`{}`: {}", file.display(), escape::line(&error.to_string()));
            OperationError::invalid(message)
                .hint("revert the change, or run `toolscout lock` to update the lock file")
        })?;
        let snapshot = workspace.full_gateway().await?.full_snapshot();
        let differences = lock
            .verify(&snapshot, |source| project.entry_hash(source))
            .iter()
            .map(LockDifference::from)
            .collect();
        Ok(LockVerification {
            differences,
            tools: lock.tools.len(),
            hint: project.hint(&lock, &snapshot),
        })
    }

    fn text(output: &LockVerification, _: &Text) -> String {
        let line = |difference: &LockDifference| {
            format!("{}: {}\n", difference.change, escape::line(&difference.name))
        };
        output.differences.iter().map(line).collect()
    }

    fn write_json(output: &LockVerification, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, &output.differences)
    }

    fn notes(output: &LockVerification) -> Vec<String> {
        let text = if output.differences.is_empty() {
            format!("{}, no difference from the lock file", counted(output.tools, "tool"))
        } else {
            format!("the definitions differ from the lock file\n  hint: {}", output.hint)
        };
        vec![text]
    }

    fn exit(output: &LockVerification) -> Exit {
        if output.differences.is_empty() { Exit::Done } else { Exit::Failed }
    }
}

impl From<&Drift> for LockDifference {
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

/// The subject of a lock file: a folder, and the servers configured for it.
struct LockedProject {
    folder: PathBuf,
    servers: Arc<ServerSet>,
}

impl LockedProject {
    fn new(workspace: &Workspace) -> Self {
        Self {
            folder: workspace.config().project_folder().to_owned(),
            servers: workspace.servers(),
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.join(LOCK_FILE)
    }

    /// The hash of the configured entry of a source. Paths inside the project are relative to
    /// it, so that the hash does not depend on the location of the project.
    fn entry_hash(&self, source: &SourceId) -> Option<String> {
        let mut server = self.server(source)?.clone();
        if let ServerTransport::Stdio(program) = &mut server.transport {
            let relative =
                |path: PathBuf| path.strip_prefix(&self.folder).map(Path::to_owned).unwrap_or(path);
            program.cwd = program.cwd.take().map(relative);
        }
        Some(entry_fingerprint(&server))
    }

    /// The hint about differences. A server without any tools has not been discovered yet, as
    /// on a new machine.
    fn hint(&self, lock: &LockFile, snapshot: &Snapshot) -> String {
        let is_undiscovered = |id: &&SourceId| {
            !snapshot.tools().any(|tool| tool.id.source == **id) && self.server(id).is_some()
        };
        match lock.tools.keys().map(|tool| &tool.source).find(is_undiscovered) {
            Some(source) => {
                format!(
                    "the tools of `{source}` are not loaded; run `toolscout server refresh` first"
                )
            }
            None => "review them, then run `toolscout lock` to update the lock file".to_owned(),
        }
    }

    fn server(&self, source: &SourceId) -> Option<&ServerConfig> {
        self.servers
            .configured
            .iter()
            .map(|configured| &configured.server)
            .find(|server| server.id == *source)
    }
}
