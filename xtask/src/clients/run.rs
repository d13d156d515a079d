//! One run of one agent, to the last request to the model.

use super::agent::Agent;
use super::home::AgentHome;
use super::model::{Model, ModelRequest};
use super::script::ScriptStep;
use anyhow::Context;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The timeout of an agent.
const PATIENCE: Duration = Duration::from_secs(180);

/// The record of a run.
pub(super) struct AgentRun {
    pub(super) agent: &'static dyn Agent,
    pub(super) steps: Vec<ScriptStep>,
    /// The requests to the model.
    pub(super) requests: Vec<ModelRequest>,
    pub(super) took: Duration,
    /// Whether the agent exited successfully, or else its output.
    pub(super) ended: Result<(), String>,
}

impl AgentRun {
    pub(super) fn start(
        agent: &'static dyn Agent,
        program: &Path,
        home: &AgentHome,
        model: &Model,
    ) -> anyhow::Result<Self> {
        agent.prepare(&home.home(), &home.project())?;
        let mut command = home.command(program);
        agent.prompt(&mut command, &model.url());
        let since = Instant::now();
        let ended = end(command)?;
        let (steps, requests) = (model.script().to_vec(), model.take_requests());
        Ok(Self { agent, steps, requests, took: since.elapsed(), ended })
    }

    /// The request with the most results: agents send the whole conversation each time.
    pub(super) fn last(&self) -> Option<&ModelRequest> {
        self.requests.iter().rev().max_by_key(|item| item.results.len())
    }

    /// All deviations from the expected run.
    pub(super) fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.ended.clone().err().into_iter().collect();
        let Some(last) = self.last() else {
            problems.push("it sent no request to the model".to_owned());
            return problems;
        };
        for tool in ["tool_search", "execute_tool"] {
            if !last.tools.iter().any(|item| item.name.ends_with(tool)) {
                problems.push(format!("it does not show `{tool}` to the model"));
            }
        }
        for (number, step) in self.steps.iter().enumerate() {
            match last.results.get(number) {
                Some(result) if result.contains(&step.expected) => {}
                Some(result) => {
                    problems.push(format!("`{}` gave no `{}`: {result}", step.tool, step.expected))
                }
                None => {
                    problems.push(format!("nothing came of step {}, `{}`", number + 1, step.tool))
                }
            }
        }
        problems
    }
}

/// Waits until the agent and its children have ended, up to the timeout. Its output is returned
/// only if it fails.
fn end(mut command: Command) -> anyhow::Result<Result<(), String>> {
    let (mut output, writer) = std::io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = ChildGuard(command.spawn().with_context(|| format!("start {command:?}"))?);
    // The command also holds the write end of the pipe.
    drop(command);
    let (sender, all) = mpsc::channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        let _ = output.read_to_end(&mut text);
        drop(sender.send(String::from_utf8_lossy(&text).into_owned()));
    });
    let Ok(output) = all.recv_timeout(PATIENCE) else {
        return Ok(Err(format!("it did not end within {} s", PATIENCE.as_secs())));
    };
    let status = child.0.wait()?;
    Ok(if status.success() { Ok(()) } else { Err(format!("it ended with {status}: {output}")) })
}

/// A child process that is killed on drop.
struct ChildGuard(Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
