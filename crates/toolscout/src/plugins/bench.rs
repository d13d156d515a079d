//! Measures the quality and the speed of search in the running program.

mod built_in;
mod command;
mod group;
mod identity;
mod learn;
mod lines;
mod measure;
mod ranking;
mod report;
mod run_file;
mod score;
mod set;
#[cfg(test)]
mod tests;

use crate::{AppError, Plugin, Setup};

/// Adds the commands `bench …`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bench;

impl Plugin for Bench {
    fn id(&self) -> &str {
        "bench"
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        cx.add_command(group::BenchCommand)?;
        cx.add_command(command::RetrievalCommand)
    }
}
