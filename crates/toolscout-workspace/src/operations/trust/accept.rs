//! `trust accept`: trust some of the files and servers that wait, exactly as they were shown.

use super::changes::{ProjectTrust, server_digest};
use super::not_stored;
use crate::error::failure;
use crate::{Trust, Workspace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, escape};
use toolscout_surface::operation::{
    CommandName, ErrorCode, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::counted;

/// Trust files and servers that wait.
pub(crate) struct AcceptTrust;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcceptTrustInput {
    /// The digests of files by path, as `GET /api/trust` showed them. Nothing is trusted if one has changed since.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// The digests of servers by name, as `GET /api/trust` showed them. Nothing is trusted if one has changed since.
    #[serde(default)]
    servers: BTreeMap<String, String>,
}

/// What is trusted now.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AcceptedTrust {
    /// The trusted folder.
    folder: String,
    /// The number of accepted files.
    files: usize,
    /// The number of accepted servers.
    servers: usize,
}

impl Operation<Workspace> for AcceptTrust {
    type Input = AcceptTrustInput;
    type Output = AcceptedTrust;

    const SPEC: OperationSpec = OperationSpec {
        commands: CommandName::NONE,
        examples: &["POST /api/trust {\"files\": {\"tools/count.py\": \"DIGEST\"}}"],
        ..OperationSpec::change(
            "trust accept",
            "Trust files and servers as they were shown",
            "POST",
            "/api/trust",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: AcceptTrustInput,
        cx: &Cx,
    ) -> Result<AcceptedTrust, OperationError> {
        let ProjectTrust { folder, before, now, .. } =
            ProjectTrust::new(workspace, cx).await.map_err(failure)?;
        let shown = folder.display().to_string();
        let output = AcceptedTrust {
            folder: shown.clone(),
            files: input.files.len(),
            servers: input.servers.len(),
        };
        if input.files.is_empty() && input.servers.is_empty() {
            return Ok(output);
        }
        let mut grant = before;
        for (name, digest) in &input.files {
            let content = now.files.get(name).filter(|content| content.to_string() == *digest);
            let content = content.ok_or_else(|| changed_since(name))?;
            grant.files.insert(name.clone(), *content);
        }
        for (name, digest) in &input.servers {
            let server = now.servers.get(name).filter(|server| server_digest(server) == *digest);
            let server = server.ok_or_else(|| changed_since(name))?;
            grant.servers.insert(name.clone(), server.clone());
        }
        let names: Vec<&str> =
            input.files.keys().chain(input.servers.keys()).map(String::as_str).collect();
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Trust,
            subject: shown.clone(),
            action: "accepted",
            summary: format!("trust {} of {shown}: {}", output.covered(), names.join(", ")),
        })?;
        let folders = Trust::new(&workspace.environment, &workspace.options).folders;
        folders.add(&folder, grant).map_err(not_stored)?;
        change.commit();
        Ok(output)
    }

    fn text(output: &AcceptedTrust, _: &Text) -> String {
        format!("Trusted: {} of {}\n", output.covered(), escape::line(&output.folder))
    }
}

impl AcceptedTrust {
    fn covered(&self) -> String {
        format!("{} and {}", counted(self.files, "file"), counted(self.servers, "server"))
    }
}

fn changed_since(name: &str) -> OperationError {
    let message = format!("`{}` has changed since it was shown", escape::line(name));
    OperationError::new(ErrorCode::Conflict, message).hint("read it again: toolscout trust show")
}
