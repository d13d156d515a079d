//! Which protocol revision to speak with a server.

use super::handshake::{LEGACY, MODERN};

/// The protocol revision to speak with a server, as configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProtocolChoice {
    /// The newest one that the server has. A client of the legacy era that can receive requests
    /// during its calls is served over a legacy connection, if the server has that too.
    #[default]
    Auto,
    /// The modern revision only.
    Modern,
    /// The newest legacy revision that the server has.
    Legacy,
    /// This legacy revision only.
    Revision(&'static str),
}

impl ProtocolChoice {
    /// Parses `auto`, `modern`, `legacy` or a supported revision.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "auto" => Some(Self::Auto),
            "modern" | MODERN => Some(Self::Modern),
            "legacy" => Some(Self::Legacy),
            _ => LEGACY.into_iter().find(|legacy| *legacy == word).map(Self::Revision),
        }
    }

    /// Every word that [`Self::parse`] accepts.
    pub fn words() -> impl Iterator<Item = &'static str> {
        ["auto", "modern", "legacy", MODERN].into_iter().chain(LEGACY)
    }
}
