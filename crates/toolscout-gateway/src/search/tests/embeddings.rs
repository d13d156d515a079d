use super::*;
use crate::tests::waits;
use crate::{EmbeddedQuery, RankingProfile};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

#[tokio::test]
async fn queries_without_shared_words_match_by_embedding() {
    let gateway = World::default().process("p", &[&office()]).await;
    let (found, notes) = search(&gateway, "umbrella tomorrow?").await;
    assert_eq!((found.first().map(String::as_str), notes), (Some("office/forecast"), vec![]));
    let (found, _) = search(&gateway, "a letter to my aunt").await;
    assert_eq!(found.first().map(String::as_str), Some("office/send_email"));
}

#[tokio::test]
async fn a_tool_is_encoded_once() {
    let (world, office) = (World::default(), office());
    let gateway = world.process("p", &[&office]).await;
    search(&gateway, "mail").await;
    assert_eq!(world.thesaurus.tools(), 2);
    office.set_tools(&[
        "send_email: Sends an email",
        "forecast: Tells what tomorrow will be like",
        "paint: Paints a picture",
    ]);
    gateway.refresh(&agent()).await;
    search(&gateway, "mail").await;
    gateway.refresh(&agent()).await;
    search(&gateway, "photo").await;
    assert_eq!(world.thesaurus.tools(), 3, "{:?}", world.thesaurus.encoded());
}

#[tokio::test]
async fn a_repeated_query_is_not_encoded_again() {
    let world = World::default();
    let gateway = world.process("p", &[&office()]).await;
    for _ in 0..3 {
        search(&gateway, "umbrella").await;
    }
    assert_eq!(world.thesaurus.encoded().iter().filter(|item| *item == "umbrella").count(), 1);
}

/// Listing, calling and fuzzy matching do not create the encoder.
#[tokio::test]
async fn the_encoder_is_created_by_the_first_semantic_search() {
    let made = Arc::new(AtomicUsize::new(0));
    let (counted, thesaurus) = (made.clone(), Arc::new(Thesaurus::default()));
    let encoder = LazyEncoder::new(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(thesaurus.clone())
    });
    let gateway = discovered(
        Gateway::builder().search_engine(SearchEngine::new().encoder(encoder.named("t"))),
        &[&office()],
    )
    .await;
    let view = gateway.view(&agent()).await;
    for query in [
        Query { profile: RankingProfile::Ladder, ..Query::new("mail") },
        Query::new(""),
        Query::new("mail"),
    ] {
        if query.profile != RankingProfile::Ranked || query.text.is_empty() {
            gateway.embed_query(&view, &query).await;
        }
        assert!(!view.search(&query).is_empty());
    }
    assert_eq!(made.load(Ordering::SeqCst), 0);
    search(&gateway, "mail").await;
    search(&gateway, "letter").await;
    assert_eq!(made.load(Ordering::SeqCst), 1);
}

/// If a background worker embeds tools, a search does not wait for it.
#[tokio::test(start_paused = true)]
async fn a_search_before_embeddings_exist_is_lexical_and_says_so() {
    let world = World::default();
    let gateway = Arc::new(world.process("p", &[&office()]).await);
    let mut embedding_worker = Box::pin(gateway.embed_in_background());
    assert!(waits(&mut embedding_worker).await);
    let (found, notes) = search(&gateway, "email").await;
    assert_eq!(found, ["office/send_email"]);
    assert_eq!(notes, ["Semantic index: 0 of 2 tools; keyword search for the rest."]);
    assert_eq!(world.thesaurus.tools(), 0);

    let done = tokio::time::timeout(Duration::from_secs(5), embedding_worker).await;
    assert!(done.is_err(), "the worker runs until it is dropped");
    let (found, notes) = search(&gateway, "a letter to my aunt").await;
    assert_eq!((found, notes), (vec!["office/send_email".to_owned()], vec![]));
    assert_eq!(world.thesaurus.tools(), 2);
}

#[tokio::test(start_paused = true)]
async fn background_embedding_follows_discovery() {
    let (world, office) = (World::default(), office());
    let gateway = world.process("p", &[&office]).await;
    let follow = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(world.thesaurus.tools(), 2);
        office.set_tools(&["paint: Paints a picture", "send_email: Sends an email"]);
        gateway.refresh(&agent()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
    };
    tokio::select! {
        never = gateway.embed_in_background() => match never {},
        () = follow => {}
    }
    assert_eq!(world.thesaurus.tools(), 3);
    assert_eq!(search(&gateway, "photo").await, (vec!["office/paint".to_owned()], vec![]));
}

#[tokio::test]
async fn a_failed_encoder_leaves_lexical_search_with_a_note() {
    let encoder = LazyEncoder::new(|| Err("no \u{1b}[31mmodel".to_owned()));
    let gateway = discovered(
        Gateway::builder().search_engine(SearchEngine::new().encoder(encoder)),
        &[&office()],
    )
    .await;
    let (found, notes) = search(&gateway, "email").await;
    assert_eq!(found, ["office/send_email"]);
    assert_eq!(notes, ["keyword search only: no \\u{1b}[31mmodel"]);
}

/// A broken encoder may return too few vectors, or vectors of different sizes; no search waits for
/// the rest forever.
#[tokio::test(start_paused = true)]
async fn a_broken_encoder_stops_nothing() {
    struct Broken(AtomicBool);
    impl Encoder for Broken {
        fn id(&self) -> &str {
            "broken"
        }
        fn dimensions(&self) -> usize {
            3
        }
        fn encode(&self, _: &str) -> Vec<f32> {
            let is_first = self.0.swap(false, Ordering::SeqCst);
            if is_first { vec![1.0, f32::NAN] } else { vec![f32::INFINITY; 3] }
        }
        fn encode_all(&self, texts: &[&str]) -> Vec<Vec<f32>> {
            texts.iter().skip(1).map(|text| self.encode(text)).collect()
        }
    }
    let encoder = LazyEncoder::new(|| Ok(Arc::new(Broken(AtomicBool::new(true)))));
    let gateway = discovered(
        Gateway::builder().search_engine(SearchEngine::new().encoder(encoder)),
        &[&office()],
    )
    .await;
    gateway.embed_within(Duration::from_secs(1)).await;
    let (found, _) = search(&gateway, "email").await;
    assert_eq!(found, ["office/send_email"]);
}

#[tokio::test]
async fn without_an_encoder_there_are_no_notes() {
    let gateway = discovered(Gateway::builder(), &[&office()]).await;
    assert_eq!(search(&gateway, "email").await, (vec!["office/send_email".to_owned()], vec![]));
    assert!(gateway.embed_text("email").await.is_none());
    let EmbeddedQuery { embedding, .. } = EmbeddedQuery::default();
    assert!(embedding.is_none());
}
