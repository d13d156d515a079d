//! Searches one root: a walk, a look at each file that changed since the last time, then everything in order.
//!
//! Which files belong to a manifest or a tool file is known only when all of those are read, and what lies at a
//! manifest's path may change without the manifest; so looks are remembered, file by file, and put together anew.

mod record;

use super::described::{DescribedTool, RecipePlan};
use super::inspect::{FileInspection, InspectionMode, is_module};
use super::matcher::Matcher;
use super::place::FileInRoot;
use super::recipe::{Flavour, Recipe};
use super::roots::{Root, RootLayout};
use super::stamp::Owners;
use super::strategy::{RootEntry, RootVisit};
use super::walk::{self, NotAFile, WalkLimits, Walked, WalkedFile};
use record::ScanCache;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use toolscout_core::{Diagnostic, DiagnosticKind, Digest, Status, Tool, escape};

/// How many files were known from the last time, and how many had to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ScanCounts {
    pub(super) hits: usize,
    pub(super) misses: usize,
}

/// Takes what a scan found; `false`: nobody wants more.
pub(super) type Give<'a> = &'a mut dyn FnMut(RootEntry) -> bool;

/// Searches a root, whose path must be real. Blocks.
pub(super) fn scan(root: &Root, matcher: &Matcher, visit: &RootVisit, give: Give<'_>) -> ScanCounts {
    // Remembering and walking cost about the same, and neither needs the other.
    let (walked, mut memory) = std::thread::scope(|scope| {
        let memory = scope.spawn(|| ScanCache::open(root, matcher, visit.store.as_deref()));
        let walked = walk::walk(&root.path, matcher, WalkLimits::default());
        (walked, memory.join().unwrap_or_else(|_| ScanCache::none()))
    });
    let survey = RootSurvey::new(root, walked, &mut memory, |it| matcher.is_manifest(it));
    let record = memory.close(survey.sights.iter());
    let counts = memory.counts();
    tracing::debug!(event = "discovery.scan", root = %root.path.display(), hits = counts.hits, misses = counts.misses);
    survey.give(visit, give);
    if let Some(record) = record {
        record.keep();
    }
    counts
}

/// Looks at one file of a root alone. Blocks.
pub(super) fn scan_file(root: &Root, file: &Path, visit: &RootVisit, give: Give<'_>) {
    let problem = |kind, message: &str| Diagnostic::warning(kind, message).of(visit.source.clone()).at(file);
    let Some(relative) = file.strip_prefix(&root.path).ok().and_then(Path::to_str) else {
        give(RootEntry::Diagnostic(problem(DiagnosticKind::Forbidden, "is outside its folder")));
        return;
    };
    match walk::walk_to(&root.path, relative) {
        Ok(it) => {
            let walked = Walked { files: vec![it], problems: Vec::new() };
            let is_manifest = |it: &str| file_name(it) == "manifest.json";
            RootSurvey::new(root, walked, &mut ScanCache::none(), is_manifest).give(visit, give);
        }
        Err(NotAFile::Missing) => {
            give(RootEntry::Diagnostic(problem(DiagnosticKind::Unavailable, "is not there")));
        }
        Err(NotAFile::Outside) => {
            give(RootEntry::Diagnostic(problem(DiagnosticKind::Forbidden, "is a link that leads out of the folder")));
        }
        Err(NotAFile::Other(sort)) => {
            give(RootEntry::Diagnostic(problem(DiagnosticKind::Forbidden, &format!("is {sort}, not a file"))));
        }
    }
}

/// A file and what a look at it gave.
pub(super) struct InspectedFile {
    pub(super) file: WalkedFile,
    pub(super) inspection: FileInspection,
}

/// Everything seen in a root, before it is put together.
struct RootSurvey<'a> {
    root: &'a Root,
    owners: Owners,
    /// Walked files first, in order; then those that only a manifest names.
    sights: Vec<InspectedFile>,
    walked: usize,
    by_path: HashMap<String, usize>,
    /// What lies at a manifest's path, where it is no file of the folder.
    absent: HashMap<String, NotAFile>,
    claims: HashSet<String>,
    problems: Vec<Diagnostic>,
}

