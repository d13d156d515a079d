//! Watches the file system and reports changes after a debounce.

use super::prompts;
use super::roots::{Root, RootLayout, RootStrategy};
use super::strategy::ToolStrategy;
use super::streams::stream_of;
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
const DEBOUNCE: Duration = Duration::from_millis(200);
/// The maximum wait if events never stop.
const MAX_DELAY: Duration = Duration::from_secs(2);

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
    let (sender, mut receiver) = ChangeSender::channel();
    let mut watcher = FolderWatcher::new(&sender);
    let mut is_first = true;
    loop {
        let targets = watch_targets(roots, tools, explicit).await;
        // Renewing the watches after each change costs little, and finds folders that were created,
        // deleted or recreated.
        watcher = match tokio::task::spawn_blocking({
            let folders = watched_folders(&targets);
            let sender = sender.clone();
            move || watcher.watch_folders(folders, &sender)
        })
        .await
        {
            Ok(watcher) => watcher,
            Err(_) => return,
        };
        // A discovery before the watch started may have missed a change, so the first hint covers
        // that gap.
        if std::mem::take(&mut is_first) {
            let _ = out.send(()).await;
        }
        wait_for_change(&mut receiver, &sender, |path| {
            targets.iter().any(|target| target.is_relevant(path, tools))
        })
        .await;
        let _ = out.send(()).await;
    }
}

/// Each folder once, recursive if any target needs that: a second watch on a folder would replace
/// the first.
fn watched_folders(targets: &[WatchTarget]) -> Vec<(PathBuf, RecursiveMode)> {
    let mut folders: BTreeMap<PathBuf, RecursiveMode> = BTreeMap::new();
    for target in targets {
        let mode = folders.entry(target.folder.clone()).or_insert(target.mode);
        if target.mode == RecursiveMode::Recursive {
            *mode = target.mode;
        }
    }
    folders.into_iter().collect()
}

/// Returns after a relevant change, once events have stopped.
async fn wait_for_change(
    receiver: &mut mpsc::Receiver<Vec<PathBuf>>,
    sender: &ChangeSender,
    is_relevant: impl Fn(&Path) -> bool,
) {
    let mut since: Option<Instant> = None;
    loop {
        let paths = match since {
            None => receiver.recv().await,
            Some(first) if first.elapsed() > MAX_DELAY => return,
            Some(_) => match tokio::time::timeout(DEBOUNCE, receiver.recv()).await {
                Ok(paths) => paths,
                Err(_) => return,
            },
        };
        let missed = sender.missed.swap(false, Ordering::Relaxed);
        if since.is_none()
            && (missed || paths.is_some_and(|paths| paths.iter().any(|item| is_relevant(item))))
        {
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
    fn is_relevant(&self, path: &Path, tools: &dyn ToolStrategy) -> bool {
        let concerns = path.starts_with(&self.base) || self.base.starts_with(path);
        concerns && self.root.as_ref().is_none_or(|root| tools.is_relevant(root, path))
    }
}

async fn watch_targets(
    roots: &dyn RootStrategy,
    tools: &dyn ToolStrategy,
    explicit: &[PathBuf],
) -> Vec<WatchTarget> {
    let mut targets: Vec<WatchTarget> =
        explicit.iter().filter_map(|explicit| target_for_file(explicit)).collect();
    let mut roots = roots.roots();
    while let Some(root) = roots.next().await {
        let Ok(root) = root else { continue };
        let Ok(path) = std::fs::canonicalize(&root.path) else { continue };
        let root = Root { path, ..root };
        targets.extend(tools.watched(&root).into_iter().map(|base| target_for_base(base, &root)));
        if root.layout == RootLayout::Project {
            // Every change in the prompts folder is relevant; the strategy filters tools only.
            targets.push(WatchTarget {
                root: None,
                ..target_for_base(prompts::folder(&root.path), &root)
            });
        }
    }
    targets
}

/// Watches a base. For a missing base, watches its nearest existing ancestor.
fn target_for_base(base: PathBuf, root: &Root) -> WatchTarget {
    let folder =
        base.ancestors().find(|ancestor| ancestor.is_dir()).unwrap_or(&root.path).to_owned();
    let mode = if folder == base { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
    WatchTarget { folder, mode, base, root: Some(root.clone()) }
}

fn target_for_file(file: &Path) -> Option<WatchTarget> {
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

    fn send(&self, event: notify::Result<Event>) {
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
    watched: Vec<PathBuf>,
}

impl FolderWatcher {
    fn new(sender: &ChangeSender) -> Self {
        let sender = sender.clone();
        let native = notify::recommended_watcher(move |event| sender.send(event));
        Self { watcher: native.ok().map(|native| Box::new(native) as _), watched: Vec::new() }
    }

    fn watch_folders(
        mut self,
        folders: Vec<(PathBuf, RecursiveMode)>,
        sender: &ChangeSender,
    ) -> Self {
        if self.watcher.is_some() && self.try_watch(&folders) {
            return self;
        }
        // The native watcher failed, usually at the system's watch limit. Polling every two seconds
        // is slower, but works everywhere.
        let sender = sender.clone();
        let config = Config::default().with_poll_interval(Duration::from_secs(2));
        let polling = PollWatcher::new(move |event| sender.send(event), config);
        self = Self {
            watcher: polling.ok().map(|polling| Box::new(polling) as _),
            watched: Vec::new(),
        };
        self.try_watch(&folders);
        self
    }

    fn try_watch(&mut self, folders: &[(PathBuf, RecursiveMode)]) -> bool {
        let Some(watcher) = &mut self.watcher else { return false };
        for old in self.watched.drain(..) {
            // A deleted folder is no longer watched, so the error does not matter.
            let _ = watcher.unwatch(&old);
        }
        for (folder, mode) in folders {
            match watcher.watch(folder, *mode) {
                Ok(()) => self.watched.push(folder.clone()),
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
