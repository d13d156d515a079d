//! How servers end, and that no process of them remains.

use super::{ClientError, McpClient, Shell, call, is_alive, until, wait_until_gone, within};
use serde_json::json;
use std::time::{Duration, Instant};
#[cfg(target_os = "linux")]
use toolscout_process::orphans;

#[tokio::test]
async fn an_exit_is_reported_at_once_with_the_last_stderr_lines() {
    let shell = Shell::new();
    let error = shell
        .connect("echo 'fatal: no config' >&2; exit 3")
        .await
        .err()
        .expect("the server has exited");
    assert_eq!(error.to_string(), "it exited with code 3: fatal: no config");
    let started = Instant::now();
    let client =
        shell.connect("on() { [ $method != tools/call ] || kill -9 $$; usual; }\nserve").await;
    let client = client.expect("connected");
    let error = call(&client, json!({}), within(10_000)).await.expect_err("the server has exited");
    assert_eq!(error.to_string(), "it was terminated by signal 9 (SIGKILL)");
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(client.wait_until_lost().await, error);
}

/// The output of npm 10 for a package that the registry does not have.
#[tokio::test]
async fn an_exit_of_npm_is_reported_with_its_reason() {
    let shell = Shell::new();
    let lines = [
        "npm warn config production Use `--omit=dev` instead.",
        "npm error code E404",
        "npm error 404 Not Found - GET https://registry.npmjs.org/nope - Not found",
        "npm error 404",
        "npm error 404 Note that you can also install from a",
        "npm error 404 tarball, folder, http url, or git url.",
        "npm notice",
        "npm notice New major version of npm available! 10.9.0 -> 11.6.2",
        "npm error A complete log of this run can be found in: /home/ada/.npm/_logs/debug-0.log",
    ];
    let script: String = lines.iter().map(|line| format!("echo '{line}' >&2\n")).collect();
    let error = shell.connect(&format!("{script}exit 1")).await.err().expect("it has exited");
    assert_eq!(error.to_string(), format!("it exited with code 1: {}", lines[1..4].join(" | ")));
}

#[tokio::test]
async fn messages_before_an_exit_still_count() {
    let shell = Shell::new();
    let client = shell
        .connect("on() { usual; [ $method != tools/call ] || exit 0; }\nserve")
        .await
        .expect("connected");
    call(&client, json!({}), within(10_000)).await.expect("the answer arrives before the exit");
    assert_eq!(client.wait_until_lost().await.to_string(), "it exited with code 0");
}

#[tokio::test]
async fn a_closed_output_is_an_end() {
    let shell = Shell::new();
    let script = "on() { usual; [ $method != tools/list ] || { echo $$ > closed; exec >&-; sleep 1000; }; }\nserve";
    let client = shell.connect(script).await.expect("connected");
    client.list_tools(within(10_000)).await.expect("a list");
    assert_eq!(client.wait_until_lost().await.to_string(), "it closed its output");
    assert_eq!(
        call(&client, json!({}), within(10_000))
            .await
            .expect_err("the server has exited")
            .to_string(),
        "it closed its output"
    );
    client.close().await;
    wait_until_gone(shell.number("closed").await).await;
}

#[tokio::test]
async fn an_incomplete_message_at_the_end_is_ignored() {
    let shell = Shell::new();
    let script = "on() { [ $method != tools/list ] || { printf '{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[]}}'; exit 0; }; usual; }\nserve";
    let client = shell.connect(script).await.expect("connected");
    let error = client.list_tools(within(10_000)).await.expect_err("no line feed");
    assert_eq!(error.to_string(), "it exited with code 0");
}

/// T06: closed input, SIGTERM, SIGKILL; the whole group ends within five seconds.
#[tokio::test]
async fn closing_ends_a_server_that_ignores_all_signals() {
    let mut shell = Shell::new();
    shell.limits(|shell| shell.grace = Duration::from_millis(300));
    let script =
        "trap '' TERM HUP INT; sleep 1000 & echo $! > child; serve; while :; do sleep 1000; done";
    let client = shell.connect(script).await.expect("connected");
    let (leader, child) = (client.process().expect("a process"), shell.number("child").await);
    let started = Instant::now();
    client.close().await;
    client.close().await;
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert!(!is_alive(leader.try_into().expect("a number")) && !is_alive(child));
    assert_eq!(client.lost_reason().expect("closed").to_string(), "it was stopped");
}

#[tokio::test]
async fn a_server_that_exits_on_closed_input_is_closed_without_the_grace_period() {
    let mut shell = Shell::new();
    shell.limits(|limits| limits.grace = Duration::from_secs(60));
    let client = shell.connect("sleep 1000 & echo $! > child; serve").await.expect("connected");
    let child = shell.number("child").await;
    let started = Instant::now();
    client.close().await;
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    wait_until_gone(child).await;
}

