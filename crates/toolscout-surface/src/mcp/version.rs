//! Revisions of the protocol, and its two eras.

/// The supported revisions, newest first.
pub const SUPPORTED_VERSIONS: [&str; 5] =
    ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The revision with self-contained requests.
pub const MODERN: &str = SUPPORTED_VERSIONS[0];
/// Offered to a client of the old era that requests an unsupported revision.
const NEWEST_LEGACY: &str = SUPPORTED_VERSIONS[1];

/// A supported revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version(&'static str);

impl Version {
    /// The revision with self-contained requests.
    pub const MODERN: Self = Self(MODERN);
    /// Assumed for a client of the old era before `initialize`.
    pub const LEGACY: Self = Self(NEWEST_LEGACY);

    /// The supported revision with this name.
    pub fn supported(name: &str) -> Option<Self> {
        SUPPORTED_VERSIONS.into_iter().find(|supported| *supported == name).map(Self)
    }

    /// Negotiates the revision for `initialize`: the requested one if it is supported and of the
    /// old era, else the newest of the old era.
    pub fn negotiate(requested: &str) -> Self {
        Self::supported(requested)
            .filter(|supported| !supported.is_modern())
            .unwrap_or(Self::LEGACY)
    }

    /// Whether a client may send several messages as one array.
    pub fn has_batches(self) -> bool {
        self.0 == "2025-03-26"
    }

    /// Whether the server may close a stream before the response, and let the client poll.
    pub fn has_polling(self) -> bool {
        self.0 == "2025-11-25"
    }

    /// Whether every request is self-contained.
    pub fn is_modern(self) -> bool {
        self == Self::MODERN
    }

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        self.0
    }
}
