//! The two eras of the MCP protocol: with a handshake and sessions, and without.

use serde::{Deserialize, Serialize};

/// Which revision of the protocol was agreed on, and so how to talk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProtocolEra {
    /// Up to 2025-11-25: a handshake first, state on both sides.
    Legacy {
        /// The agreed version.
        version: String,
    },
    /// Since 2026-07-28: every request stands alone.
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

    /// Whether every request stands alone.
    pub fn is_modern(&self) -> bool {
        matches!(self, Self::Modern { .. })
    }
}
