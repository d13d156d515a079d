//! The web UI in a real Chromium with an empty cache: the time until it is usable, and the bytes
//! transferred.

use super::BenchmarkPlan;
use super::crowd::{ServerBehaviour, ServerCrowd};
use super::table::{BenchmarkRow, markdown};
use crate::page::{ServedPage, chromium, link_in};
use crate::repo;
use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// The number of servers, with a hundred tools each.
const SERVERS: usize = 50;
const VISITS: usize = 9;
/// The goal for the UI with 5,000 tools to be usable, in milliseconds.
const SOON: f64 = 300.0;
/// The goal for the transferred size, in bytes.
const SMALL: f64 = 150_000.0;

/// Measures, and prints a table.
pub(crate) fn run(bench: &BenchmarkPlan) -> anyhow::Result<()> {
    let Some(chromium) = chromium() else {
        bail!("chromium and node are needed: apt-get install chromium nodejs")
    };
    let crowd = ServerCrowd::new(bench, &[ServerBehaviour::Large; SERVERS])?;
    crowd.refresh()?;
    crowd.expect_all()?;
    crowd.started()?;
    let site = ServedPage::open(crowd.world().toolscout(&["ui", "--no-open", "--port", "0"]))?;
    // The process that serves the UI issues sign-in links, one per visit.
    let links = (0..VISITS).map(|_| another(&crowd)).collect::<anyhow::Result<Vec<_>>>()?;
    let profile = crowd.world().project().join("chromium");
    let given = json!({"walk": "measure", "chromium": chromium, "profile": profile, "link": site.link(), "links": links});
    let seen = walk(&given)?;
    let mut all = rows(&seen)?;
    all.push(BenchmarkRow::count("servers started", crowd.started()?).goal(0.0));
    print!("{}", markdown(&all));
    Ok(())
}

/// The measurements of the browser for all visits, as rows.
fn rows(seen: &Value) -> anyhow::Result<Vec<BenchmarkRow>> {
    let runs = seen["runs"].as_array().context("no visits")?;
    let figures = |name: &str| {
        let mut all: Vec<f64> = runs.iter().filter_map(|run| run[name].as_f64()).collect();
        ensure!(!all.is_empty() && all.len() == runs.len(), "not every visit has `{name}`");
        all.sort_by(f64::total_cmp);
        Ok(all)
    };
    let time = |what: &str, name: &str| {
        let all = figures(name)?;
        anyhow::Ok(BenchmarkRow::milliseconds(what, all[0], Some(all[all.len() / 2])))
    };
    let bytes = figures("bytes")?;
    let most = bytes[bytes.len() - 1];
    let (rows, elements) = (figures("rows")?, figures("elements")?);
    let note =
        format!("{:.0} rows and {:.0} elements before a group is opened", rows[0], elements[0]);
    Ok(vec![
        time("UI usable, 5,000 tools, first visit", "interactive")?.goal(SOON),
        time("first contentful paint", "painted")?,
        time("then to the list of tools, by server", "opened")?.note(note),
        BenchmarkRow::bytes("transferred by the first visit, at most", most).goal(SMALL),
        BenchmarkRow::count("requests of the first visit", figures("requests")?[0] as usize),
    ])
}

/// Another sign-in link for the served UI.
fn another(crowd: &ServerCrowd) -> anyhow::Result<String> {
    let mut command = crowd.world().toolscout(&["ui", "link"]);
    let output = command.stdout(Stdio::piped()).output().context("ask for a link")?;
    link_in(&String::from_utf8_lossy(&output.stdout))
}

fn walk(given: &Value) -> anyhow::Result<Value> {
    let script = repo::root().join("crates/toolscout/tests/browser/walk.mjs");
    let output =
        Command::new("node").arg(script).arg(given.to_string()).output().context("start node")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).context("parse the output of the browser script")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_browser_saw_becomes_figures() {
        let visit = |interactive: f64, bytes: u32| json!({"interactive": interactive, "painted": 40.5, "opened": 12.0, "bytes": bytes, "requests": 20, "rows": 0, "elements": 90});
        let table = markdown(
            &rows(&json!({"runs": [visit(310.0, 40_000), visit(120.0, 41_000), visit(150.0, 39_000)]})).unwrap(),
        );
        assert!(table.contains("| 120.0 ms | 150.0 ms | ≤ 300 ms | met |"), "{table}");
        assert!(table.contains("| 41000 bytes |  | ≤ 150000 bytes | met |"), "{table}");
        assert!(rows(&json!({"runs": [{"interactive": 1.0}]})).is_err());
    }
}
