//! A folder of tools that is selected by a request header.

#[cfg(all(test, unix))]
mod tests;

use super::{FolderSourceBuilder, ToolDirectories};
use regex::{Regex, RegexBuilder};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{BoxFuture, Cx, Layer, RequestSources, Source, SourceId};
use toolscout_source::request::{OfRequest, header, header_name, own, whose};

/// The placeholder for the header value in the folder path.
const VALUE: &str = "{value}";
/// The maximum length of a value in bytes; no folder needs a longer name.
const LONGEST: usize = 128;
/// The maximum size of a compiled pattern in bytes.
const PATTERN: usize = 256 << 10;

/// Gives a request the tools of a folder: `X-User-ID: alice` selects `users/alice/tools`.
///
/// A value that does not match the whole pattern, or names no folder, gives no tools and is not an
/// error. No value leads out of the project: it is a single name, never a path, and the folder must
/// lie in the project itself, not behind a link.
pub struct RequestFolder {
    id: SourceId,
    header: String,
    pattern: Regex,
    root: PathBuf,
    folder: String,
    open: OpenFolder,
}

/// Creates the builder of a source over a folder, with the same trust, limits and store as all
/// others.
type OpenFolder = Arc<dyn Fn() -> FolderSourceBuilder + Send + Sync>;

/// The reason why a folder cannot be selected this way; for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidRequestFolder(String);

impl RequestFolder {
    /// Selects the folder below `root` that `folder` names once `{value}` is filled in.
    ///
    /// # Errors
    ///
    /// If the header cannot be passed on, the pattern is invalid, or the folder could not lie below
    /// the root.
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
                return Err(InvalidRequestFolder(format!(
                    "the pattern `{pattern}` cannot be used: {error}"
                )));
            }
        };
        check_folder(folder)?;
        let (root, folder, open): (_, _, OpenFolder) =
            (root.to_owned(), folder.to_owned(), Arc::new(open));
        Ok(Self { id: own(), header, pattern, root, folder, open })
    }

    /// Sets the id of the source, which is `own` by default: each of several sources needs its own
    /// id.
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
            let source =
                (self.open)().id(self.id.clone()).roots(ToolDirectories(vec![folder])).build();
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

/// Whether the value is a single path component. This holds for any pattern: no path, and no name
/// such as `..`.
fn is_one_name(value: &str) -> bool {
    let is_odd = |it: char| it.is_control() || matches!(it, '/' | '\\' | ':');
    !value.is_empty()
        && value.len() <= LONGEST
        && !value.trim_matches('.').is_empty()
        && !value.contains(is_odd)
}

/// The folder, if it exists and is not behind a link.
fn find(root: &Path, folder: &str) -> Option<PathBuf> {
    let expected = root.canonicalize().ok()?.join(folder);
    let real = expected.canonicalize().ok()?;
    (real == expected && real.is_dir()).then_some(real)
}
