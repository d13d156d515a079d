//! The number of hits, and their order.

use super::{LIB10, index_of, page, search};
use crate::{Index, Query, RankingProfile};
use insta::assert_snapshot;

fn many(count: usize) -> String {
    (0..count).map(|index| format!("app/tool_{index:03}\n")).collect()
}

fn count(limit: usize) -> usize {
    index_of(&many(150)).search(&Query { limit, ..Query::new("tool") }).len()
}

/// Q-17: an empty query returns all tools, by name.
#[test]
fn an_empty_query_lists_by_name() {
    for query in ["", " \t\n"] {
        for profile in [RankingProfile::Ladder, RankingProfile::Ladder2] {
            let query = Query { limit: 3, profile, ..Query::new(query) };
            let page = page(LIB10, query, |hit| format!("{} {}", hit.id.name, hit.score));
            assert_eq!(page, "analyze_data 1\ncleanup_logs 1\ncreate_pdf 1");
        }
    }
}

/// Q-20: without a limit there are ten hits.
#[test]
fn limit_zero_is_the_default_limit() {
    assert_eq!(count(0), 10);
    assert_eq!(count(Query::new("tool").limit), 10);
    assert_eq!(count(7), 7);
}

/// Q-21: there are never more than a hundred hits.
#[test]
fn a_huge_limit_is_reduced() {
    assert_eq!(count(1000), 100);
    assert_eq!(count(usize::MAX), 100);
}

#[test]
fn truncation_keeps_the_best_in_order() {
    let index = index_of(&many(150));
    let names: Vec<_> = index
        .search(&Query::new("tool"))
        .into_iter()
        .map(|item| item.id.name.to_string())
        .collect();
    let expected: Vec<_> = (0..10).map(|index| format!("tool_{index:03}")).collect();
    assert_eq!(names, expected);
}

#[test]
fn tools_of_one_name_come_by_source() {
    let library = "
        zeta/send
        alpha/send
        mid/send
    ";
    let line = |hit: &crate::Hit| hit.id.to_string();
    assert_snapshot!(page(library, Query::new("send"), line), @r"
    alpha/send
    mid/send
    zeta/send
    ");
}

#[test]
fn the_order_of_registration_does_not_matter_to_a_ladder() {
    let backwards: Vec<_> = LIB10.lines().rev().collect();
    for profile in [RankingProfile::Ladder, RankingProfile::Ladder2] {
        for query in ["", "e", "data report email", "container"] {
            assert_eq!(
                search(LIB10, profile, query),
                search(&backwards.join("\n"), profile, query)
            );
        }
    }
}

#[test]
fn an_empty_index_finds_nothing() {
    let index = Index::default();
    assert!(index.is_empty());
    assert_eq!(index.search(&Query::new("")), []);
    assert_eq!(index_of(LIB10).len(), 10);
}

#[test]
fn profiles_are_parsed_by_name() {
    let words: Vec<_> = RankingProfile::ALL.iter().map(|item| item.to_string()).collect();
    assert_eq!(words, ["ranked", "meaning", "ladder", "ladder2", "substring"]);
    for profile in RankingProfile::ALL {
        assert_eq!(profile.as_str().parse(), Ok(*profile));
    }
    assert_snapshot!("fuzzy".parse::<RankingProfile>().unwrap_err(), @"`fuzzy` is not a ranking profile; use one of `ranked`, `meaning`, `ladder`, `ladder2`, `substring`");
}
