//! Settings about tool folders and the run itself, field by field.

use super::context::ContextSettings;
use super::document::Document;
use super::journal::JournalSettings;
use super::keys::{Keys, Wrong, either};
use super::request_tools::RequestTools;
use super::search::SearchSettings;
use super::telemetry::TelemetrySettings;
use std::path::PathBuf;
use toolscout_core::ShadowPolicy;

/// The lists of declared tools that can be named in `presets`.
pub(crate) const PRESETS: [&str; 1] = ["native"];

/// What is configured; every field may be left out. Paths are absolute.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// Where to search; `default` is the root found upward.
    pub roots: Option<Vec<PathBuf>>,
    /// Folders that are themselves folders of tools.
    pub tool_directories: Option<Vec<PathBuf>>,
    /// Single files, listed before all others.
    pub tool_files: Option<Vec<PathBuf>>,
    /// Instead of the usual patterns.
    pub patterns: Option<Vec<String>>,
    /// Instead of what is usually ignored.
    pub ignore: Option<Vec<String>>,
    /// `replace`, `skip` or `error`.
    pub on_conflict: Option<String>,
    /// Stop at the first problem.
    pub strict: Option<bool>,
    /// How long a file may take to say what tools it holds; all files of a source together, four times as long.
    pub probe_timeout_ms: Option<u64>,
    /// `auto`, `always` or `never`: whether agents see the tools that search and call others.
    pub meta_tools: Option<String>,
    /// Which servers are asked for their tools when a server of ours starts.
    pub discover_on_start: Option<DiscoverOnStart>,
    /// Folders of tools that a header of a request chooses.
    pub request_tools: Option<Vec<RequestTools>>,
    /// Declared lists of tools that nobody here can run: `native`.
    pub presets: Option<Vec<String>>,
    /// How to search.
    pub search: SearchSettings,
    /// What to tell models about tools.
    pub context: ContextSettings,
    /// Where traces go.
    pub telemetry: TelemetrySettings,
    /// What becomes of a tool whose name a stronger source has, too.
    pub shadow: Option<ShadowPolicy>,
    /// How much of what happened is kept.
    pub journal: JournalSettings,
}

/// Which servers are asked for their tools at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DiscoverOnStart {
    /// Those never asked, or whose entry has changed since.
    #[default]
    Missing,
    /// Those whose tools are old, too.
    Stale,
    /// All of them.
    All,
}

impl DiscoverOnStart {
    const WORDS: [(&str, Self); 3] = [("missing", Self::Missing), ("stale", Self::Stale), ("all", Self::All)];
}

impl Settings {
    pub(super) fn read(keys: &mut Keys, document: &Document) -> Result<Self, Wrong> {
        let folder = document.folder();
        let root = |it: String| if it == "default" { PathBuf::from(it) } else { folder.join(it) };
        let words = ["auto", "always", "never"].map(|it| (it, it));
        Ok(Self {
            roots: keys.texts("roots")?.map(|it| it.into_iter().map(root).collect()),
            tool_directories: keys.paths("tool_directories", folder)?,
            tool_files: keys.paths("tool_files", folder)?,
            patterns: keys.texts("patterns")?,
            ignore: keys.texts("ignore")?,
            on_conflict: keys.text("on_conflict")?,
            strict: keys.flag("strict")?,
            probe_timeout_ms: keys.milliseconds("probe_timeout_ms")?,
            meta_tools: keys.choice("meta_tools", &words)?.map(str::to_owned),
            discover_on_start: keys.choice("discover_on_start", &DiscoverOnStart::WORDS)?,
            request_tools: RequestTools::read(keys)?,
            presets: presets(keys)?,
            search: SearchSettings::read(keys, folder)?,
            context: ContextSettings::read(keys)?,
            telemetry: TelemetrySettings::read(keys, document)?,
            shadow: keys.choice("shadow", &[("report", ShadowPolicy::Report), ("exclude", ShadowPolicy::Exclude)])?,
            journal: JournalSettings::read(keys)?,
        })
    }

    /// These, and where they say nothing, those of the other. Where to look for tools is one decision, and what counts
    /// as one is another: of each, all is taken from one file.
    pub(super) fn or(self, other: Self) -> Self {
        let places = [&self.roots, &self.tool_directories, &self.tool_files].iter().all(|it| it.is_none());
        let globs = self.patterns.is_none() && self.ignore.is_none();
        Self {
            roots: if places { other.roots } else { self.roots },
            tool_directories: if places { other.tool_directories } else { self.tool_directories },
            tool_files: if places { other.tool_files } else { self.tool_files },
            patterns: if globs { other.patterns } else { self.patterns },
            ignore: if globs { other.ignore } else { self.ignore },
            on_conflict: self.on_conflict.or(other.on_conflict),
            strict: self.strict.or(other.strict),
            probe_timeout_ms: self.probe_timeout_ms.or(other.probe_timeout_ms),
            meta_tools: self.meta_tools.or(other.meta_tools),
            discover_on_start: self.discover_on_start.or(other.discover_on_start),
            request_tools: self.request_tools.or(other.request_tools),
            presets: self.presets.or(other.presets),
            search: self.search.or(other.search),
            context: self.context.or(other.context),
            // Of the two, one is empty: a project may not say.
            telemetry: if self.telemetry == TelemetrySettings::default() { other.telemetry } else { self.telemetry },
            // Who wants to have it left out is not overruled.
            shadow: self.shadow.max(other.shadow),
            journal: self.journal.or(other.journal),
        }
    }
}

/// Those there are, and no others.
fn presets(keys: &mut Keys) -> Result<Option<Vec<String>>, Wrong> {
    let names = keys.texts("presets")?;
    match names.iter().flatten().find(|it| !PRESETS.contains(&it.as_str())) {
        Some(unknown) => {
            let reason = format!("there is no preset `{unknown}`; use {}", either(&PRESETS));
            Err(Wrong { key: "presets".to_owned(), reason })
        }
        None => Ok(names),
    }
}
