//! `POST /api/tools`: register the tools of another program.

use super::RegistrationView;
use crate::Workspace;
use crate::random;
use crate::registrations::{CallQueue, Callback, Definition, Delivery, RegisteredSource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, SourceId};
use toolscout_surface::operation::{
    CommandName, ErrorCode, HttpRoute, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::counted;

const DEFAULT_TTL_MS: u64 = 300_000;
const DEFAULT_TIMEOUT_MS: u64 = 60_000;

/// Register the tools of another program.
pub(crate) struct RegisterTools;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RegisterToolsInput {
    /// The id of the source: lowercase letters, digits, `-` and `_`; by default the name in the
    /// `User-Agent` header
    #[serde(default)]
    source: Option<String>,
    /// The definitions, as in an MCP tool list: `name`, `description`, `inputSchema` and so on;
    /// also `keywords`, and `visibility`: `searchable` or `listed`
    #[schemars(length(min = 1, max = 1_000))]
    tools: Vec<Definition>,
    /// The URL that receives calls. Without it, the program opens a stream of calls:
    /// `GET /api/registrations/{id}/calls`
    #[serde(default)]
    callback: Option<String>,
    /// The secret that signs calls to the callback URL, at least 16 bytes; created by default
    #[serde(default)]
    secret: Option<String>,
    /// The lifetime of the registration in milliseconds, unless it is renewed; 300000 by default
    #[serde(default)]
    #[schemars(range(min = 1_000, max = 86_400_000))]
    ttl_ms: Option<u64>,
    /// The time limit of a call in milliseconds; 60000 by default
    #[serde(default)]
    #[schemars(range(min = 1, max = 3_600_000))]
    timeout_ms: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct RegisteredTools {
    /// The registration.
    registration: RegistrationView,
    /// The secret that signs calls to the callback URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    /// The path of the stream of calls, for a program without a callback URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<String>,
    /// Definitions that cannot be used.
    warnings: Vec<String>,
}

impl Operation<Workspace> for RegisterTools {
    type Input = RegisterToolsInput;
    type Output = RegisteredTools;

    const SPEC: OperationSpec = OperationSpec {
        route: HttpRoute { method: "POST", path: "/api/tools", status: 201 },
        commands: CommandName::NONE,
        notes: &["The tools are quarantined until an operator approves them."],
        examples: &[
            "POST /api/tools {\"source\": \"billing\", \"callback\": \"http://127.0.0.1:9000/call\", \"tools\": [{\"name\": \"invoice\", \"description\": \"Show an invoice\"}]}",
        ],
        ..OperationSpec::change(
            "registration add",
            "Register the tools of another program",
            "POST",
            "",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: RegisterToolsInput,
        cx: &Cx,
    ) -> Result<RegisteredTools, OperationError> {
        if !workspace.is_serving() {
            let message = "this process does not serve tools to clients";
            let error = OperationError::new(ErrorCode::Conflict, message);
            return Err(error.hint("send the request to `toolscout serve --http 127.0.0.1:7420`"));
        }
        let id = source_id(input.source.as_deref(), cx)?;
        let (delivery, calls, secret) = match &input.callback {
            Some(url) => {
                let secret = input.secret.map_or_else(random::hex::<32>, Ok)?;
                let callback = Box::new(Callback::new(url, &secret)?);
                (Delivery::Callback(callback), None, Some(secret))
            }
            None if input.secret.is_some() => {
                return Err(OperationError::invalid("`secret` is only valid with `callback`"));
            }
            None => {
                let (queue, calls) = CallQueue::new();
                (Delivery::Connection(queue), Some(calls), None)
            }
        };
        let ttl = Duration::from_millis(input.ttl_ms.unwrap_or(DEFAULT_TTL_MS));
        let timeout = Duration::from_millis(input.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS));
        let (source, warnings) = RegisteredSource::new(id.clone(), input.tools, delivery, timeout);
        let count = source.tool_names().len();
        if count == 0 {
            let reasons = warnings.join("; ");
            return Err(OperationError::invalid(format!("no definition is usable: {reasons}")));
        }
        // A program that registers the same tools again renews its registration.
        let is_renewal = workspace.registrations.has_same(&source) && !cx.dry_run;
        let planned = PlannedChange {
            kind: ChangeKind::Registration,
            subject: id.to_string(),
            action: "registered",
            summary: format!("register {} of `{id}`", counted(count, "tool")),
        };
        let change = if is_renewal { None } else { Some(cx.change(planned)?) };
        let gateway = workspace.full_gateway().await?;
        let calls_path = calls.is_some().then(|| format!("/api/registrations/{id}/calls"));
        let status = workspace.registrations.add(&gateway, source, calls, ttl)?;
        gateway.refresh_source(&id, cx).await;
        workspace.registrations.write_rows(&workspace.servers(), BTreeSet::new()).await;
        change.into_iter().for_each(|change| change.commit());
        let registration = RegistrationView::new(status, workspace);
        Ok(RegisteredTools { registration, secret, calls: calls_path, warnings })
    }

    fn text(output: &RegisteredTools, _: &Text) -> String {
        output.registration.line()
    }

    fn warnings(output: &RegisteredTools) -> &[String] {
        &output.warnings
    }
}

/// The id that the program names, or the nearest valid one to the name of its client.
fn source_id(given: Option<&str>, cx: &Cx) -> Result<SourceId, OperationError> {
    let client = || cx.client.as_deref().and_then(|client| client.split(['/', ' ']).next());
    let id = match (given, client().filter(|client| !client.is_empty())) {
        (Some(given), _) => SourceId::new(given).map_err(|error| {
            let hint = format!("try `{}`", error.nearest);
            OperationError::invalid(format!("`source`: {error}")).hint(hint)
        })?,
        (None, Some(client)) => SourceId::new(client)
            .or_else(|error| SourceId::new(&error.nearest))
            .map_err(|error| OperationError::invalid(error.to_string()))?,
        (None, None) => {
            let error = OperationError::invalid("`source` is missing");
            return Err(error.hint("name the program, for example \"source\": \"billing\""));
        }
    };
    if SourceId::RESERVED.contains(&id.as_str()) {
        let error = OperationError::invalid(format!("`source`: `{id}` is reserved"));
        return Err(error.hint("choose another id"));
    }
    Ok(id)
}
