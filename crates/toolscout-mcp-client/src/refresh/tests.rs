//! Proves that
//! 1. the number of concurrent starts is limited, old and idle ones do not count, and servers that
//!    failed start last,
//! 2. a busy child is distinguished from an idle one, even with a shell in between,
//! 3. many hanging servers do not delay a server behind them.

use super::children::{Children, state_and_ticks};
use super::refresh_in_turn;
use super::start_limiter::{StartLimiter, StartPriority};
use crate::{
    ConfigText, ConnectContext, McpSource, Program, ServerConfig, ServerContext, ServerTransport,
};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use toolscout_core::{Caller, Cx, MemoryStore, SourceId};

const LONG: Duration = Duration::from_secs(3600);

fn after(start: Instant, milliseconds: u64) -> Instant {
    start + Duration::from_millis(milliseconds)
}

#[test]
fn one_more_may_start_when_one_answered_or_is_old_or_rests() {
    let now = Instant::now();
    let mut turns = StartLimiter::new(2, Duration::from_millis(500));
    let has_room = |turns: &StartLimiter, milliseconds| {
        turns.has_room(StartPriority::Unknown, after(now, milliseconds))
    };
    turns.take(0, StartPriority::Unknown, now);
    assert!(has_room(&turns, 0));
    turns.take(1, StartPriority::Unknown, now);
    assert!(!has_room(&turns, 0) && !has_room(&turns, 499));
    assert!(has_room(&turns, 500), "they are old");
    turns.see(Some(2));
    assert!(!has_room(&turns, 100), "both are at work");
    turns.see(Some(1));
    assert!(has_room(&turns, 100), "one rests");
    assert!(!has_room(&turns, 10), "they are so fresh that nobody can tell");
    turns.see(None);
    assert!(!has_room(&turns, 100), "nobody can tell at all");
    turns.give_back(0);
    assert!(has_room(&turns, 100), "one has answered");
}

#[test]
fn who_failed_the_last_time_waits_for_those_with_more_hope_but_not_for_long() {
    let now = Instant::now();
    let mut turns = StartLimiter::new(8, Duration::from_millis(500));
    assert!(turns.has_room(StartPriority::Poor, now));
    turns.take(0, StartPriority::Poor, now);
    assert!(turns.has_room(StartPriority::Poor, now));
    turns.take(1, StartPriority::Good, now);
    assert!(
        turns.has_room(StartPriority::Good, now) && turns.has_room(StartPriority::Unknown, now)
    );
    assert!(
        !turns.has_room(StartPriority::Poor, after(now, 499))
            && turns.has_room(StartPriority::Poor, after(now, 500))
    );
    turns.give_back(1);
    assert!(turns.has_room(StartPriority::Poor, now));
}

/// A child that is killed with all its descendants when the test ends.
struct Kept(Child);

impl Kept {
    fn shell(script: &str) -> Self {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null()).process_group(0);
        Self(command.spawn().expect("a shell"))
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let group = rustix::process::Pid::from_child(&self.0);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = self.0.wait();
    }
}

/// Checks for a while until this many are busy.
async fn settles_at(children: &mut Children, ids: &[u32], count: usize) -> bool {
    for _ in 0..500 {
        if children.at_work_of(ids) == count {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

#[tokio::test]
async fn a_child_at_work_is_told_from_one_that_waits() {
    let resting = Kept::shell("exec sleep 60");
    let working = Kept::shell("while :; do :; done");
    let hidden = Kept::shell("sh -c 'while :; do :; done'; true");
    let ids = [&resting, &working, &hidden].map(|it| it.0.id());
    let mut children = Children::default();
    assert!(settles_at(&mut children, &ids[..1], 0).await, "`sleep` is at rest");
    assert!(settles_at(&mut children, &ids, 2).await, "two loops are at work");
    assert_eq!(children.at_work_of(&ids[1..]), 2);
    assert!(Children::default().at_work().is_some_and(|it| it >= 2), "they are children of ours");
}

#[test]
fn a_process_may_be_called_anything() {
    let stat = "12 (a) b) R 1 12 12 0 -1 4194560 100 0 0 0 7 5 0 0 20 0";
    assert_eq!(state_and_ticks(stat), Some(("R", 12)));
    assert_eq!(state_and_ticks("12 (gone"), None);
}

fn source(shared: &Arc<ServerContext>, id: &str, mode: &str) -> Arc<McpSource> {
    let program = toolscout_hostile::example("mcp_hostile_server").display().to_string();
    let args = ["--mode", mode, "--ttl", "60"].map(ConfigText::from).to_vec();
    let program = Program { command: ConfigText::from(&*program), args, ..Program::default() };
    Arc::new(McpSource::new(
        ServerConfig::new(SourceId::new(id).expect("an id"), ServerTransport::Stdio(program)),
        shared.clone(),
    ))
}

/// Age does not make room in this test; only idle servers do.
#[tokio::test]
async fn a_server_behind_many_that_hang_is_asked_before_they_time_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let shared = ServerContext::new(
        Arc::new(MemoryStore::default()),
        folder.path(),
        ConnectContext::new(folder.path().to_owned()),
    );
    let shared = Arc::new(shared.expect("a key"));
    let mut sources: Vec<_> =
        (0..5).map(|it| source(&shared, &format!("hung{it}"), "hang_list")).collect();
    sources.push(source(&shared, "honest", "honest"));
    let (answered, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let cx = Cx::new(Caller::Cli);
    let asking = refresh_in_turn(&sources, &cx, StartLimiter::new(2, LONG), |source, answer| {
        let _ = answered.send((source.server().id.to_string(), answer.is_ok()));
    });
    // Dropped with the first outcome, which ends the hanging servers.
    tokio::select! {
        () = asking => panic!("all have answered"),
        first = heard.recv() => assert_eq!(first, Some(("honest".to_owned(), true))),
    }
}
