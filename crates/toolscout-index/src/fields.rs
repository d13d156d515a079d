//! The searchable fields of a tool, and the weight of a word in each.

/// A searchable field of a tool.
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

    /// The weight of one word in a field of this many words.
    ///
    /// Lengths are compared with constants, not with the average of all tools. So the weights of a
    /// tool do not depend on other tools, and a source cannot shift others by adding long or short
    /// tools. Measurements show no loss in quality.
    pub(crate) fn weight_of_one(self, length: usize) -> f32 {
        let (weight, slope, usual) = self.parameters();
        weight / (1.0 - slope + slope * length as f32 / usual)
    }

    /// Weight of a word, length normalization, and usual length. From
    /// `docs/measurements/search.md`.
    fn parameters(self) -> (f32, f32, f32) {
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

    /// The name of the field in reasons.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Source => "source",
            Self::Title => "title",
            Self::Description => "description",
            Self::Keywords => "keywords",
            Self::ParameterNames => "parameter names",
            Self::Parameters => "parameters",
            Self::About => "source description",
        }
    }
}

/// Saturates the weight of a frequent word; the limit is 1.
pub(crate) fn saturate(weight: f32) -> f32 {
    const HALF_SATURATION: f32 = 1.5;
    weight / (HALF_SATURATION + weight)
}
