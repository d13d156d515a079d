//! The peak memory of toolscout while a server floods it.

use super::BenchmarkPlan;
use super::table::BenchmarkRow;
use crate::hostile::HostilePrograms;
use crate::hostile::meeting::Meeting;
use crate::hostile::terms::MeetingTransport;
use crate::hostile::verdict;
use anyhow::Context;

/// Modes of the hostile server, each with the transport it floods.
pub(crate) type Floods = &'static [(MeetingTransport, &'static [&'static str])];

/// All modes that send too much data.
pub(crate) const ALL: Floods = &[
    (
        MeetingTransport::Stdio,
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
    (
        MeetingTransport::Http,
        &["http_endless_body", "http_sse_endless", "http_gzip_bomb", "http_big_headers"],
    ),
];

/// 64 MiB, in MB.
const ROOM: f64 = 67.1;

pub(super) fn measure(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let programs = HostilePrograms {
        toolscout: bench.programs.toolscout.clone(),
        hostile: bench.programs.server.clone(),
    };
    let mut rows = Vec::new();
    for (transport, modes) in bench.floods {
        let base = meet(&programs, "honest", *transport)?.peak();
        rows.push(BenchmarkRow::memory(
            format!("peak memory with an honest server, {transport}"),
            vec![base],
        ));
        for mode in *modes {
            let meeting = meet(&programs, mode, *transport)?;
            let faults = verdict::reasons(&meeting, base).len();
            let note = if faults == 0 {
                String::new()
            } else {
                format!("{faults} faults: `cargo xtask hostile {mode}`")
            };
            let above = meeting.peak().saturating_sub(base);
            rows.push(
                BenchmarkRow::memory(format!("`{mode}`, in addition"), vec![above])
                    .goal(ROOM)
                    .note(note),
            );
        }
    }
    Ok(rows)
}

fn meet(
    programs: &HostilePrograms,
    mode: &str,
    transport: MeetingTransport,
) -> anyhow::Result<Meeting> {
    Meeting::hold(programs, mode, transport).with_context(|| format!("meet {mode}"))
}
