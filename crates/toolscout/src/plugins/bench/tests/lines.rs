//! 1. Plain and compressed files give the same result; empty lines, a byte order mark and Windows
//!    line endings are accepted.
//! 2. The error for an invalid line contains the file, the line, the reason, and the expected form.
//! 3. A decompression bomb and an endless line are errors, and do not exhaust memory.

use crate::plugins::bench::lines::{find, parse, read};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::fs;
use std::io::{BufReader, Read, Write, repeat};
use std::path::Path;

fn packed(text: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(text).unwrap();
    gzip.finish().unwrap()
}

fn mistake(path: &Path) -> (String, String) {
    let error = read::<Value>(path, "{\"id\"}").unwrap_err();
    (
        error.to_string().replace(&path.display().to_string(), "FILE"),
        error.hint().unwrap_or_default(),
    )
}

#[test]
fn plain_and_packed_files_read_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let text = "\u{feff}{\"id\": 1}\r\n\n  \n{\"id\": \"ü\"}";
    let (plain, zipped) =
        (folder.path().join("tools.jsonl"), folder.path().join("queries.jsonl.gz"));
    fs::write(&plain, text).unwrap();
    // Two concatenated gzip members, as `cat a.gz b.gz` creates them.
    let (one, other) = text.split_at(9);
    fs::write(&zipped, [packed(one.as_bytes()), packed(other.as_bytes())].concat()).unwrap();
    assert_eq!(read::<Value>(&plain, "").unwrap(), read::<Value>(&zipped, "").unwrap());
    assert_eq!(read::<Value>(&plain, "").unwrap().len(), 2);
    assert_eq!(find(folder.path(), "tools"), Some(plain));
    assert_eq!(find(folder.path(), "queries"), Some(zipped));
    assert_eq!(find(folder.path(), "other"), None);
}

#[test]
fn a_bad_line_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tools.jsonl");
    fs::write(&file, "{\"id\": 1}\n\n{\"id\": }\n").unwrap();
    let (message, hint) = mistake(&file);
    assert_eq!(message, "`FILE`, line 3: expected value, at column 8");
    assert_eq!(hint, "each line is one JSON object: {\"id\"}");
    fs::write(&file, b"{\"id\": \"\xff\"}\n").unwrap();
    assert!(
        mistake(&file).0.starts_with("`FILE`, line 1: invalid unicode code point"),
        "{}",
        mistake(&file).0
    );
}

#[test]
fn a_packed_file_that_is_cut_off_is_not_half_a_set() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tools.jsonl.gz");
    let whole = packed("{\"id\": 1}\n".repeat(1000).as_bytes());
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    assert!(mistake(&file).0.contains("cannot be read"), "{}", mistake(&file).0);
    fs::write(&file, "not packed at all").unwrap();
    assert!(mistake(&file).0.contains("line 1: cannot be read"), "{}", mistake(&file).0);
}

#[test]
fn an_endless_line_ends_in_an_error() {
    let endless = BufReader::new(repeat(b' ').take(1 << 40));
    let error = parse::<Value>(endless, "endless", "").unwrap_err();
    assert_eq!(error.to_string(), "`endless`, line 1: the line is longer than 16 MiB");
}
