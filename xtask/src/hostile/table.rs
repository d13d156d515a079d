//! Prints one line per meeting.

use super::meeting::Meeting;

pub(super) const HEAD: &str = "\
| mode | transport | verdict | peak MB | ms | discovery | tools | quarantined | starts | lists | exit | reason |
|---|---|---|---:|---:|---|---:|---:|---:|---:|---:|---|";

pub(super) fn row(meeting: &Meeting, reasons: &[String]) -> String {
    let verdict = if reasons.is_empty() { "pass" } else { "**fail**" };
    let megabytes = meeting.peak() as f64 / (1 << 20) as f64;
    let reason = if reasons.is_empty() { meeting.reason() } else { reasons.join("; ") };
    format!(
        "| {} | {} | {verdict} | {megabytes:.0} | {} | {} | {} |",
        meeting.mode,
        meeting.transport,
        meeting.refresh().time.as_millis(),
        meeting.counts(),
        fit_for_a_cell(&reason)
    )
}

/// Text of a server as one short plain line, without paths of this machine.
pub(super) fn fit_for_a_cell(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let plain = plain.replace(&*std::env::temp_dir().to_string_lossy(), "").replace('|', "\\|");
    match plain.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &plain[..end]),
        None => plain,
    }
}
