//! `greet`: say hello.

use crate::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::Cx;
use toolscout_surface::operation::{Operation, OperationError, OperationSpec, Text};

/// Say hello.
pub(crate) struct Greet;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GreetInput {
    /// The person to greet.
    #[schemars(extend("x-cli" = {"positional": true}))]
    name: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Greeting {
    /// The text to show.
    greeting: String,
}

impl Operation<Workspace> for Greet {
    type Input = GreetInput;
    type Output = Greeting;

    const SPEC: OperationSpec = OperationSpec {
        examples: &["toolscout greet Ada"],
        ..OperationSpec::read("greet", "Say hello", "/api/greeting")
    };

    async fn run(_: &Workspace, input: GreetInput, _: &Cx) -> Result<Greeting, OperationError> {
        Ok(Greeting { greeting: format!("Hello, {}!", input.name) })
    }

    fn text(output: &Greeting, _: &Text) -> String {
        format!("{}\n", output.greeting)
    }
}
