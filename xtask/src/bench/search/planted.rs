//! Generated tools and queries in files, removed on drop.

use super::CatalogDimensions;
use super::generator::Generator;
use anyhow::Context;
use serde_json::Value;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use tempfile::TempDir;

/// The number of queries.
const QUESTIONS: usize = 1_000;
/// The number of tools of the last source, which is added incrementally.
const LAST: usize = 50;

pub(super) struct Planted {
    top: TempDir,
}

impl Planted {
    /// Deterministic for a size.
    pub(super) fn new((tools, sources): CatalogDimensions) -> anyhow::Result<Self> {
        let planted = Self { top: TempDir::new().context("make a temporary folder")? };
        let mut generator = Generator::new(tools as u64);
        let mut file = BufWriter::new(File::create(planted.tools())?);
        let mut asked = Vec::new();
        let mut written = 0;
        for number in 0..sources {
            let left = tools - written;
            let count = if number + 1 == sources {
                left
            } else {
                (left.saturating_sub(LAST) / (sources - number - 1)).min(left)
            };
            let made = generator.source(number, count);
            for mut tool in made.tools {
                if written * QUESTIONS / tools.max(1) >= asked.len() {
                    asked.push(generator.question(&tool));
                }
                tool["source"] = Value::from(made.source.as_str());
                serde_json::to_writer(&mut file, &tool)?;
                file.write_all(b"\n")?;
                written += 1;
            }
        }
        file.flush()?;
        std::fs::write(planted.queries(), asked.join("\n") + "\n")?;
        Ok(planted)
    }

    pub(super) fn tools(&self) -> PathBuf {
        self.top.path().join("tools.jsonl")
    }

    pub(super) fn queries(&self) -> PathBuf {
        self.top.path().join("queries.txt")
    }
}
