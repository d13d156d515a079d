//! Files with one JSON object per line, plain or compressed with gzip.

use crate::AppError;
use flate2::read::MultiGzDecoder;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use toolscout_core::escape;

/// The maximum number of decompressed bytes: a small file may decompress to any size.
const LARGEST: u64 = 4 << 30;
/// The maximum length of a line in bytes.
const LONGEST: u64 = 16 << 20;

/// The file of this name in the folder: `NAME.jsonl`, or else `NAME.jsonl.gz`.
pub(super) fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let files = ["jsonl", "jsonl.gz"].map(|end| folder.join(format!("{name}.{end}")));
    files.into_iter().find(|file| file.is_file())
}

/// Every line of the file; `shape` describes the expected form, for error messages.
pub(super) fn read<T: DeserializeOwned>(path: &Path, shape: &str) -> Result<Vec<T>, AppError> {
    let file = File::open(path).map_err(AppError::io("open", path))?;
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    let bytes: Box<dyn Read> =
        if is_packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let place = path.display().to_string();
    parse(BufReader::new(bytes.take(LARGEST)), &place, shape)
}

/// Like [`read`], from any reader; `place` names it in errors. Empty lines are skipped.
pub(super) fn parse<T: DeserializeOwned>(
    mut bytes: impl BufRead,
    place: &str,
    shape: &str,
) -> Result<Vec<T>, AppError> {
    let mut all = Vec::new();
    let mut line = Vec::new();
    for number in 1.. {
        let wrong = |what: String| mistake(place, number, &what, shape);
        line.clear();
        let taken = bytes
            .by_ref()
            .take(LONGEST)
            .read_until(b'\n', &mut line)
            .map_err(|error| wrong(unreadable(&error)))?;
        if taken == 0 {
            break;
        }
        if taken as u64 == LONGEST && !line.ends_with(b"\n") {
            return Err(wrong(format!("the line is longer than {} MiB", LONGEST >> 20)));
        }
        let text = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line).trim_ascii();
        if !text.is_empty() {
            all.push(serde_json::from_slice(text).map_err(|error| wrong(within_line(&error)))?);
        }
    }
    Ok(all)
}

fn mistake(place: &str, number: usize, what: &str, shape: &str) -> AppError {
    let message = format!("`{}`, line {number}: {}", escape::line(place), escape::line(what));
    AppError::invalid(message, format!("each line is one JSON object: {shape}"))
}

fn unreadable(error: &io::Error) -> String {
    format!("cannot be read: {error}")
}

/// The error without the parser's own line number, which is always the first.
fn within_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((what, _)) => format!("{what}, at column {}", error.column()),
        None => text,
    }
}
