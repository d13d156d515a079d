//! 1. The measures match the textbook definitions, computed here by hand.
//! 2. Missing results, and more relevant tools than the depth, are scored correctly.

use crate::plugins::bench::score::{Scores, by_kind};

fn scores(ranked: &[&str], relevant: &[&str]) -> Scores {
    let relevant: Vec<String> = relevant.iter().map(ToString::to_string).collect();
    Scores::of(ranked, &relevant)
}

fn close(left: f64, right: f64) {
    assert!((left - right).abs() < 1e-9, "{left} is not {right}");
}

/// Ranks 2 and 4 of three relevant tools: 1/log2(3) + 1/log2(5) of 1 + 1/log2(3) + 1/log2(4).
#[test]
fn the_measures_are_those_of_the_books() {
    let scores = scores(&["a", "X", "b", "Y", "c"], &["X", "Y", "Z"]);
    close(
        scores.ndcg_10,
        (0.630_929_753_571_457_4 + 0.430_676_558_073_393_1) / 2.130_929_753_571_457_4,
    );
    close(scores.reciprocal_rank, 0.5);
    assert_eq!(scores.hit, [0.0, 1.0]);
    [0.0, 1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]
        .into_iter()
        .zip(scores.recall)
        .for_each(|(want, got)| close(got, want));
}

#[test]
fn nothing_found_scores_nothing() {
    assert_eq!(scores(&[], &["X"]), Scores::default());
    assert_eq!(scores(&["a", "b"], &["X"]), Scores::default());
}

#[test]
fn the_tenth_place_counts_and_the_eleventh_only_for_the_rank() {
    let mut ranked = ["a"; 12];
    ranked[9] = "X";
    close(scores(&ranked, &["X"]).ndcg_10, 1.0 / 11f64.log2());
    ranked.swap(9, 10);
    let scores = scores(&ranked, &["X"]);
    assert_eq!((scores.ndcg_10, scores.recall[3]), (0.0, 0.0));
    close(scores.reciprocal_rank, 1.0 / 11.0);
}

#[test]
fn ten_first_places_are_perfect_even_where_twelve_are_wanted() {
    let wanted = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    close(scores(&wanted, &wanted).ndcg_10, 1.0);
    close(scores(&wanted, &wanted).recall[3], 10.0 / 12.0);
}

#[test]
fn kinds_are_averaged_apart() {
    let (all, nothing) = (scores(&["X"], &["X"]), scores(&["a"], &["X"]));
    let kinds = [
        (Some("typo".to_owned()), all),
        (Some("typo".to_owned()), nothing),
        (Some("agent".to_owned()), all),
        (None, nothing),
    ];
    let kinds = by_kind(&kinds);
    assert_eq!(kinds.keys().copied().collect::<Vec<_>>(), ["agent", "typo"]);
    assert_eq!((kinds["typo"].0, kinds["typo"].1.ndcg_10), (2, 0.5));
    assert_eq!(Scores::mean([]), Scores::default());
}
