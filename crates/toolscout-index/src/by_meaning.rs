//! The profile `meaning`: ranks by embeddings alone.

use crate::question::NormalizedQuery;
use crate::rules::ScoringRules;
use crate::{Hit, Index, Query};

pub(crate) struct ByMeaning;

impl ScoringRules for ByMeaning {
    fn word(&self) -> &'static str {
        "meaning"
    }

    /// Returns nothing without an encoder: a query by meaning does not fall back to words.
    fn search(&self, index: &Index, query: &Query<'_>, _: &NormalizedQuery) -> Vec<Hit> {
        let Some(alike) = query.meaning.and_then(|it| index.known.vectors.similarities(it)) else {
            return Vec::new();
        };
        let mut hits: Vec<(f32, &toolscout_core::ToolId)> = alike
            .into_iter()
            .zip(index.tools.all.iter().map(|it| &it.id))
            .filter(|(alike, id)| *alike > 0.0 && query.admits(id))
            .collect();
        hits.sort_unstable_by(|one, other| {
            other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1))
        });
        hits.truncate(query.bounded_limit());
        let why = |alike| vec![format!("similar in meaning ({alike:.2})")];
        hits.into_iter()
            .map(|(alike, id)| Hit {
                id: id.clone(),
                score: f64::from(alike.min(1.0)),
                why: why(alike),
            })
            .collect()
    }
}
