//! The projects that one process serves: the current one, and those of `--projects` or of the
//! user's configuration.

use super::mcp_servers::{McpServers, Selection};
use super::startup;
use crate::{AppError, RunCx};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::escape;
use toolscout_folder::DefaultRoot;
use toolscout_gateway::LoadingMark;
use toolscout_workspace::ServedProjects;

/// A served project.
pub(super) struct Project {
    /// The id in paths.
    pub(super) id: String,
    pub(super) cx: RunCx,
    pub(super) mcp: Arc<McpServers>,
}

/// Opens the projects to serve, the current one first; starts nothing. Over standard input and
/// output there is only the current one.
pub(super) fn open(cx: &RunCx, is_web: bool) -> Result<Vec<Project>, AppError> {
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    let further = if is_web { further_projects(cx)? } else { Vec::new() };
    let config = cx.workspace().config();
    if config.root.is_some() || further.is_empty() {
        seen.insert(config.project_folder().to_owned());
        all.push(cx.clone());
    }
    for Further { folder, is_required } in further {
        let root = DefaultRoot::find(&folder).unwrap_or(&folder);
        if !seen.insert(root.to_owned()) {
            continue;
        }
        match cx.in_project(&folder) {
            Ok(project) => all.push(project),
            Err(error) if is_required => return Err(error),
            Err(error) => skipped(cx, &folder, &error.to_string()),
        }
    }
    if all.is_empty() {
        all.push(cx.clone());
    }
    let workspaces: Vec<_> = all.iter().map(|project| project.workspace().clone()).collect();
    let ids = ServedProjects::register(&workspaces);
    let open = |(id, cx): (String, RunCx)| {
        let mcp = Arc::new(McpServers::new(&cx, Selection::of(&cx, is_web))?);
        Ok(Project { id, cx, mcp })
    };
    ids.into_iter().zip(all).map(open).collect()
}

/// The folder of a project besides the current one.
struct Further {
    folder: PathBuf,
    /// Whether it is named on the command line. A configured folder that cannot be served is a
    /// warning.
    is_required: bool,
}

fn further_projects(cx: &RunCx) -> Result<Vec<Further>, AppError> {
    let named = named_folders(cx)?;
    if !named.is_empty() {
        return named.iter().map(|folder| named_project(cx, folder)).collect();
    }
    let config = cx.workspace().config();
    let configured = config.settings.serve.projects.iter().flatten();
    let project = |folder: &PathBuf| match folder.canonicalize() {
        Ok(folder) => Some(Further { folder, is_required: false }),
        Err(error) => {
            skipped(cx, folder, &error.to_string());
            None
        }
    };
    Ok(configured.filter_map(project).collect())
}

/// The folders after `--projects`: the value of the option, and the words that follow.
fn named_folders(cx: &RunCx) -> Result<Vec<String>, AppError> {
    let (named, words) = (cx.parsed.texts("projects"), &cx.parsed.positionals);
    match words.first().filter(|_| named.is_empty()) {
        Some(word) => Err(AppError::invalid(
            format!("unexpected argument `{}`", escape::line(word)),
            "toolscout serve --http 127.0.0.1:7420 --projects DIR…",
        )),
        None => Ok(named.iter().chain(words).cloned().collect()),
    }
}

fn named_project(cx: &RunCx, folder: &str) -> Result<Further, AppError> {
    let path = cx.environment().cwd().join(folder);
    let folder = path.canonicalize().ok().filter(|path| path.is_dir()).ok_or_else(|| {
        AppError::invalid(
            format!("`{}` is not a folder", escape::line(folder)),
            "name the folders of projects after --projects",
        )
    })?;
    Ok(Further { folder, is_required: true })
}

pub(super) fn skipped(cx: &RunCx, folder: &Path, reason: &str) {
    let (folder, reason) = (folder.display().to_string(), escape::text(reason).into_owned());
    cx.say(&format!(
        "warning: the project in {} is not served: {reason}\n  hint: run `toolscout doctor` in it, or leave it out of `--projects` and `[serve] projects`\n",
        escape::line(&folder)
    ));
}

impl Project {
    /// Prepares the project for requests: the first discovery reads folders and cached records.
    /// Returns the mark of the servers that may have to be discovered.
    pub(super) async fn start(&self) -> Result<LoadingMark, AppError> {
        let workspace = self.cx.workspace();
        workspace.start_journal_writer();
        workspace.set_served_gateway(self.mcp.served_gateway());
        // Weak, to avoid a cycle: the servers hold the operations, and those hold the workspace,
        // which is flushed when it is dropped.
        let servers = Arc::downgrade(&self.mcp);
        workspace.set_reloader(Box::new(move || {
            let servers = servers.upgrade();
            Box::pin(async move {
                match servers {
                    Some(servers) => servers.reload().await,
                    None => Ok(()),
                }
            })
        }));
        self.cx.tools().discovered_gateway().await?;
        let sources = workspace.configured_servers().map(|set| set.sources.clone());
        Ok(startup::mark_loading(self.mcp.gateway(), &sources.unwrap_or_default()))
    }

    /// The folder of the project.
    pub(super) fn folder(&self) -> PathBuf {
        self.cx.workspace().config().project_folder().to_owned()
    }

    /// Stops the servers of the project, and writes its cached search data.
    pub(super) async fn close(&self) {
        self.cx.workspace().servers().stop_all().await;
        self.cx.tools().gateway().save_search_data().await;
    }
}
