//! Lists: explicit files, then root after root; asks the files that only they themselves can describe.

use super::{FolderSource, Probing};
use crate::ask::{ProbeEagerness, ProbeRecord, ProbeResult};
use crate::gather::{DiscoveryStopped, Gathering, ListedTool, ToolLocation, about};
use crate::globs::one_file;
use crate::inspect;
use crate::probe::ProbeLimits;
use crate::prompts;
use crate::recipe::{Probed, Recipe};
use crate::roots::{Root, RootLayout};
use crate::runtime;
use crate::strategy::RootEntry;
use futures_util::{StreamExt, stream};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use toolscout_core::{
    BoxStream, Cx, Diagnostic, DiagnosticKind, DiagnosticLevel, Digest, SourceError, SourceId, Status, Tool, ToolId,
    ToolName, escape,
};

/// How many files are asked at a time. They are programs of others; a few at once keep the machine usable.
const AT_A_TIME: usize = 4;

impl FolderSource {
    pub(super) async fn gather(&self, gathering: &mut Gathering<'_>, cx: &Cx) -> Result<(), DiscoveryStopped> {
        let budget = ProbeBudget::new(self.terms.limits.total);
        for file in &self.terms.explicit {
            self.gather_file(file, gathering, &budget, cx).await?;
        }
        gathering.next_root();
        let mut searched = HashSet::new();
        let mut roots = self.terms.roots.roots();
        while let Some(root) = roots.next().await {
            let root = match root {
                Ok(root) => root,
                Err(err) => {
                    self.failed(err, gathering).await?;
                    continue;
                }
            };
            let Some(path) = self.real(&root.path, gathering).await? else { continue };
            let root = Root { path, ..root };
            if searched.insert(root.clone()) {
                self.gather_root(root, gathering, &budget, cx).await?;
                gathering.next_root();
            }
        }
        Ok(())
    }

    async fn gather_root(
        &self,
        root: Root,
        to: &mut Gathering<'_>,
        budget: &ProbeBudget,
        cx: &Cx,
    ) -> Result<(), DiscoveryStopped> {
        let ground = Arc::new(ToolLocation { root, is_explicit: false });
        let entries = self.terms.tools.tools(&ground.root, self.visit(cx));
        self.gather_entries(entries, &ground, to, budget, cx).await?;
        match ground.root.layout {
            RootLayout::Project => self.gather_prompts(&ground.root.path, to).await,
            _ => Ok(()),
        }
    }

