//! The scan record: unchanged files are not opened again.

use super::{World, listing, tool_file, user};
use crate::globs::GlobTools;
use crate::matcher::Matcher;
use crate::roots::Root;
use crate::run::fixture::has;
use crate::scan::{self, ScanCounts};
use crate::strategy::{RootEntry, RootVisit};
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use toolscout_core::{MemoryStore, Namespace, SourceId, Store};

/// Scans the project; returns the counts and the names.
fn scan(world: &World, store: &Arc<MemoryStore>) -> (ScanCounts, Vec<String>) {
    let matcher = Matcher::new(&["tools/**".to_owned()], &GlobTools::IGNORED.map(str::to_owned))
        .expect("patterns");
    let visit = RootVisit {
        source: SourceId::local(),
        store: Some(store.clone()),
        cx: user(),
        is_trusted: true,
    };
    let mut names = Vec::new();
    let counts = scan::scan(&Root::project(&world.root), &matcher, &visit, &mut |entry| {
        if let RootEntry::Tool(tool, _) = entry {
            names.push(tool.id.name.as_str().to_owned());
        }
        true
    });
    (counts, names)
}

/// Sets the modification time of a file far into the past.
fn age(world: &World, path: &str) {
    let file = File::options().append(true).open(world.path(path)).expect("opened");
    file.set_modified(SystemTime::now() - Duration::from_secs(60))
        .expect("set the modification time");
}

fn record(store: &MemoryStore) -> Vec<u8> {
    let [key] = &store.keys(Namespace::Scan).expect("keys")[..] else {
        panic!("expected one record")
    };
    store.read(Namespace::Scan, key).expect("read").expect("the record exists")
}

/// A-19: the second scan uses the record; a changed file is read, the others are not.
#[test]
fn only_changed_files_are_read_again() {
    let world = World::with(&[
        ("tools/a.tool.toml", &tool_file("a", "")),
        ("tools/b.tool.toml", &tool_file("b", "")),
    ]);
    age(&world, "tools/a.tool.toml");
    age(&world, "tools/b.tool.toml");
    let store = Arc::new(MemoryStore::default());
    assert_eq!(
        scan(&world, &store),
        (ScanCounts { hits: 0, misses: 2 }, vec!["a".to_owned(), "b".to_owned()])
    );
    let first = record(&store);
    assert_eq!(
        scan(&world, &store),
        (ScanCounts { hits: 2, misses: 0 }, vec!["a".to_owned(), "b".to_owned()])
    );
    assert_eq!(record(&store), first, "nothing changed, so nothing is written");
    world.file("tools/b.tool.toml", tool_file("c", ""));
    assert_eq!(
        scan(&world, &store),
        (ScanCounts { hits: 1, misses: 1 }, vec!["a".to_owned(), "c".to_owned()])
    );
    std::fs::remove_file(world.path("tools/a.tool.toml")).expect("removed");
    assert_eq!(scan(&world, &store).1, ["c"]);
    assert!(
        !String::from_utf8_lossy(&record(&store)).contains("a.tool.toml"),
        "a deleted file is removed from the record"
    );
}

/// A file written just before the record may change again without changing its stamp, so it is read
/// again.
#[test]
fn a_file_written_just_now_is_read_again() {
    let world = World::with(&[("tools/a.tool.toml", &tool_file("a", ""))]);
    let store = Arc::new(MemoryStore::default());
    scan(&world, &store);
    // The record for this file is now wrong, but the stamp does not show it.
    let [key] = &store.keys(Namespace::Scan).expect("keys")[..] else {
        panic!("expected one record")
    };
    let forged = String::from_utf8(record(&store))
        .expect("text")
        .replace("\"name\":\"a\"", "\"name\":\"lie\"");
    store.write(Namespace::Scan, key, forged.as_bytes()).expect("written");
    assert_eq!(scan(&world, &store), (ScanCounts { hits: 0, misses: 1 }, vec!["a".to_owned()]));
    assert_eq!(
        scan(&world, &store).0,
        ScanCounts { hits: 1, misses: 0 },
        "the file is read again and unchanged"
    );
}

#[test]
fn a_broken_record_counts_as_empty() {
    let world = World::with(&[("tools/a.tool.toml", &tool_file("a", ""))]);
    let store = Arc::new(MemoryStore::default());
    let whole = scan(&world, &store).1;
    let [key] = &store.keys(Namespace::Scan).expect("keys")[..] else {
        panic!("expected one record")
    };
    for damaged in [
        "",
        "{",
        "null",
        r#"{"version":99,"written":0,"files":[]}"#,
        r#"{"version":1,"written":0,"files":[[1]]}"#,
    ] {
        store.write(Namespace::Scan, key, damaged.as_bytes()).expect("written");
        assert_eq!(
            scan(&world, &store),
            (ScanCounts { hits: 0, misses: 1 }, whole.clone()),
            "{damaged}"
        );
    }
}

