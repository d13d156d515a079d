//! The ranked tools of every query, for scoring by other programs.

use crate::AppError;
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// One line of the file.
#[derive(Serialize)]
pub(super) struct Ranked<'a> {
    /// The id of the query.
    pub(super) id: &'a str,
    /// Tool ids, best first.
    pub(super) ranked: Vec<&'a str>,
}

pub(super) fn write(path: &Path, lines: &[Ranked<'_>]) -> Result<(), AppError> {
    let failed = AppError::io("write", path);
    let write = || {
        let mut file = BufWriter::new(File::create(path)?);
        for line in lines {
            serde_json::to_writer(&mut file, line)?;
            file.write_all(b"\n")?;
        }
        file.flush()
    };
    write().map_err(failed)
}