    /// A prompt is an instruction: nobody gets one from a folder that no person has looked at.
    async fn gather_prompts(&self, root: &Path, to: &mut Gathering<'_>) -> Result<(), DiscoveryStopped> {
        // Most projects have none, and crossing threads costs more than this look.
        if !prompts::folder(root).is_dir() {
            return Ok(());
        }
        let path = root.to_owned();
        let found = tokio::task::spawn_blocking(move || prompts::find(&path)).await.unwrap_or_default();
        if !found.is_empty() && !self.is_trusted(root).await {
            let message = "this folder is not trusted, so its prompts are not offered";
            let hint = format!("toolscout trust {}", escape::line(&root.display().to_string()));
            let problem = self.problem(DiagnosticKind::Untrusted, message).at(prompts::folder(root)).hint(hint);
            return to.problem(Diagnostic { level: DiagnosticLevel::Debug, ..problem }).await;
        }
        for prompt in found {
            match prompt {
                Ok(prompt) => to.prompt(prompt, root).await?,
                Err(problem) => to.problem(problem.of(self.terms.id.clone())).await?,
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
            return to.problem(self.problem(DiagnosticKind::Broken, "names no file").at(file)).await;
        };
        let Some(path) = self.real(folder, to).await? else { return Ok(()) };
        let ground = Arc::new(ToolLocation { root: Root::tools(&path), is_explicit: true });
        let entries = one_file(&ground.root, &path.join(name), self.visit(cx));
        if self.gather_entries(entries, &ground, to, budget, cx).await? == 0 {
            // Somebody named this file, so that it holds nothing is news.
            return to.problem(self.problem(DiagnosticKind::Broken, "holds no tool").at(file)).await;
        }
        Ok(())
    }

    /// Says how many things were worth a word.
    async fn gather_entries(
        &self,
        entries: BoxStream<'_, Result<RootEntry, SourceError>>,
        ground: &Arc<ToolLocation>,
        to: &mut Gathering<'_>,
        budget: &ProbeBudget,
        cx: &Cx,
    ) -> Result<usize, DiscoveryStopped> {
        let trusted = self.is_trusted(&ground.root.path).await;
        let mut count = 0;
        let mut entries = entries.ready_chunks(256);
        while let Some(chunk) = entries.next().await {
            let settled = settle_all(chunk, trusted);
            let mut steps =
                stream::iter(settled).map(|it| self.answer(it, ground, trusted, budget, cx)).buffered(AT_A_TIME);
            while let Some(steps) = steps.next().await {
                for step in steps {
                    count += usize::from(step.is_news());
                    self.take(step, ground, to).await?;
                }
            }
        }
        Ok(count)
    }

    async fn take(
        &self,
        step: GatherStep,
        ground: &Arc<ToolLocation>,
        to: &mut Gathering<'_>,
    ) -> Result<(), DiscoveryStopped> {
        match step {
            GatherStep::Tool(tool, recipe) => {
                to.tool(ListedTool { tool: tool.into(), recipe, ground: ground.clone() }).await
            }
            GatherStep::Diagnostic(problem) => to.problem(problem).await,
            GatherStep::Once(key, problem) => to.problem_once(key, problem).await,
            GatherStep::Failed(err) => self.failed(err, to).await,
        }
    }

    async fn is_trusted(&self, root: &Path) -> bool {
        let (trust, root) = (self.terms.trust.clone(), root.to_owned());
        tokio::task::spawn_blocking(move || trust(&root)).await.unwrap_or(false)
    }

    /// A root's real path; one that is not there is a problem, not the end.
    async fn real(&self, path: &Path, to: &mut Gathering<'_>) -> Result<Option<PathBuf>, DiscoveryStopped> {
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
            std::io::ErrorKind::NotFound => "there is no such folder".to_owned(),
            std::io::ErrorKind::NotADirectory => "is not a folder".to_owned(),
            _ => format!("cannot be opened: {err}"),
        };
        to.problem(self.problem(DiagnosticKind::Unavailable, reason).at(path)).await?;
        Ok(None)
    }

    /// What one root or file could not give. The rest goes on, unless the request itself was wrong.
    async fn failed(&self, err: SourceError, to: &mut Gathering<'_>) -> Result<(), DiscoveryStopped> {
        match err {
            SourceError::Stopped(_) | SourceError::Invalid { .. } | SourceError::Refused { .. } => to.stop(err).await,
            other => to.problem(self.problem(DiagnosticKind::Unavailable, other.to_string())).await,
        }
    }

    fn problem(&self, kind: DiagnosticKind, message: impl Into<String>) -> Diagnostic {
        Diagnostic::warning(kind, message).of(self.terms.id.clone())
    }

    /// What an entry comes to, where its file has to be asked: what it says, or why nobody asks it.
    async fn answer(
        &self,
        settled: EntryOutcome,
        ground: &ToolLocation,
        trusted: bool,
        budget: &ProbeBudget,
        cx: &Cx,
    ) -> Vec<GatherStep> {
        let (tool, recipe) = match settled {
            EntryOutcome::Steps(steps) => return steps,
            EntryOutcome::Ask(tool, recipe) => (tool, recipe),
        };
        let Some(content) = content_of(&tool, &recipe).await else {
            return vec![GatherStep::Diagnostic(about(
                &tool,
                DiagnosticKind::Unavailable,
                "cannot be read".to_owned(),
            ))];
        };
        let eagerness = match (trusted, self.terms.probing, budget.left()) {
            (true, Probing::Allowed, Some(_)) => ProbeEagerness::Once,
            _ => ProbeEagerness::Remembered,
        };
        let per_file = budget.left().map_or(self.terms.limits.per_file, |it| it.min(self.terms.limits.per_file));
        let limits = ProbeLimits { per_file, ..self.terms.limits.clone() };
        match self.prober.ask(&recipe, content, eagerness, &limits, cx).await {
            Some(answer) => told(&self.terms.id, &tool, &recipe, &answer),
            None => self.unasked(tool, recipe, ground, trusted, budget),
        }
    }

