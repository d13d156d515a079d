//! The log that tests evaluate: one JSON line per event, appended in one write, so that several
//! processes can share a file.

use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Without a file, events are dropped.
pub(crate) struct Log {
    file: Option<File>,
    name: String,
    mode: &'static str,
}

impl Log {
    pub(crate) fn open(path: Option<&Path>, name: &str, mode: &'static str) -> io::Result<Self> {
        let open = |path| OpenOptions::new().append(true).create(true).mode(0o600).open(path);
        Ok(Self { file: path.map(open).transpose()?, name: name.to_owned(), mode })
    }

    /// Whether the log has a file.
    pub(crate) fn is_open(&self) -> bool {
        self.file.is_some()
    }

    /// Writes one event; `more` is an object with its details.
    pub(crate) fn event(&self, event: &str, more: Value) {
        let Some(mut file) = self.file.as_ref() else { return };
        let mut line = json!({
            "t": now(), "pid": std::process::id(), "name": self.name, "mode": self.mode, "ev": event,
        });
        if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
            line.extend(more);
        }
        // A full disk must not stop the server under test.
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}

/// Seconds since 1970, to the microsecond.
fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_micros() as f64 / 1e6
}
