//! Facts about a tool that are computed once and used for every call.

use crate::Error;
use crate::check::{ArgumentValidator, OutputValidator};
use crate::policy::{Policies, PolicyDecision};
use std::sync::{Arc, OnceLock};
use toolscout_core::{Arguments, Digest, Tool, ToolOutput};

/// The policy and the facts of a tool in one catalog.
pub(crate) struct ToolStanding {
    pub(crate) decision: PolicyDecision,
    pub(crate) facts: Arc<DefinitionFacts>,
}

/// Facts derived from a definition alone. Computed when first needed, since most tools are never
/// called.
pub(crate) struct DefinitionFacts {
    tool: Arc<Tool>,
    digest: OnceLock<Digest>,
    argument_validator: OnceLock<Result<ArgumentValidator, String>>,
    output_validator: OnceLock<Option<OutputValidator>>,
}

impl ToolStanding {
    pub(crate) fn new(facts: Arc<DefinitionFacts>, policies: &Policies) -> Self {
        Self { decision: policies.effective(&facts.tool), facts }
    }
}

impl DefinitionFacts {
    pub(crate) fn new(tool: Arc<Tool>) -> Self {
        Self {
            tool,
            digest: OnceLock::new(),
            argument_validator: OnceLock::new(),
            output_validator: OnceLock::new(),
        }
    }

    pub(crate) fn tool(&self) -> &Tool {
        &self.tool
    }

    pub(crate) fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| self.tool.digest())
    }

    /// The arguments of a call with defaults filled in, or everything that is wrong with them.
    pub(crate) fn complete(&self, arguments: Arguments) -> Result<Arguments, Error> {
        match self.argument_validator.get_or_init(|| ArgumentValidator::read(&self.tool)) {
            Ok(validator) => validator.arguments(arguments),
            Err(reason) => {
                Err(Error::InvalidSchema { tool: self.tool.id.clone(), reason: reason.clone() })
            }
        }
    }

    /// Mismatches between a result and the tool's output schema.
    pub(crate) fn output_mismatches(&self, output: &ToolOutput) -> Vec<String> {
        // The tool needs input first, so this is not yet a result.
        if output.wants_input() {
            return Vec::new();
        }
        let output_validator = self
            .output_validator
            .get_or_init(|| self.tool.output_schema.as_ref().map(OutputValidator::read));
        output_validator.as_ref().map_or_else(Vec::new, |validator| validator.mismatches(output))
    }
}
