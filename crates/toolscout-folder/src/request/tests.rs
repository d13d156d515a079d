//! A header value selects one folder of the project, and nothing outside of it.

use super::RequestFolder;
use crate::FolderSource;
use futures_util::StreamExt;
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use toolscout_core::{Caller, Cx, DiscoveryItem, RequestSources, SourceKind};

fn request_with(headers: &[(&str, &str)], user: Option<&str>) -> Cx {
    let headers =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Cx { headers, user: user.map(Into::into), ..Cx::new(Caller::Mcp) }
}

fn request_of(value: &str) -> Cx {
    request_with(&[("x-user-id", value)], None)
}

/// The tools of a request, each as `source/name: description`.
async fn tools(provider: &dyn RequestSources, cx: &Cx) -> Vec<String> {
    let mut all = Vec::new();
    for source in provider.sources(cx).await {
        assert_eq!(source.kind(), SourceKind::Request);
        let found: Vec<_> = source.discover(cx.clone()).collect().await;
        all.extend(found.into_iter().filter_map(|item| match item.expect("it can be listed") {
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
    let folder = RequestFolder::new("X-User-ID", pattern, project, "users/{value}/tools", || {
        FolderSource::builder().trust(|_: &Path| true)
    });
    folder.expect("the settings are valid")
}

/// P-01, P-02.
#[tokio::test]
async fn a_header_selects_a_folder_of_tools() {
    let dir = project();
    let provider = folders(&dir.path().join("project"), "[a-z0-9-]{1,32}");
    assert_eq!(
        tools(&provider, &request_of("alice")).await,
        ["own/my_saved_queries: The saved queries of alice"]
    );
    assert_eq!(
        tools(&provider, &request_of("bob")).await,
        ["own/my_saved_queries: The saved queries of bob"]
    );
    assert!(provider.key(&request_with(&[], None)).is_none());
    // A user without a folder has no tools, and that is not an error.
    assert!(provider.key(&request_of("carol")).is_some());
    assert!(tools(&provider, &request_of("carol")).await.is_empty());
    let keys = [
        request_of("alice"),
        request_of("bob"),
        request_with(&[("x-user-id", "alice")], Some("u")),
    ]
    .map(|value| provider.key(&value));
    assert!(keys[0] != keys[1] && keys[0] != keys[2], "{keys:?}");
}

/// P-02: neither the value nor its resolution by the file system leads out of the project.
#[tokio::test]
async fn no_value_leads_out_of_the_project() {
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
    let provider = folders(&root, "(?s).*");
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
        assert!(tools(&provider, &request_of(value)).await.is_empty(), "{value:?}");
    }
    assert_eq!(tools(&provider, &request_of("alice")).await.len(), 1);
}

#[tokio::test]
async fn the_whole_value_must_match_the_pattern() {
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
        assert_eq!(
            folders(&root, pattern).key(&request_of(value)).is_some(),
            fits,
            "{pattern} {value:?}"
        );
    }
}

#[test]
fn unsafe_configurations_are_refused() {
    let make = |header: &str, pattern: &str, folder: &str| {
        RequestFolder::new(header, pattern, Path::new("/p"), folder, FolderSource::builder)
            .err()
            .map(|error| error.to_string())
    };
    assert_eq!(make("x-user-id", "a", "users/{value}"), None);
    for (header, pattern, folder, message) in [
        ("authorization", "a", "u/{value}", "reserved for toolscout"),
        ("x", "(", "u/{value}", "invalid pattern `(`"),
        ("x", "a)|(?:b", "u/{value}", "invalid pattern `"),
        ("x", "(a{1000}){1000}", "u/{value}", "invalid pattern `"),
        ("x", "a", "users", "would be the same for all requests"),
        ("x", "a", "/users/{value}", "must be a relative path below the project"),
        ("x", "a", "../{value}", "must be a relative path below the project"),
        ("x", "a", "users/{value}/../..", "must be a relative path below the project"),
    ] {
        let error = make(header, pattern, folder).unwrap_or_default();
        assert!(error.contains(message), "{pattern} {folder}: {error}");
    }
}