    /// Lists a file by its name alone, and says why.
    fn unasked(
        &self,
        mut tool: Box<Tool>,
        recipe: Recipe,
        ground: &ToolLocation,
        trusted: bool,
        budget: &ProbeBudget,
    ) -> Vec<GatherStep> {
        let root = ground.root.path.display().to_string();
        let root = escape::line(&root).into_owned();
        let mut steps = Vec::new();
        let reason = if !trusted {
            let message = "this folder is not trusted, so its files are not asked what tools they hold";
            let hint = format!("toolscout trust {root}");
            let problem = self.problem(DiagnosticKind::Untrusted, message).at(&ground.root.path).hint(hint);
            steps.push(GatherStep::Once(format!("untrusted {root}"), problem));
            format!("its folder is not trusted; type `toolscout trust {root}`")
        } else if budget.left().is_none() {
            let message = format!(
                "asking files what tools they hold took longer than {} ms; the rest is listed by file name",
                self.terms.limits.total.as_millis()
            );
            steps.push(GatherStep::Once("budget".to_owned(), self.problem(DiagnosticKind::Limit, message)));
            "there was no time left to ask it what it holds".to_owned()
        } else {
            "nobody has asked it yet what it holds; `toolscout tools` does".to_owned()
        };
        tool.status = Status::Unprobed(reason);
        steps.push(GatherStep::Tool(tool, recipe));
        steps
    }
}

/// What is to be gathered.
enum GatherStep {
    Tool(Box<Tool>, Recipe),
    Diagnostic(Diagnostic),
    /// Said once for all who share the key.
    Once(String, Diagnostic),
    Failed(SourceError),
}

impl GatherStep {
    /// Whether it shows that there was something in a file.
    fn is_news(&self) -> bool {
        match self {
            Self::Diagnostic(problem) => problem.level == DiagnosticLevel::Warning,
            _ => true,
        }
    }
}

/// An entry that is what it is, or one whose file has to be asked.
enum EntryOutcome {
    Steps(Vec<GatherStep>),
    Ask(Box<Tool>, Recipe),
}

/// Settles entry by entry; what comes between two files to be asked is one piece, because it needs no waiting.
fn settle_all(entries: Vec<Result<RootEntry, SourceError>>, trusted: bool) -> Vec<EntryOutcome> {
    let mut all: Vec<EntryOutcome> = Vec::new();
    for entry in entries {
        match (settle(entry, trusted), all.last_mut()) {
            (EntryOutcome::Steps(more), Some(EntryOutcome::Steps(steps))) => steps.extend(more),
            (settled, _) => all.push(settled),
        }
    }
    all
}

fn settle(entry: Result<RootEntry, SourceError>, trusted: bool) -> EntryOutcome {
    let (mut tool, recipe) = match entry {
        Ok(RootEntry::Tool(tool, recipe)) => (tool, recipe),
        Ok(RootEntry::Diagnostic(problem)) => return EntryOutcome::Steps(vec![GatherStep::Diagnostic(problem)]),
        Err(err) => return EntryOutcome::Steps(vec![GatherStep::Failed(err)]),
    };
    tool.provenance.trusted = trusted;
    if let Some(reason) = missing_runtime(&mut tool, &recipe) {
        let problem = about(&tool, DiagnosticKind::Unavailable, reason.clone());
        return EntryOutcome::Steps(vec![GatherStep::Once(reason, problem), GatherStep::Tool(tool, recipe)]);
    }
    match tool.status {
        Status::Unprobed(_) => EntryOutcome::Ask(tool, recipe),
        _ => EntryOutcome::Steps(vec![GatherStep::Tool(tool, recipe)]),
    }
}