/// The target of a manifest entry is checked again, although the manifest is not.
#[test]
fn a_missing_file_is_noticed_when_it_appears() {
    let world =
        World::with(&[("tools/manifest.json", r#"{"tools": [{"name": "a", "path": "_a.sh"}]}"#)]);
    age(&world, "tools/manifest.json");
    let store = Arc::new(MemoryStore::default());
    let status = |store: &Arc<MemoryStore>| {
        let visit = RootVisit {
            source: SourceId::local(),
            store: Some(store.clone()),
            cx: user(),
            is_trusted: true,
        };
        let matcher = Matcher::new(&["tools/**".to_owned()], &["_*".to_owned()]).expect("patterns");
        let mut words = Vec::new();
        scan::scan(&Root::project(&world.root), &matcher, &visit, &mut |entry| {
            if let RootEntry::Tool(tool, _) = entry {
                words.push(tool.status.as_str());
            }
            true
        });
        words
    };
    assert_eq!(status(&store), ["unavailable"]);
    world.script("tools/_a.sh", "#!/bin/sh\n");
    assert_eq!(status(&store), ["static"]);
    std::fs::remove_file(world.path("tools/_a.sh")).expect("removed");
    assert_eq!(status(&store), ["unavailable"]);
}

/// Tools from the record equal tools from the files, in every field.
#[tokio::test]
async fn the_record_preserves_everything() {
    if !has("python3") {
        return;
    }
    let world = World::with(&[
        (
            "tools/a.tool.toml",
            "name = \"a\"\ntitle = \"T\"\nkeywords = [\"k\"]\nvisibility = \"listed\"\noutput_schema = {type = \"object\"}\nannotations = {readOnlyHint = true}\n[run]\ncommand = [\"x\"]\n[cli.x]\nshort = \"x\"\n",
        ),
        ("tools/bad.tool.toml", "name = 1"),
        ("tools/h.py", "# tool: h\n# param x int\n"),
    ]);
    world.script("tools/p.sh", "#!/bin/sh\n# tool-schema");
    for path in ["tools/a.tool.toml", "tools/bad.tool.toml", "tools/h.py", "tools/p.sh"] {
        age(&world, path);
    }
    let store: Arc<MemoryStore> = Arc::default();
    let source = || world.builder().store(store.clone()).build();
    let cold = listing(&source()).await;
    let warm = listing(&source()).await;
    assert_eq!(cold.found, warm.found);
    assert_eq!(cold.found.len(), 5);
}

/// The time of a cold and a warm listing of this many tool files, from the first request to the
/// last tool. Warm is the best of five, because other programs on the machine only ever add time.
async fn measure(count: usize) -> (Duration, Duration) {
    let world = World::new();
    for at in 0..count {
        let text = format!(
            "name = \"tool-{at}\"\ndescription = \"Number {at} of many\"\nkeywords = [\"one\", \"two\"]\n\
             [[parameters]]\nname = \"url\"\ntype = \"string\"\nrequired = true\n\
             [[parameters]]\nname = \"format\"\nenum = [\"json\", \"csv\"]\ndefault = \"json\"\n\
             [run]\ncommand = [\"python3\", \"x{at}.py\"]\n"
        );
        let path = format!("tools/{}/{at}.tool.toml", at % 50);
        world.file(&path, text);
        age(&world, &path);
    }
    let store = Arc::new(MemoryStore::default());
    let timed = async || {
        let source = world.builder().store(store.clone()).build();
        let start = Instant::now();
        assert_eq!(listing(&source).await.tools().len(), count);
        start.elapsed()
    };
    let cold = timed().await;
    let mut warm = Duration::MAX;
    for _ in 0..5 {
        warm = warm.min(timed().await);
    }
    (cold, warm)
}

#[tokio::test]
async fn listing_can_be_measured() {
    let (cold, warm) = measure(20).await;
    assert!(cold > Duration::ZERO && warm > Duration::ZERO);
}

#[tokio::test]
#[ignore = "slow: cargo test --release -p toolscout-source -- --ignored goals"]
async fn five_thousand_files_are_listed_within_the_goals() {
    let (cold, warm) = measure(5_000).await;
    assert!(cold < Duration::from_millis(400), "cold: {cold:?}, warm: {warm:?}");
    assert!(warm < Duration::from_millis(60), "cold: {cold:?}, warm: {warm:?}");
}
