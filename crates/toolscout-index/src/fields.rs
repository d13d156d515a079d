//! What of a tool is searched, and what a word is worth where it stands.

/// A part of a tool that words are found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum IndexField {
    Name,
    Source,
    Title,
    Description,
    Keywords,
    ParameterNames,
    Parameters,
    About,
}

impl IndexField {
    pub(crate) const ALL: [Self; 8] = [
        Self::Name,
        Self::Source,
        Self::Title,
        Self::Description,
        Self::Keywords,
        Self::ParameterNames,
        Self::Parameters,
        Self::About,
    ];

    pub(crate) fn bit(self) -> u8 {
        1 << self as u8
    }

    /// What one word weighs in a field of so many words.
    ///
    /// Lengths are compared with fixed ones, not with those of the other tools: so a tool's words weigh the same whatever else is
    /// there, and nobody moves others by adding long or short tools of their own. Measured, that costs nothing.
    pub(crate) fn weight_of_one(self, length: usize) -> f32 {
        let (weight, slope, usual) = self.worth();
        weight / (1.0 - slope + slope * length as f32 / usual)
    }

    /// Weight of a word, how much length counts against it, and the usual length. From `docs/search.md`.
    fn worth(self) -> (f32, f32, f32) {
        match self {
            Self::Name => (5.0, 0.3, 2.7),
            Self::Source => (1.0, 0.2, 1.8),
            Self::Title => (2.0, 0.3, 3.0),
            Self::Description => (1.0, 0.4, 9.0),
            Self::Keywords => (2.0, 0.4, 4.0),
            Self::ParameterNames => (0.8, 0.3, 4.0),
            Self::Parameters => (0.6, 0.4, 15.0),
            Self::About => (0.25, 0.4, 12.0),
        }
    }

    /// As reasons name it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Source => "source",
            Self::Title => "title",
            Self::Description => "description",
            Self::Keywords => "keywords",
            Self::ParameterNames => "parameter names",
            Self::Parameters => "parameters",
            Self::About => "what its source says of itself",
        }
    }
}

/// A word that is everywhere in a tool is worth at most 1.
pub(crate) fn saturated(weight: f32) -> f32 {
    const HALF: f32 = 1.5;
    weight / (HALF + weight)
}
