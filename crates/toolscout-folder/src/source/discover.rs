//! Lists explicit files, then each root in order, and probes the files that have no static
//! description.

use super::files::files_of;
use super::{FolderSource, Probing, trust_command};
use crate::gather::{DiscoveryStopped, Gathering, ListedTool, ToolLocation, about};
use crate::globs::one_file;
use crate::inspect;
use crate::probe::ProbeLimits;
use crate::prober::{ProbeEagerness, ProbeRecord, ProbeResult};
use crate::prompts;
use crate::recipe::{Probed, Recipe};
use crate::roots::{Root, RootLayout};
use crate::runtime;
use crate::strategy::RootEntry;
use crate::trust::{FileToStart, FolderTrust};
use futures_util::{StreamExt, stream};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use toolscout_core::{
    BoxStream, Cx, Diagnostic, DiagnosticKind, DiagnosticLevel, Digest, SourceError, Status, Tool,
    ToolId, ToolName,
};

/// The number of files probed concurrently. They are third-party programs; a small number keeps the
/// machine usable.
const MAX_CONCURRENT_PROBES: usize = 4;
/// Why a file of a trusted folder is not started.
const CHANGED: &str = "it is new or has changed since you trusted its folder";

impl FolderSource {
    pub(super) async fn gather(
        &self,
        gathering: &mut Gathering<'_>,
        cx: &Cx,
    ) -> Result<(), DiscoveryStopped> {
        let budget = ProbeBudget::new(self.config.limits.total);
        for file in &self.config.explicit {
            self.gather_file(file, gathering, &budget, cx).await?;
        }
        gathering.next_root();
        let mut searched = HashSet::new();
        let mut roots = self.config.roots.roots();
        while let Some(root) = roots.next().await {
            let root = match root {
                Ok(root) => root,
                Err(err) => {
                    self.report_error(err, gathering).await?;
                    continue;
                }
            };
            let Some(path) = self.resolve_folder(&root.path, gathering).await? else { continue };
            let root = Root { path, ..root };
            if !searched.insert(root.clone()) {
                continue;
            }
            let location = Arc::new(ToolLocation { root, is_explicit: false });
            let entries = self.config.tools.tools(&location.root, self.visit(&location.root, cx));
            self.gather_entries(entries, &location, gathering, &budget, cx).await?;
            if location.root.layout == RootLayout::Project {
                self.gather_prompts(&location.root.path, gathering).await?;
            }
            gathering.next_root();
        }
        Ok(())
    }

    /// Lists the prompts of a root. A prompt is an instruction to the agent, so prompts of an
    /// untrusted folder are not offered.
    async fn gather_prompts(
        &self,
        root: &Path,
        to: &mut Gathering<'_>,
    ) -> Result<(), DiscoveryStopped> {
        // Most projects have no prompts, and `spawn_blocking` costs more than this check.
        if !prompts::folder(root).is_dir() {
            return Ok(());
        }
        let path = root.to_owned();
        let mut found =
            tokio::task::spawn_blocking(move || prompts::find(&path)).await.unwrap_or_default();
        let trust = self.trust_of(root).await;
        let covers = |name: &str| {
            let path = prompts::folder(root).join(format!("{name}.md"));
            trust.covers(&[FileToStart { path, content: None }])
        };
        if trust.reads_files() {
            // Prompts are few and small.
            found.retain(|prompt| prompt.as_ref().map_or(true, |prompt| covers(&prompt.name)));
        }
        if !found.is_empty() && !trust.is_trusted() {
            let message = "this folder is not trusted, so its prompts are not offered";
            let diagnostic = self
                .diagnostic(DiagnosticKind::Untrusted, message)
                .with_path(prompts::folder(root))
                .with_hint(trust_command(root));
            return to.report(Diagnostic { level: DiagnosticLevel::Debug, ..diagnostic }).await;
        }
        for prompt in found {
            match prompt {
                Ok(prompt) => to.prompt(prompt, root).await?,
                Err(diagnostic) => {
                    to.report(diagnostic.with_source(self.config.id.clone())).await?
                }
            }
        }
        Ok(())
    }

    async fn gather_file(
        &self,
        file: &Path,
        to: &mut Gathering<'_>,
        budget: &ProbeBudget,
        cx: &Cx,
    ) -> Result<(), DiscoveryStopped> {
        let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let (Some(folder), Some(name)) = (absolute.parent(), absolute.file_name()) else {
            return to
                .report(self.diagnostic(DiagnosticKind::Broken, "it is not a file").with_path(file))
                .await;
        };
        let Some(path) = self.resolve_folder(folder, to).await? else { return Ok(()) };
        let location = Arc::new(ToolLocation { root: Root::tools(&path), is_explicit: true });
        let entries = one_file(&location.root, &path.join(name), self.visit(&location.root, cx));
        let count_before = to.item_count;
        self.gather_entries(entries, &location, to, budget, cx).await?;
        if to.item_count == count_before {
            // The user named this file explicitly, so an empty file is worth a diagnostic.
            return to
                .report(self.diagnostic(DiagnosticKind::Broken, "it has no tool").with_path(file))
                .await;
        }
        Ok(())
    }

