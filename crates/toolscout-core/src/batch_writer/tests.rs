use super::{BatchLimits, BatchWriter};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

type Written = Arc<Mutex<Vec<(Vec<u32>, u64)>>>;

const LIMITS: BatchLimits =
    BatchLimits { name: "test", capacity: 4, batch: 3, delay: Duration::from_secs(3_600) };

fn writer(limits: BatchLimits) -> (BatchWriter<u32>, Written) {
    let written = Written::default();
    let out = written.clone();
    (BatchWriter::new(limits, move |batch, dropped| out.lock().push((batch, dropped))), written)
}

#[test]
fn without_a_thread_a_flush_writes_everything_in_batches_and_counts_what_was_dropped() {
    let (writer, written) = writer(LIMITS);
    assert_eq!((0..6).map(|item| writer.push(item)).collect::<Vec<_>>(), [1, 2, 3, 4, 4, 4]);
    assert!(written.lock().is_empty() && !writer.is_started());
    writer.flush();
    assert_eq!(*written.lock(), [(vec![0, 1, 2], 2), (vec![3], 0)]);
}

#[test]
fn dropping_the_writer_writes_everything_whether_or_not_a_thread_runs() {
    for is_threaded in [false, true] {
        let (writer, written) = writer(LIMITS);
        writer.push(1);
        if is_threaded {
            writer.start();
        }
        drop(writer);
        assert_eq!(*written.lock(), [(vec![1], 0)]);
    }
}

#[test]
fn the_thread_writes_a_full_batch_without_waiting_for_the_delay() {
    let (sender, received): (Sender<Vec<u32>>, Receiver<_>) = channel();
    let writer = BatchWriter::new(LIMITS, move |batch, _| sender.send(batch).unwrap());
    writer.start();
    for item in 0..3 {
        writer.push(item);
    }
    assert_eq!(received.recv().unwrap(), [0, 1, 2]);
}

#[test]
fn a_flush_waits_for_the_batch_that_is_being_written_up_to_its_limit() {
    let (entered, has_entered) = channel();
    let (release, released) = channel();
    let writer =
        BatchWriter::new(BatchLimits { delay: Duration::ZERO, ..LIMITS }, move |_: Vec<u32>, _| {
            entered.send(()).unwrap();
            released.recv().unwrap();
        });
    writer.start();
    writer.push(1);
    has_entered.recv().unwrap();
    assert!(!writer.flush_within(Duration::from_millis(1)));
    release.send(()).unwrap();
    writer.flush();
}
