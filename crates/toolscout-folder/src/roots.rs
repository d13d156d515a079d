//! The folders to search, and their order.

use futures_util::{StreamExt, stream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{BoxStream, SourceError};

/// A strategy that finds the roots. Called for each discovery; it does no work before the stream is
/// polled.
pub trait RootStrategy: Send + Sync + 'static {
    /// The roots, in the order in which their tools are listed. A root may be missing; that becomes
    /// a diagnostic.
    fn roots(&self) -> BoxStream<'_, Result<Root, SourceError>>;
}

impl RootStrategy for Arc<dyn RootStrategy> {
    fn roots(&self) -> BoxStream<'_, Result<Root, SourceError>> {
        self.as_ref().roots()
    }
}

/// A folder to search.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Root {
    /// The path of the folder.
    pub path: PathBuf,
    /// The layout of tools in the folder.
    pub layout: RootLayout,
}

impl Root {
    /// A project, with tools in `tools/` and `src/tools/`.
    pub fn project(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), layout: RootLayout::Project }
    }

    /// A folder that contains only tools.
    pub fn tools(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), layout: RootLayout::Tools }
    }
}

/// The layout of tools in a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RootLayout {
    /// A project: `tools/**` and `src/tools/**`.
    Project,
    /// The root itself is a tools folder: `**`.
    Tools,
    /// Like [`RootLayout::Tools`], with OpenCode modules, which are named after their files.
    Opencode,
}

impl RootLayout {
    /// The default glob patterns of the layout.
    pub fn patterns(self) -> &'static [&'static str] {
        match self {
            Self::Project => &["tools/**", "src/tools/**"],
            Self::Tools | Self::Opencode => &["**"],
        }
    }
}

/// The project around a folder: the nearest ancestor that contains a project marker. Without one
/// there are no roots and no error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultRoot {
    /// The start of the search; usually the working directory.
    pub from: PathBuf,
}

impl DefaultRoot {
    /// Files and folders that mark a project.
    pub const MARKERS: [&'static str; 7] = [
        "package.json",
        "Cargo.toml",
        "pyproject.toml",
        "go.mod",
        ".git",
        "toolscout.toml",
        ".mcp.json",
    ];

    /// The nearest ancestor of `from`, or `from` itself, that contains a marker. Blocks on the file
    /// system.
    pub fn find(from: &Path) -> Option<&Path> {
        from.ancestors()
            .find(|folder| Self::MARKERS.iter().any(|marker| folder.join(marker).exists()))
    }
}

impl RootStrategy for DefaultRoot {
    fn roots(&self) -> BoxStream<'_, Result<Root, SourceError>> {
        let from = self.from.clone();
        let found = stream::once(async {
            tokio::task::spawn_blocking(move || Self::find(&from).map(Root::project))
                .await
                .ok()
                .flatten()
        });
        Box::pin(found.filter_map(|root| std::future::ready(root.map(Ok))))
    }
}

/// An explicit list of projects, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExplicitRoots(pub Vec<PathBuf>);

impl RootStrategy for ExplicitRoots {
    fn roots(&self) -> BoxStream<'_, Result<Root, SourceError>> {
        Box::pin(stream::iter(self.0.iter().map(|item| Ok(Root::project(item)))))
    }
}

/// An explicit list of tool folders, in order; each may contain a `manifest.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolDirectories(pub Vec<PathBuf>);

impl RootStrategy for ToolDirectories {
    fn roots(&self) -> BoxStream<'_, Result<Root, SourceError>> {
        Box::pin(stream::iter(self.0.iter().map(|item| Ok(Root::tools(item)))))
    }
}

/// The roots of several strategies, in order; an empty list gives no roots.
#[derive(Clone, Default)]
pub struct ChainRoots(pub Vec<Arc<dyn RootStrategy>>);

impl RootStrategy for ChainRoots {
    fn roots(&self) -> BoxStream<'_, Result<Root, SourceError>> {
        Box::pin(stream::iter(&self.0).flat_map(|item| item.roots()))
    }
}

/// Roots from a closure that returns a stream of them.
///
/// ```
/// use toolscout_folder::roots::{Root, RootsFrom};
/// let roots = RootsFrom(|| futures_util::stream::iter([Ok(Root::project("/srv/tools"))]));
/// # let _: std::sync::Arc<dyn toolscout_folder::RootStrategy> = std::sync::Arc::new(roots);
/// ```
pub struct RootsFrom<F>(pub F);

impl<F, S> RootStrategy for RootsFrom<F>
where
    F: Fn() -> S + Send + Sync + 'static,
    S: stream::Stream<Item = Result<Root, SourceError>> + Send + 'static,
{
    fn roots(&self) -> BoxStream<'_, Result<Root, SourceError>> {
        Box::pin((self.0)())
    }
}
