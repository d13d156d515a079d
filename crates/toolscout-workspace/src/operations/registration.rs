//! `registration …`: tools that other programs register with a running process.

mod calls;
mod register;
mod remove;

pub(crate) use calls::{ReceiveCalls, SendResult};
pub(crate) use register::RegisterTools;
pub(crate) use remove::{RemoveRegistration, RenewRegistration};

use super::status::NoInput;
use crate::Workspace;
use crate::registrations::RegistrationStatus;
use schemars::JsonSchema;
use serde::Serialize;
use toolscout_core::{Cx, escape};
use toolscout_surface::operation::{
    Access, CommandName, HostUse, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::counted;

/// A registration.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Registration")]
struct RegistrationView {
    /// The id of the source that its tools belong to.
    id: String,
    /// `active`: calls go to the callback URL. `waiting`: the program has not opened its stream of
    /// calls yet. `connected`: calls go to that stream.
    state: &'static str,
    /// The callback URL without its query.
    #[serde(skip_serializing_if = "Option::is_none")]
    callback: Option<String>,
    /// The names of its tools.
    tools: Vec<String>,
    /// The number of its tools that are quarantined until an operator approves them.
    quarantined_count: usize,
    /// When it ends, unless it is renewed, or connected, before.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
}

impl RegistrationView {
    fn new(status: RegistrationStatus, workspace: &Workspace) -> Self {
        let quarantined = workspace.tools.gateway().quarantined();
        let is_own = |id: &str| id == status.id.as_str();
        let quarantined = quarantined.iter().filter(|tool| is_own(tool.id.source.as_str()));
        Self {
            quarantined_count: quarantined.count(),
            id: status.id.to_string(),
            state: status.state,
            callback: status.callback,
            tools: status.tools,
            expires: status.expires.map(|expires| expires.to_string()),
        }
    }

    fn line(&self) -> String {
        let tools = counted(self.tools.len(), "tool");
        let mut line = format!("{}  {}  {tools}", self.id, self.state);
        if self.quarantined_count > 0 {
            line += &format!(" ({} quarantined)", self.quarantined_count);
        }
        if let Some(callback) = &self.callback {
            line += &format!("  {}", escape::line(callback));
        }
        if let Some(expires) = &self.expires {
            line += &format!("  until {expires}");
        }
        line + "\n"
    }
}

/// List the tools that other programs have registered.
pub(crate) struct ListRegistrations;

#[derive(Serialize, JsonSchema)]
pub(crate) struct RegistrationList {
    /// The registrations, by id.
    registrations: Vec<RegistrationView>,
}

impl Operation<Workspace> for ListRegistrations {
    type Input = NoInput;
    type Output = RegistrationList;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        host: HostUse::Required,
        commands: &[
            CommandName::new("registration list"),
            CommandName::new("registration").summary("List and remove tools of other programs"),
        ],
        notes: &["Programs register tools over HTTP: POST /api/tools."],
        examples: &["toolscout registration list"],
        ..OperationSpec::read(
            "registration list",
            "List the programs that have registered tools",
            "/api/registrations",
        )
    };

    async fn run(
        workspace: &Workspace,
        _: NoInput,
        _: &Cx,
    ) -> Result<RegistrationList, OperationError> {
        let all = workspace.registrations.list().into_iter();
        let registrations = all.map(|status| RegistrationView::new(status, workspace)).collect();
        Ok(RegistrationList { registrations })
    }

    fn text(output: &RegistrationList, _: &Text) -> String {
        if output.registrations.is_empty() {
            return "No program has registered tools.\n".to_owned();
        }
        output.registrations.iter().map(RegistrationView::line).collect()
    }
}
