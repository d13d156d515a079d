use super::*;
use crate::tests::waits;
use crate::{EmbeddedQuery, RankingProfile};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

#[tokio::test]
async fn who_shares_no_word_with_a_tool_finds_it_by_what_it_means() {
    let gateway = World::default().process("p", &[&office()]).await;
    let (found, notes) = ask(&gateway, "umbrella tomorrow?").await;
    assert_eq!((found.first().map(String::as_str), notes), (Some("office/forecast"), vec![]));
    let (found, _) = ask(&gateway, "a letter to my aunt").await;
    assert_eq!(found.first().map(String::as_str), Some("office/send_email"));
}

#[tokio::test]
async fn a_tool_is_encoded_once_and_not_again_when_others_come() {
    let (world, office) = (World::default(), office());
    let gateway = world.process("p", &[&office]).await;
    ask(&gateway, "mail").await;
    assert_eq!(world.thesaurus.tools(), 2);
    office.has(&[
        "send_email: Sends an email",
        "forecast: Tells what tomorrow will be like",
        "paint: Paints a picture",
    ]);
    gateway.refresh(&agent()).await;
    ask(&gateway, "mail").await;
    gateway.refresh(&agent()).await;
    ask(&gateway, "photo").await;
    assert_eq!(world.thesaurus.tools(), 3, "{:?}", world.thesaurus.asked());
}

#[tokio::test]
async fn a_question_that_was_asked_before_is_not_encoded_again() {
    let world = World::default();
    let gateway = world.process("p", &[&office()]).await;
    for _ in 0..3 {
        ask(&gateway, "umbrella").await;
    }
    assert_eq!(world.thesaurus.asked().iter().filter(|it| *it == "umbrella").count(), 1);
}

/// Listing, calling and fuzzy matching do not create the encoder.
#[tokio::test]
async fn an_encoder_is_not_made_before_somebody_asks_by_meaning() {
    let made = Arc::new(AtomicUsize::new(0));
    let (counted, thesaurus) = (made.clone(), Arc::new(Thesaurus::default()));
    let encoder = LazyEncoder::new(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(thesaurus.clone())
    });
    let gateway = discovered(
        Gateway::builder().searching(SearchEngine::new().encoder(encoder.named("t"))),
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
            gateway.understand(&view, &query).await;
        }
        assert!(!view.search(&query).is_empty());
    }
    assert_eq!(made.load(Ordering::SeqCst), 0);
    ask(&gateway, "mail").await;
    ask(&gateway, "letter").await;
    assert_eq!(made.load(Ordering::SeqCst), 1);
}

/// If a background worker embeds tools, a search does not wait for it.
#[tokio::test(start_paused = true)]
async fn a_search_before_the_vectors_exist_goes_by_words_and_says_so() {
    let world = World::default();
    let gateway = Arc::new(world.process("p", &[&office()]).await);
    let mut studying = Box::pin(gateway.study());
    assert!(waits(&mut studying).await);
    let (found, notes) = ask(&gateway, "email").await;
    assert_eq!(found, ["office/send_email"]);
    assert_eq!(notes, ["semantic index: 0 of 2 tools; keyword search for the rest"]);
    assert_eq!(world.thesaurus.tools(), 0);

    let done = tokio::time::timeout(Duration::from_secs(5), studying).await;
    assert!(done.is_err(), "it never ends by itself");
    let (found, notes) = ask(&gateway, "a letter to my aunt").await;
    assert_eq!((found, notes), (vec!["office/send_email".to_owned()], vec![]));
    assert_eq!(world.thesaurus.tools(), 2);
}

#[tokio::test(start_paused = true)]
async fn who_studies_follows_what_is_discovered() {
    let (world, office) = (World::default(), office());
    let gateway = world.process("p", &[&office]).await;
    let follow = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(world.thesaurus.tools(), 2);
        office.has(&["paint: Paints a picture", "send_email: Sends an email"]);
        gateway.refresh(&agent()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
    };
    tokio::select! {
        never = gateway.study() => match never {},
        () = follow => {}
    }
    assert_eq!(world.thesaurus.tools(), 3);
    assert_eq!(ask(&gateway, "photo").await, (vec!["office/paint".to_owned()], vec![]));
}

#[tokio::test]
async fn an_encoder_that_cannot_be_made_leaves_words_and_says_why() {
    let encoder = LazyEncoder::new(|| Err("no \u{1b}[31mmodel".to_owned()));
    let gateway = discovered(
        Gateway::builder().searching(SearchEngine::new().encoder(encoder)),
        &[&office()],
    )
    .await;
    let (found, notes) = ask(&gateway, "email").await;
    assert_eq!(found, ["office/send_email"]);
    assert_eq!(notes, ["words alone decided: no \\u{1b}[31mmodel"]);
}

/// A broken encoder may return too few vectors, or vectors of different sizes; no search waits for
/// the rest forever.
#[tokio::test(start_paused = true)]
async fn an_encoder_that_gives_nonsense_stops_nothing() {
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
            texts.iter().skip(1).map(|it| self.encode(it)).collect()
        }
    }
    let encoder = LazyEncoder::new(|| Ok(Arc::new(Broken(AtomicBool::new(true)))));
    let gateway = discovered(
        Gateway::builder().searching(SearchEngine::new().encoder(encoder)),
        &[&office()],
    )
    .await;
    gateway.study_within(Duration::from_secs(1)).await;
    let (found, _) = ask(&gateway, "email").await;
    assert_eq!(found, ["office/send_email"]);
}

#[tokio::test]
async fn without_an_encoder_nothing_is_said_about_meaning() {
    let gateway = discovered(Gateway::builder(), &[&office()]).await;
    assert_eq!(ask(&gateway, "email").await, (vec!["office/send_email".to_owned()], vec![]));
    assert!(gateway.meaning("email").await.is_none());
    let EmbeddedQuery { meaning, .. } = EmbeddedQuery::default();
    assert!(meaning.is_none());
}
