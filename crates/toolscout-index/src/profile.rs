//! The ranking profiles and their list.

use crate::rules::ScoringRules;
use crate::{by_meaning, ladder, ladder2, ranked, substring};
use std::fmt;
use std::str::FromStr;

/// Generates the enum, its list and the mapping to the rules from one table, so that no profile is
/// missing in one of them.
macro_rules! profiles {
    ($($(#[$about:meta])* $name:ident => $rules:expr,)*) => {
        /// How tools are scored for a query.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        #[non_exhaustive]
        pub enum RankingProfile {
            $($(#[$about])* $name,)*
        }

        impl RankingProfile {
            /// Every profile, in display order.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            pub(crate) fn rules(self) -> &'static dyn ScoringRules {
                match self {
                    $(Self::$name => &$rules,)*
                }
            }
        }
    };
}

profiles! {
    /// By words and embeddings, with relevance feedback; approved sources before others.
    #[default]
    Ranked => ranked::RankedScoring,
    /// By embeddings alone; finds nothing without an encoder.
    Meaning => by_meaning::ByMeaning,
    /// Fixed scores: the name first, then keywords, then the description; similar spellings last.
    Ladder => ladder::Ladder,
    /// Like the ladder, but words inside names and keywords count on their own.
    Ladder2 => ladder2::Ladder2,
    /// Tools with the text in their name or description, unscored, in the order of registration.
    Substring => substring::Substring,
}

impl RankingProfile {
    /// The name in settings and flags, such as `ladder2`.
    pub fn as_str(self) -> &'static str {
        self.rules().name()
    }
}

impl fmt::Display for RankingProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for RankingProfile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|profile| profile.as_str() == name)
            .ok_or_else(|| UnknownProfile(name.to_owned()))
    }
}

/// An unknown profile name; the message lists the known ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownProfile(String);

impl fmt::Display for UnknownProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<String> =
            RankingProfile::ALL.iter().map(|item| format!("`{item}`")).collect();
        write!(
            f,
            "`{}` is not a ranking profile; use one of {}",
            toolscout_core::escape::line(&self.0),
            known.join(", ")
        )
    }
}

impl std::error::Error for UnknownProfile {}
