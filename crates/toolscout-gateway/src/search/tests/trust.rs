use super::*;
use toolscout_core::SourceKind;

#[tokio::test]
async fn request_tools_get_no_bonus_for_exact_names() {
    let ours = Arc::new(Actor::new("ours", &["deploy: Brings a build to production"]));
    let theirs = Arc::new(
        Actor::new("theirs", &["deploy: Brings a build to production"])
            .with_kind(SourceKind::Request),
    );
    let gateway = discovered(Gateway::builder(), &[&theirs, &ours]).await;
    let hits = gateway.search(&Query::new("deploy"));
    assert_eq!(ids(&hits), ["ours/deploy", "theirs/deploy"]);
    assert!(hits[0].score > hits[1].score, "{hits:?}");
}

#[tokio::test]
async fn descriptions_of_configured_sources_help_to_find_tools() {
    let about = |id: &str, origin| {
        Arc::new(Actor::new(id, &["run: Starts it"]).with_kind(origin).about("Kubernetes clusters"))
    };
    let (wanted, unwanted) =
        (about("wanted", SourceKind::Mcp), about("unwanted", SourceKind::Request));
    let gateway = discovered(Gateway::builder(), &[&unwanted, &wanted]).await;
    assert_eq!(ids(&gateway.search(&Query::new("kubernetes"))), ["wanted/run"]);
}

/// Otherwise a source could add unlimited text to the index.
#[tokio::test]
async fn source_descriptions_are_truncated() {
    let long = format!("{} kubernetes", "é ".repeat(600));
    let source = Arc::new(Actor::new("s", &["run: Starts it"]).about(&long));
    let gateway = discovered(Gateway::builder(), &[&source]).await;
    assert!(gateway.search(&Query::new("kubernetes")).is_empty());
}
