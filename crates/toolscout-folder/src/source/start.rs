//! Loads and calls one tool, after checking that its file is unchanged and may be started.

use super::discover::{complete, runtime_error};
use super::files::{files_of, files_to_start};
use super::{FolderSource, Probing, trust_command};
use crate::gather::ListedTool;
use crate::globs::one_file;
use crate::inspect;
use crate::prober::ProbeEagerness;
use crate::recipe::{Probed, Recipe};
use crate::run;
use crate::stamp::{Owners, ScanStamp};
use crate::strategy::RootEntry;
use crate::tool_file;
use futures_util::StreamExt;
use std::path::Path;
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
        tool.provenance.trusted = self.is_covered(&listed, cx).await;
        let is_whole =
            listed.recipe.probe_file().is_none() || matches!(tool.status, Status::Unavailable(_));
        if is_whole {
            return Ok(Some(tool));
        }
        // The rule of `may_start`; the files were just read to learn whether they are trusted.
        let may_start = self.config.probing == Probing::Allowed
            && (cx.caller.is_user() || tool.provenance.trusted);
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
        if !self.may_start(&listed, cx).await {
            return Err(self.untrusted(&listed));
        }
        let mut recipe = listed.recipe.clone();
        if recipe.probe_file().is_some() {
            // A manifest may list the tool under a different name than its file does.
            let own = self.probe_definition(&listed, true, cx).await?;
            call.tool.name = ToolName::new(&own.name).unwrap_or(name);
            // A timeout in the manifest or in a comment overrides that of the module.
            let timeout_ms = recipe.own_timeout().or(own.timeout_ms);
            recipe = recipe.with_timeout(timeout_ms);
        }
        let root = listed.location.root.path.clone();
        let files = files_to_start(&recipe, &root, cx);
        blocking(move || files.iter().try_for_each(|file| check(file, &root))).await?;
        let ran = run::run(&recipe, &call, &self.config.sandbox, cx).await;
        ran.map_err(|error| with_timeout_hint(error, &recipe, &listed))
    }

    /// A call that a user types runs without trust, as with make or npm. A call from an agent
    /// requires that the folder is trusted, with the present content of its files.
    pub(super) async fn may_start(&self, listed: &ListedTool, cx: &Cx) -> bool {
        cx.caller.is_user() || self.is_covered(listed, cx).await
    }

    /// Whether the folder of the tool is trusted, with the content that its files have now.
    pub(super) async fn is_covered(&self, listed: &ListedTool, cx: &Cx) -> bool {
        let (trust, root) = (self.config.trust.clone(), listed.location.root.path.clone());
        let mut files = files_of(&listed.tool, &listed.recipe, &root, cx);
        files.iter_mut().for_each(|file| file.content = None);
        blocking(move || Ok(trust(&root).covers(&files))).await.unwrap_or(false)
    }

    fn untrusted(&self, listed: &ListedTool) -> SourceError {
        let path = &listed.location.root.path;
        let (name, root) = (&listed.tool.id.name, path.display().to_string());
        let (root, command) = (escape::line(&root), trust_command(path));
        let reason = if (self.config.trust)(path).is_trusted() {
            format!(
                "the files of `{name}` are new or have changed since you trusted `{root}`, so they are not started; run `{command}`"
            )
        } else {
            format!(
                "`{name}` is in `{root}`, which is not trusted yet, so nothing in it is started; run `{command}`"
            )
        };
        SourceError::Refused { reason }
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
            if let Some(reason) = runtime_error(&recipe, true).await {
                tool.status = Status::Unavailable(reason);
            }
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

/// Names the setting that raises the limit, if the tool's own limit was reached and not the deadline
/// of the request.
fn with_timeout_hint(error: SourceError, recipe: &Recipe, listed: &ListedTool) -> SourceError {
    match error {
        SourceError::TimedOut { id, what, limit } if limit >= recipe.time_limit() => {
            let hint = timeout_setting(recipe, listed);
            SourceError::ToolTimedOut { id, what, limit, hint }
        }
        other => other,
    }
}

fn timeout_setting(recipe: &Recipe, listed: &ListedTool) -> String {
    let path = listed.tool.provenance.path.as_deref().unwrap_or(Path::new(""));
    let root = &listed.location.root.path;
    let shown = path.strip_prefix(root).unwrap_or(path).display().to_string();
    let (shown, name) = (escape::line(&shown), path.file_name().unwrap_or_default());
    let (name, is_http) = (name.to_string_lossy(), matches!(recipe, Recipe::Http(_)));
    if tool_file::format(&name).is_some() {
        let table = if is_http { "[http]" } else { "[run]" };
        format!("raise `timeout_ms` under `{table}` in `{shown}`")
    } else if name == "manifest.json" {
        format!("set `\"timeout\": \"5m\"` in its entry in `{shown}`")
    } else if name == "package.json" {
        "wrap it in a tool file, which has a timeout: `toolscout wrap -- npm run NAME`".to_owned()
    } else {
        let is_script = [".js", ".mjs", ".cjs", ".ts"].iter().any(|end| name.ends_with(end));
        let mark = if is_script { "//" } else { "#" };
        format!("set it with a comment at the top of `{shown}`, such as `{mark} timeout: 5m`")
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