#[tokio::test]
async fn dropping_the_last_client_ends_the_server() {
    let shell = Shell::new();
    let client = shell
        .connect("trap '' TERM; sleep 1000 & echo $! > child; serve; sleep 1000")
        .await
        .expect("connected");
    let (leader, child) = (client.process().expect("a process"), shell.number("child").await);
    let copy = client.clone();
    drop(client);
    call(&copy, json!({}), within(10_000)).await.expect("the connection is open");
    drop(copy);
    wait_until_gone(leader.try_into().expect("a number")).await;
    wait_until_gone(child).await;
}

/// D-05: the server never answers; the deadline ends the wait and the process.
#[tokio::test]
async fn a_server_that_never_answers_is_ended_at_the_deadline() {
    let shell = Shell::new();
    let server = shell.server("echo $$ > self; while read -r line; do :; done");
    let started = Instant::now();
    let error = McpClient::connect(&server, &shell.context, within(500))
        .await
        .err()
        .expect("the connection times out");
    assert!(matches!(error, ClientError::TimedOut { .. }), "{error}");
    assert!(started.elapsed() < Duration::from_secs(20));
    wait_until_gone(shell.number("self").await).await;
}

#[tokio::test]
async fn a_dropped_connect_ends_the_started_process() {
    let shell = Shell::new();
    let server = shell.server("echo $$ > self; sleep 1000");
    let connecting = McpClient::connect(&server, &shell.context, within(60_000));
    tokio::select! {
        _ = connecting => panic!("the connection must not succeed"),
        process = shell.number("self") => wait_until_gone(process).await,
    }
}

/// T06: a process that leaves the group is found by the environment it was started with.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_that_leaves_the_group_is_ended() {
    for drops in [false, true] {
        let shell = Shell::new();
        let script =
            "setsid sh -c 'echo $$ > away; exec sleep 1000' </dev/null >/dev/null 2>&1 &\nserve";
        let client = shell.connect(script).await.expect("connected");
        let away = shell.number("away").await;
        assert!(is_alive(away));
        if drops {
            drop(client)
        } else {
            client.close().await
        }
        wait_until_gone(away).await;
    }
}

/// T06: toolscout is killed and cannot clean up; its servers and their children end all the same.
#[tokio::test]
async fn no_process_remains_of_a_killed_toolscout() {
    let shell = Shell::new();
    let test = "stdio::tests::shutdown::starts_a_server_and_waits_to_be_killed";
    let mut toolscout = std::process::Command::new(
        std::env::current_exe().expect("the path of the test executable"),
    )
    .args(["--exact", test, "--ignored", "--nocapture"])
    .env("TOOLSCOUT_TEST_FOLDER", shell.folder.path())
    .stdout(std::process::Stdio::null())
    .spawn()
    .expect("it starts");
    let (leader, child) = (shell.number("leader").await, shell.number("child").await);
    until(|| shell.path("connected").exists()).await;
    assert!(is_alive(leader) && is_alive(child));
    toolscout.kill().expect("kill it");
    toolscout.wait().expect("wait for it");
    wait_until_gone(leader).await;
    wait_until_gone(child).await;
}

#[tokio::test]
#[ignore = "part of another test, which kills it"]
async fn starts_a_server_and_waits_to_be_killed() {
    let Some(folder) = std::env::var_os("TOOLSCOUT_TEST_FOLDER") else { return };
    let mut shell = Shell::new();
    shell.context.project = folder.into();
    let script =
        "trap '' TERM HUP; sleep 1000 & echo $! > child; echo $$ > leader; serve; sleep 1000";
    let _client = shell.connect(script).await.expect("connected");
    std::fs::write(shell.context.project.join("connected"), "").expect("written");
    std::future::pending::<()>().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn orphans_of_an_exited_toolscout_are_found() {
    let mut orphan = std::process::Command::new("sleep")
        .arg("1000")
        .env(orphans::OWNER_VARIABLE, "1-1")
        .spawn()
        .expect("it starts");
    let ours = std::process::Command::new("sleep")
        .arg("1000")
        .env(orphans::OWNER_VARIABLE, orphans::owner_mark())
        .spawn();
    let mut ours = ours.expect("it starts");
    assert!(orphans::kill_orphans() >= 1);
    orphan.wait().expect("wait for it");
    assert!(
        ours.try_wait().expect("its status is known").is_none(),
        "a server with an owner is not killed"
    );
    ours.kill().expect("kill it");
    ours.wait().expect("wait for it");
}
