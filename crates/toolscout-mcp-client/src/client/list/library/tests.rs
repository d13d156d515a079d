//! A list is complete or an error; one broken entry does not affect the others.

use super::{LibraryListReader, PROMPTS, RESOURCES};
use crate::limits::Limits;
use serde_json::{Value, json};
use toolscout_core::RawJson;

fn page(
    shelf: &mut LibraryListReader,
    page: Value,
    limits: &Limits,
) -> Result<Option<String>, String> {
    shelf.page(&RawJson::from_value(&page), limits).map_err(|it| it.to_string())
}

fn prompts(names: impl IntoIterator<Item = usize>) -> Value {
    names.into_iter().map(|it| json!({"name": it.to_string()})).collect()
}

#[test]
fn entries_that_cannot_be_used_are_left_out_with_a_reason() {
    let mut shelf = LibraryListReader::new(&RESOURCES);
    let limits = Limits { definition: 100, ..Limits::default() };
    let long = "x".repeat(100);
    let items = json!([{"uri": "a"}, {"uri": ""}, {"uri": 7}, "text", {"uri": long}, {"uri": "a", "again": 1}, {"uri": "b"}]);
    assert_eq!(
        page(&mut shelf, json!({"resources": items, "cacheScope": "private"}), &limits),
        Ok(None)
    );
    assert_eq!(shelf.items.len(), 2);
    assert_eq!(shelf.problems.len(), 4);
    assert!(shelf.private);
    let mut twice = LibraryListReader::new(&RESOURCES);
    let raw = RawJson::parse(r#"{"resources":[{"uri":"a","uri":"b"}]}"#).expect("JSON");
    twice.page(&raw, &limits).expect("a page");
    assert!(twice.items.is_empty(), "what can be read in two ways is not used");
}

#[test]
fn what_is_no_list_is_an_error() {
    for odd in [
        json!({}),
        json!([]),
        json!({"prompts": {}}),
        json!({"prompts": [], "resultType": "input_required"}),
    ] {
        assert!(
            page(&mut LibraryListReader::new(&PROMPTS), odd.clone(), &Limits::default()).is_err(),
            "{odd}"
        );
    }
}

#[test]
fn pages_entries_bytes_and_cursors_are_limited() {
    let limits = Limits { pages: 2, tools: 3, listing: 400, cursor: 4, ..Limits::default() };
    let mut pages = LibraryListReader::new(&PROMPTS);
    assert_eq!(
        page(&mut pages, json!({"prompts": [], "nextCursor": "1"}), &limits),
        Ok(Some("1".to_owned()))
    );
    assert!(
        page(&mut pages, json!({"prompts": [], "nextCursor": "2"}), &limits)
            .is_err_and(|it| it.contains("2 pages"))
    );
    assert!(
        page(&mut LibraryListReader::new(&PROMPTS), json!({"prompts": prompts(0..3)}), &limits)
            .is_ok()
    );
    let many =
        page(&mut LibraryListReader::new(&PROMPTS), json!({"prompts": prompts(0..4)}), &limits);
    assert!(many.is_err_and(|it| it.contains("more than 3 entries")));
    let long = page(
        &mut LibraryListReader::new(&PROMPTS),
        json!({"prompts": [], "x": "y".repeat(400)}),
        &limits,
    );
    assert!(long.is_err_and(|it| it.contains("more than")));
    for cursor in [json!("12345"), json!(7)] {
        assert!(
            page(
                &mut LibraryListReader::new(&PROMPTS),
                json!({"prompts": [], "nextCursor": cursor}),
                &limits
            )
            .is_err()
        );
    }
}

#[test]
fn a_list_that_leads_back_ends_if_it_brings_nothing_new() {
    let mut shelf = LibraryListReader::new(&PROMPTS);
    let next = |names: Value| json!({"prompts": names, "nextCursor": "c"});
    assert_eq!(page(&mut shelf, next(prompts([1])), &Limits::default()), Ok(Some("c".to_owned())));
    assert_eq!(page(&mut shelf, next(prompts([1])), &Limits::default()), Ok(None));
    assert!(page(&mut shelf, next(prompts([2])), &Limits::default()).is_err());
}
