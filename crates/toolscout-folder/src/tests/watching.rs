//! Changes on disk become hints.

use super::{World, tool_file};
use futures_util::StreamExt;
use std::time::Duration;
use toolscout_core::Source;

/// Writes until the hint arrives. The first hint is sent when the watch starts, because an earlier
/// discovery may have missed a change.
async fn hint_after(world: &World, path: &str) {
    let source = world.source();
    let mut changes = source.changes();
    assert_eq!(changes.next().await, Some(()));
    let mut at = 0;
    let hint = async {
        loop {
            match tokio::time::timeout(Duration::from_millis(500), changes.next()).await {
                Ok(hint) => return hint,
                Err(_) => {
                    at += 1;
                    world.file(path, tool_file(&format!("t{at}"), ""));
                }
            }
        }
    };
    let hint = tokio::time::timeout(Duration::from_secs(60), hint).await;
    assert_eq!(hint, Ok(Some(())));
}

/// a written file is noticed.
#[tokio::test]
async fn a_written_file_causes_a_hint() {
    let world = World::with(&[("tools/a.tool.toml", &tool_file("a", ""))]);
    hint_after(&world, "tools/x/b.tool.toml").await;
}

#[tokio::test]
async fn a_tools_folder_created_later_is_noticed() {
    let world = World::with(&[("package.json", "{}")]);
    hint_after(&world, "tools/a.tool.toml").await;
}

#[tokio::test]
async fn a_prompts_folder_created_later_is_noticed() {
    let world = World::with(&[("tools/a.tool.toml", &tool_file("a", ""))]);
    hint_after(&world, "prompts/a.md").await;
}
