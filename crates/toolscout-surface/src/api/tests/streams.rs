use super::{open, request, site};
use crate::http::fixture::{ADA, terms, tokens};

#[tokio::test]
async fn a_stream_sends_its_items_as_events_and_ends_with_the_listener() {
    let mut site = site(terms(tokens())).await;
    let bearer = format!("Authorization: Bearer {ADA}");
    let (mut wire, head) =
        open(&site, request("GET", "/api/count", &["Host: localhost", &bearer], None)).await;
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    assert_eq!(wire.event().await.as_deref(), Some("event: first\ndata: 1\n\n"));
    assert_eq!(wire.event().await.as_deref(), Some("event: next\ndata: 2\n\n"));
    let error = wire.event().await.expect("an error");
    assert!(error.starts_with("event: error\ndata: {\"error\":\"Three not found\""), "{error}");
    site.stop();
    assert_eq!(wire.event().await, None);
    site.stopped().await;
}
