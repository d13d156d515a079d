//! The memory that toolscout has at most when a server floods it.

use super::Bench;
use super::table::Row;
use crate::hostile::Programs;
use crate::hostile::meeting::Meeting;
use crate::hostile::terms::Transport;
use crate::hostile::verdict;
use anyhow::Context;

/// Modes of the hostile server, each with the transport it floods.
pub(crate) type Floods = &'static [(Transport, &'static [&'static str])];

/// All modes that send too much of something.
pub(crate) const ALL: Floods = &[
    (
        Transport::Stdio,
        &[
            "no_newline",
            "huge_line",
            "many_tools",
            "many_items",
            "huge_result",
            "notify_flood",
            "stderr_firehose",
            "cursor_huge",
            "deep_json",
            "wide_schema",
            "server_requests",
        ],
    ),
    (Transport::Http, &["http_endless_body", "http_sse_endless", "http_gzip_bomb", "http_big_headers"]),
];

/// 64 MiB, in MB.
const ROOM: f64 = 67.1;

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let programs = Programs { toolscout: bench.programs.toolscout.clone(), hostile: bench.programs.server.clone() };
    let mut rows = Vec::new();
    for (transport, modes) in bench.floods {
        let base = meet(&programs, "honest", *transport)?.peak();
        rows.push(Row::memory(format!("memory with an honest server over {transport}"), vec![base]));
        for mode in *modes {
            let meeting = meet(&programs, mode, *transport)?;
            let faults = verdict::reasons(&meeting, base).len();
            let note =
                if faults == 0 { String::new() } else { format!("{faults} faults: `cargo xtask hostile {mode}`") };
            let above = meeting.peak().saturating_sub(base);
            rows.push(Row::memory(format!("`{mode}`, above that"), vec![above]).goal(ROOM).note(note));
        }
    }
    Ok(rows)
}

fn meet(programs: &Programs, mode: &str, transport: Transport) -> anyhow::Result<Meeting> {
    Meeting::hold(programs, mode, transport).with_context(|| format!("meet {mode}"))
}
