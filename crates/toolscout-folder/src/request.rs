//! A folder of tools that a header of the request chooses.

#[cfg(all(test, unix))]
mod tests;

use super::{FolderSourceBuilder, ToolDirectories};
use regex::{Regex, RegexBuilder};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{BoxFuture, Cx, Layer, RequestSources, Source, SourceId};
use toolscout_source::request::{OfRequest, header, header_name, own, whose};

/// What stands for the header's value in the folder's path.
const VALUE: &str = "{value}";
/// Bytes of a value; no folder needs a longer name.
const LONGEST: usize = 128;
/// Bytes that a pattern may take once it is compiled.
const PATTERN: usize = 256 << 10;

/// Gives a request the tools of a folder: `X-User-ID: alice` those of `users/alice/tools`.
///
/// A value that does not fit the pattern as a whole, or names no folder, gives nothing, and is no error. No value leaves the
/// project: it is one name, never a path, and the folder it leads to must lie there itself, not behind a link.
pub struct RequestFolder {
    id: SourceId,
    header: String,
    pattern: Regex,
    root: PathBuf,
    folder: String,
    open: OpenFolder,
}

/// Begins a source over a folder, with the trust, the limits and the store of all others.
type OpenFolder = Arc<dyn Fn() -> FolderSourceBuilder + Send + Sync>;

/// Why a folder cannot be chosen this way; for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidRequestFolder(String);

impl RequestFolder {
    /// The folder below `root` that `folder` names once `{value}` is filled in.
    ///
    /// # Errors
    ///
    /// If the header cannot be passed on, the pattern cannot be read, or the folder could not lie below the root.
    pub fn new(
        header: &str,
        pattern: &str,
        root: &Path,
        folder: &str,
        open: impl Fn() -> FolderSourceBuilder + Send + Sync + 'static,
    ) -> Result<Self, InvalidRequestFolder> {
        let header = header_name(header).map_err(InvalidRequestFolder)?;
        let whole = RegexBuilder::new(&format!(r"\A(?:{pattern})\z")).size_limit(PATTERN).build();
        // A pattern that closes our group would be anchored at one end only.
        let alone = RegexBuilder::new(pattern).size_limit(PATTERN).build();
        let pattern = match (whole, alone) {
            (Ok(whole), Ok(_)) => whole,
            (Err(error), _) | (_, Err(error)) => {
                return Err(InvalidRequestFolder(format!("the pattern `{pattern}` cannot be used: {error}")));
            }
        };
        check_folder(folder)?;
        let (root, folder, open): (_, _, OpenFolder) = (root.to_owned(), folder.to_owned(), Arc::new(open));
        Ok(Self { id: own(), header, pattern, root, folder, open })
    }

    /// The same, as a source of another id than `own`: where there are several, each needs one.
    pub fn named(self, id: SourceId) -> Self {
        Self { id, ..self }
    }

    fn value<'a>(&self, cx: &'a Cx) -> Option<&'a str> {
        header(cx, &self.header).filter(|it| is_one_name(it) && self.pattern.is_match(it))
    }
}

impl RequestSources for RequestFolder {
    fn key(&self, cx: &Cx) -> Option<String> {
        self.value(cx).map(|it| whose(cx, &[it]))
    }

    fn sources<'a>(&'a self, cx: &'a Cx) -> BoxFuture<'a, Vec<Arc<dyn Source>>> {
        let place = self.value(cx).map(|it| (self.root.clone(), self.folder.replace(VALUE, it)));
        Box::pin(async move {
            let Some((root, folder)) = place else { return Vec::new() };
            let found = tokio::task::spawn_blocking(move || find(&root, &folder)).await;
            let Ok(Some(folder)) = found else { return Vec::new() };
            let source = (self.open)().id(self.id.clone()).roots(ToolDirectories(vec![folder])).build();
            vec![OfRequest.layer(Arc::new(source))]
        })
    }
}

fn check_folder(folder: &str) -> Result<(), InvalidRequestFolder> {
    let wrong = |why: &str| Err(InvalidRequestFolder(format!("the folder `{folder}` {why}")));
    let mut parts = Path::new(folder).components();
    if !folder.contains(VALUE) {
        return wrong("is the same for everybody; say where `{value}` stands in it");
    }
    if parts.all(|it| matches!(it, Component::Normal(_))) {
        Ok(())
    } else {
        wrong("must lie below the project: relative, and without `..`")
    }
}

/// Whatever the pattern lets through: no path, and nothing that means another folder.
fn is_one_name(value: &str) -> bool {
    let is_odd = |it: char| it.is_control() || matches!(it, '/' | '\\' | ':');
    !value.is_empty() && value.len() <= LONGEST && !value.trim_matches('.').is_empty() && !value.contains(is_odd)
}

/// The folder, if it is there, and there itself.
fn find(root: &Path, folder: &str) -> Option<PathBuf> {
    let expected = root.canonicalize().ok()?.join(folder);
    let real = expected.canonicalize().ok()?;
    (real == expected && real.is_dir()).then_some(real)
}
