//! Ids: a tool is identified by the id of its source and its own name, both byte-exact.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// The id of a source: `[a-z0-9][a-z0-9_-]{0,31}`, never containing `__`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(Arc<str>);

impl SourceId {
    /// Ids that only toolscout itself assigns.
    pub const RESERVED: [&'static str; 6] =
        ["local", "app", "mcp", "opencode", "preset", "observed"];

    /// Checks the id; the error carries the nearest valid one.
    pub fn new(id: &str) -> Result<Self, InvalidSourceId> {
        let valid = !id.is_empty()
            && id.len() <= 32
            && !id.contains("__")
            && id
                .bytes()
                .next()
                .is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            && id.bytes().all(is_id_byte);
        if valid {
            Ok(Self(id.into()))
        } else {
            Err(InvalidSourceId { id: id.to_owned(), nearest: nearest(id) })
        }
    }

    /// The source of all tool folders of a project.
    pub fn local() -> Self {
        Self("local".into())
    }

    /// The default source of tools registered in code.
    pub fn app() -> Self {
        Self("app".into())
    }

    /// The source of an OpenCode tool folder.
    pub fn opencode() -> Self {
        Self("opencode".into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_id_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-'
}

fn nearest(id: &str) -> String {
    let mut out = String::new();
    for byte in id.to_ascii_lowercase().bytes() {
        let value = if is_id_byte(byte) { byte as char } else { '-' };
        let repeats = matches!(value, '_' | '-') && out.ends_with(['_', '-']);
        if !repeats {
            out.push(value);
        }
    }
    let out: String = out.trim_matches(['_', '-']).chars().take(32).collect();
    if out.is_empty() { "source".to_owned() } else { out }
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

/// An invalid source id, and the nearest valid one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is not a valid source id; use lower-case letters, digits, `-` and single `_`, for example `{nearest}`",
    crate::escape::line(id)
)]
pub struct InvalidSourceId {
    /// The invalid id.
    pub id: String,
    /// The nearest valid id.
    pub nearest: String,
}

/// A tool's own name, as its source spells it: any non-empty text. One part of a [`ToolId`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolName(Arc<str>);

impl ToolName {
    /// Accepts any name but the empty one.
    pub fn new(name: &str) -> Result<Self, InvalidName> {
        if name.is_empty() { Err(InvalidName::Empty) } else { Ok(Self(name.into())) }
    }

    /// Accepts a name that a file may give its tool. It becomes a command, so it must not look like
    /// an option, a path or shell syntax: `[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}`.
    pub fn for_command(name: &str) -> Result<Self, InvalidName> {
        let first = name.bytes().next().ok_or(InvalidName::Empty)?;
        if name.len() > 128 {
            return Err(InvalidName::TooLong { length: name.len() });
        }
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if plain(first) && name.bytes().all(|byte| plain(byte) || matches!(byte, b'.' | b'-')) {
            Ok(Self(name.into()))
        } else {
            Err(InvalidName::Characters { name: name.to_owned() })
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Allows lookups by `&str` in maps keyed by name.
impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

/// An invalid tool name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidName {
    /// The name is empty.
    #[error("the tool name is empty")]
    Empty,
    /// The name is longer than a command may be.
    #[error("the tool name is {length} bytes long; the limit is 128")]
    TooLong {
        /// The length in bytes.
        length: usize,
    },
    /// The name has characters that a command may not have.
    #[error(
        "`{}` is not a valid tool name; use letters, digits, `_`, `-` and `.`, and start with a letter, a digit or `_`",
        crate::escape::line(name)
    )]
    Characters {
        /// The invalid name.
        name: String,
    },
}

/// The identity of a tool. Displayed as `source/tool`, but never parsed from that form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolId {
    /// The source; a part of the id, because two sources may both have a `search`.
    pub source: SourceId,
    /// The name in its source.
    pub name: ToolName,
}

impl ToolId {
    /// Joins source and name.
    pub fn new(source: SourceId, name: ToolName) -> Self {
        Self { source, name }
    }
}

impl fmt::Display for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.source, self.name)
    }
}

impl fmt::Debug for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
