//! The profile `meaning`: ranks by embeddings alone.

use crate::normalized_query::NormalizedQuery;
use crate::rules::ScoringRules;
use crate::{Hit, Index, Query};

pub(crate) struct ByMeaning;

impl ScoringRules for ByMeaning {
    fn name(&self) -> &'static str {
        "meaning"
    }

    /// Returns nothing without an encoder: a query by meaning does not fall back to words.
    fn search(&self, index: &Index, query: &Query<'_>, _: &NormalizedQuery) -> Vec<Hit> {
        let Some(similarities) =
            query.embedding.and_then(|embedding| index.data.vectors.similarities(embedding))
        else {
            return Vec::new();
        };
        let mut hits: Vec<(f32, &toolscout_core::ToolId)> = similarities
            .into_iter()
            .zip(index.tools.all.iter().map(|item| &item.id))
            .filter(|(similarity, id)| *similarity > 0.0 && query.admits(id))
            .collect();
        hits.sort_unstable_by(|one, other| {
            other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1))
        });
        hits.truncate(query.bounded_limit());
        let reasons = |similarity| vec![format!("similar in meaning ({similarity:.2})")];
        hits.into_iter()
            .map(|(similarity, id)| Hit {
                id: id.clone(),
                score: f64::from(similarity.min(1.0)),
                reasons: reasons(similarity),
            })
            .collect()
    }
}
