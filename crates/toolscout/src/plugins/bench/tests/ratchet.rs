//! 1. Search quality does not drop: a drop fails, and a rise is recorded here with its cause.
//! 2. This holds for keywords alone, and with a higher floor for semantic search; nonsense queries
//!    find nothing either way.

use crate::plugins::bench::lines;
use crate::plugins::bench::ranking::{How, Ranking};
use crate::plugins::bench::score::Scores;
use crate::plugins::bench::set::{Set, SetQuery};
use std::path::Path;
use toolscout_index::RankingProfile;

/// The minimum scores on the built-in set.
struct Floor {
    ndcg_10: f64,
    recall_5: f64,
    /// The maximum number of nonsense queries with results.
    nonsense: usize,
}

const BY_WORDS: Floor = Floor { ndcg_10: 0.575, recall_5: 0.6, nonsense: 0 };
const BY_MEANING: Floor = Floor { ndcg_10: 0.748, recall_5: 0.788, nonsense: 0 };

fn ranking(set: &Set, lexical: bool) -> Ranking {
    Ranking::build(&set.tools, How { profile: RankingProfile::Ranked, lexical })
}

fn scored(set: &Set, ranking: &Ranking) -> (f64, f64) {
    let of = |query: &SetQuery| {
        let ranked: Vec<&str> =
            ranking.search(&query.query).iter().map(|at| set.tools[*at].id.as_str()).collect();
        Scores::of(&ranked, &query.relevant)
    };
    let scores: Vec<Scores> = set.queries.iter().map(of).collect();
    let mean = Scores::mean(&scores);
    (mean.ndcg_10, mean.recall[2])
}

fn hold(set: &Set, ranking: &Ranking, floor: &Floor) {
    let (ndcg_10, recall_5) = scored(set, ranking);
    assert!(
        ndcg_10 >= floor.ndcg_10,
        "nDCG@10 is {ndcg_10:.4}, and must not be below {}",
        floor.ndcg_10
    );
    assert!(
        recall_5 >= floor.recall_5,
        "recall@5 is {recall_5:.4}, and must not be below {}",
        floor.recall_5
    );
    let nonsense = nonsense();
    assert!(nonsense.len() >= 15);
    let first =
        |text: &str| ranking.search_above(text, true).first().map(|at| set.tools[*at].id.clone());
    let found: Vec<_> = nonsense
        .iter()
        .filter_map(|nonsense| Some((&nonsense.query, first(&nonsense.query)?)))
        .collect();
    assert!(found.len() <= floor.nonsense, "nonsense queries have hits: {found:?}");
}

fn nonsense() -> Vec<SetQuery> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/retrieval/nonsense.jsonl");
    lines::read(&file, "").unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn search_by_words_finds_what_it_did() {
    let set = Set::built_in().unwrap_or_else(|error| panic!("{error}"));
    let ranking = ranking(&set, true);
    hold(&set, &ranking, &BY_WORDS);
}

#[test]
#[cfg_attr(not(feature = "semantic"), ignore = "needs the model")]
fn search_by_meaning_finds_what_it_did() {
    let set = Set::built_in().unwrap_or_else(|error| panic!("{error}"));
    let ranking = ranking(&set, false);
    assert!(ranking.has_encoder());
    hold(&set, &ranking, &BY_MEANING);
}
