//! The default strategy: tools are the files that match globs.

use super::matcher::Matcher;
use super::roots::Root;
use super::scan;
use super::strategy::{RootEntry, RootVisit, ToolStrategy};
use super::streams::stream_of_blocking;
use futures_util::stream;
use std::path::{Path, PathBuf};
use toolscout_core::{BoxStream, SourceError};

/// Files of a supported kind that match globs. A configured list replaces the default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GlobTools {
    /// Patterns to match, relative to the root; `None` uses the patterns of the root's layout.
    pub patterns: Option<Vec<String>>,
    /// Patterns of files and folders that are neither opened nor entered; `None` uses
    /// [`GlobTools::IGNORED`].
    pub ignore: Option<Vec<String>>,
}

impl GlobTools {
    /// Tests, private files and folders of other programs. A pattern without `/` matches the name
    /// of any path component.
    pub const IGNORED: [&'static str; 6] =
        ["*.test.*", "*.spec.*", "_*", "node_modules", "target", ".*"];

    fn matcher(&self, root: &Root) -> Result<Matcher, String> {
        let owned = |list: &[&str]| list.iter().map(|item| (*item).to_owned()).collect();
        let patterns = self.patterns.clone().unwrap_or_else(|| owned(root.layout.patterns()));
        let ignore = self.ignore.clone().unwrap_or_else(|| owned(&Self::IGNORED));
        Matcher::new(&patterns, &ignore)
    }
}

impl ToolStrategy for GlobTools {
    fn tools<'a>(
        &'a self,
        root: &'a Root,
        visit: RootVisit,
    ) -> BoxStream<'a, Result<RootEntry, SourceError>> {
        let matcher = match self.matcher(root) {
            Ok(matcher) => matcher,
            Err(reason) => return Box::pin(stream::iter([Err(SourceError::Invalid { reason })])),
        };
        let root = root.clone();
        stream_of_blocking(visit.source.clone(), move |give| {
            scan::scan(&root, &matcher, &visit, give);
        })
    }

    fn reread<'a>(
        &'a self,
        root: &'a Root,
        file: &'a Path,
        visit: RootVisit,
    ) -> BoxStream<'a, Result<RootEntry, SourceError>> {
        one_file(root, file, visit)
    }

    fn watched(&self, root: &Root) -> Vec<PathBuf> {
        let Ok(matcher) = self.matcher(root) else { return Vec::new() };
        matcher.bases().into_iter().map(|base| root.path.join(base)).collect()
    }

    fn is_relevant(&self, root: &Root, path: &Path) -> bool {
        let Some(relative) = path.strip_prefix(&root.path).ok().and_then(Path::to_str) else {
            return true;
        };
        self.matcher(root).is_ok_and(|matcher| !matcher.ignores_any_component(relative))
    }
}

/// The entries of a single file, without the cache and without other files.
pub(super) fn one_file(
    root: &Root,
    file: &Path,
    visit: RootVisit,
) -> BoxStream<'static, Result<RootEntry, SourceError>> {
    let (root, file) = (root.clone(), file.to_owned());
    stream_of_blocking(visit.source.clone(), move |give| {
        scan::scan_file(&root, &file, &visit, give)
    })
}
