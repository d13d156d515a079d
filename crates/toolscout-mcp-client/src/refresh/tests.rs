//! Proves that
//! 1. the number of concurrent starts is limited, old and idle ones do not count, and servers that
//!    failed start last,
//! 2. a busy child is distinguished from an idle one, even with a shell in between,
//! 3. many hanging servers do not delay a server behind them.

use super::children::{Children, state_and_ticks};
use super::refresh_limited;
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
fn a_server_may_start_when_another_has_answered_is_slow_or_idle() {
    let now = Instant::now();
    let mut limiter = StartLimiter::new(2, Duration::from_millis(500));
    let has_room = |limiter: &StartLimiter, milliseconds| {
        limiter.has_room(StartPriority::Unknown, after(now, milliseconds))
    };
    limiter.add(0, StartPriority::Unknown, now);
    assert!(has_room(&limiter, 0));
    limiter.add(1, StartPriority::Unknown, now);
    assert!(!has_room(&limiter, 0) && !has_room(&limiter, 499));
    assert!(has_room(&limiter, 500), "the other servers are slow");
    limiter.set_busy(Some(2));
    assert!(!has_room(&limiter, 100), "both servers are busy");
    limiter.set_busy(Some(1));
    assert!(has_room(&limiter, 100), "one server is idle");
    assert!(!has_room(&limiter, 10), "the load of new servers is unknown");
    limiter.set_busy(None);
    assert!(!has_room(&limiter, 100), "the load is unknown");
    limiter.release(0);
    assert!(has_room(&limiter, 100), "one server has answered");
}

#[test]
fn a_server_that_failed_last_time_waits_briefly_for_the_others() {
    let now = Instant::now();
    let mut limiter = StartLimiter::new(8, Duration::from_millis(500));
    assert!(limiter.has_room(StartPriority::Poor, now));
    limiter.add(0, StartPriority::Poor, now);
    assert!(limiter.has_room(StartPriority::Poor, now));
    limiter.add(1, StartPriority::Good, now);
    assert!(
        limiter.has_room(StartPriority::Good, now) && limiter.has_room(StartPriority::Unknown, now)
    );
    assert!(
        !limiter.has_room(StartPriority::Poor, after(now, 499))
            && limiter.has_room(StartPriority::Poor, after(now, 500))
    );
    limiter.release(1);
    assert!(limiter.has_room(StartPriority::Poor, now));
}

/// A child that is killed with all its descendants when the test ends.
struct KilledOnDrop(Child);

impl KilledOnDrop {
    fn shell(script: &str) -> Self {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null()).process_group(0);
        Self(command.spawn().expect("a shell"))
    }
}

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        let group = rustix::process::Pid::from_child(&self.0);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = self.0.wait();
    }
}

/// Checks for a while until this many are busy.
async fn reaches_busy_count(children: &mut Children, ids: &[u32], count: usize) -> bool {
    for _ in 0..500 {
        if children.count_busy_among(ids) == count {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

#[tokio::test]
async fn a_busy_child_is_distinguished_from_an_idle_one() {
    let idle = KilledOnDrop::shell("exec sleep 60");
    let busy = KilledOnDrop::shell("while :; do :; done");
    let busy_grandchild = KilledOnDrop::shell("sh -c 'while :; do :; done'; true");
    let ids = [&idle, &busy, &busy_grandchild].map(|value| value.0.id());
    let mut children = Children::default();
    assert!(reaches_busy_count(&mut children, &ids[..1], 0).await, "`sleep` is idle");
    assert!(reaches_busy_count(&mut children, &ids, 2).await, "two loops are busy");
    assert_eq!(children.count_busy_among(&ids[1..]), 2);
    assert!(
        Children::default().count_busy().is_some_and(|value| value >= 2),
        "children of this process are counted"
    );
}

#[test]
fn a_process_name_may_contain_any_character() {
    let stat = "12 (a) b) R 1 12 12 0 -1 4194560 100 0 0 0 7 5 0 0 20 0";
    assert_eq!(state_and_ticks(stat), Some(("R", 12)));
    assert_eq!(state_and_ticks("12 (gone"), None);
}

fn source(context: &Arc<ServerContext>, id: &str, mode: &str) -> Arc<McpSource> {
    let program = toolscout_hostile::example("mcp_hostile_server").display().to_string();
    let args = ["--mode", mode, "--ttl", "60"].map(ConfigText::from).to_vec();
    let program = Program { command: ConfigText::from(&*program), args, ..Program::default() };
    Arc::new(McpSource::new(
        ServerConfig::new(SourceId::new(id).expect("an id"), ServerTransport::Stdio(program)),
        context.clone(),
    ))
}

/// Age does not make room in this test; only idle servers do.
#[tokio::test]
async fn a_server_behind_hanging_ones_is_discovered_before_they_time_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let context = ServerContext::new(
        Arc::new(MemoryStore::default()),
        crate::partition(folder.path()),
        ConnectContext::new(folder.path().to_owned()),
    );
    let context = Arc::new(context.expect("a key"));
    let mut sources: Vec<_> =
        (0..5).map(|index| source(&context, &format!("hung{index}"), "hang_list")).collect();
    sources.push(source(&context, "honest", "honest"));
    let (sender, mut outcomes) = tokio::sync::mpsc::unbounded_channel();
    let cx = Cx::new(Caller::Cli);
    let refresh = refresh_limited(
        &sources,
        &cx,
        StartLimiter::new(2, LONG),
        |_| true,
        |source, outcome| {
            let _ =
                sender.send((source.server().id.to_string(), outcome.is_some_and(Result::is_ok)));
        },
    );
    // Dropped with the first outcome, which ends the hanging servers.
    tokio::select! {
        () = refresh => panic!("the refresh must not finish"),
        first = outcomes.recv() => assert_eq!(first, Some(("honest".to_owned(), true))),
    }
}
