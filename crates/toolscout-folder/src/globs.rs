//! The default strategy: tools are the files that match globs.

use super::flow::stream_of_blocking;
use super::matcher::Matcher;
use super::roots::Root;
use super::scan;
use super::strategy::{RootEntry, RootVisit, ToolStrategy};
use futures_util::stream;
use std::path::{Path, PathBuf};
use toolscout_core::{BoxStream, SourceError};

/// Files that match globs and are of a kind we know. A given list replaces the default one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GlobTools {
    /// What is wanted, relative to the root; `None`: what the root's layout says.
    pub patterns: Option<Vec<String>>,
    /// What is passed over, never opened nor entered; `None`: [`GlobTools::IGNORED`].
    pub ignore: Option<Vec<String>>,
}

impl GlobTools {
    /// Tests, private files and folders of other programs. Without a `/`, a pattern is about any name on the way.
    pub const IGNORED: [&'static str; 6] = ["*.test.*", "*.spec.*", "_*", "node_modules", "target", ".*"];

    fn matcher(&self, root: &Root) -> Result<Matcher, String> {
        let owned = |list: &[&str]| list.iter().map(|it| (*it).to_owned()).collect();
        let patterns = self.patterns.clone().unwrap_or_else(|| owned(root.layout.patterns()));
        let ignore = self.ignore.clone().unwrap_or_else(|| owned(&Self::IGNORED));
        Matcher::new(&patterns, &ignore)
    }
}

impl ToolStrategy for GlobTools {
    fn tools<'a>(&'a self, root: &'a Root, visit: RootVisit) -> BoxStream<'a, Result<RootEntry, SourceError>> {
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
        let bases = self.matcher(root);
        bases.map(|it| it.bases().into_iter().map(|it| root.path.join(it)).collect()).unwrap_or_default()
    }

    fn heeds(&self, root: &Root, path: &Path) -> bool {
        let Some(relative) = path.strip_prefix(&root.path).ok().and_then(Path::to_str) else { return true };
        self.matcher(root).is_ok_and(|it| !it.ignores_somewhere(relative))
    }
}

/// What a single file says, without cache and without its neighbours.
pub(super) fn one_file(
    root: &Root,
    file: &Path,
    visit: RootVisit,
) -> BoxStream<'static, Result<RootEntry, SourceError>> {
    let (root, file) = (root.clone(), file.to_owned());
    stream_of_blocking(visit.source.clone(), move |give| scan::scan_file(&root, &file, &visit, give))
}
