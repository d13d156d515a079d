//! `new` and `wrap`: write the files of a new tool.

mod new;
mod wrap;

pub(crate) use new::NewTool;
pub(crate) use wrap::WrapProgram;

use crate::error::failure;
use crate::{AppError, Trust, Workspace, present_content};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use toolscout_config::check_within;
use toolscout_core::{Cx, SourceId, ToolName, escape};
use toolscout_folder::trust::TrustGrant;
use toolscout_surface::operation::{ErrorCode, OperationError};

/// The tools folder of the project, in which new tools are written.
struct ToolsFolder {
    /// The real path of the project root.
    project: PathBuf,
    /// `tools` in the project root; it may not exist yet.
    path: PathBuf,
    is_trusted: bool,
}

/// A file to write.
struct NewFile {
    /// Relative to the tools folder.
    path: String,
    text: String,
    is_executable: bool,
}

impl ToolsFolder {
    fn find(workspace: &Workspace) -> Result<Self, OperationError> {
        let Some(root) = workspace.config().root.clone() else {
            return Err(OperationError::invalid(
                "there is no project here: no folder upward has a \
                `toolscout.toml`, `package.json`, `.git` or another project file",
            )
            .hint("touch toolscout.toml"));
        };
        let project = root.canonicalize().map_err(crate::error::file_failure("find", &root))?;
        let path = project.join("tools");
        check_within(&project, &path).map_err(failure)?;
        let trust = Trust::new(&workspace.environment, &workspace.options);
        Ok(Self { is_trusted: trust.covers(&project), project, path })
    }

    /// Checks that the name is valid, and that no tool of the project and no file has it.
    async fn check_name(&self, name: &str, workspace: &Workspace) -> Result<(), OperationError> {
        let rename = "choose another name";
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_file_name = name.chars().all(is_plain) && !name.starts_with(['.', '_']);
        let valid = ToolName::for_command(name).map_err(|error| error.to_string());
        if let Err(reason) = valid.and_then(|_| {
            let reason = || format!("`{name}` must consist of letters, digits, `-`, `_` and `.`");
            is_file_name.then_some(()).ok_or_else(reason)
        }) {
            return Err(OperationError::invalid(reason).hint(rename));
        }
        let gateway = workspace.tools.discovered_gateway_quietly().await?;
        let local = SourceId::local();
        let snapshot = gateway.snapshot();
        let mut own = snapshot.tools().filter(|tool| tool.id.source == local);
        if let Some(tool) = own.find(|tool| tool.id.name.as_str() == name) {
            let path = tool.provenance.path.as_deref().map(super::shown_path).unwrap_or_default();
            let message = format!("there is a tool `{name}` already, in `{path}`");
            return Err(OperationError::new(ErrorCode::Conflict, message).hint(rename));
        }
        Ok(())
    }

    /// Checks that none of the files exists.
    fn check_files(&self, files: &[NewFile]) -> Result<(), OperationError> {
        let exists = |file: &&NewFile| self.path.join(&file.path).symlink_metadata().is_ok();
        match files.iter().find(exists) {
            None => Ok(()),
            Some(file) => {
                let shown = super::shown_path(&self.path.join(&file.path));
                let message = format!("`{shown}` exists; it is not overwritten");
                Err(OperationError::new(ErrorCode::Conflict, message).hint("choose another name"))
            }
        }
    }

    /// Writes the files. None of them may exist. If the project is trusted, they are too, with the
    /// files that they start: the user names them with this command.
    async fn write(
        &self,
        files: &[NewFile],
        workspace: &Workspace,
        cx: &Cx,
    ) -> Result<(), OperationError> {
        let content = || present_content(workspace, &self.project, cx);
        let before =
            if self.is_trusted { content().await.map_err(failure)? } else { TrustGrant::default() };
        self.check_files(files)?;
        let paths: Vec<_> = files.iter().map(|file| self.path.join(&file.path)).collect();
        for path in &paths {
            check_within(&self.project, path).map_err(failure)?;
        }
        for file in files {
            let path = self.path.join(&file.path);
            write_new(&path, file).map_err(crate::error::file_failure("write", &path))?;
        }
        if !self.is_trusted {
            return Ok(());
        }
        let now = content().await.map_err(failure)?;
        let started = now.files.keys().filter(|file| !before.files.contains_key(*file));
        let started = started.map(|file| self.project.join(file));
        let trust = Trust::new(&workspace.environment, &workspace.options);
        let files: Vec<_> = paths.into_iter().chain(started).collect();
        let added = trust.folders.add_files(&self.project, &files);
        added.map_err(|error| failure(AppError::not_stored(error)))
    }

    /// The path of a file for people, relative to the project.
    fn shown(&self, file: &str) -> String {
        escape::line(&format!("tools/{file}")).into_owned()
    }

    /// What to type next, for a person.
    fn next_steps(&self, name: &str, try_it: &str, workspace: &Workspace) -> String {
        let run = if workspace.tools.is_reserved(name) { "run " } else { "" };
        let mut text = format!("Try it:      toolscout {run}{name} {try_it}\n");
        if !self.is_trusted {
            text += "For agents:  toolscout trust\n";
        }
        text
    }
}

fn write_new(path: &Path, file: &NewFile) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(if file.is_executable { 0o755 } else { 0o644 });
    }
    options.open(path)?.write_all(file.text.as_bytes())
}

/// Discovers the project's tools again, so that the new one is listed, and returns its error if it
/// is not.
async fn check_listed(name: &str, workspace: &Workspace) -> Result<(), OperationError> {
    let problems = workspace.tools.discover_quietly_again().await.map_err(failure)?;
    let local = SourceId::local();
    let snapshot = workspace.tools.gateway().snapshot();
    if snapshot.tools().any(|tool| tool.id.source == local && tool.id.name.as_str() == name) {
        return Ok(());
    }
    let reason =
        problems.iter().map(|problem| problem.message.clone()).next().unwrap_or_else(|| {
            "`patterns`, `ignore` or `roots` of the configuration leave `tools/` out".to_owned()
        });
    Err(OperationError::invalid(format!("`{name}` is written, but it is not listed: {reason}"))
        .hint("toolscout doctor"))
}