    /// Lists the entries of a strategy, in its order. Files without a static description are
    /// probed, a few at once.
    async fn gather_entries(
        &self,
        entries: BoxStream<'_, Result<RootEntry, SourceError>>,
        location: &Arc<ToolLocation>,
        to: &mut Gathering<'_>,
        budget: &ProbeBudget,
        cx: &Cx,
    ) -> Result<(), DiscoveryStopped> {
        let root = &location.root.path;
        let trust = self.trust_of(root).await;
        let mut chunks = entries.ready_chunks(256);
        while let Some(chunk) = chunks.next().await {
            let mut unprobed: Vec<(Box<Tool>, Recipe)> = Vec::new();
            let mut runtime_errors = Vec::with_capacity(chunk.len());
            let mut covered = covered(&trust, &chunk, root, cx).await.into_iter();
            let mut chunk = chunk;
            for entry in &mut chunk {
                let trusted = covered.next().unwrap_or(false);
                let Ok(RootEntry::Tool(tool, recipe)) = entry else {
                    runtime_errors.push(None);
                    continue;
                };
                tool.provenance.trusted = trusted;
                let error =
                    runtime_error(recipe, trusted && self.config.probing == Probing::Allowed).await;
                if error.is_none() && needs_probe(tool) {
                    unprobed.push((tool.clone(), recipe.clone()));
                }
                runtime_errors.push(error);
            }
            let probe = |(tool, recipe)| self.probe(tool, recipe, budget, cx);
            let mut probes = stream::iter(unprobed).map(probe).buffered(MAX_CONCURRENT_PROBES);
            for (entry, runtime_error) in chunk.into_iter().zip(runtime_errors) {
                match entry {
                    Err(err) => self.report_error(err, to).await?,
                    Ok(RootEntry::Diagnostic(diagnostic)) => to.report(diagnostic).await?,
                    Ok(RootEntry::Tool(mut tool, recipe)) => {
                        if trust.is_trusted() && !tool.provenance.trusted {
                            self.report_changed(&tool, root, to).await?;
                        }
                        let is_probed = runtime_error.is_none() && needs_probe(&tool);
                        if let Some(reason) = runtime_error {
                            tool.status = Status::Unavailable(reason.clone());
                            let diagnostic =
                                about(&tool, DiagnosticKind::Unavailable, reason.clone());
                            to.report_once(reason, diagnostic).await?;
                        }
                        let listed =
                            ListedTool { tool: tool.into(), recipe, location: location.clone() };
                        if !is_probed {
                            to.tool(listed).await?;
                        } else if let Some(probed) = probes.next().await {
                            self.gather_probed(listed, probed, to, budget, &trust).await?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    async fn trust_of(&self, root: &Path) -> FolderTrust {
        let (trust, root) = (self.config.trust.clone(), root.to_owned());
        let trust = tokio::task::spawn_blocking(move || trust(&root)).await;
        trust.unwrap_or(FolderTrust::Untrusted)
    }

    /// Reports once that the file of a tool is not the one that the user has trusted.
    async fn report_changed(
        &self,
        tool: &Tool,
        root: &Path,
        to: &mut Gathering<'_>,
    ) -> Result<(), DiscoveryStopped> {
        let diagnostic = about(tool, DiagnosticKind::Untrusted, CHANGED.to_owned())
            .with_hint(format!("read it, then run `{}`", trust_command(root)));
        let file = tool.provenance.path.as_deref().unwrap_or(Path::new("")).display();
        to.report_once(format!("changed {file}"), diagnostic).await
    }

    /// The real path of a root. A missing root is a diagnostic and does not end the discovery.
    async fn resolve_folder(
        &self,
        path: &Path,
        to: &mut Gathering<'_>,
    ) -> Result<Option<PathBuf>, DiscoveryStopped> {
        let given = path.to_owned();
        let real = tokio::task::spawn_blocking(move || {
            let real = std::fs::canonicalize(given)?;
            if real.is_dir() { Ok(real) } else { Err(std::io::ErrorKind::NotADirectory.into()) }
        });
        let err: std::io::Error = match real.await {
            Ok(Ok(real)) => return Ok(Some(real)),
            Ok(Err(err)) => err,
            Err(err) => err.into(),
        };
        let reason = match err.kind() {
            std::io::ErrorKind::NotFound => "the folder does not exist".to_owned(),
            std::io::ErrorKind::NotADirectory => "it is not a folder".to_owned(),
            _ => format!("it cannot be opened: {err}"),
        };
        to.report(self.diagnostic(DiagnosticKind::Unavailable, reason).with_path(path)).await?;
        Ok(None)
    }

    /// Handles an error of one root or file. The discovery continues, unless the request itself was
    /// invalid.
    async fn report_error(
        &self,
        err: SourceError,
        to: &mut Gathering<'_>,
    ) -> Result<(), DiscoveryStopped> {
        match err {
            SourceError::Stopped(_) | SourceError::Invalid { .. } | SourceError::Refused { .. } => {
                to.stop(err).await
            }
            other => {
                to.report(self.diagnostic(DiagnosticKind::Unavailable, other.to_string())).await
            }
        }
    }

    fn diagnostic(&self, kind: DiagnosticKind, message: impl Into<String>) -> Diagnostic {
        Diagnostic::warning(kind, message).with_source(self.config.id.clone())
    }

    /// Probes the file of a tool; `None` if no result is cached and the file may not be started.
    async fn probe(
        &self,
        tool: Box<Tool>,
        recipe: Recipe,
        budget: &ProbeBudget,
        cx: &Cx,
    ) -> Result<Option<Arc<ProbeRecord>>, Diagnostic> {
        let unreadable =
            || about(&tool, DiagnosticKind::Unavailable, "it cannot be read".to_owned());
        let content = content_of(&tool, &recipe).await.ok_or_else(unreadable)?;
        let eagerness = match (tool.provenance.trusted, self.config.probing, budget.remaining()) {
            (true, Probing::Allowed, Some(_)) => ProbeEagerness::Once,
            _ => ProbeEagerness::CachedOnly,
        };
        let per_file = budget
            .remaining()
            .map_or(self.config.limits.per_file, |left| left.min(self.config.limits.per_file));
        let limits = ProbeLimits { per_file, ..self.config.limits.clone() };
        Ok(self.prober.probe(&recipe, content, eagerness, &limits, cx).await)
    }

    /// Lists the tools that a probe returned. If the file could not be probed, lists the file
    /// itself under its own name.
    async fn gather_probed(
        &self,
        mut listed: ListedTool,
        probed: Result<Option<Arc<ProbeRecord>>, Diagnostic>,
        to: &mut Gathering<'_>,
        budget: &ProbeBudget,
        trust: &FolderTrust,
    ) -> Result<(), DiscoveryStopped> {
        let record = match probed {
            Err(unreadable) => return to.report(unreadable).await,
            Ok(Some(record)) => record,
            Ok(None) => {
                let reason = self.report_unprobed(&listed, to, budget, trust).await?;
                Arc::make_mut(&mut listed.tool).status = Status::Unprobed(reason);
                return to.tool(listed).await;
            }
        };
        let diagnostic = |kind, message| about(&listed.tool, kind, message);
        match &record.result {
            // A function without a description is a tool only if a manifest or header names it.
            ProbeResult::Tools(tools)
                if tools.iter().all(|tool| tool.as_ref().is_ok_and(|tool| tool.lacks_schema)) =>
            {
                let message = "Ignored: the module exports no tool".to_owned();
                let quiet = diagnostic(DiagnosticKind::Ignored, message)
                    .with_hint("export a tool, or describe its function in a comment");
                to.report(Diagnostic { level: DiagnosticLevel::Debug, ..quiet }).await
            }
            ProbeResult::Tools(tools) => {
                let is_described = |tool: &&Result<Probed, String>| {
                    tool.as_ref().map_or(true, |tool| !tool.lacks_schema)
                };
                for tool in tools.iter().filter(is_described) {
                    match tool.as_ref().map(|probed| (probed, ToolName::for_command(&probed.name)))
                    {
                        Ok((probed, Ok(name))) => {
                            to.tool(self.probed_tool(&listed, name, probed)).await?
                        }
                        Ok((_, Err(err))) => {
                            to.report(diagnostic(DiagnosticKind::Forbidden, err.to_string()))
                                .await?
                        }
                        Err(reason) => {
                            to.report(diagnostic(DiagnosticKind::Broken, reason.clone())).await?
                        }
                    }
                }
                Ok(())
            }
            ProbeResult::InvalidOutput(reason) => {
                to.report(diagnostic(DiagnosticKind::Broken, reason.clone())).await
            }
            ProbeResult::TimedOut { limit_ms } => {
                let message = format!("it did not list its tools within {limit_ms} ms");
                to.report(diagnostic(DiagnosticKind::Limit, message)).await
            }
            ProbeResult::NotStarted { reason, .. } => {
                let reason = format!("it cannot be started: {reason}");
                to.report(diagnostic(DiagnosticKind::Unavailable, reason.clone())).await?;
                Arc::make_mut(&mut listed.tool).status = Status::Unavailable(reason);
                to.tool(listed).await
            }
        }
    }

    /// A tool returned by a probe, with the location and recipe of its file.
    fn probed_tool(&self, file: &ListedTool, name: ToolName, probed: &Probed) -> ListedTool {
        let id = ToolId::new(self.config.id.clone(), name);
        let tool = Tool { provenance: file.tool.provenance.clone(), ..Tool::new(id) };
        ListedTool { tool: complete(tool, probed).into(), ..file.clone() }
    }

    /// Reports once why files are not probed; returns the reason for one of them.
    async fn report_unprobed(
        &self,
        listed: &ListedTool,
        to: &mut Gathering<'_>,
        budget: &ProbeBudget,
        trust: &FolderTrust,
    ) -> Result<String, DiscoveryStopped> {
        let path = &listed.location.root.path;
        let command = trust_command(path);
        if trust.is_trusted() && !listed.tool.provenance.trusted {
            Ok(format!("{CHANGED}; run `{command}`"))
        } else if !listed.tool.provenance.trusted {
            let message =
                "this folder is not trusted, so its files are not started to list their tools";
            let diagnostic = self.diagnostic(DiagnosticKind::Untrusted, message).with_path(path);
            to.report_once(
                format!("untrusted {}", path.display()),
                diagnostic.with_hint(command.clone()),
            )
            .await?;
            Ok(format!("its folder is not trusted; run `{command}`"))
        } else if budget.remaining().is_none() {
            let message = format!(
                "inspecting the files took longer than {} ms; the remaining tools are listed by file name",
                self.config.limits.total.as_millis()
            );
            to.report_once("budget".to_owned(), self.diagnostic(DiagnosticKind::Limit, message))
                .await?;
            Ok("not inspected: the time limit was reached".to_owned())
        } else {
            Ok("not inspected yet; run `toolscout tools` to inspect it".to_owned())
        }
    }
}

/// Whether the user trusts the content of each entry's files.
async fn covered(
    trust: &FolderTrust,
    chunk: &[Result<RootEntry, SourceError>],
    root: &Path,
    cx: &Cx,
) -> Vec<bool> {
    if !trust.reads_files() {
        return vec![trust.is_trusted(); chunk.len()];
    }
    let files = |entry: &Result<RootEntry, SourceError>| match entry {
        Ok(RootEntry::Tool(tool, recipe)) => files_of(tool, recipe, root, cx),
        _ => Vec::new(),
    };
    let (trust, files): (_, Vec<_>) = (trust.clone(), chunk.iter().map(files).collect());
    let check = move || files.iter().map(|files| trust.covers(files)).collect();
    tokio::task::spawn_blocking(check).await.unwrap_or_default()
}

/// Whether a file has no static description.
fn needs_probe(tool: &Tool) -> bool {
    matches!(tool.status, Status::Unprobed(_))
}

/// The time for probing all files together. It starts with the first probe.
struct ProbeBudget {
    total: Duration,
    since: OnceLock<Instant>,
}

impl ProbeBudget {
    fn new(total: Duration) -> Self {
        Self { total, since: OnceLock::new() }
    }

    fn remaining(&self) -> Option<Duration> {
        let spent = self.since.get_or_init(Instant::now).elapsed();
        self.total.checked_sub(spent).filter(|left| !left.is_zero())
    }
}

/// The reason why no installed runtime can load a module. With `may_start`, a runtime may be started
/// to learn its version.
pub(super) async fn runtime_error(recipe: &Recipe, may_start: bool) -> Option<String> {
    match recipe {
        Recipe::Module { file, .. } if may_start => runtime::load_error(file).await,
        Recipe::Module { file, .. } => runtime::runtime_for(file).err(),
        _ => None,
    }
}

/// The digest of the file that would be probed.
async fn content_of(tool: &Tool, recipe: &Recipe) -> Option<Digest> {
    let file = recipe.probe_file()?;
    match tool.provenance.content {
        Some(content) if tool.provenance.path.as_deref() == Some(file) => Some(content),
        _ => {
            let file = file.to_owned();
            tokio::task::spawn_blocking(move || inspect::content_digest(&file)).await.ok()?.ok()
        }
    }
}

/// Merges a probe result into the listed tool. Descriptive text that is already present stays;
/// schemas and annotations, which a call must obey, come from the file, if the file has them.
pub(super) fn complete(listed: Tool, probed: &Probed) -> Tool {
    let keywords =
        if listed.keywords.is_empty() { probed.keywords.clone() } else { listed.keywords };
    Tool {
        title: listed.title.or_else(|| probed.title.clone()),
        description: listed.description.or_else(|| probed.description.clone()),
        keywords,
        input_schema: if probed.lacks_schema {
            listed.input_schema
        } else {
            probed.input_schema.clone()
        },
        output_schema: probed.output_schema.clone(),
        annotations: probed.annotations.clone(),
        status: Status::Ready,
        ..listed
    }
}
