//! `server test`: start a server, list its tools, and stop it.

use super::startable;
use crate::Workspace;
use crate::servers::{Tested, try_out};
use schemars::JsonSchema;
use serde::Deserialize;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, escape};
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::{
    Access, HttpRoute, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::counted;

/// Start a server, list its tools, and stop it.
pub(crate) struct TestServer;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestServerInput {
    /// The id of the server
    #[schemars(extend("x-cli" = {"positional": true}))]
    id: String,
}

impl Operation<Workspace> for TestServer {
    type Input = TestServerInput;
    type Output = Tested;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        route: HttpRoute { method: "POST", path: "/api/servers/{id}/test", status: 200 },
        notes: &["Caches nothing. Exits with 3 if the server does not answer."],
        examples: &["toolscout server test files"],
        ..OperationSpec::read("server test", "Start a server, list its tools, and stop it", "")
    };

    async fn run(
        workspace: &Workspace,
        input: TestServerInput,
        cx: &Cx,
    ) -> Result<Tested, OperationError> {
        let source = startable(workspace, &input.id)?;
        // A test is not a decision, and writes no audit line; but a dry run starts no server.
        let (subject, summary) =
            (input.id.clone(), format!("start server `{}` and list its tools", input.id));
        let _test = cx.change(PlannedChange {
            kind: ChangeKind::Server,
            subject,
            action: "tested",
            summary,
        })?;
        Ok(test_server(&source, cx).await)
    }

    fn text(output: &Tested, _: &Text) -> String {
        match &output.error {
            Some(error) => {
                let hint =
                    output.hint.as_deref().map(|hint| format!("  hint: {}\n", escape::line(hint)));
                format!("error: {}\n{}", escape::line(error), hint.unwrap_or_default())
            }
            None => {
                let tools = counted(output.tool_count.unwrap_or(0), "tool");
                let protocol = output.protocol.as_deref().unwrap_or_default();
                format!(
                    "ok: {tools}, {} ms, protocol {}\n",
                    output.latency_ms,
                    escape::line(protocol)
                )
            }
        }
    }

    fn exit(output: &Tested) -> Exit {
        if output.ok { Exit::Done } else { Exit::Unavailable }
    }
}
