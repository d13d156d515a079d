//! The transcript of a run, as Markdown for docs/measurements/clients.md.

use super::install;
use super::run::AgentRun;
use std::fmt::{self, Display, Formatter};

/// The number of lines shown of a result.
const LINES: usize = 3;
/// The number of characters shown of a line.
const WIDTH: usize = 110;

pub(super) struct Transcript(String);

impl Transcript {
    /// The commands that set toolscout up, with their output.
    pub(super) fn of_setup(commands: &[(&str, String)]) -> Self {
        let shown = |(command, output): &(&str, String)| format!("$ toolscout {command}\n{output}");
        let text = commands.iter().map(shown).collect::<Vec<_>>().join("\n");
        Self(format!("### Setup\n\n```text\n{text}```\n"))
    }

    pub(super) fn of(run: &AgentRun) -> Self {
        let mut text =
            format!("### {} {}\n\n```text\n", run.agent.title(), install::version(run.agent));
        if let Some(last) = run.last() {
            let ours = last
                .tools
                .iter()
                .filter(|tool| run.steps.iter().any(|step| tool.name.ends_with(step.tool)));
            let names: Vec<_> = ours.map(ToString::to_string).collect();
            text += &format!(
                "shows the model {}, of {} tools\n",
                names.join(" and "),
                last.tools.len()
            );
            for (step, result) in run.steps.iter().zip(&last.results) {
                text += &format!("\ncalls {} {}\n", step.tool, step.arguments);
                text += &shortened(result);
            }
        }
        text += &format!(
            "```\n\n{} requests to the model, {:.1} s.\n",
            run.requests.len(),
            run.took.as_secs_f64()
        );
        Self(text)
    }
}

impl Display for Transcript {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The first lines, indented, with a note about omitted ones.
pub(super) fn shortened(result: &str) -> String {
    let lines: Vec<&str> = result.lines().collect();
    let cut = |line: &&str| match line.char_indices().nth(WIDTH) {
        Some((at, _)) => format!("  {} …\n", &line[..at]),
        None => format!("  {line}\n"),
    };
    let mut text: String = lines.iter().take(LINES).map(cut).collect();
    if lines.len() > LINES {
        text += &format!("  … and {} more\n", lines.len() - LINES);
    }
    text
}
