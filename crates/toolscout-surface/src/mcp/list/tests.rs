//! Proves that pages follow each other without gap or overlap, even if entries are added or removed
//! in between.

use super::*;

fn entries(count: usize) -> Vec<ListEntry> {
    (0..count).map(|it| ListEntry { name: format!("t{it:05}"), json: format!("{it}") }).collect()
}

fn cursor(page: &str) -> Option<String> {
    let page: serde_json::Value = serde_json::from_str(page).unwrap();
    Some(page.get("nextCursor")?.as_str()?.to_owned())
}

#[test]
fn pages_together_are_the_whole_list() {
    let all = entries(ENTRIES * 2 + 1);
    let (mut seen, mut from) = (Vec::new(), 0);
    loop {
        let page = written("tools", &all[from..]);
        let value: serde_json::Value = serde_json::from_str(&page).unwrap();
        seen.extend(
            value["tools"].as_array().unwrap().iter().filter_map(serde_json::Value::as_u64),
        );
        let Some(cursor) = cursor(&page) else { break };
        let last = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).unwrap()).unwrap();
        from = all.partition_point(|it| it.name <= last);
    }
    assert_eq!(seen, (0..all.len() as u64).collect::<Vec<_>>());
}

#[test]
fn a_page_of_big_definitions_is_shorter() {
    let mut all = entries(10);
    all[1].json = format!("\"{}\"", "x".repeat(BYTES));
    let page = written("tools", &all);
    assert!(cursor(&page).is_some() && page.len() < BYTES + 100);
    assert_eq!(written("tools", &[]), r#"{"tools":[]}"#);
}
