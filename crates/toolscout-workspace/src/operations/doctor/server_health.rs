//! The health of the project's servers, on one line.

use crate::Workspace;
use schemars::JsonSchema;
use serde::Serialize;
use toolscout_core::Cx;
use toolscout_mcp_client::DiscoveryStatus;
use toolscout_mcp_client::per_user::request_headers;
use toolscout_surface::output::counted;

/// How the servers of the project are.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ServerHealth {
    configured: usize,
    disabled: usize,
    /// Those whose last discovery failed.
    failed: Vec<String>,
    /// Those that were never asked for their tools.
    unasked: Vec<String>,
    /// Those that are not started, because the project is not trusted.
    untrusted: Vec<String>,
    /// How many tools are quarantined.
    held: usize,
}

impl ServerHealth {
    /// `None` in a program without servers.
    pub(super) fn of(workspace: &Workspace, cx: &Cx) -> Option<Self> {
        if !workspace.parts.servers {
            return None;
        }
        let set = workspace.servers();
        let states =
            set.sources.iter().filter_map(|it| Some((it, it.state(cx).ok()?.record.status)));
        let states: Vec<_> = states.collect();
        let named = |wanted: DiscoveryStatus| {
            let these = states.iter().filter(|(it, status)| *status == wanted && it.may_start());
            these.map(|(it, _)| it.server().id.to_string()).collect()
        };
        Some(Self {
            configured: set.configured.len(),
            disabled: set.configured.iter().filter(|it| !it.server.enabled).count(),
            failed: named(DiscoveryStatus::Failed),
            unasked: named(DiscoveryStatus::Never),
            untrusted: set
                .sources
                .iter()
                .filter(|it| !it.may_start() && request_headers(it.server()).is_empty())
                .map(|it| it.server().id.to_string())
                .collect(),
            held: workspace.tools.gateway().held().len(),
        })
    }

    /// The number of servers, and the commands for those that need attention.
    pub(super) fn line(&self) -> String {
        let count = match (self.configured, self.disabled) {
            (0, _) => {
                return "none (toolscout import, or toolscout server add ID -- COMMAND)".to_owned();
            }
            (all, 0) => all.to_string(),
            (all, disabled) => format!("{all} ({disabled} disabled)"),
        };
        let named = |these: &[String], what: &str, command: &str| {
            let line = || format!("{} {what}: {} ({command})", these.len(), these.join(", "));
            (!these.is_empty()).then(line)
        };
        let held = || format!("{} quarantined (toolscout review)", counted(self.held, "tool"));
        let parts = [
            Some(count),
            named(&self.failed, "failed", "toolscout server list"),
            named(&self.unasked, "never loaded", "toolscout server refresh"),
            named(&self.untrusted, "not trusted", "toolscout trust"),
            (self.held > 0).then(held),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}
