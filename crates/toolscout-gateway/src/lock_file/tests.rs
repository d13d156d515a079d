//! 1. Writing a lock file is deterministic, and reading it returns the same content.
//! 2. Added, removed, changed and reconfigured entries are reported; nothing else is.

use super::{Drift, LockError, LockFile};
use std::sync::Arc;
use toolscout_catalog::{Snapshot, SourceDiscovery};
use toolscout_core::{DiscoveryItem, SourceId, SourceKind, Tool, ToolId, ToolName};

fn snapshot(tools: &[(&str, &str, &str)]) -> Snapshot {
    let mut found: Vec<SourceDiscovery> = Vec::new();
    for (source, name, description) in tools {
        let source = SourceId::new(source).unwrap();
        let id = ToolId::new(source.clone(), ToolName::new(name).unwrap());
        let tool = Tool { description: Some((*description).to_owned()), ..Tool::new(id) };
        if !found.iter().any(|item| item.source == source) {
            found.push(SourceDiscovery::new(source.clone(), SourceKind::Mcp));
        }
        let discovery = found.iter_mut().find(|item| item.source == source).unwrap();
        discovery.add(DiscoveryItem::Tool(Arc::new(tool)));
    }
    Snapshot::default().merge(found).0
}

fn entry(source: &SourceId) -> Option<String> {
    Some(format!("entry of {source}"))
}

#[test]
fn a_lock_has_a_line_for_each_tool_sorted_and_reads_back() {
    let lock = LockFile::from_snapshot(
        &snapshot(&[("fs", "write", "w"), ("fs", "read", "r"), ("git", "log", "l")]),
        entry,
    );
    let text = lock.to_text();
    let lines: Vec<_> = text
        .lines()
        .filter(|line| line.contains('/'))
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(lines, ["\"fs/read\"", "\"fs/write\"", "\"git/log\""]);
    assert_eq!(LockFile::parse(&text).unwrap(), lock);
    assert_eq!(LockFile::parse(&text).unwrap().to_text(), text);
}

#[test]
fn unusual_names_are_read_back_unchanged() {
    let odd =
        ["a/b", "x\n[tools]\n", "quote\"d", "back\\slash", "\u{7f}\u{1b}[0m", "名前", "= \"", "#"];
    let tools: Vec<_> = odd.iter().map(|odd| ("fs", *odd, "odd")).collect();
    let lock = LockFile::from_snapshot(&snapshot(&tools), |_| None);
    assert_eq!(LockFile::parse(&lock.to_text()).unwrap(), lock);
    assert_eq!(lock.to_text().lines().filter(|line| line.starts_with("\"fs/")).count(), odd.len());
}

#[test]
fn every_drift_is_reported_and_nothing_else() {
    let before = snapshot(&[("fs", "read", "r"), ("fs", "write", "w"), ("git", "log", "l")]);
    let lock = LockFile::from_snapshot(&before, entry);
    assert_eq!(lock.verify(&before, entry), []);
    let after = snapshot(&[("fs", "read", "changed"), ("git", "log", "l"), ("git", "blame", "b")]);
    let drifts = lock.verify(&after, |lock| (lock.as_str() == "git").then(|| "another".to_owned()));
    let shown: Vec<_> = drifts.iter().map(show).collect();
    assert_eq!(
        shown,
        ["reconfigured git", "changed fs/read", "removed fs/write", "added git/blame"]
    );
}

fn show(drift: &Drift) -> String {
    match drift {
        Drift::Added { tool } => format!("added {tool}"),
        Drift::Removed { tool } => format!("removed {tool}"),
        Drift::Changed { tool, .. } => format!("changed {tool}"),
        Drift::Reconfigured { source } => format!("reconfigured {source}"),
    }
}

#[test]
fn an_invalid_lock_file_is_refused_with_a_reason() {
    assert!(matches!(LockFile::parse("{"), Err(LockError::Unreadable(_))));
    assert_eq!(LockFile::parse("version = 2"), Err(LockError::Later(2)));
    assert_eq!(
        LockFile::parse("version = 1\n[tools]\nread = \"00\""),
        Err(LockError::Line("read".to_owned()))
    );
}
