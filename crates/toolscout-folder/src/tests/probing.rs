//! Trust, probing, loading and calling.

use super::{Listing, World, agent, listing, name_of, tool_file, user};
use crate::probe::ProbeLimits;
use crate::trust::{FolderTrust, SeenFiles, TrustGrant, TrustedFolders, files_below};
use crate::{FolderSourceBuilder, Probing};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::authorization::{self, AuthorizationContext};
use toolscout_core::{
    Arguments, Authorized, ErrorKind, MemoryStore, Source, SourceError, Status, ToolCall,
    ToolOutput,
};

/// Implements both verbs, and counts its starts in a file beside it.
const ECHO: &str = r#"#!/bin/sh
echo "$1 $2" >> "$0.log"
case "$1" in
  tool-schema) echo '{"name":"echo","description":"Says it again","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}},"annotations":{"readOnlyHint":true}}' ;;
  tool-invoke) cat ;;
esac
"#;

fn starts(world: &World, script: &str) -> Vec<String> {
    let log = std::fs::read_to_string(world.path(&format!("{script}.log"))).unwrap_or_default();
    log.lines().map(|line| line.trim().to_owned()).collect()
}

fn trusting(builder: FolderSourceBuilder) -> FolderSourceBuilder {
    builder.trust(|_: &std::path::Path| true)
}

fn authorized(listing: &Listing, tool: &str, arguments: &[(&str, &str)]) -> Authorized<ToolCall> {
    let tool = listing.tool(tool);
    let arguments: Arguments =
        arguments.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())).collect();
    let now = AuthorizationContext::new(user().caller);
    authorization::authorize(ToolCall::new(tool.id.clone(), arguments), tool, now)
        .expect("the call is authorized")
}

fn text(output: &ToolOutput) -> String {
    output
        .content()
        .iter()
        .filter_map(|content| content["text"].as_str().map(str::to_owned))
        .collect()
}

/// O-01: in a trusted folder a file is probed once per content, also by another process with the
/// same store.
#[tokio::test]
async fn a_trusted_file_is_probed_once() {
    let world = World::new();
    world.script("tools/say.sh", ECHO);
    let store: Arc<MemoryStore> = Arc::default();
    let source = || trusting(world.builder()).store(store.clone()).build();
    let found = listing(&source()).await;
    assert_eq!(world.show(&found), "echo [ready] Says it again\n");
    assert!(found.tool("echo").provenance.trusted);
    assert_eq!(world.show(&listing(&source()).await), "echo [ready] Says it again\n");
    assert_eq!(starts(&world, "tools/say.sh"), ["tool-schema"]);
    world.script("tools/say.sh", &ECHO.replace("again", "anew"));
    assert_eq!(world.show(&listing(&source()).await), "echo [ready] Says it anew\n");
    assert_eq!(starts(&world, "tools/say.sh").len(), 2);
}

/// Files of an untrusted folder are read but never started, for any caller that lists them; a user
/// may still load and call.
#[tokio::test]
async fn an_untrusted_file_is_started_only_for_a_user() {
    let world = World::new();
    world.script("tools/say.sh", ECHO);
    let source = world.source();
    let found = listing(&source).await;
    assert_eq!(found.names(), ["say"]);
    assert!(!found.tool("say").provenance.trusted);
    let refused = source.load(&name_of("say"), agent()).await.expect_err("refused");
    assert_eq!(refused.kind(), ErrorKind::Refused);
    assert!(refused.to_string().contains("`toolscout trust "), "{refused}");
    let refused = source.call(authorized(&found, "say", &[]), agent()).await.expect_err("refused");
    assert_eq!(refused.kind(), ErrorKind::Refused);
    assert!(starts(&world, "tools/say.sh").is_empty());
    // The file contains one tool, so that tool is used, under any name.
    let tool = source
        .load(&name_of("say"), user())
        .await
        .expect("loaded")
        .expect("the source has the tool");
    assert_eq!(
        (tool.id.name.as_str(), tool.description.as_deref()),
        ("say", Some("Says it again"))
    );
    let output =
        source.call(authorized(&found, "say", &[("text", "hi")]), user()).await.expect("called");
    assert!(text(&output).contains("\"hi\""), "{output:?}");
    assert_eq!(starts(&world, "tools/say.sh"), ["tool-schema", "tool-invoke echo"]);
}

