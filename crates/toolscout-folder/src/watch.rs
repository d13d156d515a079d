//! Watches the file system and reports changes after a debounce.

use super::flow::stream_of;
use super::prompts;
use super::roots::{Root, RootLayout, RootStrategy};
use super::strategy::ToolStrategy;
use futures_util::StreamExt;
use notify::{Config, Event, EventKind, PollWatcher, RecursiveMode, Watcher};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use toolscout_core::BoxStream;

/// Debounce: one save in an editor causes many events, so a hint waits until none arrived for this
/// long.
const QUIET: Duration = Duration::from_millis(200);
/// The maximum wait if events never stop.
const PATIENCE: Duration = Duration::from_secs(2);

/// Hints that a discovery may find changes: one hint when the watch starts, and one per change. The
/// watch starts when the stream is first polled and ends when it is dropped.
pub(super) fn changes<'a>(
    roots: &'a dyn RootStrategy,
    tools: &'a dyn ToolStrategy,
    explicit: &'a [PathBuf],
) -> BoxStream<'a, ()> {
    stream_of(move |out| async move { watch(roots, tools, explicit, &out).await })
}

async fn watch(
    roots: &dyn RootStrategy,
    tools: &dyn ToolStrategy,
    explicit: &[PathBuf],
    out: &mpsc::Sender<()>,
) {
    let (news, mut heard) = ChangeSender::channel();
    let mut ears = FolderWatcher::new(&news);
    let mut is_first = true;
    loop {
        let spots = spots(roots, tools, explicit).await;
        // Renewing the watches after each change costs little, and finds folders that were created,
        // deleted or recreated.
        ears = match tokio::task::spawn_blocking({
            let wanted = places(&spots);
            let news = news.clone();
            move || ears.listen_at(wanted, &news)
        })
        .await
        {
            Ok(ears) => ears,
            Err(_) => return,
        };
        // A discovery before the watch started may have missed a change, so the first hint covers
        // that gap.
        if std::mem::take(&mut is_first) {
            let _ = out.send(()).await;
        }
        wait_for_change(&mut heard, &news, |path| spots.iter().any(|it| it.heeds(path, tools)))
            .await;
        let _ = out.send(()).await;
    }
}

/// Each folder once, recursive if any target needs that: a second watch on a folder would replace
/// the first.
fn places(spots: &[WatchTarget]) -> Vec<(PathBuf, RecursiveMode)> {
    let mut places: BTreeMap<PathBuf, RecursiveMode> = BTreeMap::new();
    for spot in spots {
        let mode = places.entry(spot.folder.clone()).or_insert(spot.mode);
        if spot.mode == RecursiveMode::Recursive {
            *mode = spot.mode;
        }
    }
    places.into_iter().collect()
}

/// Returns after a relevant change, once events have stopped.
async fn wait_for_change(
    heard: &mut mpsc::Receiver<Vec<PathBuf>>,
    news: &ChangeSender,
    matters: impl Fn(&Path) -> bool,
) {
    let mut since: Option<Instant> = None;
    loop {
        let paths = match since {
            None => heard.recv().await,
            Some(first) if first.elapsed() > PATIENCE => return,
            Some(_) => match tokio::time::timeout(QUIET, heard.recv()).await {
                Ok(paths) => paths,
                Err(_) => return,
            },
        };
        let missed = news.missed.swap(false, Ordering::Relaxed);
        if since.is_none() && (missed || paths.is_some_and(|it| it.iter().any(|it| matters(it)))) {
            since = Some(Instant::now());
        }
    }
}

/// A folder to watch, and the base it is watched for.
struct WatchTarget {
    folder: PathBuf,
    mode: RecursiveMode,
    /// The folder with the tools. It lies below `folder` if it does not exist yet.
    base: PathBuf,
    /// The root, for the strategy's filter; `None` for an explicit file and for prompts.
    root: Option<Root>,
}

impl WatchTarget {
    fn heeds(&self, path: &Path, tools: &dyn ToolStrategy) -> bool {
        let concerns = path.starts_with(&self.base) || self.base.starts_with(path);
        concerns && self.root.as_ref().is_none_or(|it| tools.heeds(it, path))
    }
}

