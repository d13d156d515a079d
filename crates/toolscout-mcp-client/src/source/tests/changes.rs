//! A server may announce any number of changes: its tools are listed one list at a time, and with
//! pauses after the first few.

use super::*;

/// Behaves normally, and announces a change after each list.
const CONTRADICTS: &str = r#"on() {
    usual
    [ $method != tools/list ] || printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
}
serve"#;

/// Fails each list, and announces a change each time.
const CANNOT: &str = r#"on() {
    [ $method = tools/list ] || { usual; return; }
    refuse -32603 'not today'
    printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
}
serve"#;

/// Announces one change, at its first call.
const CHANGES_ONCE: &str = r#"on() {
    usual
    [ $method = tools/call ] && [ -z "$told" ] || return 0
    told=1
    printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
}
serve"#;

fn limits_with_interval(milliseconds: u64) -> Limits {
    Limits { listing_interval: Duration::from_millis(milliseconds), ..Limits::default() }
}

#[tokio::test]
async fn a_storm_of_changes_is_one_list_at_a_time_and_soon_far_apart() {
    let world = World::new();
    let source = world.source(world.server("storm", &[]));
    source.start(&cx()).await.expect("started");
    source.refresh(&cx()).await.expect("listed");
    until(|| {
        world
            .events("sent")
            .iter()
            .filter(|event| event["method"] == "notifications/tools/list_changed")
            .count()
            >= 500
    })
    .await;
    assert!(world.request_count("tools/list") <= 3, "{} lists", world.request_count("tools/list"));
}

#[tokio::test]
async fn a_single_change_causes_no_delay() {
    let (world, shell) = (World::new(), Shell::new());
    let source = world.source_within(shell.server(CHANGES_ONCE), limits_with_interval(3_600_000));
    for _ in 0..3 {
        let called =
            tokio::time::timeout(Duration::from_secs(30), call(&source, "echo", json!({}))).await;
        called.expect("the call completes in time").expect("the call succeeds");
    }
    assert_eq!(shell.log().iter().filter(|log| log["method"] == "tools/list").count(), 2);
    source.stop().await;
}

/// Twelve lists in a minute if they are five seconds apart, even if each is followed by an
/// announced change or fails.
#[tokio::test]
async fn a_listing_that_causes_the_next_one_is_followed_by_a_pause() {
    for script in [CONTRADICTS, CANNOT] {
        let (world, shell) = (World::new(), Shell::new());
        let source = world.source_within(shell.server(script), limits_with_interval(200));
        let started = Instant::now();
        let _ = call(&source, "echo", json!({})).await;
        let lists = || shell.log().iter().filter(|log| log["method"] == "tools/list").count();
        until(|| lists() >= 13).await;
        assert!(
            started.elapsed() >= Duration::from_millis(2_400),
            "thirteen lists within {:?}",
            started.elapsed()
        );
        source.stop().await;
    }
}

/// A list that is outdated before it arrives is repeated once at once.
#[tokio::test]
async fn a_change_during_a_listing_is_visible_to_its_call() {
    let world = World::new();
    let source =
        world.source_within(world.server("changed_mid_list", &[]), limits_with_interval(100));
    // The server lists the tool but does not implement it, so the error comes from the call itself.
    let error = call(&source, "v2", json!({})).await.expect_err("no such tool");
    assert!(matches!(error, SourceError::Answered { .. }), "{error}");
    // Every timer of the next five seconds fires at once: a planned third list would be requested
    // now, and before the next call.
    tokio::time::pause();
    tokio::time::sleep(Duration::from_secs(5)).await;
    tokio::time::resume();
    call(&source, "v2", json!({})).await.expect_err("no such tool");
    assert_eq!(world.request_count("tools/list"), 2);
}

/// The exit of the server is noticed during the pause before the next list.
#[tokio::test]
async fn a_crash_during_the_listing_pause_is_noticed_at_once() {
    let world = World::new();
    let source =
        world.source_within(world.server("storm_after_list", &[]), limits_with_interval(60_000));
    source.start(&cx()).await.expect("started");
    source.refresh(&cx()).await.expect("listed");
    kill(source.state(&cx()).expect("a state").process.expect("a process"));
    until(|| source.state(&cx()).expect("a state").state == ServerPhase::Failed).await;
}
