//! `server test`: start a server, list its tools, and stop it.

use super::update::{ServerSettings, context, new_id};
use super::{blocked, startable};
use crate::Workspace;
use crate::error::failure;
use crate::servers::{Tested, test_server};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use toolscout_config::{ConfigEditor, ConfigScope, ConfiguredServer};
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, escape};
use toolscout_mcp_client::McpSource;
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::{
    Access, HttpRoute, Operation, OperationError, OperationSpec, Text, UnavailableServers,
};
use toolscout_surface::output::counted;

/// Start a server, list its tools, and stop it.
pub(crate) struct TestServer;

#[derive(Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, extend("x-cli-rest" = ["command", "args"]))]
pub(crate) struct TestServerInput {
    /// The id of the server
    #[schemars(extend("x-cli" = {"positional": true}))]
    id: String,
    #[serde(flatten)]
    settings: ServerSettings,
}

impl Operation<Workspace> for TestServer {
    type Input = TestServerInput;
    type Output = Tested;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        is_decision: true,
        route: HttpRoute { method: "POST", path: "/api/servers/{id}/test", status: 200 },
        notes: &[
            "With a command, a URL or other settings, tests the server with them; nothing is saved.",
            "Caches nothing. Exits with 3 if the server does not answer.",
        ],
        examples: &["toolscout server test files"],
        unavailable_servers: UnavailableServers::Warn,
        ..OperationSpec::read("server test", "Start a server, list its tools, and stop it", "")
    };

    async fn run(
        workspace: &Workspace,
        input: TestServerInput,
        cx: &Cx,
    ) -> Result<Tested, OperationError> {
        let source = if input.settings == ServerSettings::default() {
            startable(workspace, &input.id)?
        } else {
            Arc::new(unsaved_source(workspace, &input.id, input.settings)?)
        };
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

/// The server with these settings: those of its entry, changed as an update would, or a new one.
/// The operator agrees to start a new program by requesting the test, but not to start what is in
/// an entry that may not start.
fn unsaved_source(
    workspace: &Workspace,
    id: &str,
    settings: ServerSettings,
) -> Result<McpSource, OperationError> {
    let set = workspace.servers();
    let configured = match set.find(id) {
        Ok(configured) => {
            settings.check()?;
            if !configured.may_start {
                return Err(blocked(configured));
            }
            let context = context(workspace, &configured.file, configured.scope);
            let present = &configured.server.sandbox;
            let editor = ConfigEditor::new(workspace.environment.state_dir());
            let written = editor.written_entry(configured).map_err(failure)?;
            let fields = settings.clone().into_fields(&written);
            let mut server =
                editor.preview_server(configured, &fields, &context).map_err(failure)?;
            // The file grants no more in a test than otherwise.
            settings.confinement.keep_present(present, &mut server.sandbox);
            ConfiguredServer { server, ..configured.clone() }
        }
        Err(_) => {
            let id = new_id(id)?;
            settings.check_new()?;
            let scope = ConfigScope::Project;
            let file = workspace.config().own_file(scope).map_err(failure)?;
            let invalid =
                |reason| OperationError::invalid(format!("invalid server entry: {reason}"));
            let server = settings
                .into_entry()
                .to_server_config(id, &context(workspace, &file, scope))
                .map_err(invalid)?;
            ConfiguredServer {
                server,
                scope,
                file,
                path: Vec::new(),
                may_start: true,
                change: None,
            }
        }
    };
    let (config, options) = (workspace.config(), &workspace.options);
    set.unsaved_source(&configured, &config, options, &workspace.environment).map_err(failure)
}
