//! A list is complete or an error; one broken entry does not affect the others.

use super::{LibraryListReader, PROMPTS, RESOURCES};
use crate::limits::Limits;
use serde_json::{Value, json};
use toolscout_core::RawJson;

fn read_page(
    reader: &mut LibraryListReader,
    page: Value,
    limits: &Limits,
) -> Result<Option<String>, String> {
    reader.read_page(&RawJson::from_value(&page), limits).map_err(|error| error.to_string())
}

fn prompts(names: impl IntoIterator<Item = usize>) -> Value {
    names.into_iter().map(|name| json!({"name": name.to_string()})).collect()
}

#[test]
fn unusable_entries_are_skipped_with_a_reason() {
    let mut reader = LibraryListReader::new(&RESOURCES);
    let limits = Limits { definition: 100, ..Limits::default() };
    let long = "x".repeat(100);
    let items = json!([{"uri": "a"}, {"uri": ""}, {"uri": 7}, "text", {"uri": long}, {"uri": "a", "again": 1}, {"uri": "b"}]);
    assert_eq!(
        read_page(&mut reader, json!({"resources": items, "cacheScope": "private"}), &limits),
        Ok(None)
    );
    assert_eq!(reader.items.len(), 2);
    assert_eq!(reader.diagnostics.len(), 4);
    assert!(reader.private);
    let mut twice = LibraryListReader::new(&RESOURCES);
    let raw = RawJson::parse(r#"{"resources":[{"uri":"a","uri":"b"}]}"#).expect("JSON");
    twice.read_page(&raw, &limits).expect("a page");
    assert!(twice.items.is_empty(), "an ambiguous list is not used");
}

#[test]
fn an_invalid_list_is_an_error() {
    for invalid in [
        json!({}),
        json!([]),
        json!({"prompts": {}}),
        json!({"prompts": [], "resultType": "input_required"}),
    ] {
        assert!(
            read_page(&mut LibraryListReader::new(&PROMPTS), invalid.clone(), &Limits::default())
                .is_err(),
            "{invalid}"
        );
    }
}

#[test]
fn pages_entries_bytes_and_cursors_are_limited() {
    let limits = Limits { pages: 2, tools: 3, listing: 400, cursor: 4, ..Limits::default() };
    let mut pages = LibraryListReader::new(&PROMPTS);
    assert_eq!(
        read_page(&mut pages, json!({"prompts": [], "nextCursor": "1"}), &limits),
        Ok(Some("1".to_owned()))
    );
    assert!(
        read_page(&mut pages, json!({"prompts": [], "nextCursor": "2"}), &limits)
            .is_err_and(|error| error.contains("2 pages"))
    );
    assert!(
        read_page(
            &mut LibraryListReader::new(&PROMPTS),
            json!({"prompts": prompts(0..3)}),
            &limits
        )
        .is_ok()
    );
    let many = read_page(
        &mut LibraryListReader::new(&PROMPTS),
        json!({"prompts": prompts(0..4)}),
        &limits,
    );
    assert!(many.is_err_and(|error| error.contains("more than 3 entries")));
    let long = read_page(
        &mut LibraryListReader::new(&PROMPTS),
        json!({"prompts": [], "x": "y".repeat(400)}),
        &limits,
    );
    assert!(long.is_err_and(|error| error.contains("larger than 400 bytes")));
    for cursor in [json!("12345"), json!(7)] {
        assert!(
            read_page(
                &mut LibraryListReader::new(&PROMPTS),
                json!({"prompts": [], "nextCursor": cursor}),
                &limits
            )
            .is_err()
        );
    }
}

#[test]
fn a_repeated_cursor_without_new_entries_ends_the_list() {
    let mut reader = LibraryListReader::new(&PROMPTS);
    let next = |names: Value| json!({"prompts": names, "nextCursor": "c"});
    assert_eq!(
        read_page(&mut reader, next(prompts([1])), &Limits::default()),
        Ok(Some("c".to_owned()))
    );
    assert_eq!(read_page(&mut reader, next(prompts([1])), &Limits::default()), Ok(None));
    assert!(read_page(&mut reader, next(prompts([2])), &Limits::default()).is_err());
}
