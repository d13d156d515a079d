//! Revisions of the protocol, and how each era is told from the other.

/// Those we speak, newest first.
pub const SPOKEN: [&str; 5] = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The one that stands for requests that stand alone.
pub const MODERN: &str = SPOKEN[0];
/// What a client of the old era gets that asks for something nobody speaks.
const NEWEST_LEGACY: &str = SPOKEN[1];

/// A revision that we speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version(&'static str);

impl Version {
    /// Every request stands alone.
    pub const MODERN: Self = Self(MODERN);
    /// Where a client of the old era has not said any.
    pub const LEGACY: Self = Self(NEWEST_LEGACY);

    /// The revision of this name.
    pub fn spoken(name: &str) -> Option<Self> {
        SPOKEN.into_iter().find(|it| *it == name).map(Self)
    }

    /// What `initialize` with this version leads to: the same where we speak it in that era, else our newest of that era.
    pub fn agreed(asked: &str) -> Self {
        Self::spoken(asked).filter(|it| !it.is_modern()).unwrap_or(Self::LEGACY)
    }

    /// Whether every request stands alone.
    pub fn is_modern(self) -> bool {
        self == Self::MODERN
    }

    /// As it travels.
    pub fn name(self) -> &'static str {
        self.0
    }
}
