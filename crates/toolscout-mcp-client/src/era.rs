//! The two eras of the MCP protocol: with a handshake and sessions, and without.

use serde::{Deserialize, Serialize};

/// The agreed protocol revision, which determines the form of all messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProtocolEra {
    /// Up to 2025-11-25: starts with a handshake and keeps state on both sides.
    Legacy {
        /// The agreed version.
        version: String,
    },
    /// Since 2026-07-28: stateless, every request is self-contained.
    Modern {
        /// The agreed version.
        version: String,
    },
}

impl ProtocolEra {
    /// The agreed version.
    pub fn version(&self) -> &str {
        match self {
            Self::Legacy { version } | Self::Modern { version } => version,
        }
    }

    /// Whether every request is self-contained.
    pub fn is_modern(&self) -> bool {
        matches!(self, Self::Modern { .. })
    }
}