/// Time for asking, all files together. It runs from the first one on.
struct ProbeBudget {
    total: Duration,
    since: OnceLock<Instant>,
}

impl ProbeBudget {
    fn new(total: Duration) -> Self {
        Self { total, since: OnceLock::new() }
    }

    fn left(&self) -> Option<Duration> {
        let spent = self.since.get_or_init(Instant::now).elapsed();
        self.total.checked_sub(spent).filter(|it| !it.is_zero())
    }
}

/// Marks a module as unavailable where nothing here can load it; gives the reason.
pub(super) fn missing_runtime(tool: &mut Tool, recipe: &Recipe) -> Option<String> {
    let Recipe::Module { file, .. } = recipe else { return None };
    let reason = runtime::runtime_for(file).err()?;
    tool.status = Status::Unavailable(reason.clone());
    Some(reason)
}

/// The digest of the file that would be asked.
async fn content_of(tool: &Tool, recipe: &Recipe) -> Option<Digest> {
    let file = recipe.askable()?;
    match tool.provenance.content {
        Some(content) if tool.provenance.path.as_deref() == Some(file) => Some(content),
        _ => {
            let file = file.to_owned();
            tokio::task::spawn_blocking(move || inspect::content_digest(&file)).await.ok()?.ok()
        }
    }
}

/// The tools that a file has told us of.
fn told(id: &SourceId, asked: &Tool, recipe: &Recipe, answer: &ProbeRecord) -> Vec<GatherStep> {
    let tools = match &answer.said {
        ProbeResult::Tools(tools) => tools,
        ProbeResult::Nonsense(reason) => return vec![broken(asked, DiagnosticKind::Broken, reason.clone())],
        ProbeResult::TimedOut { limit_ms } => {
            let message = format!("did not say within {limit_ms} ms what tools it holds");
            return vec![broken(asked, DiagnosticKind::Limit, message)];
        }
        ProbeResult::NotStarted { reason, .. } => {
            return vec![broken(asked, DiagnosticKind::Unavailable, format!("cannot be started: {reason}"))];
        }
    };
    if tools.is_empty() {
        let quiet = about(asked, DiagnosticKind::Broken, "says it holds no tools".to_owned());
        return vec![GatherStep::Diagnostic(Diagnostic { level: DiagnosticLevel::Debug, ..quiet })];
    }
    let step = |it: &Result<Probed, String>| match it {
        Ok(probed) => match ToolName::for_command(&probed.name) {
            Ok(name) => GatherStep::Tool(Box::new(complete(named(id, name, asked), probed)), recipe.clone()),
            Err(err) => broken(asked, DiagnosticKind::Forbidden, err.to_string()),
        },
        Err(reason) => broken(asked, DiagnosticKind::Broken, reason.clone()),
    };
    tools.iter().map(step).collect()
}

fn broken(asked: &Tool, kind: DiagnosticKind, message: String) -> GatherStep {
    GatherStep::Diagnostic(about(asked, kind, message))
}

fn named(id: &SourceId, name: ToolName, asked: &Tool) -> Tool {
    Tool { provenance: asked.provenance.clone(), ..Tool::new(ToolId::new(id.clone(), name)) }
}

/// The listed tool with what its file says. Words that were there stay; what a call must obey comes from the file.
pub(super) fn complete(listed: Tool, probed: &Probed) -> Tool {
    let keywords = if listed.keywords.is_empty() { probed.keywords.clone() } else { listed.keywords };
    Tool {
        title: listed.title.or_else(|| probed.title.clone()),
        description: listed.description.or_else(|| probed.description.clone()),
        keywords,
        input_schema: probed.input_schema.clone(),
        output_schema: probed.output_schema.clone(),
        annotations: probed.annotations.clone(),
        status: Status::Ready,
        ..listed
    }
}
