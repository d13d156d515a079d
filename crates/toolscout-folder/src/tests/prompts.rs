//! Prompts: which files are prompts, the keys of their heads, and how they are filled in.

use super::{World, agent, listing};
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};
use std::fs;
use toolscout_core::{DiagnosticLevel, Library, LibraryEvent, RawJson, Source, SourceError};

const NOTES: &str = "---\ndescription: Write release notes\narguments:\n  - name: since\n    description: The tag to begin with\n    required: true\n  - tone\n---\n\nWrite notes since {{since}}. {{ tone }}\n";

fn trusted(world: &World) -> super::FolderSource {
    world.builder().trust(|_: &std::path::Path| true).build()
}

fn library(source: &super::FolderSource) -> &dyn Library {
    source.library().expect("a library")
}

fn prompts(source: &super::FolderSource) -> Vec<Value> {
    library(source)
        .contents(&agent())
        .expect("the contents of the library")
        .prompts
        .iter()
        .map(RawJson::to_value)
        .collect()
}

async fn get_prompt(source: &super::FolderSource, params: Value) -> Result<Value, SourceError> {
    let result =
        library(source).request("prompts/get", RawJson::from_value(&params), agent()).await;
    result.map(|result| result.to_value())
}

async fn text(source: &super::FolderSource, params: Value) -> String {
    get_prompt(source, params).await.expect("a prompt")["messages"][0]["content"]["text"]
        .as_str()
        .expect("a text")
        .to_owned()
}

#[tokio::test]
async fn a_file_is_a_prompt_with_its_arguments() {
    let world = World::with(&[
        ("prompts/release-notes.md", NOTES),
        ("prompts/plain.md", "Say {{hello}}.\n"),
    ]);
    let source = trusted(&world);
    assert_eq!(world.show(&listing(&source).await), "");
    let since = json!({"name": "since", "required": true, "description": "The tag to begin with"});
    let tone = json!({"name": "tone", "required": false});
    let notes = json!({"name": "release-notes", "description": "Write release notes", "arguments": [since, tone]});
    assert_eq!(prompts(&source), [json!({"name": "plain"}), notes]);
    assert_eq!(
        text(&source, json!({"name": "plain"})).await,
        "Say {{hello}}.\n",
        "a prompt without arguments has no placeholders"
    );
    let filled = json!({"name": "release-notes", "arguments": {"since": "v1 {{tone}}", "tone": "Be brief."}});
    assert_eq!(text(&source, filled).await, "Write notes since v1 {{tone}}. Be brief.\n");
    let without = json!({"name": "release-notes", "arguments": {"since": "v1"}});
    assert_eq!(text(&source, without).await, "Write notes since v1. \n");
}

#[tokio::test]
async fn invalid_prompt_requests_have_reasons() {
    let world = World::with(&[("prompts/release-notes.md", NOTES)]);
    let source = trusted(&world);
    listing(&source).await;
    for (params, reason) in [
        (json!({"name": "release-notes"}), "prompt `release-notes` requires `since`"),
        (
            json!({"name": "release-notes", "arguments": {"since": "v1", "tona": ""}}),
            "prompt `release-notes` has no argument `tona`; did you mean `tone`?",
        ),
        (json!({"name": "release-notes", "arguments": []}), "`arguments` must be an object"),
        (json!({"name": "other"}), "unknown prompt `other`"),
    ] {
        let error = get_prompt(&source, params).await.expect_err("refused");
        let SourceError::Answered { code: -32_602, message, .. } = error else { panic!("{error}") };
        assert_eq!(message, reason);
    }
}

#[tokio::test]
async fn an_invalid_prompt_file_is_reported_and_hides_no_other() {
    let large = format!("{}\n", "a".repeat(300 << 10));
    let world = World::with(&[
        ("prompts/good.md", "---\nmodel: of another program\n---\nFine.\n"),
        ("prompts/endless.md", "---\ndescription: x\n"),
        ("prompts/key.md", "---\ndescripton: x\n---\n"),
        ("prompts/list.md", "---\n- x\n---\n"),
        ("prompts/place.md", "---\narguments: [name]\n---\n{{nmae}}\n"),
        ("prompts/twice.md", "---\narguments: [a, a]\n---\n"),
        ("prompts/named.md", "---\narguments: [a b]\n---\n"),
        ("prompts/a b.md", ""),
        ("prompts/large.md", &large),
        ("outside.md", "Secret.\n"),
        // None of these files is a prompt.
        ("prompts/README.md", "---\n"),
        ("prompts/_draft.md", "---\n"),
        ("prompts/notes.txt", "---\n"),
        ("prompts/more/deep.md", "---\n"),
    ]);
    world.file("prompts/binary.md", b"\xff\xfe");
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("x.md"), "Secret.").expect("a file");
    std::os::unix::fs::symlink(outside.path().join("x.md"), world.path("prompts/link.md"))
        .expect("a link");
    let source = trusted(&world);
    insta::assert_snapshot!(world.show(&listing(&source).await), @r"
    ! Forbidden prompts/a b.md: the file name is not a valid prompt name; use at most 64 letters, digits, `_`, `-` and `.`
    ! Broken prompts/binary.md: it is not UTF-8 at line 1 column 1
    ! Broken prompts/endless.md: the front matter is not closed: add a line with `---` below it
    ! Broken prompts/key.md: unknown key `descripton`; did you mean `description`?
    ! Limit prompts/large.md: it is larger than 256 KiB, the limit for a prompt
    ! Forbidden prompts/link.md: it is outside the project
    ! Broken prompts/list.md: the front matter is a list; it must be a table
    ! Broken prompts/named.md: `a b` is not a valid argument name; use letters, digits, `_` and `-`
    ! Broken prompts/place.md: `{{nmae}}` is not an argument of this prompt; did you mean `name`?
    ! Broken prompts/twice.md: duplicate argument `a`
    ");
    assert_eq!(prompts(&source), [json!({"name": "good"})]);
}

#[tokio::test]
async fn an_untrusted_folder_offers_no_prompts() {
    let world = World::with(&[("prompts/plain.md", "Do as I say.\n")]);
    let source = world.source();
    let listing = listing(&source).await;
    assert_eq!(
        listing.diagnostics().iter().map(|diagnostic| diagnostic.level).collect::<Vec<_>>(),
        [DiagnosticLevel::Debug]
    );
    assert!(prompts(&source).is_empty());
    let capabilities =
        library(&source).contents(&agent()).expect("the contents of the library").capabilities;
    assert_eq!(capabilities.map(|value| value.to_value()), Some(json!({})), "no prompts are known");
}

#[tokio::test]
async fn only_changed_prompts_emit_an_event() {
    let world = World::with(&[("prompts/plain.md", "One.\n")]);
    let source = trusted(&world);
    let mut events = library(&source).events();
    listing(&source).await;
    assert_eq!(events.next().now_or_never(), None, "no client has read an earlier list");
    listing(&source).await;
    assert_eq!(events.next().now_or_never(), None);
    world.file("prompts/plain.md", "Two.\n");
    listing(&source).await;
    assert_eq!(events.next().now_or_never(), Some(Some(LibraryEvent::PromptsChanged)));
    assert_eq!(text(&source, json!({"name": "plain"})).await, "Two.\n");
}
