use super::*;
use std::time::Duration;
use toolscout_core::Namespace;

fn image(world: &World) -> Option<Vec<u8>> {
    world.store.read(Namespace::Index, "p-english").unwrap()
}

#[tokio::test]
async fn the_next_process_reuses_stored_results() {
    let world = World::default();
    let before = world.process("p", &[&office()]).await;
    let expected = search(&before, "umbrella").await;
    assert!(image(&world).is_none(), "a search does not write the image");
    before.save_search_data().await;
    let first = image(&world).unwrap();

    let after = world.process("p", &[&office()]).await;
    assert_eq!(search(&after, "umbrella").await, expected);
    assert_eq!(world.thesaurus.tools(), 2);
    after.save_search_data().await;
    assert_eq!(image(&world).unwrap(), first, "nothing has changed");
}

#[tokio::test]
async fn unreadable_index_data_is_computed_again() {
    let world = World::default();
    let before = world.process("p", &[&office()]).await;
    let expected = search(&before, "umbrella").await;
    before.save_search_data().await;
    let whole = image(&world).unwrap();
    let broken = [Vec::new(), b"foreign".to_vec(), whole[..whole.len() / 2].to_vec(), {
        let mut flipped = whole.clone();
        flipped[9] ^= 1;
        flipped
    }];
    for bytes in broken {
        world.store.write(Namespace::Index, "p-english", &bytes).unwrap();
        let after = world.process("p", &[&office()]).await;
        assert_eq!(search(&after, "umbrella").await, expected);
        after.save_search_data().await;
        assert_eq!(image(&world).unwrap(), whole);
    }
    assert_eq!(world.thesaurus.tools(), 2, "vectors are stored separately");
}

#[tokio::test]
async fn vectors_are_shared_between_projects_but_not_encoders() {
    let world = World::default();
    search(&world.process("p", &[&office()]).await, "mail").await;
    search(&world.process("q", &[&office()]).await, "mail").await;
    assert_eq!(world.thesaurus.tools(), 2);

    let other =
        SearchEngine::new().encoder(world.encoder().named("another")).stored_in(world.store(), "p");
    let gateway = discovered(Gateway::builder().search_engine(other), &[&office()]).await;
    assert_eq!(search(&gateway, "umbrella").await, (vec!["office/forecast".to_owned()], vec![]));
    assert_eq!(world.thesaurus.tools(), 4);
}

/// Two languages stem a word differently, so neither uses the image of the other.
#[tokio::test]
async fn each_language_has_its_own_index_image() {
    let world = World::default();
    let german =
        || SearchEngine::new().language(crate::Language::German).stored_in(world.store(), "p");
    for engine in [german(), SearchEngine::new().stored_in(world.store(), "p"), german()] {
        let gateway = discovered(Gateway::builder().search_engine(engine), &[&office()]).await;
        assert_eq!(search(&gateway, "emails").await.0, ["office/send_email"]);
        gateway.save_search_data().await;
    }
    assert_eq!(world.store.keys(Namespace::Index).unwrap(), ["p-english", "p-german"]);
}

#[tokio::test(start_paused = true)]
async fn one_process_encodes_for_all() {
    let world = World::default();
    let (one, other) =
        (world.process("p", &[&office()]).await, world.process("p", &[&office()]).await);
    let lease = world.store.lease("vectors").unwrap();
    let waiting = async {
        tokio::time::sleep(Duration::from_secs(30)).await;
        assert_eq!(world.thesaurus.tools(), 0, "another process is encoding");
        drop(lease);
        tokio::time::sleep(Duration::from_secs(30)).await;
    };
    tokio::select! {
        _ = one.embed_in_background() => {}
        _ = other.embed_in_background() => {}
        () = waiting => {}
    }
    assert_eq!(world.thesaurus.tools(), 2);
    for gateway in [one, other] {
        assert_eq!(
            search(&gateway, "umbrella").await,
            (vec!["office/forecast".to_owned()], vec![])
        );
    }
}

/// As for a profile: it serves a part of the main gateway's tools.
#[tokio::test]
async fn a_gateway_with_a_shared_engine_encodes_nothing_again() {
    let world = World::default();
    let main = world.process("p", &[&office()]).await;
    search(&main, "mail").await;
    let part = Arc::new(Actor::new("office", &["forecast: Tells what tomorrow will be like"]));
    let beside =
        discovered(Gateway::builder().search_engine(main.shared_search_engine()), &[&part]).await;
    assert_eq!(search(&beside, "umbrella").await, (vec!["office/forecast".to_owned()], vec![]));
    assert_eq!(world.thesaurus.tools(), 2);
    beside.save_search_data().await;
    main.save_search_data().await;
    let again = world.process("p", &[&office()]).await;
    assert_eq!(
        again.embed_within(Duration::ZERO).await,
        0,
        "partial data does not replace the complete data"
    );
}

#[tokio::test]
async fn embedding_within_no_time_returns_the_remaining_count() {
    let world = World::default();
    let gateway = world.process("p", &[&office()]).await;
    let lease = world.store.lease("vectors").unwrap();
    assert_eq!(gateway.embed_within(Duration::ZERO).await, 2);
    drop(lease);
    assert_eq!(gateway.embed_within(Duration::from_secs(60)).await, 0);
    assert!(image(&world).is_some());
}
