//! Silence, slowness and sudden death of the server process.

use super::{Mode, both, stdio};
use crate::honest;
use crate::honest::HONEST;
use crate::process::{background, pause};
use crate::server::acts::{Acts, silent};
use crate::server::request::{ClientRequest, Sent};
use std::io::Write;
use std::time::Duration;

pub(super) const MODES: &[Mode] = &[
    stdio(
        "hang_start",
        "Starts and reads, but never writes.",
        "Start in time without it; report the timeout, and kill the server.",
        Acts {
            discover: silent,
            initialize: silent,
            list: silent,
            listen: silent,
            call: silent,
            ..HONEST
        },
    ),
    both(
        "hang_discover",
        "Never answers `server/discover`, like some legacy servers; the rest works.",
        "Wait at most 2 s, fall back to `initialize`, and cache the era.",
        Acts { discover: silent, ..HONEST },
    ),
    both(
        "hang_initialize",
        "Refuses `server/discover` and never answers `initialize`.",
        "Start in time without it; report the timeout, and kill the server.",
        Acts {
            discover: |request| request.error(-32601, "no such method"),
            initialize: silent,
            ..HONEST
        },
    ),
    both(
        "hang_list",
        "Completes the handshake and never answers `tools/list`.",
        "Apply the deadline; keep the previous list, marked as stale; delay no other server.",
        Acts { list: silent, ..HONEST },
    ),
    both(
        "hang_call",
        "Never answers a call, and ignores its cancellation.",
        "Fail the call at its deadline, send the cancellation, and keep no state of it.",
        Acts { call: silent, ..HONEST },
    ),
    stdio(
        "slow_start",
        "Waits --delay seconds (8) before it reads, then behaves.",
        "Make it available without a restart; delay no other server.",
        Acts {
            start: |server| slowly(server.options.delay.unwrap_or(Duration::from_secs(8))),
            ..HONEST
        },
    ),
    stdio(
        "drip_list",
        "Writes the response to `tools/list` byte by byte, every --delay seconds (0.2).",
        "Apply the deadline to the whole request; received bytes do not extend it.",
        Acts { list: drip, ..HONEST },
    ),
    stdio(
        "exit_now",
        "Prints the reason on stderr and exits with 1 before it reads.",
        "Back off: at most 6 starts in the first minute; show the end of stderr.",
        Acts {
            start: |server| {
                complain(b"fatal: cannot load config\n");
                server.exit(1)
            },
            ..HONEST
        },
    ),
    stdio(
        "exit_after_list",
        "Completes the handshake, lists, and exits with 0 after 20 ms, every time.",
        "Do not count a handshake as healthy: at most 6 starts in the first minute.",
        Acts {
            list: |request| {
                honest::list(request)?;
                pause(Duration::from_millis(20));
                request.server.exit(0)
            },
            ..HONEST
        },
    ),
    stdio(
        "exit_mid_list",
        "Writes half of the response to `tools/list` and kills itself.",
        "Treat half a message as an error; keep the previous list.",
        Acts { list: half_a_list, ..HONEST },
    ),
    stdio(
        "exit_mid_call",
        "Writes half of the response to a call and kills itself.",
        "Fail all pending calls at once; do not retry a call that may have had effects.",
        Acts { call: half_a_result, ..HONEST },
    ),
    stdio(
        "flap_calls",
        "Exits without a response at every third call.",
        "Lose only that call; restart the server; leak no process or file in 200 calls.",
        Acts {
            call: |request| {
                if request.server.calls.count().is_multiple_of(3) {
                    request.server.exit(3);
                }
                honest::call(request)
            },
            ..HONEST
        },
    ),
    stdio(
        "stderr_flood",
        "Writes --size bytes (1 MiB) to stderr before each response.",
        "Read stderr all the time, so that no request blocks; keep the last 64 KiB.",
        Acts {
            discover: |request| after_noise(request, honest::discover),
            list: |request| after_noise(request, honest::list),
            call: |request| after_noise(request, honest::call),
            ..HONEST
        },
    ),
    stdio(
        "stderr_firehose",
        "Writes to stderr endlessly without a newline, as fast as possible.",
        "Bound the memory and the log.",
        Acts {
            start: |_| {
                background(|| {
                    let chunk = b"\x1b[31mZ".repeat(12_000);
                    while std::io::stderr().write_all(&chunk).is_ok() {}
                });
                Ok(())
            },
            ..HONEST
        },
    ),
];

fn slowly(time: Duration) -> Sent {
    pause(time);
    Ok(())
}

fn drip(request: &ClientRequest) -> Sent {
    let pace = request.server.options.delay.unwrap_or(Duration::from_millis(200));
    let line = format!("{}\n", request.answer(request.tool_list(request.server.tools())));
    let server = std::sync::Arc::clone(&request.server);
    background(move || {
        for byte in line.bytes() {
            if server.write(&[byte]).is_err() {
                return;
            }
            pause(pace);
        }
    });
    Ok(())
}

fn half_a_list(request: &ClientRequest) -> Sent {
    let whole = request.answer(request.tool_list(request.server.tools())).to_string();
    request.raw(&whole.as_bytes()[..whole.len() / 2])?;
    request.server.die();
    Ok(())
}

fn half_a_result(request: &ClientRequest) -> Sent {
    let id = request.id();
    request.raw(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"te"#))?;
    request.server.die();
    Ok(())
}

fn after_noise(request: &ClientRequest, act: fn(&ClientRequest) -> Sent) -> Sent {
    let size = request.server.options.size.unwrap_or(super::MIB);
    let chunk = [&[b'E'; 1023], &b"\n"[..]].concat();
    (0..size.div_ceil(chunk.len())).for_each(|_| complain(&chunk));
    act(request)
}

pub(super) fn complain(bytes: &[u8]) {
    // An unread stderr is not an error.
    let _ = std::io::stderr().write_all(bytes);
}
