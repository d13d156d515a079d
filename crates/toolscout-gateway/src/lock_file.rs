//! `toolscout.lock`: the tool definitions that a project was made with, one line per tool.

#[cfg(test)]
mod tests;

use serde::Deserialize;
use std::collections::BTreeMap;
use toolscout_catalog::Snapshot;
use toolscout_core::{Digest, SourceId, ToolId, ToolName};

const VERSION: u32 = 1;
const HEAD: &str = "# Tool definitions of this project, written by `toolscout lock` and checked by `toolscout verify`. Do not edit.\n";

/// The content of a lock file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LockFile {
    /// The hash of each source's configuration; sources without a configuration entry are absent.
    pub entries: BTreeMap<SourceId, String>,
    /// The digest of each tool's definition.
    pub tools: BTreeMap<ToolId, Digest>,
}

/// One difference between a lock file and the current tools.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Drift {
    /// A tool that is not in the lock file.
    Added {
        /// The tool.
        tool: ToolId,
    },
    /// A tool that no longer exists.
    Removed {
        /// The tool.
        tool: ToolId,
    },
    /// A tool with a different definition.
    Changed {
        /// The tool.
        tool: ToolId,
        /// The locked digest.
        locked: Digest,
        /// The current digest.
        now: Digest,
    },
    /// A source with a different configuration.
    Reconfigured {
        /// The source.
        source: SourceId,
    },
}

/// The reason why a text is not a valid lock file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// The text is not in the format of a lock file.
    #[error("this is not a lock file: {0}")]
    Unreadable(String),
    /// The lock file has another version.
    #[error("the lock file has version {0}; this toolscout supports version {VERSION}")]
    Later(u32),
    /// A line with an invalid tool, source or digest.
    #[error("`{0}` in the lock file is not a valid tool, source or digest")]
    Line(String),
}

impl LockFile {
    /// Locks the current tools; `entry` returns the hash of a source's configuration.
    pub fn from_snapshot(snapshot: &Snapshot, entry: impl Fn(&SourceId) -> Option<String>) -> Self {
        let defined = snapshot.tools().filter(|tool| !tool.provenance.placeholder);
        let tools = defined.map(|tool| (tool.id.clone(), tool.digest())).collect();
        let entries = snapshot
            .sources()
            .filter_map(|(source, _)| Some((source.clone(), entry(source)?)))
            .collect();
        Self { entries, tools }
    }

    /// The differences between the current tools and the lock file, sorted by name within each
    /// kind.
    pub fn verify(
        &self,
        snapshot: &Snapshot,
        entry: impl Fn(&SourceId) -> Option<String>,
    ) -> Vec<Drift> {
        let now = Self::from_snapshot(snapshot, entry);
        let reconfigured = self
            .entries
            .iter()
            .filter(|(source, entry)| now.entries.get(source).is_some_and(|value| value != *entry));
        let mut drifts: Vec<_> = reconfigured
            .map(|(source, _)| Drift::Reconfigured { source: source.clone() })
            .collect();
        for (tool, locked) in &self.tools {
            match now.tools.get(tool) {
                None => drifts.push(Drift::Removed { tool: tool.clone() }),
                Some(now) if now != locked => {
                    drifts.push(Drift::Changed { tool: tool.clone(), locked: *locked, now: *now })
                }
                Some(_) => {}
            }
        }
        let added = now.tools.into_keys().filter(|key| !self.tools.contains_key(key));
        drifts.extend(added.map(|tool| Drift::Added { tool }));
        drifts
    }

    /// The text of the lock file: sorted, one line per source and per tool.
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEAD}version = {VERSION}\n\n[sources]\n");
        for (source, entry) in &self.entries {
            text += &format!("{} = {}\n", quoted(source.as_str()), quoted(entry));
        }
        text += "\n[tools]\n";
        for (tool, digest) in &self.tools {
            text += &format!("{} = {}\n", quoted(&tool.to_string()), quoted(&digest.to_string()));
        }
        text
    }

    /// Parses the output of [`LockFile::to_text`].
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let file: LockFileFormat = toml::from_str(text)
            .map_err(|error| LockError::Unreadable(error.message().to_owned()))?;
        if file.version != VERSION {
            return Err(LockError::Later(file.version));
        }
        let wrong = |line: &str| LockError::Line(line.to_owned());
        let mut lock = Self::default();
        for (source, entry) in file.sources {
            lock.entries.insert(SourceId::new(&source).map_err(|_| wrong(&source))?, entry);
        }
        for (tool, digest) in file.tools {
            let digest = Digest::from_hex(&digest).ok_or_else(|| wrong(&tool))?;
            lock.tools.insert(tool_id(&tool).ok_or_else(|| wrong(&tool))?, digest);
        }
        Ok(lock)
    }
}

#[derive(Deserialize)]
struct LockFileFormat {
    version: u32,
    #[serde(default)]
    sources: BTreeMap<String, String>,
    #[serde(default)]
    tools: BTreeMap<String, String>,
}

/// Splits at the first slash: a source id contains none.
fn tool_id(text: &str) -> Option<ToolId> {
    let (source, name) = text.split_once('/')?;
    Some(ToolId::new(SourceId::new(source).ok()?, ToolName::new(name).ok()?))
}

/// A quoted TOML string on one line: names may contain any character.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            value if value.is_control() => out += &format!("\\u{:04X}", u32::from(value)),
            value => out.push(value),
        }
    }
    out + "\""
}
