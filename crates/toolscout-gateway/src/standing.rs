//! What is found out about a tool once, and then needed for every call of it.

use crate::Error;
use crate::check::{ArgumentValidator, OutputValidator};
use crate::policy::{Policies, PolicyDecision};
use std::sync::{Arc, OnceLock};
use toolscout_core::{Digest, Tool, ToolOutput};

/// How a tool stands at one moment.
pub(crate) struct ToolStanding {
    pub(crate) decision: PolicyDecision,
    pub(crate) facts: Arc<DefinitionFacts>,
}

/// What follows from a definition alone. Found out when it is first needed, since most tools are never called.
pub(crate) struct DefinitionFacts {
    tool: Arc<Tool>,
    digest: OnceLock<Digest>,
    check: OnceLock<Result<ArgumentValidator, String>>,
    promise: OnceLock<Option<OutputValidator>>,
}

impl ToolStanding {
    pub(crate) fn of(facts: Arc<DefinitionFacts>, policies: &Policies) -> Self {
        Self { decision: policies.effective(&facts.tool), facts }
    }
}

impl DefinitionFacts {
    pub(crate) fn of(tool: Arc<Tool>) -> Self {
        Self { tool, digest: OnceLock::new(), check: OnceLock::new(), promise: OnceLock::new() }
    }

    pub(crate) fn tool(&self) -> &Tool {
        &self.tool
    }

    pub(crate) fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| self.tool.digest())
    }

    /// What the arguments of a call must pass.
    pub(crate) fn check(&self) -> Result<&ArgumentValidator, Error> {
        let check = self.check.get_or_init(|| ArgumentValidator::read(&self.tool));
        check.as_ref().map_err(|reason| Error::InvalidSchema { tool: self.tool.id.clone(), reason: reason.clone() })
    }

    /// What is doubtful about a result of the tool.
    pub(crate) fn doubts(&self, output: &ToolOutput) -> Vec<String> {
        // Who wants something first has not answered yet.
        if output.wants_input() {
            return Vec::new();
        }
        let promise = self.promise.get_or_init(|| self.tool.output_schema.as_ref().map(OutputValidator::read));
        promise.as_ref().map_or_else(Vec::new, |it| it.doubts(output))
    }
}
