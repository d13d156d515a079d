//! A call that others look on at: told once, whatever comes of it.

use crate::{Error, View};
use toolscout_core::event::{Begun, Called, Happening, Outcome};
use toolscout_core::{ToolCall, ToolOutput};

/// A call under way. One that is dropped before it ends was cancelled.
pub(crate) struct Watched(Option<(Begun, Called)>);

impl Watched {
    /// Nothing is gathered where nobody looks on.
    pub(crate) fn of(view: &View, call: &ToolCall, begun: Begun) -> Self {
        Self(begun.is_watched().then(|| {
            let standing = view.tool(&call.tool).ok().map(|(_, standing)| standing);
            let called = Called {
                tool: call.tool.clone(),
                digest: standing.map(|it| it.facts.digest()),
                arguments: call.arguments.clone(),
                policy: standing.map(|it| it.decision.policy),
                outcome: Outcome::Cancelled,
            };
            (begun, called)
        }))
    }

    pub(crate) fn end(mut self, output: &Result<ToolOutput, Error>) {
        if let Some((_, called)) = &mut self.0 {
            called.outcome = outcome(output);
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some((begun, called)) = self.0.take() {
            begun.end(|| Happening::Called(called));
        }
    }
}

fn outcome(output: &Result<ToolOutput, Error>) -> Outcome {
    match output {
        Err(error) => Outcome::Failed { kind: error.kind(), message: error.to_string() },
        Ok(output) if output.wants_input() => Outcome::WantsInput,
        Ok(output) if output.is_error() => Outcome::ToolFailed(output.raw().as_str().len()),
        Ok(output) => Outcome::Done(output.raw().as_str().len()),
    }
}
