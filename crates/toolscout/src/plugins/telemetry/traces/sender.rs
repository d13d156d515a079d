//! The thread that sends spans: batch by batch, patiently, and never in anybody's way.

use super::outbox::Outbox;
use super::request::{Span, request};
use super::{Say, Target};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use toolscout_core::{escape, redact};
use toolscout_http_client::{Post, Posted};

/// A batch is tried so often, then it is lost.
const ATTEMPTS: u32 = 5;
/// Between the first two; twice as long each time.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// Nobody is waited for longer than that, whatever they say.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// What is left at the end has this long.
const LAST: Duration = Duration::from_millis(900);

pub(super) struct Sender {
    ended: watch::Receiver<bool>,
}

/// What the thread works with.
struct Work {
    outbox: Arc<Outbox>,
    target: Target,
    runtime: Runtime,
    say: Arc<OnceLock<Say>>,
    has_complained: AtomicBool,
}

impl Sender {
    /// None where there can be no thread; then nothing is sent, and nothing else is the worse for it.
    pub(super) fn start(outbox: Arc<Outbox>, target: Target, say: Arc<OnceLock<Say>>) -> Option<Self> {
        let (end, ended) = watch::channel(false);
        let runtime = Builder::new_current_thread().enable_all().build().ok()?;
        let work = Work { outbox, target, runtime, say, has_complained: AtomicBool::new(false) };
        let run = move || {
            work.run();
            let _ = end.send(true);
        };
        thread::Builder::new().name("traces".to_owned()).spawn(run).ok()?;
        Some(Self { ended })
    }

    /// Waits until everything is sent or given up, or this time is over.
    pub(super) async fn ended(&self, limit: Duration) {
        let mut ended = self.ended.clone();
        let _ = tokio::time::timeout(limit, ended.wait_for(|it| *it)).await;
    }
}

impl Work {
    fn run(&self) {
        let post = match self.target.open() {
            Ok(post) => post,
            Err(why) => return self.complain(&why),
        };
        while let Some((spans, lost)) = self.outbox.take() {
            if lost > 0 {
                self.complain(&format!("{lost} spans came faster than they could be sent"));
            }
            self.send(&post, &spans);
        }
    }

    fn send(&self, post: &Post, spans: &[Span]) {
        let body = request(&self.target.resource, spans);
        let (body, encoding) = if self.target.is_compressed { zipped(body) } else { (body, None) };
        let mut wait = FIRST_WAIT;
        for attempt in 1..=ATTEMPTS {
            let is_last = self.outbox.is_closed();
            let limit = if is_last { self.target.timeout.min(LAST) } else { self.target.timeout };
            let answer = self.runtime.block_on(post.send(body.clone(), encoding, limit));
            let Some((why, after)) = wrong(&answer, &post.place()) else { return };
            if after.is_none() || is_last || attempt == ATTEMPTS {
                return self.complain(&why);
            }
            self.outbox.pause(after.unwrap_or_default().max(wait).min(LONGEST_WAIT));
            wait *= 2;
        }
    }

    /// Said to a person once, and to the log each time.
    fn complain(&self, why: &str) {
        tracing::warn!(event = "traces_not_sent", reason = %escape::line(why));
        let is_first = !self.has_complained.swap(true, Ordering::Relaxed);
        if let Some(say) = self.say.get().filter(|_| is_first) {
            say(&format!("warning: traces could not be sent: {}\n", escape::line(&redact::text(why))));
        }
    }
}

/// What is wrong with an answer, and after how long it may be another; never where no time is given.
fn wrong(answer: &Result<Posted, String>, place: &str) -> Option<(String, Option<Duration>)> {
    match answer {
        Ok(Posted { status: 200..=299, .. }) => None,
        Ok(Posted { status: status @ (429 | 502 | 503 | 504), retry_after }) => {
            Some((format!("`{place}` answered {status}"), Some(retry_after.unwrap_or_default())))
        }
        Ok(Posted { status, .. }) => Some((format!("`{place}` answered {status}"), None)),
        Err(why) => Some((format!("`{place}`: {why}"), Some(Duration::ZERO))),
    }
}

fn zipped(body: Vec<u8>) -> (Vec<u8>, Option<&'static str>) {
    let mut zip = GzEncoder::new(Vec::new(), Compression::fast());
    match zip.write_all(&body).and_then(|()| zip.finish()) {
        Ok(zipped) => (zipped, Some("gzip")),
        Err(_) => (body, None),
    }
}