impl<'a> RootSurvey<'a> {
    fn new(root: &'a Root, walked: Walked, memory: &mut ScanCache<'_>, is_manifest: impl Fn(&str) -> bool) -> Self {
        let flavour = if root.layout == RootLayout::Opencode { Flavour::Opencode } else { Flavour::Plain };
        let mut survey = Self {
            root,
            owners: Owners::of(&root.path),
            walked: walked.files.len(),
            sights: Vec::with_capacity(walked.files.len()),
            by_path: HashMap::new(),
            absent: HashMap::new(),
            claims: HashSet::new(),
            problems: walked.problems,
        };
        for file in walked.files {
            let manner = InspectionMode { is_manifest: is_manifest(&file.relative), flavour };
            survey.see(file, manner, memory);
        }
        survey.follow_targets(flavour, memory);
        survey
    }

    fn see(&mut self, file: WalkedFile, manner: InspectionMode, memory: &mut ScanCache<'_>) {
        let look = memory.look(&FileInRoot { root: &self.root.path, relative: &file.relative }, &file.stamp, manner);
        self.claims.extend(look.reading.claims.iter().cloned());
        self.sights.push(InspectedFile { file, inspection: look });
    }

    /// Looks at the files that manifests name and the walk did not meet.
    fn follow_targets(&mut self, flavour: Flavour, memory: &mut ScanCache<'_>) {
        let is_target =
            |it: &DescribedTool| if let RecipePlan::Target(path) = &it.plan { Some(path.clone()) } else { None };
        let targets: Vec<String> =
            self.sights.iter().flat_map(|it| &it.inspection.reading.tools).filter_map(is_target).collect();
        if targets.is_empty() && self.claims.is_empty() {
            return;
        }
        self.by_path = self.sights.iter().enumerate().map(|(at, it)| (it.file.relative.clone(), at)).collect();
        for target in targets {
            if self.by_path.contains_key(&target) || self.absent.contains_key(&target) {
                continue;
            }
            match walk::walk_to(&self.root.path, &target) {
                Ok(file) => {
                    self.by_path.insert(target, self.sights.len());
                    self.see(file, InspectionMode { is_manifest: false, flavour }, memory);
                }
                Err(why) => drop(self.absent.insert(target, why)),
            }
        }
    }

    /// Gives everything, in the order of the paths.
    fn give(mut self, visit: &RootVisit, give: Give<'_>) {
        for problem in std::mem::take(&mut self.problems) {
            if !give(RootEntry::Diagnostic(problem.of(visit.source.clone()))) {
                return;
            }
        }
        for at in 0..self.walked {
            let look = std::mem::take(&mut self.sights[at].inspection);
            // Those that a manifest looks at again must stay in place.
            self.sights[at].inspection.speaks = look.speaks;
            if !self.give_file(at, look, visit, give) {
                return;
            }
        }
    }

    fn give_file(&self, at: usize, look: FileInspection, visit: &RootVisit, give: Give<'_>) -> bool {
        let file = &self.sights[at].file;
        // A tool file speaks for itself, even when another one's command mentions it.
        if self.claims.contains(&file.relative) && super::tool_file::format(file_name(&file.relative)).is_none() {
            return true;
        }
        let path = self.root.path.join(&file.relative);
        for remark in look.reading.remarks {
            if !give(RootEntry::Diagnostic(remark.into_problem(&visit.source, &path))) {
                return false;
            }
        }
        let objection = self.objection(file, &look.reading.claims);
        for described in look.reading.tools {
            let entry = match self.assemble(described, &objection, &path, look.content, visit) {
                Ok((tool, recipe)) => RootEntry::Tool(Box::new(tool), recipe),
                Err((kind, reason)) => {
                    RootEntry::Diagnostic(Diagnostic::warning(kind, reason).of(visit.source.clone()).at(&path))
                }
            };
            if !self.give_missing(&entry, visit, &path, give) || !give(entry) {
                return false;
            }
        }
        true
    }

