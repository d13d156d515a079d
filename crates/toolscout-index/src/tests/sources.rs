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
fn what_is_not_asked_for_takes_no_place_from_what_is() {
    let (index, sources) = (index_of(&crowd()), [SourceId::new("small").unwrap()]);
    // There is no encoder here for the profile `meaning`.
    for profile in RankingProfile::ALL.iter().filter(|it| **it != RankingProfile::Meaning) {
        let query = Query {
            profile: *profile,
            limit: 1,
            sources: Some(&sources),
            ..Query::new("send mail")
        };
        let found: Vec<_> = index.search(&query).iter().map(|it| it.id.to_string()).collect();
        assert_eq!(found, ["small/post"], "{profile}");
        let query = Query { text: "", ..query };
        assert_eq!(index.search(&query)[0].id.to_string(), "small/post", "{profile}");
    }
}

#[test]
fn several_sources_can_be_asked_for_and_none_of_them_is_cut_short() {
    let sources = ["big", "other"].map(|it| SourceId::new(it).unwrap());
    let query = Query { limit: 20, sources: Some(&sources), ..Query::new("send mail") };
    let found = index_of(&crowd()).search(&query);
    assert_eq!(found.len(), 20);
    assert!(found.iter().all(|it| it.id.source.as_str() == "big"));
    let query = Query { sources: Some(&[]), ..query };
    assert!(index_of(&crowd()).search(&query).is_empty());
}
