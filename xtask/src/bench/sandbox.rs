//! The time that the sandbox adds to the start of a server.

use super::BenchmarkPlan;
use super::clock::{self, Samples};
use super::table::BenchmarkRow;
use super::world::BenchmarkWorld;
use anyhow::Context;
use std::fs;

/// Starts a server, lists its tools and stops it, with and without the sandbox.
pub(super) fn measure(bench: &BenchmarkPlan) -> anyhow::Result<Vec<BenchmarkRow>> {
    let world = BenchmarkWorld::new(&bench.programs.toolscout, 1)?;
    let server = serde_json::to_string(&bench.programs.server)?;
    let entry = format!("[servers.honest]\ncommand = {server}\nargs = [\"--mode\", \"honest\"]\n");
    fs::write(world.project().join("toolscout.toml"), entry).context("write the configuration")?;
    let time = |level: &str| -> anyhow::Result<Samples> {
        clock::sample(bench.rounds, || {
            let mut command = world.toolscout(&["server", "test", "honest"]);
            command.env("TOOLSCOUT_SANDBOX", level);
            Ok(command)
        })
    };
    let (plain, confined) = (time("off")?, time("default")?);
    Ok(vec![
        BenchmarkRow::time("`toolscout server test`, without a sandbox", &plain),
        BenchmarkRow::time("the same, in the sandbox", &confined),
        BenchmarkRow::time("added by the sandbox", &confined.above(&plain)).goal(10.0),
    ])
}
