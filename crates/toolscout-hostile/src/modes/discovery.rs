//! Lists that change, or only announce a change.

use super::{Mode, both, stdio};
use crate::honest::HONEST;
use crate::honest::{self, tools_and};
use crate::process::{background, pause};
use crate::protocol::plain;
use crate::server::HostileServer;
use crate::server::acts::Acts;
use crate::server::request::{ClientRequest, Sent};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

pub(super) const MODES: &[Mode] = &[
    stdio(
        "storm",
        "Sends `list_changed` a thousand times a second, although nothing changes.",
        "List at most 12 times a minute, one at a time; notify clients only of real changes.",
        Acts {
            list: |request| {
                honest::list(request)?;
                announce_every(request, Duration::from_millis(1))
            },
            ..HONEST
        },
    ),
    stdio(
        "storm_after_list",
        "Sends `list_changed` after each list; a list takes --delay seconds.",
        "Wait after the end of each list: at most 12 lists a minute.",
        Acts {
            list: |request| {
                pause(request.server.options.delay.unwrap_or_default());
                honest::list(request)?;
                request.server.announce_change()
            },
            ..HONEST
        },
    ),
    stdio(
        "changed_mid_list",
        "Sends `list_changed` before its first list, which has `v1`; later lists have `v2`.",
        "Replace the outdated list: `v2` is listed within 5 s.",
        Acts { list: changed_mid_list, ..HONEST },
    ),
    stdio(
        "churn",
        "Changes the order of tools and keys in each list; sends `list_changed` every 5 s.",
        "Ignore changes of order; write the cache at most once a minute.",
        Acts { list: churn, ..HONEST },
    ),
    both(
        "vanish",
        "Lists its tools --after times (1), and then none.",
        "Report the removal; keep the policies of the tools.",
        Acts {
            list: |request| {
                let is_gone = request.server.lists.count() > request.server.options.after;
                request.reply(request.tool_list(if is_gone {
                    Vec::new()
                } else {
                    request.server.tools()
                }))
            },
            ..HONEST
        },
    ),
];

/// Announces list changes repeatedly, once started per server.
pub(super) fn announce_every(request: &ClientRequest, pace: Duration) -> Sent {
    let server = Arc::clone(&request.server);
    if server.is_http() || server.memory.flag.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    background(move || {
        loop {
            pause(pace);
            if server.announce_change().is_err() {
                return;
            }
        }
    });
    Ok(())
}

fn changed_mid_list(request: &ClientRequest) -> Sent {
    let server = &request.server;
    let is_first = server.lists.count() == 1;
    if is_first {
        server.announce_change()?;
        pause(Duration::from_millis(200));
    }
    let name = if is_first { "v1" } else { "v2" };
    request.reply(request.tool_list(tools_and(server, [plain(name, "x")])))
}

fn churn(request: &ClientRequest) -> Sent {
    let mut dice = Dice::of(&request.server);
    let mut tools = request.server.tools();
    dice.shuffle(&mut tools);
    for tool in &mut tools {
        if let Value::Object(fields) = tool {
            let mut pairs: Vec<_> = std::mem::take(fields).into_iter().collect();
            dice.shuffle(&mut pairs);
            *fields = Map::from_iter(pairs);
        }
    }
    request.reply(request.tool_list(tools))?;
    announce_every(request, Duration::from_secs(5))
}

/// Pseudo-random numbers that are deterministic for a `--seed`.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn of(server: &HostileServer) -> Self {
        Self(
            server
                .options
                .seed
                .wrapping_add(server.memory.turn.up() as u64)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                | 1,
        )
    }

    /// A number below `end`, or 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}
