//! 1. The same share of every tool's queries is used for learning, rounded down, and no query is
//!    both learned from and measured.
//! 2. The selection does not depend on the order of the file.

use crate::plugins::bench::learn::split;
use crate::plugins::bench::set::SetQuery;
use std::collections::HashSet;

fn queries() -> Vec<SetQuery> {
    let tool = |at: usize| if at < 9 { "a" } else { "b" };
    let query = |at: usize| SetQuery {
        id: format!("q{at}"),
        query: format!("question {at}"),
        relevant: vec![tool(at).to_owned(), "c".to_owned()],
        kind: None,
    };
    (0..10).map(query).collect()
}

fn ids(queries: &[SetQuery]) -> HashSet<&str> {
    queries.iter().map(|query| query.id.as_str()).collect()
}

#[test]
fn half_of_each_tools_questions_are_observed() {
    let parts = split(queries(), 0.5);
    assert_eq!((parts.observed.len(), parts.asked.len()), (4, 6));
    assert!(ids(&parts.observed).is_disjoint(&ids(&parts.asked)));
    assert!(ids(&parts.asked).contains("q9"), "the only query of a tool is in the asked part");
    assert_eq!(split(queries(), 0.0).observed.len(), 0);
}

#[test]
fn the_order_of_the_file_does_not_matter() {
    let turned = queries().into_iter().rev().collect();
    assert_eq!(ids(&split(queries(), 0.5).observed), ids(&split(turned, 0.5).observed));
}
