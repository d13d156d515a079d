//! `stats series`: usage over time, for charts.

use super::audit_text::duration;
use super::stats_text::number;
use super::{RECORDING_OFF, is_recording, read};
use crate::{Workspace, journal};
use toolscout_core::{Cx, escape};
use toolscout_surface::operation::{Access, Operation, OperationError, OperationSpec, Text};
use toolscout_telemetry::stats::series::{
    BucketStats, DaySavings, SeriesQuery, ServerSeries, Uptime, UsageSeries,
};

/// Show usage over time.
pub(crate) struct ShowSeries;

impl Operation<Workspace> for ShowSeries {
    type Input = SeriesQuery;
    type Output = UsageSeries;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        notes: &[
            "Counts all clients and projects. A server is up if it answered a discovery or a call, and down if one of them failed because of it.",
        ],
        examples: &["toolscout stats series --from 7d --bucket 1d"],
        ..OperationSpec::read(
            "stats series",
            "Show usage over time: calls, latency, uptime and tokens saved",
            "/api/stats/series",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: SeriesQuery,
        _: &Cx,
    ) -> Result<UsageSeries, OperationError> {
        let mut series =
            read(workspace, move |environment| journal::usage_series(environment, &input)).await?;
        if !is_recording(workspace) {
            series.notes.push(RECORDING_OFF.to_owned());
        }
        Ok(series)
    }

    fn text(output: &UsageSeries, _: &Text) -> String {
        let mut out = format!("From {} to {}\n", output.from, output.to);
        out += &calls(&output.buckets);
        out += &servers(&output.servers);
        out + &days(&output.days)
    }

    fn warnings(output: &UsageSeries) -> &[String] {
        &output.notes
    }
}

/// The buckets with searches or calls.
fn calls(buckets: &[BucketStats]) -> String {
    let used: Vec<_> = buckets.iter().filter(|bucket| bucket.calls + bucket.searches > 0).collect();
    if used.is_empty() {
        return "\nNo searches or calls.\n".to_owned();
    }
    let row = |bucket: &&BucketStats| {
        let BucketStats { calls, failures, refused, searches, p95_ms, .. } = bucket;
        let slowest = p95_ms.map(|value| format!(", p95 {}", duration(value))).unwrap_or_default();
        let start = bucket.start.get(..16).unwrap_or(&bucket.start).replace('T', " ");
        format!(
            "  {start}  {searches} searches, {calls} calls, {failures} failed, {refused} refused{slowest}\n"
        )
    };
    format!("\nSearches and calls\n{}", used.iter().map(row).collect::<String>())
}

fn servers(servers: &[ServerSeries]) -> String {
    if servers.is_empty() {
        return String::new();
    }
    let row = |server: &ServerSeries| {
        let strip: String = server.uptime.iter().map(|uptime| sign(*uptime)).collect();
        let latency = server
            .p50_ms
            .zip(server.p95_ms)
            .map(|(p50, p95)| format!(", p50 {}, p95 {}", duration(p50), duration(p95)));
        format!(
            "  {}: {} calls, {} failed{}\n    {strip}\n",
            escape::line(&server.source),
            server.calls,
            server.failures,
            latency.unwrap_or_default()
        )
    };
    let rows: String = servers.iter().map(row).collect();
    format!("\nServers (# up, x down, ~ both, . unknown)\n{rows}")
}

fn sign(uptime: Uptime) -> char {
    match uptime {
        Uptime::Up => '#',
        Uptime::Down => 'x',
        Uptime::Mixed => '~',
        Uptime::Unknown => '.',
    }
}

fn days(days: &[DaySavings]) -> String {
    let row = |day: &DaySavings| {
        let saved = day.saved_tokens.map_or_else(|| "not measured".to_owned(), number);
        format!("  {}  {saved}\n", day.day)
    };
    let rows: String = days.iter().filter(|day| day.sessions > 0).map(row).collect();
    if rows.is_empty() { rows } else { format!("\nTokens saved\n{rows}") }
}
