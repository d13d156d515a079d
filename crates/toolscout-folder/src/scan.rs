//! Searches one root: walks it, inspects each file that changed since the last scan, then returns
//! all entries in order.
//!
//! Which files belong to a manifest or a tool file is known only after reading all of those, and
//! the target of a manifest may change while the manifest does not. So the cache holds the
//! inspection of each file, and each scan combines the inspections again.

mod record;

use super::described::{DescribedTool, FileInspection, RecipePlan};
use super::file_in_root::FileInRoot;
use super::inspect::InspectionMode;
use super::matcher::Matcher;
use super::recipe::{Flavour, Recipe};
use super::roots::{Root, RootLayout};
use super::runtime::is_module;
use super::stamp::Owners;
use super::strategy::{RootEntry, RootVisit};
use super::walk::{self, NotAFile, WalkLimits, Walked, WalkedFile};
use record::ScanCache;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use toolscout_core::{Diagnostic, DiagnosticKind, Status, escape};

/// The number of files found in the scan cache, and the number that had to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ScanCounts {
    pub(super) hits: usize,
    pub(super) misses: usize,
}

/// Receives the entries of a scan; returns `false` if the receiver needs no more.
pub(super) type Give<'a> = &'a mut dyn FnMut(RootEntry) -> bool;

/// Searches a root, whose path must be real. Blocks.
pub(super) fn scan(
    root: &Root,
    matcher: &Matcher,
    visit: &RootVisit,
    emit: Give<'_>,
) -> ScanCounts {
    // Opening the cache and walking take about the same time and are independent.
    let (walked, mut cache) = std::thread::scope(|scope| {
        let cache = scope.spawn(|| ScanCache::open(root, matcher, visit.store.as_deref()));
        let walked = walk::walk(&root.path, matcher, WalkLimits::of_root(visit.is_trusted));
        (walked, cache.join().unwrap_or_else(|_| ScanCache::none()))
    });
    let survey = RootSurvey::new(root, walked, &mut cache, |path| matcher.is_manifest(path));
    let record = cache.to_write(survey.files.iter());
    let counts = cache.counts();
    tracing::debug!(event = "discovery.scan", root = %root.path.display(), hits = counts.hits, misses = counts.misses);
    survey.emit(visit, emit);
    if let Some(record) = record {
        record.write();
    }
    counts
}

/// Inspects a single file of a root. Blocks.
pub(super) fn scan_file(root: &Root, file: &Path, visit: &RootVisit, emit: Give<'_>) {
    let warning = |kind, message: &str| {
        Diagnostic::warning(kind, message).with_source(visit.source.clone()).with_path(file)
    };
    let Some(relative) = file.strip_prefix(&root.path).ok().and_then(Path::to_str) else {
        emit(RootEntry::Diagnostic(warning(DiagnosticKind::Forbidden, "it is outside its folder")));
        return;
    };
    match walk::walk_to(&root.path, relative) {
        Ok(walked_file) => {
            let walked = Walked { files: vec![walked_file], diagnostics: Vec::new() };
            let is_manifest = |path: &str| file_name(path) == "manifest.json";
            RootSurvey::new(root, walked, &mut ScanCache::none(), is_manifest).emit(visit, emit);
        }
        Err(NotAFile::Missing) => {
            emit(RootEntry::Diagnostic(warning(
                DiagnosticKind::Unavailable,
                "the file does not exist",
            )));
        }
        Err(NotAFile::Outside) => {
            emit(RootEntry::Diagnostic(warning(
                DiagnosticKind::Forbidden,
                "it is a symbolic link that leads out of the folder",
            )));
        }
        Err(NotAFile::Other(sort)) => {
            emit(RootEntry::Diagnostic(warning(
                DiagnosticKind::Forbidden,
                &format!("it is {sort}, not a file"),
            )));
        }
    }
}

/// A file and its inspection.
pub(super) struct InspectedFile {
    pub(super) file: WalkedFile,
    pub(super) inspection: FileInspection,
}

