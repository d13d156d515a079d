use super::*;
use toolscout_core::SourceKind;

#[tokio::test]
async fn the_name_of_a_tool_of_a_request_is_no_proof_that_it_is_meant() {
    let ours = Arc::new(Actor::new("ours", &["deploy: Brings a build to production"]));
    let theirs = Arc::new(
        Actor::new("theirs", &["deploy: Brings a build to production"]).of(SourceKind::Request),
    );
    let gateway = discovered(Gateway::builder(), &[&theirs, &ours]).await;
    let hits = gateway.search(&Query::new("deploy"));
    assert_eq!(ids(&hits), ["ours/deploy", "theirs/deploy"]);
    assert!(hits[0].score > hits[1].score, "{hits:?}");
}

#[tokio::test]
async fn what_a_source_says_of_itself_helps_to_find_its_tools_if_somebody_wants_it() {
    let about = |id: &str, origin| {
        Arc::new(Actor::new(id, &["run: Starts it"]).of(origin).about("Kubernetes clusters"))
    };
    let (wanted, unwanted) =
        (about("wanted", SourceKind::Mcp), about("unwanted", SourceKind::Request));
    let gateway = discovered(Gateway::builder(), &[&unwanted, &wanted]).await;
    assert_eq!(ids(&gateway.search(&Query::new("kubernetes"))), ["wanted/run"]);
}

/// Otherwise a source could add unlimited text to the index.
#[tokio::test]
async fn of_what_a_source_says_of_itself_the_beginning_is_read() {
    let long = format!("{} kubernetes", "é ".repeat(600));
    let source = Arc::new(Actor::new("s", &["run: Starts it"]).about(&long));
    let gateway = discovered(Gateway::builder(), &[&source]).await;
    assert!(gateway.search(&Query::new("kubernetes")).is_empty());
}
