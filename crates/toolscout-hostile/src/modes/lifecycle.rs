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
        "Starts, reads, and never writes a byte.",
        "Is ready, and others usable, within the start budget; this server is said to have timed out, and is killed.",
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
        "Never answers `server/discover`, as an old server may; the old handshake and all else work.",
        "Gives the probe at most 2 s, falls back to `initialize`, and remembers the era for the next start.",
        Acts { discover: silent, ..HONEST },
    ),
    both(
        "hang_initialize",
        "Refuses `server/discover` and never answers `initialize`.",
        "As for hang_start.",
        Acts { discover: |it| it.error(-32601, "no such method"), initialize: silent, ..HONEST },
    ),
    both(
        "hang_list",
        "Shakes hands and never answers `tools/list`.",
        "Lets the list's deadline fire; a last good list stays and is marked stale; nobody else waits.",
        Acts { list: silent, ..HONEST },
    ),
    both(
        "hang_call",
        "Never answers a call, and ignores that it was cancelled.",
        "Fails the call at its deadline, says so to the server, and keeps nothing of it.",
        Acts { call: silent, ..HONEST },
    ),
    stdio(
        "slow_start",
        "Sleeps --delay seconds (8) before it reads, then behaves.",
        "Makes it available without a restart, and nobody else waits.",
        Acts {
            start: |server| slowly(server.options.delay.unwrap_or(Duration::from_secs(8))),
            ..HONEST
        },
    ),
    stdio(
        "drip_list",
        "Writes the answer to `tools/list` byte by byte, one each --delay seconds (0.2).",
        "Holds the deadline for the whole request; bytes that arrive do not move it.",
        Acts { list: drip, ..HONEST },
    ),
    stdio(
        "exit_now",
        "Says why on stderr and exits 1 before it reads anything.",
        "Waits longer before each new start, at most 6 in the first minute, then stops; shows the end of stderr.",
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
        "Shakes hands, lists, and exits 0 after 20 ms, every time.",
        "Does not take a handshake for health: at most 6 starts in the first minute.",
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
        "Writes the first half of the answer to `tools/list` and kills itself.",
        "Takes half a message for an error, never for a list; the last good list stays.",
        Acts { list: half_a_list, ..HONEST },
    ),
    stdio(
        "exit_mid_call",
        "Writes the first half of a call's answer and kills itself.",
        "Fails all open calls at once, not at their deadline; does not repeat one that may have had an effect.",
        Acts { call: half_a_result, ..HONEST },
    ),
    stdio(
        "flap_calls",
        "Exits without an answer at every third call.",
        "Loses that call and no other; starts it again, and leaks neither processes nor files over 200 calls.",
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
        "Writes --size bytes (1 MiB) to stderr before each answer.",
        "Reads stderr all the time, so that every request is answered; keeps the last 64 KiB at most.",
        Acts {
            discover: |it| after_noise(it, honest::discover),
            list: |it| after_noise(it, honest::list),
            call: |it| after_noise(it, honest::call),
            ..HONEST
        },
    ),
    stdio(
        "stderr_firehose",
        "Writes to stderr without end and without a newline, as fast as it can.",
        "Stays bounded in memory and in its logs.",
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
