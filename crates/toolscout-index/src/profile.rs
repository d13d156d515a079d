//! The ways to score, and their list.

use crate::rules::ScoringRules;
use crate::{by_meaning, ladder, ladder2, ranked, substring};
use std::fmt;
use std::str::FromStr;

/// Makes the enum, its list and the way to the rules from one table, so that none of the three can forget a profile.
macro_rules! profiles {
    ($($(#[$about:meta])* $name:ident => $rules:expr,)*) => {
        /// How tools are scored against a question.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        #[non_exhaustive]
        pub enum RankingProfile {
            $($(#[$about])* $name,)*
        }

        impl RankingProfile {
            /// Every profile, in the order shown to people.
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
    /// By words and by meaning, with what was learned from use; trusted sources before others.
    #[default]
    Ranked => ranked::RankedScoring,
    /// By meaning alone; finds nothing where there is no encoder.
    Meaning => by_meaning::ByMeaning,
    /// Fixed scores: the name first, then keywords, then the description; near misses last.
    Ladder => ladder::Ladder,
    /// As the ladder, and the words inside names and keywords count for themselves.
    Ladder2 => ladder2::Ladder2,
    /// Whatever has the text in its name or description, unscored, in the order of registration.
    Substring => substring::Substring,
}

impl RankingProfile {
    /// The word settings and flags use, such as `ladder2`.
    pub fn word(self) -> &'static str {
        self.rules().word()
    }
}

impl fmt::Display for RankingProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for RankingProfile {
    type Err = UnknownProfile;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|it| it.word() == word).ok_or_else(|| UnknownProfile(word.to_owned()))
    }
}

/// A word that names no profile; the message lists those that do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownProfile(String);

impl fmt::Display for UnknownProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<String> = RankingProfile::ALL.iter().map(|it| format!("`{it}`")).collect();
        write!(
            f,
            "`{}` is not a search profile; use one of {}",
            toolscout_core::escape::line(&self.0),
            known.join(", ")
        )
    }
}

impl std::error::Error for UnknownProfile {}
