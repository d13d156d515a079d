//! Proves that pages follow each other without gap or overlap, even if entries are added or removed
//! in between.

use super::*;

fn entries(count: usize) -> Vec<ListEntry> {
    (0..count)
        .map(|index| ListEntry { name: format!("t{index:05}"), json: format!("{index}") })
        .collect()
}

fn cursor(page: &str) -> Option<String> {
    let page: serde_json::Value = serde_json::from_str(page).unwrap();
    Some(page.get("nextCursor")?.as_str()?.to_owned())
}

#[test]
fn pages_add_up_to_the_whole_list() {
    let all = entries(21);
    let (mut seen, mut from) = (Vec::new(), 0);
    loop {
        let page = render_page("tools", &all[from..], 10);
        let value: serde_json::Value = serde_json::from_str(&page).unwrap();
        seen.extend(
            value["tools"].as_array().unwrap().iter().filter_map(serde_json::Value::as_u64),
        );
        let Some(cursor) = cursor(&page) else { break };
        let last = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).unwrap()).unwrap();
        from = all.partition_point(|item| item.name <= last);
    }
    assert_eq!(seen, (0..all.len() as u64).collect::<Vec<_>>());
}

#[test]
fn a_page_of_large_definitions_has_fewer_entries() {
    let mut all = entries(10);
    all[1].json = format!("\"{}\"", "x".repeat(MAX_BYTES));
    let page = render_page("tools", &all, 500);
    assert!(cursor(&page).is_some() && page.len() < MAX_BYTES + 100);
    assert_eq!(render_page("tools", &[], 500), r#"{"tools":[]}"#);
}
