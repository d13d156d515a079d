//! Queries limited to some sources.

use super::index_of;
use crate::{Query, RankingProfile};
use toolscout_core::SourceId;

/// A hundred tools with a better score, and one of the requested source.
fn crowd() -> String {
    let many: String =
        (0..120).map(|at| format!("big/send_mail_{at:03} (mail) -- Send mail\n")).collect();
    many + "small/post (mail) -- Send mail by post, one day\nother/sing -- Sing a song\n"
}

#[test]
fn excluded_sources_take_no_positions() {
    let (index, sources) = (index_of(&crowd()), [SourceId::new("small").unwrap()]);
    // There is no encoder here for the profile `meaning`.
    for profile in RankingProfile::ALL.iter().filter(|item| **item != RankingProfile::Meaning) {
        let query = Query {
            profile: *profile,
            limit: 1,
            sources: Some(&sources),
            ..Query::new("send mail")
        };
        let found: Vec<_> = index.search(&query).iter().map(|item| item.id.to_string()).collect();
        assert_eq!(found, ["small/post"], "{profile}");
        let query = Query { text: "", ..query };
        assert_eq!(index.search(&query)[0].id.to_string(), "small/post", "{profile}");
    }
}

#[test]
fn a_query_for_several_sources_has_no_fair_shares() {
    let sources = ["big", "other"].map(|value| SourceId::new(value).unwrap());
    let query = Query { limit: 20, sources: Some(&sources), ..Query::new("send mail") };
    let found = index_of(&crowd()).search(&query);
    assert_eq!(found.len(), 20);
    assert!(found.iter().all(|item| item.id.source.as_str() == "big"));
    let query = Query { sources: Some(&[]), ..query };
    assert!(index_of(&crowd()).search(&query).is_empty());
}
