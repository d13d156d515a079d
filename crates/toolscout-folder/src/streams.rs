//! Streams of items produced by an async block, or by a closure on a blocking thread.

use futures_util::{StreamExt, future, stream};
use std::future::Future;
use tokio::sync::mpsc;
use toolscout_core::{BoxStream, SourceError, SourceId};

/// The number of items that the producer may be ahead of the reader.
pub(super) const BUFFER_SIZE: usize = 64;

/// The number of items sent across threads together: waking a reader costs more than reading a
/// small file.
const BATCH: usize = 256;

/// A stream of the items that `produce` sends. It makes progress only while the stream is polled,
/// and is dropped with the stream.
pub(super) fn stream_of<'a, T, F>(produce: impl FnOnce(mpsc::Sender<T>) -> F) -> BoxStream<'a, T>
where
    T: Send + 'a,
    F: Future<Output = ()> + Send + 'a,
{
    let (sender, receiver) = mpsc::channel(BUFFER_SIZE);
    let work = stream::once(produce(sender)).filter_map(|()| future::ready(None));
    let items = stream::unfold(receiver, |mut receiver| async {
        let item = receiver.recv().await?;
        Some((item, receiver))
    });
    Box::pin(stream::select(items, work))
}

/// A stream of the items that `produce` emits on a blocking thread; its callback returns `false`
/// once the stream is dropped. A panic on that thread must not look like an empty folder, so it is
/// reported as an error of the source.
pub(super) fn stream_of_blocking<T, F>(
    id: SourceId,
    produce: F,
) -> BoxStream<'static, Result<T, SourceError>>
where
    T: Send + 'static,
    F: FnOnce(&mut dyn FnMut(T) -> bool) + Send + 'static,
{
    let batches = stream_of(|out| async move {
        let batches = out.clone();
        let work = tokio::task::spawn_blocking(move || {
            let mut batch = Vec::new();
            produce(&mut |item| {
                batch.push(Ok(item));
                batch.len() < BATCH || batches.blocking_send(std::mem::take(&mut batch)).is_ok()
            });
            // The reader may be gone.
            let _ = batches.blocking_send(batch);
        });
        if work.await.is_err() {
            let what = "reading the folder failed unexpectedly".to_owned();
            let _ = out.send(vec![Err(SourceError::Unavailable { id, what })]).await;
        }
    });
    Box::pin(batches.flat_map(stream::iter))
}
