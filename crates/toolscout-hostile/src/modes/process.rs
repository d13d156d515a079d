//! Processes that do not end, or use too many resources: children, closed pipes, ignored signals,
//! memory, a whole core.

use super::{MIB, Mode, stdio};
use crate::honest;
use crate::honest::HONEST;
use crate::process::{background, pause, pause_for_ever, sleeping_child};
use crate::server::HostileServer;
use crate::server::acts::Acts;
use crate::server::request::{ClientRequest, Gone, Sent};
use serde_json::json;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

pub(super) const MODES: &[Mode] = &[
    stdio(
        "ignore_term",
        "Ignores SIGTERM, SIGINT, SIGHUP, SIGPIPE and the end of its input.",
        "Close stdin, send SIGTERM, then SIGKILL, all within 5 s; no process is left.",
        Acts {
            obeys_signals: false,
            end_of_input: pause_for_ever,
            broken_pipe: pause_for_ever,
            ..HONEST
        },
    ),
    stdio(
        "grandchild",
        "Starts a child in its process group that keeps the pipes open and sleeps.",
        "End the whole group with the server; no `hostile-grandchild` is left.",
        Acts { start: one_child, ..HONEST },
    ),
    stdio(
        "fork_many",
        "Starts --count (32) sleeping children, one every 50 ms.",
        "Limit them if a sandbox can; after the shutdown none is left.",
        Acts { start: many_children, ..HONEST },
    ),
    stdio(
        "close_stdout",
        "Closes stdout after `tools/list`, but keeps running and reading.",
        "Treat it as dead at once, and end it.",
        Acts { list: close_stdout, broken_pipe: pause_for_ever, ..HONEST },
    ),
    stdio(
        "close_stdin",
        "Closes stdin after `tools/list` and keeps running.",
        "Treat a broken pipe as an error of that call only.",
        Acts { list: close_stdin, ..HONEST },
    ),
    stdio(
        "stop_reading",
        "Reads nothing more after `tools/list`, so that the pipe fills up.",
        "Never block on a full pipe: a call of 1 MiB times out, others are unaffected.",
        Acts {
            list: |request| {
                honest::list(request)?;
                request.server.is_deaf.store(true, Ordering::SeqCst);
                Ok(())
            },
            ..HONEST
        },
    ),
    stdio(
        "cpu_spin",
        "Never answers `tools/list`, and uses a whole core.",
        "Apply the deadline and kill it; others are unaffected.",
        Acts {
            list: |_| {
                background(|| {
                    loop {
                        std::hint::spin_loop();
                    }
                });
                Ok(())
            },
            ..HONEST
        },
    ),
    stdio(
        "mem_hog",
        "Allocates --size bytes (512 MiB) at `tools/list`.",
        "Report its end if there is a memory limit; toolscout's memory is unaffected.",
        Acts { list: hog, ..HONEST },
    ),
];

fn one_child(server: &Arc<HostileServer>) -> Sent {
    match sleeping_child(&server.options) {
        Ok(child) => server.log.event("probe", json!({ "grandchild": child.id() })),
        Err(err) => server.log.event("probe", json!({ "fork_denied": err.to_string() })),
    }
    Ok(())
}

fn many_children(server: &Arc<HostileServer>) -> Sent {
    let server = Arc::clone(server);
    background(move || {
        for _ in 0..server.options.count.unwrap_or(32) {
            if let Err(err) = sleeping_child(&server.options) {
                return server.log.event("probe", json!({ "fork_denied": err.to_string() }));
            }
            pause(Duration::from_millis(50));
        }
    });
    Ok(())
}

fn close_stdout(request: &ClientRequest) -> Sent {
    honest::list(request)?;
    // Replaces stdout by a pipe without a reader: the client sees the end of our output, and our
    // next write fails.
    let (unread, ours) = std::io::pipe().map_err(|_| Gone)?;
    drop(unread);
    rustix::stdio::dup2_stdout(ours).map_err(|_| Gone)
}

fn close_stdin(request: &ClientRequest) -> Sent {
    honest::list(request)?;
    request.server.is_deaf.store(true, Ordering::SeqCst);
    let nothing = File::open("/dev/null").map_err(|_| Gone)?;
    rustix::stdio::dup2_stdin(nothing).map_err(|_| Gone)
}

fn hog(request: &ClientRequest) -> Sent {
    let size = request.server.options.size.unwrap_or(512 * MIB);
    let mut ballast = request.server.memory.ballast.lock();
    match ballast.try_reserve_exact(size) {
        // Written to, because untouched memory is not allocated.
        Ok(()) => ballast.resize(size, 1),
        Err(_) => request.server.log.event("probe", json!({ "mem_denied": true })),
    }
    honest::list(request)
}