async fn spots(
    roots: &dyn RootStrategy,
    tools: &dyn ToolStrategy,
    explicit: &[PathBuf],
) -> Vec<WatchTarget> {
    let mut spots: Vec<WatchTarget> = explicit.iter().filter_map(|it| spot_of_file(it)).collect();
    let mut roots = roots.roots();
    while let Some(root) = roots.next().await {
        let Ok(root) = root else { continue };
        let Ok(path) = std::fs::canonicalize(&root.path) else { continue };
        let root = Root { path, ..root };
        spots.extend(tools.watched(&root).into_iter().map(|base| spot_of_base(base, &root)));
        if root.layout == RootLayout::Project {
            // Every change in the prompts folder is relevant; the strategy filters tools only.
            spots.push(WatchTarget {
                root: None,
                ..spot_of_base(prompts::folder(&root.path), &root)
            });
        }
    }
    spots
}

/// Watches a base. For a missing base, watches its nearest existing ancestor.
fn spot_of_base(base: PathBuf, root: &Root) -> WatchTarget {
    let folder = base.ancestors().find(|it| it.is_dir()).unwrap_or(&root.path).to_owned();
    let mode = if folder == base { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
    WatchTarget { folder, mode, base, root: Some(root.clone()) }
}

fn spot_of_file(file: &Path) -> Option<WatchTarget> {
    let file = std::path::absolute(file).ok()?;
    let folder = std::fs::canonicalize(file.parent()?).ok()?;
    let base = folder.join(file.file_name()?);
    Some(WatchTarget { folder, mode: RecursiveMode::NonRecursive, base, root: None })
}

/// Sends paths from the watcher thread to the reader. Never blocks that thread: a full channel sets
/// `missed`.
#[derive(Clone)]
struct ChangeSender {
    sender: mpsc::Sender<Vec<PathBuf>>,
    missed: Arc<AtomicBool>,
}

impl ChangeSender {
    fn channel() -> (Self, mpsc::Receiver<Vec<PathBuf>>) {
        let (sender, receiver) = mpsc::channel(1024);
        (Self { sender, missed: Arc::default() }, receiver)
    }

    fn tell(&self, event: notify::Result<Event>) {
        let paths = match event {
            // Reading is not a change; otherwise our own discovery would trigger the next one.
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => return,
            Ok(event) if event.need_rescan() => Err(()),
            Ok(event) => self.sender.try_send(event.paths).map_err(drop),
            Err(_) => Err(()),
        };
        if paths.is_err() {
            self.missed.store(true, Ordering::Relaxed);
            // Wakes a reader that waits; if the channel is full, the reader is not waiting.
            let _ = self.sender.try_send(Vec::new());
        }
    }
}

/// The watcher and the paths it watches.
struct FolderWatcher {
    watcher: Option<Box<dyn Watcher + Send>>,
    at: Vec<PathBuf>,
}

impl FolderWatcher {
    fn new(news: &ChangeSender) -> Self {
        let news = news.clone();
        let native = notify::recommended_watcher(move |event| news.tell(event));
        Self { watcher: native.ok().map(|it| Box::new(it) as _), at: Vec::new() }
    }

    fn listen_at(mut self, wanted: Vec<(PathBuf, RecursiveMode)>, news: &ChangeSender) -> Self {
        if self.watcher.is_some() && self.try_listen(&wanted) {
            return self;
        }
        // The native watcher failed, usually at the system's watch limit. Polling every two seconds
        // is slower, but works everywhere.
        let news = news.clone();
        let config = Config::default().with_poll_interval(Duration::from_secs(2));
        let polling = PollWatcher::new(move |event| news.tell(event), config);
        self = Self { watcher: polling.ok().map(|it| Box::new(it) as _), at: Vec::new() };
        self.try_listen(&wanted);
        self
    }

    fn try_listen(&mut self, wanted: &[(PathBuf, RecursiveMode)]) -> bool {
        let Some(watcher) = &mut self.watcher else { return false };
        for old in self.at.drain(..) {
            // A deleted folder is no longer watched, so the error does not matter.
            let _ = watcher.unwatch(&old);
        }
        for (folder, mode) in wanted {
            match watcher.watch(folder, *mode) {
                Ok(()) => self.at.push(folder.clone()),
                Err(err) if matches!(err.kind, notify::ErrorKind::PathNotFound) => {}
                Err(err) => {
                    tracing::debug!(event = "discovery.watch.failed", folder = %folder.display(), error = %err);
                    return false;
                }
            }
        }
        true
    }
}
