//! Streams made from code that reads from top to bottom.

use futures_util::{StreamExt, stream};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::Poll;
use tokio::sync::mpsc;
use tokio::task::JoinError;
use toolscout_core::BoxStream;

/// How far the making code may be ahead of the reader.
const AHEAD: usize = 64;

/// Where the making code puts what it has made.
pub(super) struct FlowSink<T>(Arc<Mutex<VecDeque<T>>>);

impl<T> FlowSink<T> {
    /// Hands one thing over; waits while the reader is behind.
    pub(super) async fn give(&self, item: T) {
        let mut is_behind = self.push(item) >= AHEAD;
        poll_fn(|cx| {
            if std::mem::take(&mut is_behind) {
                // Lets the reader catch up; it comes back for more anyway, but perhaps not to this very future.
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
    }

    fn push(&self, item: T) -> usize {
        let mut queue = self.0.lock();
        queue.push_back(item);
        queue.len()
    }

    fn pop(&self) -> Option<T> {
        self.0.lock().pop_front()
    }
}

/// A stream of what `make` gives. Nothing runs but while the stream is polled, and dropping the stream drops the work.
///
/// Work and reader are one task, so a plain queue between them is enough.
pub(super) fn stream_of<'a, T, F, Making>(make: F) -> BoxStream<'a, T>
where
    T: Send + 'a,
    F: FnOnce(FlowSink<T>) -> Making,
    Making: Future<Output = ()> + Send + 'a,
{
    let queue = FlowSink(Arc::default());
    let mut making = Some(Box::pin(make(FlowSink(queue.0.clone()))));
    Box::pin(stream::poll_fn(move |cx| {
        if let Some(item) = queue.pop() {
            return Poll::Ready(Some(item));
        }
        let Some(work) = &mut making else { return Poll::Ready(None) };
        let has_ended = work.as_mut().poll(cx).is_ready();
        if has_ended {
            making = None;
        }
        match queue.pop() {
            Some(item) => Poll::Ready(Some(item)),
            None if has_ended => Poll::Ready(None),
            None => Poll::Pending,
        }
    }))
}

/// A stream of what `make` gives on a thread that may block. `make` is told by `false` that nobody reads any more.
pub(super) fn stream_of_blocking<T, F>(make: F) -> BoxStream<'static, Result<T, JoinError>>
where
    T: Send + 'static,
    F: FnOnce(&mut dyn FnMut(T) -> bool) + Send + 'static,
{
    let batches = stream_of(|out| async move {
        let (sender, mut receiver) = mpsc::channel(4);
        let work = tokio::task::spawn_blocking(move || give_in_batches(&sender, make));
        while let Some(batch) = receiver.recv().await {
            out.give(Ok(batch)).await;
        }
        if let Err(err) = work.await {
            out.give(Err(err)).await;
        }
    });
    let items = |batch: Result<Vec<T>, JoinError>| match batch {
        Ok(batch) => stream::iter(batch).map(Ok).left_stream(),
        Err(err) => stream::iter([Err(err)]).right_stream(),
    };
    Box::pin(batches.flat_map(items))
}

/// Waking a reader costs more than reading a small file, so things cross threads by the hundred.
fn give_in_batches<T>(sender: &mpsc::Sender<Vec<T>>, make: impl FnOnce(&mut dyn FnMut(T) -> bool)) {
    let mut batch = Vec::new();
    make(&mut |item| {
        batch.push(item);
        batch.len() < 256 || sender.blocking_send(std::mem::take(&mut batch)).is_ok()
    });
    // Whoever is gone needs no rest.
    let _ = sender.blocking_send(batch);
}