/// Help and completion start nothing, but use cached results.
#[tokio::test]
async fn without_probing_only_cached_results_are_used() {
    let world = World::new();
    world.script("tools/say.sh", ECHO);
    let store: Arc<MemoryStore> = Arc::default();
    let quiet = || trusting(world.builder()).store(store.clone()).probing(Probing::Never).build();
    assert_eq!(world.show(&listing(&quiet()).await), "say [unprobed]\n");
    let tool = quiet()
        .load(&name_of("say"), user())
        .await
        .expect("loaded")
        .expect("the source has the tool");
    assert_eq!(tool.status.as_str(), "unprobed");
    assert!(starts(&world, "tools/say.sh").is_empty());
    listing(&trusting(world.builder()).store(store.clone()).build()).await;
    let source = quiet();
    let found = listing(&source).await;
    source.call(authorized(&found, "echo", &[]), agent()).await.expect("a call needs no probe");
    assert_eq!(world.show(&listing(&quiet()).await), "echo [ready] Says it again\n");
    assert_eq!(starts(&world, "tools/say.sh"), ["tool-schema", "tool-invoke echo"]);
}

/// B-03 to B-05: a tool of a manifest is not started before its first use, then probed once and
/// invoked.
#[tokio::test]
async fn a_listed_tool_is_loaded_on_first_use() {
    let manifest = r#"{"tools": [{"name": "fetch-data", "description": "Mine", "path": "./say.sh", "args": {"text": {"type": "string"}}}]}"#;
    let world = World::with(&[("tools/manifest.json", manifest)]);
    world.script("tools/say.sh", ECHO);
    let source = trusting(world.builder()).build();
    let found = listing(&source).await;
    assert_eq!(world.show(&found), "fetch-data [static] Mine\n");
    assert!(starts(&world, "tools/say.sh").is_empty());
    let tool = source
        .load(&name_of("fetch-data"), agent())
        .await
        .expect("loaded")
        .expect("the source has the tool");
    assert_eq!(
        tool.description.as_deref(),
        Some("Mine"),
        "the description of the manifest is kept"
    );
    assert_eq!(tool.status, Status::Ready);
    assert!(tool.annotations.is_some(), "the other fields come from the file");
    source.call(authorized(&found, "fetch-data", &[]), agent()).await.expect("called");
    assert_eq!(starts(&world, "tools/say.sh"), ["tool-schema", "tool-invoke echo"]);
    let own = source
        .definition(&name_of("fetch-data"), &user())
        .await
        .expect("read")
        .expect("the tool has a definition");
    assert_eq!(
        (own.description.as_deref(), own.path),
        (Some("Says it again"), world.path("tools/say.sh"))
    );
}

