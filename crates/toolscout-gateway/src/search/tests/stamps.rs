use crate::search::stamps::StampHasher;
use std::collections::HashSet;
use toolscout_core::{RawJson, SourceId, Tool, ToolId, ToolName};

fn tool(name: &str) -> Tool {
    Tool::new(ToolId::new(SourceId::new("s").unwrap(), ToolName::new(name).unwrap()))
}

#[test]
fn all_searchable_text_is_in_the_stamp() {
    let stamps = StampHasher::new(&[1; 32]);
    let plain = tool("t");
    let words = |value: &[&str]| value.iter().map(|item| (*item).to_owned()).collect();
    let others = [
        tool("u"),
        Tool { title: Some(String::new()), ..plain.clone() },
        Tool { title: Some("ab".into()), ..plain.clone() },
        Tool { title: Some("a".into()), description: Some("b".into()), ..plain.clone() },
        Tool { description: Some("ab".into()), ..plain.clone() },
        Tool { description: Some("ab\0".into()), ..plain.clone() },
        Tool { description: Some("0123456789abcdef".into()), ..plain.clone() },
        Tool { description: Some("0123456789abcdeg".into()), ..plain.clone() },
        Tool { description: Some("1123456789abcdef".into()), ..plain.clone() },
        Tool { keywords: words(&["ab"]), ..plain.clone() },
        Tool { keywords: words(&["a", "b"]), ..plain.clone() },
        Tool { input_schema: RawJson::parse("{}").unwrap(), ..plain.clone() },
    ];
    let mut all: HashSet<_> = others.iter().map(|item| stamps.stamp(item, "")).collect();
    all.insert(stamps.stamp(&plain, ""));
    all.insert(stamps.stamp(&plain, "about"));
    all.insert(StampHasher::new(&[2; 32]).stamp(&plain, ""));
    assert_eq!(all.len(), others.len() + 3);
    assert_eq!(
        stamps.stamp(&plain, "about"),
        StampHasher::new(&[1; 32]).stamp(&tool("t"), "about")
    );
    let (low, high) = all
        .iter()
        .map(|item| (*item as u64, (*item >> 64) as u64))
        .unzip::<_, _, HashSet<_>, HashSet<_>>();
    assert_eq!((low.len(), high.len()), (all.len(), all.len()), "each half is unique");
}
