//! Revisions of the protocol, and its two eras.

/// The supported revisions, newest first.
pub const SPOKEN: [&str; 5] = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The revision whose requests stand alone.
pub const MODERN: &str = SPOKEN[0];
/// The answer to a client of the old era that asks for an unsupported revision.
const NEWEST_LEGACY: &str = SPOKEN[1];

/// A supported revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version(&'static str);

impl Version {
    /// Every request stands alone.
    pub const MODERN: Self = Self(MODERN);
    /// Assumed for a client of the old era before `initialize`.
    pub const LEGACY: Self = Self(NEWEST_LEGACY);

    /// The revision of this name.
    pub fn spoken(name: &str) -> Option<Self> {
        SPOKEN.into_iter().find(|it| *it == name).map(Self)
    }

    /// The revision that `initialize` with this version leads to: the same if it is supported in that era, else our newest of that era.
    pub fn agreed(asked: &str) -> Self {
        Self::spoken(asked).filter(|it| !it.is_modern()).unwrap_or(Self::LEGACY)
    }

    /// Whether every request stands alone.
    pub fn is_modern(self) -> bool {
        self == Self::MODERN
    }

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        self.0
    }
}
