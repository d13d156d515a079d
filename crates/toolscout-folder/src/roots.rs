//! Which folders are searched, and in which order.

use futures_util::{StreamExt, stream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{BoxStream, SourceError};

/// Says where to look. Asked anew for each discovery; nothing is looked for before the stream is read.
pub trait RootStrategy: Send + Sync + 'static {
    /// Roots in the order of their tools. A folder that is not there may be named; it becomes a problem.
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
    /// Where it is.
    pub path: PathBuf,
    /// How its tools lie in it.
    pub layout: RootLayout,
}

impl Root {
    /// A project: tools lie in `tools/` and `src/tools/`.
    pub fn project(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), layout: RootLayout::Project }
    }

    /// A folder that holds nothing but tools.
    pub fn tools(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), layout: RootLayout::Tools }
    }
}

/// How tools lie in a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RootLayout {
    /// A project: `tools/**` and `src/tools/**`.
    Project,
    /// The root itself is a tools folder: `**`.
    Tools,
    /// As [`RootLayout::Tools`], and modules are OpenCode's: named after their files.
    Opencode,
}

impl RootLayout {
    /// Where tools are looked for unless somebody says otherwise.
    pub fn patterns(self) -> &'static [&'static str] {
        match self {
            Self::Project => &["tools/**", "src/tools/**"],
            Self::Tools | Self::Opencode => &["**"],
        }
    }
}

/// The project around a folder: the nearest folder upward that holds a project's mark. None: no roots, and no error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultRoot {
    /// Where to start; usually the working folder.
    pub from: PathBuf,
}

impl DefaultRoot {
    /// What marks a project.
    pub const MARKERS: [&'static str; 6] =
        ["package.json", "Cargo.toml", "pyproject.toml", "go.mod", ".git", "toolscout.toml"];

    /// The nearest marked folder from `from` upward. Blocks on the file system.
    pub fn find(from: &Path) -> Option<&Path> {
        from.ancestors().find(|folder| Self::MARKERS.iter().any(|it| folder.join(it).exists()))
    }
}

impl RootStrategy for DefaultRoot {
    fn roots(&self) -> BoxStream<'_, Result<Root, SourceError>> {
        let from = self.from.clone();
        let found = stream::once(async {
            tokio::task::spawn_blocking(move || Self::find(&from).map(Root::project)).await.ok().flatten()
        });
        Box::pin(found.filter_map(|root| std::future::ready(root.map(Ok))))
    }
}

/// These projects, in this order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExplicitRoots(pub Vec<PathBuf>);

impl RootStrategy for ExplicitRoots {
    fn roots(&self) -> BoxStream<'_, Result<Root, SourceError>> {
        Box::pin(stream::iter(self.0.iter().map(|it| Ok(Root::project(it)))))
    }
}

/// These folders of tools, in this order; each may hold a `manifest.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolDirectories(pub Vec<PathBuf>);

impl RootStrategy for ToolDirectories {
    fn roots(&self) -> BoxStream<'_, Result<Root, SourceError>> {
        Box::pin(stream::iter(self.0.iter().map(|it| Ok(Root::tools(it)))))
    }
}

/// The roots of several strategies, one after the other; none: no roots at all.
#[derive(Clone, Default)]
pub struct ChainRoots(pub Vec<Arc<dyn RootStrategy>>);

impl RootStrategy for ChainRoots {
    fn roots(&self) -> BoxStream<'_, Result<Root, SourceError>> {
        Box::pin(stream::iter(&self.0).flat_map(|it| it.roots()))
    }
}

/// Roots from a closure that gives a stream of them.
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
