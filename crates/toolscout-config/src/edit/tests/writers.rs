//! Many concurrent writers.

use super::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// D-24: every reader sees a whole file, and every change is in the final one.
#[test]
fn concurrent_writers_lose_no_change_and_readers_see_whole_files() {
    for (name, writers, each) in [("any.toml", 32, 20), ("any.json", 8, 10)] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(name);
        let done = AtomicBool::new(false);
        let seen = std::thread::scope(|scope| {
            let reader = scope.spawn(|| watch(&file, &done));
            let write = |writer| {
                scope.spawn({
                    let (file, folder) = (&file, folder.path());
                    move || write(file, folder, writer, each)
                })
            };
            let writers: Vec<_> = (0..writers).map(write).collect();
            let ended: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
            done.store(true, Ordering::Release);
            ended.into_iter().for_each(|item| item.expect("a writer"));
            reader.join().expect("the reader")
        });
        let map = read(&file);
        assert_eq!(map["total"], json!(writers * each));
        assert!((0..writers).all(|index| map[&format!("w{index}")] == json!(each)), "{map:?}");
        assert!(seen > 1, "the reader saw {seen} states");
    }
}

fn write(file: &Path, folder: &Path, writer: usize, each: usize) {
    // Each writer has its own editor, as separate processes do.
    let editor = ConfigEditor::new(Some(folder.join("state")));
    for count in 1..=each {
        let edited = editor.edit(file, |map| {
            let total = map.get("total").and_then(Value::as_u64).unwrap_or_default();
            Ok(vec![set(&["total"], json!(total + 1)), set(&[&format!("w{writer}")], json!(count))])
        });
        edited.expect("changed");
    }
}

/// Reads until the writers are done; counts the states it saw.
fn watch(file: &Path, done: &AtomicBool) -> usize {
    let (mut last, mut states) = (0, 0);
    while !done.load(Ordering::Acquire) {
        std::thread::yield_now();
        if !file.exists() {
            continue;
        }
        let mut map = read(file);
        let total = map.remove("total").and_then(|total| total.as_u64()).expect("a whole file");
        assert_eq!(map.values().map(|value| value.as_u64().expect("a count")).sum::<u64>(), total);
        assert!(total >= last, "the total decreased");
        states += usize::from(total > last);
        last = total;
    }
    states
}

fn read(file: &Path) -> Map<String, Value> {
    let text = std::fs::read_to_string(file).expect("the file exists");
    DocumentFormat::from_path(file).parse(&text).expect("a whole file")
}
