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
        "Says a thousand times a second that the list has changed; it never has.",
        "Refreshes at most 12 times a minute, one at a time; says `changed` downstream only if something differs.",
        Acts {
            list: |it| {
                honest::list(it)?;
                announce_every(it, Duration::from_millis(1))
            },
            ..HONEST
        },
    ),
    stdio(
        "storm_after_list",
        "Follows each list, which takes --delay seconds, with word that it has changed.",
        "Breaks the circle by a pause measured from the end of the last refresh: at most 12 lists a minute.",
        Acts {
            list: |it| {
                pause(it.server.options.delay.unwrap_or_default());
                honest::list(it)?;
                it.server.announce_change()
            },
            ..HONEST
        },
    ),
    stdio(
        "changed_mid_list",
        "Says that the list has changed before it answers the first one, with a tool `v1`; later ones have `v2`.",
        "Does not leave the outdated list standing: `v2` is there within 5 s.",
        Acts { list: changed_mid_list, ..HONEST },
    ),
    stdio(
        "churn",
        "Lists the same tools each time in another order, with the keys in another order; says every 5 s they changed.",
        "Takes another order for no change; writes its cache at most once a minute.",
        Acts { list: churn, ..HONEST },
    ),
    both(
        "vanish",
        "Has all its tools for the first --after lists (1), and none in every later one.",
        "Does not forget everything at once without a trace; policies stay.",
        Acts {
            list: |it| {
                let is_gone = it.server.lists.count() > it.server.options.after;
                it.reply(it.tool_list(if is_gone { Vec::new() } else { it.server.tools() }))
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
