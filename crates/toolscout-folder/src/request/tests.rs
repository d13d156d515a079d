//! A header value selects one folder of the project, and nothing outside of it.

use super::RequestFolder;
use crate::FolderSource;
use futures_util::StreamExt;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use toolscout_core::{Caller, Cx, DiscoveryItem, RequestSources, SourceKind};

fn by(headers: &[(&str, &str)], user: Option<&str>) -> Cx {
    let headers =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Cx { headers, user: user.map(Into::into), ..Cx::new(Caller::Mcp) }
}

fn of(value: &str) -> Cx {
    by(&[("x-user-id", value)], None)
}

/// The tools of a request, each as `source/name: description`.
async fn tools(giver: &dyn RequestSources, cx: &Cx) -> Vec<String> {
    let mut all = Vec::new();
    for source in giver.sources(cx).await {
        assert_eq!(source.origin(), SourceKind::Request);
        let found: Vec<_> = source.discover(cx.clone()).collect().await;
        all.extend(found.into_iter().filter_map(|it| match it.expect("it can be listed") {
            DiscoveryItem::Tool(tool) => {
                Some(format!("{}: {}", tool.id, tool.description.clone().unwrap_or_default()))
            }
            _ => None,
        }));
    }
    all
}

/// A project in which alice and bob have tools.
fn project() -> TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for user in ["alice", "bob"] {
        let folder = dir.path().join(format!("project/users/{user}/tools"));
        fs::create_dir_all(&folder).expect("folders");
        let tool = format!(
            "name = \"my_saved_queries\"\ndescription = \"The saved queries of {user}\"\n[run]\ncommand = [\"cat\"]\n"
        );
        fs::write(folder.join("saved.tool.toml"), tool).expect("a tool");
    }
    dir
}

fn folders(project: &Path, pattern: &str) -> RequestFolder {
    let made = RequestFolder::new("X-User-ID", pattern, project, "users/{value}/tools", || {
        FolderSource::builder().trust(Arc::new(|_| true))
    });
    made.expect("it can be")
}

/// P-01, P-02.
#[tokio::test]
async fn a_header_chooses_a_folder_of_tools() {
    let dir = project();
    let giver = folders(&dir.path().join("project"), "[a-z0-9-]{1,32}");
    assert_eq!(
        tools(&giver, &of("alice")).await,
        ["own/my_saved_queries: The saved queries of alice"]
    );
    assert_eq!(tools(&giver, &of("bob")).await, ["own/my_saved_queries: The saved queries of bob"]);
    assert!(giver.key(&by(&[], None)).is_none());
    // A user without a folder has no tools, and that is not an error.
    assert!(giver.key(&of("carol")).is_some());
    assert!(tools(&giver, &of("carol")).await.is_empty());
    let keys =
        [of("alice"), of("bob"), by(&[("x-user-id", "alice")], Some("u"))].map(|it| giver.key(&it));
    assert!(keys[0] != keys[1] && keys[0] != keys[2], "{keys:?}");
}

/// P-02: neither the value nor its resolution by the file system leads out of the project.
#[tokio::test]
async fn no_value_leads_to_another_place() {
    let dir = project();
    let root = dir.path().join("project");
    let outside = dir.path().join("outside/tools");
    fs::create_dir_all(&outside).expect("a folder");
    fs::copy(root.join("users/bob/tools/saved.tool.toml"), outside.join("saved.tool.toml"))
        .expect("a copy");
    std::os::unix::fs::symlink(dir.path().join("outside"), root.join("users/mallory"))
        .expect("a link");
    std::os::unix::fs::symlink(root.join("users/bob"), root.join("users/eve")).expect("a link");
    // This also holds if the pattern matches everything.
    let giver = folders(&root, "(?s).*");
    for value in [
        "..",
        ".",
        "",
        "../../outside",
        "alice/../bob",
        "/etc",
        "alice/tools/..",
        "a\\b",
        "c:",
        "alice\0",
        "mallory",
        "eve",
        "alice ",
        " alice",
        "...",
        &"a".repeat(129),
    ] {
        assert!(tools(&giver, &of(value)).await.is_empty(), "{value:?}");
    }
    assert_eq!(tools(&giver, &of("alice")).await.len(), 1);
}

#[tokio::test]
async fn the_whole_value_must_fit_the_pattern() {
    let dir = project();
    let root = dir.path().join("project");
    for (pattern, value, fits) in [
        ("[a-z]{1,5}", "alice", true),
        ("[a-z]{1,4}", "alice", false),
        ("lic", "alice", false),
        ("alice|bob", "alicex", false),
        ("alice|bob", "xbob", false),
        ("alice|bob", "bob", true),
        ("alice", "alice\n", false),
        ("(?m)^alice$", "bob\nalice", false),
    ] {
        assert_eq!(folders(&root, pattern).key(&of(value)).is_some(), fits, "{pattern} {value:?}");
    }
}

#[test]
fn what_could_lead_anywhere_is_refused_before_it_is_used() {
    let make = |header: &str, pattern: &str, folder: &str| {
        RequestFolder::new(header, pattern, Path::new("/p"), folder, FolderSource::builder)
            .err()
            .map(|it| it.to_string())
    };
    assert_eq!(make("x-user-id", "a", "users/{value}"), None);
    for (header, pattern, folder, said) in [
        ("authorization", "a", "u/{value}", "reserved for toolscout"),
        ("x", "(", "u/{value}", "the pattern `(` cannot be used"),
        ("x", "a)|(?:b", "u/{value}", "cannot be used"),
        ("x", "(a{1000}){1000}", "u/{value}", "cannot be used"),
        ("x", "a", "users", "is the same for everybody"),
        ("x", "a", "/users/{value}", "must lie below the project"),
        ("x", "a", "../{value}", "must lie below the project"),
        ("x", "a", "users/{value}/../..", "must lie below the project"),
    ] {
        let error = make(header, pattern, folder).unwrap_or_default();
        assert!(error.contains(said), "{pattern} {folder}: {error}");
    }
}
