//! Floods, silence and closed pipes.

use super::{ClientError, Shell, call, until, wait_until_gone, within};
use serde_json::json;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_message_beyond_the_limit_ends_the_connection_at_once() {
    let mut shell = Shell::new();
    shell.limits(|shell| shell.message = 100_000);
    let flood =
        "on() { if [ $method = tools/call ]; then yes | tr -d '\\n'; else usual; fi; }\nserve";
    let client = shell.connect(flood).await.expect("connected");
    let started = Instant::now();
    let error = call(&client, json!({}), within(10_000))
        .await
        .expect_err("the output is too large")
        .to_string();
    assert!(error.contains("more than 100000 bytes"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(5));
    assert!(client.lost_reason().is_some());
    client.close().await;
}

/// T07: its own calls end at their deadlines, and no other server is affected.
#[tokio::test]
async fn a_server_that_stops_reading_delays_only_its_own_calls() {
    let shell = Shell::new();
    let deaf = "on() { usual; [ $method != tools/list ] || { echo $$ > deaf; while :; do sleep 1000; done; }; }\nserve";
    let deaf = shell.connect(deaf).await.expect("connected");
    let other = shell.connect("serve").await.expect("connected");
    deaf.list_tools(within(10_000)).await.expect("a list");
    let large = json!({"text": "x".repeat(1 << 20)});
    let calls = (0..5).map(|_| call(&deaf, large.clone(), within(400)));
    let (outcomes, ()) = tokio::join!(futures_util::future::join_all(calls), async {
        for _ in 0..20 {
            call(&other, json!({}), within(10_000)).await.expect("the other server answers");
        }
    });
    assert!(
        outcomes.iter().all(|outcome| matches!(outcome, Err(ClientError::TimedOut { .. }))),
        "{outcomes:?}"
    );
    assert_eq!(deaf.pending(), 0);
    let started = Instant::now();
    deaf.close().await;
    assert!(started.elapsed() < Duration::from_secs(5));
    wait_until_gone(shell.number("deaf").await).await;
}

#[tokio::test]
async fn a_server_that_closed_its_input_fails_the_calls_at_once() {
    let shell = Shell::new();
    let client = shell
        .connect("on() { usual; [ $method != tools/list ] || { exec <&-; echo > closed; sleep 1000; }; }\nserve")
        .await;
    let client = client.expect("connected");
    client.list_tools(within(10_000)).await.expect("a list");
    until(|| shell.path("closed").exists()).await;
    let error = call(&client, json!({}), within(10_000))
        .await
        .expect_err("the server has closed its input");
    assert_eq!(error.to_string(), "it has closed its input");
    assert_eq!(client.lost_reason(), None);
    client.close().await;
}

/// T07: stderr is read to the end, and the end of it is kept.
#[tokio::test]
async fn stderr_is_drained_and_its_end_is_stored() {
    let shell = Shell::new();
    let loud = "on() { i=0; while [ $i -lt 40 ]; do printf '%08192d\\n' $i >&2; i=$((i + 1)); done; usual; }\nserve";
    let client = shell.connect(loud).await.expect("connected");
    client.list_tools(within(10_000)).await.expect("a list");
    call(&client, json!({}), within(10_000)).await.expect("an answer");
    until(|| client.tail().trim_end().ends_with("39")).await;
    assert!(client.tail().len() <= (64 << 10) + 8, "{}", client.tail().len());
    client.close().await;
}
