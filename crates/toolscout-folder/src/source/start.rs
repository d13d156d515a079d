//! Loads and calls one tool, after checking that its file is unchanged and may be started.

use super::discover::{complete, missing_runtime};
use super::{FolderSource, Probing};
use crate::gather::ListedTool;
use crate::globs::one_file;
use crate::inspect;
use crate::prober::ProbeEagerness;
use crate::recipe::{Probed, Recipe};
use crate::run;
use crate::stamp::{Owners, ScanStamp};
use crate::strategy::RootEntry;
use futures_util::StreamExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{
    Cx, Digest, Provenance, SourceError, Status, Tool, ToolCall, ToolName, ToolOutput, escape,
};

impl FolderSource {
    pub(super) async fn full_tool(
        &self,
        name: &ToolName,
        cx: &Cx,
    ) -> Result<Option<Tool>, SourceError> {
        let Some(listed) = self.fresh(name, cx).await? else { return Ok(None) };
        let mut tool = Tool::clone(&listed.tool);
        // The user may have trusted the folder since it was listed.
        tool.provenance.trusted = (self.terms.trust)(&listed.ground.root.path);
        let is_whole =
            listed.recipe.probe_file().is_none() || matches!(tool.status, Status::Unavailable(_));
        if is_whole {
            return Ok(Some(tool));
        }
        let may_start =
            self.config.probing == Probing::Allowed && self.may_start(&listed, cx).await;
        match self.probe_definition(&listed, may_start, cx).await {
            Ok(own) => Ok(Some(complete(tool, &own))),
            // With `Probing::Never` the caller accepts the cached definition.
            Err(SourceError::Refused { .. }) if self.config.probing == Probing::Never => {
                Ok(Some(tool))
            }
            Err(err) => Err(err),
        }
    }

    pub(super) async fn start(
        &self,
        mut call: ToolCall,
        cx: &Cx,
    ) -> Result<ToolOutput, SourceError> {
        let name = call.tool.name.clone();
        let Some(listed) = self.fresh(&name, cx).await? else {
            return Err(SourceError::NotMine {
                id: self.config.id.clone(),
                name: name.as_str().to_owned(),
            });
        };
        if let Status::Unavailable(reason) = &listed.tool.status {
            return Err(SourceError::Unavailable {
                id: self.config.id.clone(),
                what: format!("`{name}`: {reason}"),
            });
        }
        if !self.may_start(&listed, cx) {
            return Err(untrusted(&listed));
        }
        if listed.recipe.askable().is_some() {
            // A manifest may list the tool under a different name than its file does.
            let own = self.probe_definition(&listed, true, cx).await?;
            call.tool.name = ToolName::new(&own.name).unwrap_or(name);
        }
        let root = listed.location.root.path.clone();
        let files = files_to_start(&recipe, &root, cx);
        blocking(move || files.iter().try_for_each(|file| check(file, &root))).await?;
        let ran = run::run(&recipe, &call, &self.config.sandbox, cx).await;
        ran.map_err(|error| with_timeout_hint(error, &recipe, &listed))
    }

    /// A call that a user types runs without trust, as with make or npm. A call from an agent
    /// requires that the folder is trusted.
    pub(super) fn may_start(&self, listed: &ListedTool, cx: &Cx) -> bool {
        cx.caller.is_person() || (self.terms.trust)(&listed.ground.root.path)
    }

    /// The tool's definition from its file: cached, or probed if the file may be started.
    pub(super) async fn probe_definition(
        &self,
        listed: &ListedTool,
        may_start: bool,
        cx: &Cx,
    ) -> Result<Probed, SourceError> {
        let Some(file) = listed.recipe.probe_file() else {
            return Err(SourceError::Invalid {
                reason: format!("`{}` cannot be inspected", listed.tool.id.name),
            });
        };
        let (path, root) = (file.to_owned(), listed.location.root.path.clone());
        let content = blocking(move || check(&path, &root).and_then(|()| digest(&path))).await?;
        let eagerness =
            if may_start { ProbeEagerness::AfterFailure } else { ProbeEagerness::CachedOnly };
        let record =
            self.prober.probe(&listed.recipe, content, eagerness, &self.config.limits, cx).await;
        let record = record.ok_or_else(|| self.untrusted(listed))?;
        let shown = file.display().to_string();
        let tools = record.tools(&self.config.id, &escape::line(&shown))?;
        pick(tools, listed.tool.id.name.as_str(), &shown)
            .map_err(|reason| SourceError::Protocol { id: self.config.id.clone(), reason })
    }

    /// The listed tool, read again if its file has changed since; `None` if it is gone.
    pub(super) async fn fresh(
        &self,
        name: &ToolName,
        cx: &Cx,
    ) -> Result<Option<Arc<ListedTool>>, SourceError> {
        let Some(listed) = self.table(cx).await?.get(name).cloned() else { return Ok(None) };
        let Provenance { path: Some(path), content, .. } = listed.tool.provenance.clone() else {
            return Ok(Some(listed));
        };
        let (file, root) = (path.clone(), listed.location.root.path.clone());
        let now =
            blocking(move || check_inside_root(&file, &root).and_then(|()| digest(&file))).await?;
        // The runtime of an unavailable tool may have been installed since it was listed.
        let is_same = content == Some(now) && !matches!(listed.tool.status, Status::Unavailable(_));
        if is_same || content.is_none() {
            return Ok(Some(listed));
        }
        let again = self.reread(&listed, &path, now, cx).await?.map(Arc::new);
        if let Some(again) = &again {
            self.replace(again);
        }
        Ok(again)
    }