    /// A tool whose file is missing is listed all the same; this says why it will not work.
    fn give_missing(&self, entry: &RootEntry, visit: &RootVisit, path: &Path, give: Give<'_>) -> bool {
        let RootEntry::Tool(tool, Recipe::Missing { reason }) = entry else { return true };
        let message = format!("`{}`: {reason}", escape::line(tool.id.name.as_str()));
        let problem = Diagnostic::warning(DiagnosticKind::Unavailable, message);
        give(RootEntry::Diagnostic(problem.of(visit.source.clone()).at(path)))
    }

    /// The tool with its recipe, or why it is refused.
    fn assemble(
        &self,
        described: DescribedTool,
        objection: &Option<String>,
        path: &Path,
        content: Option<Digest>,
        visit: &RootVisit,
    ) -> Result<(Tool, Recipe), (DiagnosticKind, String)> {
        let made = described.into_tool(&visit.source, path, content);
        let (mut tool, plan) = made.map_err(|err| (DiagnosticKind::Broken, err.to_string()))?;
        let settled = match plan {
            RecipePlan::Ready(recipe @ Recipe::Http(_)) => Ok(recipe),
            RecipePlan::Ready(recipe) | RecipePlan::Static(recipe) | RecipePlan::Unasked(recipe) => {
                objection.clone().map_or(Ok(recipe), Err)
            }
            RecipePlan::Target(target) => self.target(&target),
        };
        let recipe = settled.map_err(|reason| (DiagnosticKind::Forbidden, reason))?;
        if let Recipe::Missing { reason } = &recipe {
            tool.status = Status::Unavailable(reason.clone());
        }
        Ok((tool, recipe))
    }

    /// Why what this file says must not be run, where somebody else could have written it or what it starts.
    fn objection(&self, file: &WalkedFile, claims: &[String]) -> Option<String> {
        let claimed = claims.iter().filter_map(|it| self.by_path.get(it)).map(|at| &self.sights[*at].file);
        std::iter::once(file).chain(claimed).find_map(|it| {
            let reason = match self.owners.objection(&it.stamp) {
                Some(reason) => reason,
                None if it.in_open_folder => "anybody may write its folder, so it is not run",
                None => return None,
            };
            let other = (it.relative != file.relative).then(|| format!("`{}`: ", it.relative));
            Some(format!("{}{reason}", other.unwrap_or_default()))
        })
    }

    /// How a manifest's entry is run, by what lies at its path; the error is why it is refused.
    fn target(&self, target: &str) -> Result<Recipe, String> {
        let missing = |reason: String| Ok(Recipe::Missing { reason });
        let sight = match (self.by_path.get(target), self.absent.get(target)) {
            (Some(at), _) => &self.sights[*at],
            (None, Some(NotAFile::Outside)) => {
                return Err(format!("`{target}` is a link that leads out of the folder"));
            }
            (None, Some(NotAFile::Other(sort))) => return missing(format!("`{target}` is {sort}, not a file")),
            (None, _) => return missing(format!("`{target}` is not there")),
        };
        if let Some(reason) = self.objection(&sight.file, &[]) {
            return Err(format!("`{target}`: {reason}"));
        }
        let path = self.root.path.join(target);
        let executable = sight.file.stamp.is_executable();
        let flavour = if self.root.layout == RootLayout::Opencode { Flavour::Opencode } else { Flavour::Plain };
        if is_module(file_name(target)) && !(executable && sight.inspection.speaks) {
            Ok(Recipe::Module { file: path, flavour })
        } else if executable {
            Ok(Recipe::Executable { program: path })
        } else {
            missing(format!("`{target}` is neither executable nor a module"))
        }
    }
}

fn file_name(relative: &str) -> &str {
    relative.rsplit('/').next().unwrap_or(relative)
}
