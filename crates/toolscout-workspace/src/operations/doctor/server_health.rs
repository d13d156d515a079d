//! The health of the project's servers, on one line.

use crate::Workspace;
use schemars::JsonSchema;
use serde::Serialize;
use toolscout_core::Cx;
use toolscout_mcp_client::DiscoveryStatus;
use toolscout_mcp_client::per_user::request_headers;
use toolscout_surface::output::counted;

/// The state of the project's servers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServerHealth {
    /// The number of configured servers.
    configured: usize,
    /// The number of disabled servers.
    disabled: usize,
    /// Servers whose last discovery failed.
    failed: Vec<String>,
    /// Servers whose tools were never loaded.
    never_loaded: Vec<String>,
    /// Servers that may not start because their project is not trusted.
    untrusted_project: Vec<String>,
    /// The number of quarantined tools.
    quarantined: usize,
}

impl ServerHealth {
    /// `None` in a program without servers.
    pub(super) fn new(workspace: &Workspace, cx: &Cx) -> Option<Self> {
        if !workspace.parts.servers {
            return None;
        }
        let set = workspace.servers();
        let states = set
            .sources
            .iter()
            .filter_map(|source| Some((source, source.state(cx).ok()?.record.status)));
        let states: Vec<_> = states.collect();
        let with_status = |expected: DiscoveryStatus| {
            let matching =
                states.iter().filter(|(source, status)| *status == expected && source.may_start());
            matching.map(|(source, _)| source.server().id.to_string()).collect()
        };
        Some(Self {
            configured: set.configured.len(),
            disabled: set.configured.iter().filter(|configured| !configured.server.enabled).count(),
            failed: with_status(DiscoveryStatus::Failed),
            never_loaded: with_status(DiscoveryStatus::Never),
            untrusted_project: set
                .sources
                .iter()
                .filter(|source| !source.may_start() && request_headers(source.server()).is_empty())
                .map(|source| source.server().id.to_string())
                .collect(),
            quarantined: workspace.tools.gateway().quarantined().len(),
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
        let part = |ids: &[String], problem: &str, command: &str| {
            let line = || format!("{} {problem}: {} ({command})", ids.len(), ids.join(", "));
            (!ids.is_empty()).then(line)
        };
        let quarantined =
            || format!("{} quarantined (toolscout review)", counted(self.quarantined, "tool"));
        let parts = [
            Some(count),
            part(&self.failed, "failed", "toolscout server list"),
            part(&self.never_loaded, "never loaded", "toolscout server refresh"),
            part(&self.untrusted_project, "not trusted", "toolscout trust"),
            (self.quarantined > 0).then(quarantined),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}