    async fn reread(
        &self,
        listed: &ListedTool,
        path: &Path,
        now: Digest,
        cx: &Cx,
    ) -> Result<Option<ListedTool>, SourceError> {
        let root = &listed.location.root;
        let mut entries = if listed.location.is_explicit {
            one_file(root, path, self.visit(root, cx))
        } else {
            self.config.tools.reread(root, path, self.visit(root, cx))
        };
        let mut reasons = Vec::new();
        while let Some(entry) = entries.next().await {
            let (mut tool, recipe) = match entry? {
                RootEntry::Tool(tool, recipe) => (*tool, recipe),
                RootEntry::Diagnostic(diagnostic) => {
                    reasons.push(diagnostic.message);
                    continue;
                }
            };
            if matches!(tool.status, Status::Unprobed(_)) && recipe == listed.recipe {
                // Only a probe returns the tool names of this file. It is probed again because its
                // content has changed.
                let provenance =
                    Provenance { content: Some(now), ..listed.tool.provenance.clone() };
                tool = Tool { provenance, ..Tool::clone(&listed.tool) };
            } else if tool.id.name != listed.tool.id.name {
                continue;
            }
            tool.provenance.trusted = listed.tool.provenance.trusted;
            missing_runtime(&mut tool, &recipe);
            return Ok(Some(ListedTool {
                tool: tool.into(),
                recipe,
                location: listed.location.clone(),
            }));
        }
        match reasons.first() {
            None => Ok(None),
            Some(reason) => {
                let shown = path.display().to_string();
                Err(SourceError::Invalid {
                    reason: format!("`{}`: {reason}", escape::line(&shown)),
                })
            }
        }
    }
}

/// The tool with this name. If the file contains a single tool, that one is returned under any
/// name.
fn pick(tools: &[Result<Probed, String>], name: &str, file: &str) -> Result<Probed, String> {
    if let Some(own) = tools.iter().flatten().find(|tool| tool.name == name) {
        return Ok(own.clone());
    }
    match tools {
        [Ok(only)] => Ok(only.clone()),
        [Err(reason)] => Err(format!("`{file}`: {reason}")),
        [] => Err(format!("`{file}` lists no tools")),
        all => {
            let names: Vec<String> = all
                .iter()
                .flatten()
                .map(|tool| format!("`{}`", escape::line(&tool.name)))
                .collect();
            Err(format!("`{file}` has no tool `{name}`; it has {}", names.join(", ")))
        }
    }
}

fn untrusted(listed: &ListedTool) -> SourceError {
    let root = listed.ground.root.path.display().to_string();
    let (name, root) = (&listed.tool.id.name, escape::line(&root));
    SourceError::Refused {
        reason: format!(
            "`{name}` is in `{root}`, which is not trusted yet, so nothing in it is started; type `toolscout trust {root}`"
        ),
    }
}

/// The files of the folder that a call starts or passes to an interpreter.
fn files_to_start(recipe: &Recipe) -> Vec<PathBuf> {
    match recipe {
        Recipe::Executable { program } => vec![program.clone()],
        Recipe::Module { file, .. } => vec![file.clone()],
        Recipe::Command(command) => {
            let is_path = |it: &String| it.contains(std::path::is_separator);
            let program =
                command.argv.first().filter(|it| is_path(it)).map(|it| command.cwd.join(it));
            let given = command.argv.iter().skip(1).map(|it| command.cwd.join(it));
            program
                .into_iter()
                .chain(given.filter(|it| it.is_file() && it.starts_with(&command.cwd)))
                .collect()
        }
        Recipe::Http(_) | Recipe::Missing { .. } => Vec::new(),
    }
}

/// Checks that a file may be started: it is inside its root, regular, and writable only by its
/// allowed owners.
fn check(file: &Path, root: &Path) -> Result<(), SourceError> {
    check_inside_root(file, root)?;
    let metadata = std::fs::metadata(file).map_err(|err| unreadable(file, &err))?;
    match Owners::new(root).refusal_reason(&ScanStamp::from_metadata(&metadata)) {
        None => Ok(()),
        Some(reason) => {
            Err(SourceError::Refused { reason: format!("`{}`: {reason}", file.display()) })
        }
    }
}

/// Checks that the file is still inside its root: a link may have replaced it since it was listed.
fn check_inside_root(file: &Path, root: &Path) -> Result<(), SourceError> {
    let real = std::fs::canonicalize(file).map_err(|err| unreadable(file, &err))?;
    if !real.starts_with(root) {
        return Err(SourceError::Refused {
            reason: format!("`{}` is outside its folder, so it is not run", file.display()),
        });
    }
    match std::fs::metadata(&real) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => Err(SourceError::Refused {
            reason: format!("`{}` is not a regular file, so it is not run", file.display()),
        }),
        Err(err) => Err(unreadable(file, &err)),
    }
}

fn digest(file: &Path) -> Result<Digest, SourceError> {
    inspect::content_digest(file).map_err(|err| unreadable(file, &err))
}

fn unreadable(file: &Path, err: &std::io::Error) -> SourceError {
    let what = match err.kind() {
        std::io::ErrorKind::NotFound => format!("`{}` no longer exists", file.display()),
        _ => format!("`{}` cannot be read: {err}", file.display()),
    };
    SourceError::Invalid { reason: what }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SourceError> + Send + 'static,
) -> Result<T, SourceError> {
    let failed =
        |_| SourceError::Invalid { reason: "reading the folder failed unexpectedly".to_owned() };
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}