/// O-03, A-12: each invalid response is its own warning, and hides no other tool.
#[tokio::test]
async fn invalid_probe_output_is_a_warning() {
    let world = World::new();
    let script = |name: &str, answer: &str| {
        world.script(&format!("tools/{name}.sh"), &format!("#!/bin/sh\n# tool-schema\n{answer}\n"));
    };
    script("a-fails", "echo boom >&2; exit 3");
    script("b-nonsense", "echo 'not json'");
    script("c-nameless", r#"echo '{"description":"x","inputSchema":{}}'"#);
    script("d-named-badly", r#"echo '{"name":"../x","inputSchema":{"type":"object"}}'"#);
    script("e-none", "echo '[]'");
    world.script("tools/good.sh", ECHO);
    let found = listing(&trusting(world.builder()).build()).await;
    assert_eq!(found.names(), ["echo"]);
    let warned: Vec<String> = found
        .diagnostics()
        .iter()
        .filter(|diagnostic| diagnostic.level == toolscout_core::DiagnosticLevel::Warning)
        .filter_map(|diagnostic| {
            Some(diagnostic.path.as_ref()?.file_stem()?.to_string_lossy().into_owned())
        })
        .collect();
    assert_eq!(warned, ["a-fails", "b-nonsense", "c-nameless", "d-named-badly"]);
}

/// O-04: a file that does not respond costs its own limit, all files together cost the total limit,
/// and the rest is listed without a probe.
#[tokio::test]
async fn files_that_hang_take_a_bounded_time() {
    let world = World::new();
    for at in 0..12 {
        let text = format!(
            "#!/bin/sh\n# tool-schema {at}: equal files would be asked once\nexec sleep 600\n"
        );
        world.script(&format!("tools/{at:02}.sh"), &text);
    }
    let limits = ProbeLimits {
        per_file: Duration::from_millis(300),
        total: Duration::from_millis(450),
        ..ProbeLimits::default()
    };
    let start = std::time::Instant::now();
    let found = listing(&trusting(world.builder()).limits(limits).build()).await;
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let page = world.show(&found);
    assert!(
        page.contains("! Limit tools/00.sh: it did not list its tools within 300 ms"),
        "{page}"
    );
    assert!(page.contains("! Limit inspecting the files took longer than 450 ms"), "{page}");
    assert!(page.ends_with("11 [unprobed]\n"), "{page}");
}

/// An edit of the file needs no approval, but its replacement must still be a file of the folder.
#[tokio::test]
async fn a_file_is_read_again_before_it_is_started() {
    let world = World::with(&[(
        "tools/a.tool.toml",
        "name = \"a\"\n[run]\ncommand = [\"echo\", \"one\"]\n",
    )]);
    let source = trusting(world.builder()).build();
    let found = listing(&source).await;
    let output = source.call(authorized(&found, "a", &[]), agent()).await.expect("called");
    assert_eq!(text(&output).trim(), "one");
    world.file("tools/a.tool.toml", "name = \"a\"\n[run]\ncommand = [\"echo\", \"two\"]\n");
    let output = source.call(authorized(&found, "a", &[]), agent()).await.expect("called");
    assert_eq!(text(&output).trim(), "two");
    world.file("tools/a.tool.toml", "name = \"b\"\n[run]\ncommand = [\"echo\"]\n");
    let error =
        source.call(authorized(&found, "a", &[]), agent()).await.expect_err("the tool was removed");
    assert!(matches!(error, SourceError::NotMine { .. }), "{error}");
    let outside =
        World::with(&[("x.tool.toml", "name = \"a\"\n[run]\ncommand = [\"echo\", \"three\"]\n")]);
    std::fs::remove_file(world.path("tools/a.tool.toml")).expect("removed");
    std::os::unix::fs::symlink(outside.path("x.tool.toml"), world.path("tools/a.tool.toml"))
        .expect("a link");
    let refused = source.call(authorized(&found, "a", &[]), agent()).await.expect_err("refused");
    assert_eq!(refused.kind(), ErrorKind::Refused);
}

/// An interpreter does not run a file behind a link out of the folder, nor a world-writable file.
#[tokio::test]
async fn the_files_of_a_command_are_checked() {
    let text = "name = \"a\"\n[run]\ncommand = [\"cat\", \"x.txt\"]\n";
    let world = World::with(&[("tools/a.tool.toml", text), ("tools/x.txt", "inside")]);
    let source = world.source();
    let found = listing(&source).await;
    source.call(authorized(&found, "a", &[]), user()).await.expect("called");
    world.mode(&world.path("tools/x.txt"), 0o666);
    let refused = source.call(authorized(&found, "a", &[]), user()).await.expect_err("refused");
    assert!(refused.to_string().contains("world-writable"), "{refused}");
    std::fs::remove_file(world.path("tools/x.txt")).expect("removed");
    std::os::unix::fs::symlink("/etc/passwd", world.path("tools/x.txt")).expect("a link");
    let refused = source.call(authorized(&found, "a", &[]), user()).await.expect_err("refused");
    assert!(refused.to_string().contains("is outside its folder"), "{refused}");
}

#[tokio::test]
async fn an_unavailable_tool_has_a_reason() {
    let world =
        World::with(&[("tools/manifest.json", r#"{"tools": [{"name": "a", "path": "a.sh"}]}"#)]);
    let source = trusting(world.builder()).build();
    let found = listing(&source).await;
    let err = source.call(authorized(&found, "a", &[]), agent()).await.expect_err("unavailable");
    assert_eq!(err.kind(), ErrorKind::Unavailable);
    assert!(err.to_string().contains("`tools/a.sh` does not exist"), "{err}");
    world.script("tools/a.sh", ECHO);
    source.call(authorized(&found, "a", &[]), agent()).await.expect("the program exists now");
}

#[tokio::test]
async fn trust_covers_a_folder_and_its_content() {
    let world = World::with(&[("p/tools/a.tool.toml", &tool_file("a", "")), ("q/x", "")]);
    let store: Arc<MemoryStore> = Arc::default();
    let trusted = TrustedFolders::new(store.clone());
    assert!(!trusted.covers(&world.path("p")));
    let author = || TrustGrant { is_author: true, ..TrustGrant::default() };
    let added = trusted.add(&world.path("q/../p"), author());
    assert_eq!(added.expect("trusted"), world.path("p"));
    assert!(trusted.covers(&world.path("p")) && trusted.covers(&world.path("p/tools")));
    assert!(!trusted.covers(&world.path("q")) && !trusted.covers(&world.root));
    assert_eq!(trusted.list().expect("listed"), [world.path("p")]);
    let folders = trusted.clone();
    let trust = move |root: &std::path::Path| folders.of(root);
    let source = world.folders(&["p/tools"]).trust(trust).build();
    assert!(listing(&source).await.tool("a").provenance.trusted);
    assert!(trusted.remove(&world.path("p")).expect("removed"));
    assert!(!trusted.covers(&world.path("p")));
    assert!(trusted.add(&world.path("q/x"), author()).is_err(), "a file is not a folder");
    // The owner of the folder has changed since it was trusted.
    trusted.add(&world.path("q"), author()).expect("trusted");
    if std::os::unix::fs::chown(world.path("q"), Some(54_321), None).is_ok() {
        assert!(!trusted.covers(&world.path("q")));
    }
}

/// V-50.
#[tokio::test]
async fn a_changed_file_is_neither_probed_nor_run_for_an_agent() {
    let world = World::with(&[]);
    world.script("tools/a.sh", ECHO);
    let store: Arc<MemoryStore> = Arc::default();
    let folders = TrustedFolders::new(store.clone());
    let seen = SeenFiles::default();
    let collected = seen.clone();
    let collecting = move |_: &std::path::Path| FolderTrust::Collect(collected.clone());
    listing(&world.folders(&["tools"]).trust(collecting).build()).await;
    assert_eq!(starts(&world, "tools/a.sh"), [""; 0]);
    let files = files_below(&world.root, &seen);
    assert_eq!(files.keys().collect::<Vec<_>>(), ["tools/a.sh"]);
    folders.add(&world.root, TrustGrant { files, ..TrustGrant::default() }).expect("trusted");
    let of = folders.clone();
    let source = world.folders(&["tools"]).trust(move |root: &std::path::Path| of.of(root)).build();
    let found = listing(&source).await;
    assert!(found.tool("echo").provenance.trusted);
    let call = authorized(&found, "echo", &[]);
    world.script("tools/a.sh", &format!("{ECHO}# changed\n"));
    let error = source.call(call, agent()).await.expect_err("the file has changed");
    assert!(error.to_string().contains("have changed since you trusted"), "{error}");
    let found = listing(&source).await;
    assert!(!found.tool("a").provenance.trusted);
    assert_eq!(starts(&world, "tools/a.sh"), ["tool-schema"]);
    folders.add_files(&world.root, &[world.path("tools/a.sh")]).expect("trusted");
    assert!(listing(&source).await.tool("echo").provenance.trusted);
}
