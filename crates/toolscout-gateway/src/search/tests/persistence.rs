use super::*;
use std::time::Duration;
use toolscout_core::Namespace;

fn image(world: &World) -> Option<Vec<u8>> {
    world.store.read(Namespace::Index, "p-english").unwrap()
}

#[tokio::test]
async fn the_next_process_knows_what_the_last_one_worked_out() {
    let world = World::default();
    let before = world.process("p", &[&office()]).await;
    let asked = ask(&before, "umbrella").await;
    assert!(image(&world).is_none(), "written at the end, not while somebody waits");
    before.remember().await;
    let first = image(&world).unwrap();

    let after = world.process("p", &[&office()]).await;
    assert_eq!(ask(&after, "umbrella").await, asked);
    assert_eq!(world.thesaurus.tools(), 2);
    after.remember().await;
    assert_eq!(image(&world).unwrap(), first, "nothing is new");
}

#[tokio::test]
async fn what_cannot_be_read_of_it_is_worked_out_again() {
    let world = World::default();
    let before = world.process("p", &[&office()]).await;
    let asked = ask(&before, "umbrella").await;
    before.remember().await;
    let whole = image(&world).unwrap();
    let broken = [Vec::new(), b"foreign".to_vec(), whole[..whole.len() / 2].to_vec(), {
        let mut flipped = whole.clone();
        flipped[9] ^= 1;
        flipped
    }];
    for bytes in broken {
        world.store.write(Namespace::Index, "p-english", &bytes).unwrap();
        let after = world.process("p", &[&office()]).await;
        assert_eq!(ask(&after, "umbrella").await, asked);
        after.remember().await;
        assert_eq!(image(&world).unwrap(), whole);
    }
    assert_eq!(world.thesaurus.tools(), 2, "vectors are kept apart from it");
}

#[tokio::test]
async fn another_project_takes_the_vectors_and_another_encoder_does_not() {
    let world = World::default();
    ask(&world.process("p", &[&office()]).await, "mail").await;
    ask(&world.process("q", &[&office()]).await, "mail").await;
    assert_eq!(world.thesaurus.tools(), 2);

    let other =
        SearchEngine::new().encoder(world.encoder().named("another")).kept(world.store(), "p");
    let gateway = discovered(Gateway::builder().searching(other), &[&office()]).await;
    assert_eq!(ask(&gateway, "umbrella").await, (vec!["office/forecast".to_owned()], vec![]));
    assert_eq!(world.thesaurus.tools(), 4);
}

/// Two languages stem a word differently, so neither uses the image of the other.
#[tokio::test]
async fn another_language_has_an_image_of_its_own() {
    let world = World::default();
    let german = || SearchEngine::new().language(crate::Language::German).kept(world.store(), "p");
    for searching in [german(), SearchEngine::new().kept(world.store(), "p"), german()] {
        let gateway = discovered(Gateway::builder().searching(searching), &[&office()]).await;
        assert_eq!(ask(&gateway, "emails").await.0, ["office/send_email"]);
        gateway.remember().await;
    }
    assert_eq!(world.store.keys(Namespace::Index).unwrap(), ["p-english", "p-german"]);
}

#[tokio::test(start_paused = true)]
async fn of_two_processes_one_encodes_and_the_other_takes_what_it_has_found() {
    let world = World::default();
    let (one, other) =
        (world.process("p", &[&office()]).await, world.process("p", &[&office()]).await);
    let lease = world.store.lease("vectors").unwrap();
    let waiting = async {
        tokio::time::sleep(Duration::from_secs(30)).await;
        assert_eq!(world.thesaurus.tools(), 0, "somebody else is at it");
        drop(lease);
        tokio::time::sleep(Duration::from_secs(30)).await;
    };
    tokio::select! {
        _ = one.study() => {}
        _ = other.study() => {}
        () = waiting => {}
    }
    assert_eq!(world.thesaurus.tools(), 2);
    for gateway in [one, other] {
        assert_eq!(ask(&gateway, "umbrella").await, (vec!["office/forecast".to_owned()], vec![]));
    }
}

/// As for a profile: it serves a part of the main gateway's tools.
#[tokio::test]
async fn a_gateway_beside_another_reads_and_encodes_nothing_again() {
    let world = World::default();
    let main = world.process("p", &[&office()]).await;
    ask(&main, "mail").await;
    let part = Arc::new(Actor::new("office", &["forecast: Tells what tomorrow will be like"]));
    let beside = discovered(Gateway::builder().searching(main.searching_beside()), &[&part]).await;
    assert_eq!(ask(&beside, "umbrella").await, (vec!["office/forecast".to_owned()], vec![]));
    assert_eq!(world.thesaurus.tools(), 2);
    beside.remember().await;
    main.remember().await;
    let again = world.process("p", &[&office()]).await;
    assert_eq!(
        again.study_within(Duration::ZERO).await,
        0,
        "its part did not take the place of the whole"
    );
}

#[tokio::test]
async fn a_command_that_has_no_time_left_says_how_much_is_left() {
    let world = World::default();
    let gateway = world.process("p", &[&office()]).await;
    let lease = world.store.lease("vectors").unwrap();
    assert_eq!(gateway.study_within(Duration::ZERO).await, 2);
    drop(lease);
    assert_eq!(gateway.study_within(Duration::from_secs(60)).await, 0);
    assert!(image(&world).is_some());
}
