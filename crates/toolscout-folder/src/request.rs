//! A folder of tools that is selected by a request header.

#[cfg(all(test, unix))]
mod tests;

use super::{FolderSourceBuilder, ToolDirectories};
use regex::{Regex, RegexBuilder};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{BoxFuture, Cx, Layer, RequestSources, Source, SourceId};
use toolscout_source::request::{OfRequest, cache_key, default_id, header, header_name};

/// The placeholder for the header value in the folder path.
const VALUE: &str = "{value}";
/// The maximum length of a value in bytes; no folder needs a longer name.
const MAX_VALUE_BYTES: usize = 128;
/// The maximum size of a compiled pattern in bytes.
const MAX_PATTERN_BYTES: usize = 256 << 10;

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
        let whole =
            RegexBuilder::new(&format!(r"\A(?:{pattern})\z")).size_limit(MAX_PATTERN_BYTES).build();
        // A pattern that closes our group would be anchored at one end only.
        let alone = RegexBuilder::new(pattern).size_limit(MAX_PATTERN_BYTES).build();
        let pattern = match (whole, alone) {
            (Ok(whole), Ok(_)) => whole,
            (Err(error), _) | (_, Err(error)) => {
                return Err(InvalidRequestFolder(format!("invalid pattern `{pattern}`: {error}")));
            }
        };
        check_folder(folder)?;
        let (root, folder, open): (_, _, OpenFolder) =
            (root.to_owned(), folder.to_owned(), Arc::new(open));
        Ok(Self { id: default_id(), header, pattern, root, folder, open })
    }

    /// Sets the id of the source, which is `own` by default: each of several sources needs its own
    /// id.
    pub fn named(self, id: SourceId) -> Self {
        Self { id, ..self }
    }

    fn value<'a>(&self, cx: &'a Cx) -> Option<&'a str> {
        header(cx, &self.header)
            .filter(|header| is_one_name(header) && self.pattern.is_match(header))
    }
}

impl RequestSources for RequestFolder {
    fn is_cacheable(&self) -> bool {
        true
    }

    fn key(&self, cx: &Cx) -> Option<String> {
        self.value(cx).map(|value| cache_key(cx, &[value]))
    }

    fn sources<'a>(&'a self, cx: &'a Cx) -> BoxFuture<'a, Vec<Arc<dyn Source>>> {
        let target =
            self.value(cx).map(|value| (self.root.clone(), self.folder.replace(VALUE, value)));
        Box::pin(async move {
            let Some((root, folder)) = target else { return Vec::new() };
            let found = tokio::task::spawn_blocking(move || find(&root, &folder)).await;
            let Ok(Some(folder)) = found else { return Vec::new() };
            let source =
                (self.open)().id(self.id.clone()).roots(ToolDirectories(vec![folder])).build();
            vec![OfRequest.layer(Arc::new(source))]
        })
    }
}

fn check_folder(folder: &str) -> Result<(), InvalidRequestFolder> {
    let invalid =
        |reason: &str| Err(InvalidRequestFolder(format!("the folder `{folder}` {reason}")));
    let mut parts = Path::new(folder).components();
    if !folder.contains(VALUE) {
        return invalid("has no `{value}`, so it would be the same for all requests");
    }
    if parts.all(|part| matches!(part, Component::Normal(_))) {
        Ok(())
    } else {
        invalid("must be a relative path below the project, without `..`")
    }
}

/// Whether the value is a single path component. This holds for any pattern: no path, and no name
/// such as `..`.
fn is_one_name(value: &str) -> bool {
    let is_forbidden = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':');
    !value.is_empty()
        && value.len() <= MAX_VALUE_BYTES
        && !value.trim_matches('.').is_empty()
        && !value.contains(is_forbidden)
}

/// The folder, if it exists and is not behind a link.
fn find(root: &Path, folder: &str) -> Option<PathBuf> {
    let expected = root.canonicalize().ok()?.join(folder);
    let real = expected.canonicalize().ok()?;
    (real == expected && real.is_dir()).then_some(real)
}