/// All files of a root, before manifests and files are combined.
struct RootSurvey<'a> {
    root: &'a Root,
    owners: Owners,
    /// Walked files first, in order; then the files that only a manifest names.
    files: Vec<InspectedFile>,
    walked: usize,
    by_path: HashMap<String, usize>,
    /// Why a path named by a manifest is not a file of the folder.
    absent: HashMap<String, NotAFile>,
    claims: HashSet<String>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> RootSurvey<'a> {
    /// Inspects all files of a walk, then the files that only manifests name.
    fn new(
        root: &'a Root,
        walked: Walked,
        cache: &mut ScanCache<'_>,
        is_manifest: impl Fn(&str) -> bool,
    ) -> Self {
        let mut survey = Self {
            root,
            owners: Owners::new(&root.path),
            walked: walked.files.len(),
            files: Vec::with_capacity(walked.files.len()),
            by_path: HashMap::new(),
            absent: HashMap::new(),
            claims: HashSet::new(),
            diagnostics: walked.diagnostics,
        };
        for file in walked.files {
            let is_manifest = is_manifest(&file.relative);
            survey.inspect(file, is_manifest, cache);
        }
        let target = |tool: &DescribedTool| match &tool.plan {
            RecipePlan::Target(path) => Some(path.clone()),
            _ => None,
        };
        let targets = survey
            .files
            .iter()
            .flat_map(|inspected| &inspected.inspection.tools)
            .filter_map(target);
        let targets: Vec<String> = targets.collect();
        if !targets.is_empty() || !survey.claims.is_empty() {
            let paths = survey.files.iter().map(|inspected| inspected.file.relative.clone());
            survey.by_path = paths.zip(0..).collect();
        }
        for target in targets {
            if survey.by_path.contains_key(&target) || survey.absent.contains_key(&target) {
                continue;
            }
            match walk::walk_to(&root.path, &target) {
                Ok(file) => {
                    survey.by_path.insert(target, survey.files.len());
                    survey.inspect(file, false, cache);
                }
                Err(reason) => drop(survey.absent.insert(target, reason)),
            }
        }
        survey
    }

    fn inspect(&mut self, file: WalkedFile, is_manifest: bool, cache: &mut ScanCache<'_>) {
        let file_in_root = FileInRoot { root: &self.root.path, relative: &file.relative };
        let mode = InspectionMode { is_manifest, flavour: self.flavour() };
        let inspection = cache.inspect(&file_in_root, &file.stamp, mode);
        self.claims.extend(inspection.claims.iter().cloned());
        self.files.push(InspectedFile { file, inspection });
    }

    fn flavour(&self) -> Flavour {
        if self.root.layout == RootLayout::Opencode { Flavour::Opencode } else { Flavour::Plain }
    }

    /// Emits all entries, in the order of the paths.
    fn emit(mut self, visit: &RootVisit, emit: Give<'_>) {
        let diagnostics = std::mem::take(&mut self.diagnostics).into_iter();
        if !diagnostics
            .map(|diagnostic| RootEntry::Diagnostic(diagnostic.with_source(visit.source.clone())))
            .all(&mut *emit)
        {
            return;
        }
        for at in 0..self.walked {
            let inspection = std::mem::take(&mut self.files[at].inspection);
            // `target` reads this field again for manifest entries.
            self.files[at].inspection.has_schema_verb = inspection.has_schema_verb;
            if !self.entries(at, inspection, visit).into_iter().all(&mut *emit) {
                return;
            }
        }
    }

    /// The entries of one file; none if a manifest or another tool file claims it.
    fn entries(&self, at: usize, inspection: FileInspection, visit: &RootVisit) -> Vec<RootEntry> {
        let file = &self.files[at].file;
        // A tool file is listed even if the command of another tool file mentions it.
        if self.claims.contains(&file.relative)
            && super::tool_file::format(file_name(&file.relative)).is_none()
        {
            return Vec::new();
        }
        let path = self.root.path.join(&file.relative);
        let diagnostic = |diagnostic: Diagnostic| {
            RootEntry::Diagnostic(diagnostic.with_source(visit.source.clone()).with_path(&path))
        };
        let warning = |kind, message| diagnostic(Diagnostic::warning(kind, message));
        let refusal_reason = self.refusal_reason(file, &inspection.claims);
        let mut entries: Vec<_> = inspection.diagnostics.into_iter().map(diagnostic).collect();
        for mut described in inspection.tools {
            let plan = std::mem::take(&mut described.plan);
            let status = plan.status();
            let recipe = match plan {
                RecipePlan::Ready(recipe @ Recipe::Http(_)) => Ok(recipe),
                RecipePlan::Ready(recipe)
                | RecipePlan::Static(recipe)
                | RecipePlan::Unprobed(recipe) => refusal_reason.clone().map_or(Ok(recipe), Err),
                RecipePlan::Target(target) => self.target(&target),
            };
            let recipe = recipe.map(|recipe| recipe.with_timeout(described.timeout_ms));
            let mut tool =
                match described.into_tool(&visit.source, &path, inspection.content, status) {
                    Ok(tool) => tool,
                    Err(error) => {
                        entries.push(warning(DiagnosticKind::Broken, error.to_string()));
                        continue;
                    }
                };
            match recipe {
                Err(reason) => entries.push(warning(DiagnosticKind::Forbidden, reason)),
                Ok(recipe) => {
                    // A tool whose file is missing is still listed, with the reason why it is
                    // unavailable.
                    if let Recipe::Missing { reason } = &recipe {
                        let message =
                            format!("`{}`: {reason}", escape::line(tool.id.name.as_str()));
                        entries.push(warning(DiagnosticKind::Unavailable, message));
                        tool.status = Status::Unavailable(reason.clone());
                    }
                    entries.push(RootEntry::Tool(Box::new(tool), recipe));
                }
            }
        }
        entries
    }

    /// The reason why this file's tools must not run: another user could have written the file, or
    /// a file that it starts.
    fn refusal_reason(&self, file: &WalkedFile, claims: &[String]) -> Option<String> {
        let claimed = claims
            .iter()
            .filter_map(|claim| self.by_path.get(claim))
            .map(|at| &self.files[*at].file);
        std::iter::once(file).chain(claimed).find_map(|item| {
            let reason = match self.owners.refusal_reason(&item.stamp) {
                Some(reason) => reason,
                None if item.in_world_writable_folder => {
                    "its folder is world-writable, so it is not run"
                }
                None => return None,
            };
            let other = (item.relative != file.relative).then(|| format!("`{}`: ", item.relative));
            Some(format!("{}{reason}", other.unwrap_or_default()))
        })
    }

    /// The recipe of a manifest entry, derived from the file at its path; the error is the reason
    /// for its refusal.
    fn target(&self, target: &str) -> Result<Recipe, String> {
        let missing = |reason: String| Ok(Recipe::Missing { reason });
        let inspected = match (self.by_path.get(target), self.absent.get(target)) {
            (Some(at), _) => &self.files[*at],
            (None, Some(NotAFile::Outside)) => {
                return Err(format!("`{target}` is a symbolic link that leads out of the folder"));
            }
            (None, Some(NotAFile::Other(sort))) => {
                return missing(format!("`{target}` is {sort}, not a file"));
            }
            (None, _) => return missing(format!("`{target}` does not exist")),
        };
        if let Some(reason) = self.refusal_reason(&inspected.file, &[]) {
            return Err(format!("`{target}`: {reason}"));
        }
        let path = self.root.path.join(target);
        let executable = inspected.file.stamp.is_executable();
        if is_module(file_name(target)) && !(executable && inspected.inspection.has_schema_verb) {
            Ok(Recipe::module(path, self.flavour()))
        } else if executable {
            Ok(Recipe::executable(path))
        } else {
            missing(format!("`{target}` is neither executable nor a module"))
        }
    }
}

fn file_name(relative: &str) -> &str {
    relative.rsplit('/').next().unwrap_or(relative)
}
