//! `audit show` and `timeline show`: pages of the journal.

use super::{RECORDING_OFF, audit_text, is_recording, read};
use crate::Workspace;
use crate::journal;
use toolscout_core::Cx;
use toolscout_surface::operation::{
    Access, CommandName, Operation, OperationError, OperationSpec, Text,
};
use toolscout_telemetry::audit::{AuditPage, AuditQuery};

/// Show calls and decisions.
pub(crate) struct ShowAudit;
/// Show the activity of agents and operators.
pub(crate) struct ShowTimeline;

impl Operation<Workspace> for ShowAudit {
    type Input = AuditQuery;
    type Output = AuditPage;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        commands: &[
            CommandName::new("audit show"),
            CommandName::new("audit").summary("Show calls and decisions, and verify the audit log"),
        ],
        notes: &[
            "Covers all projects and clients. Secrets are redacted, and results are not recorded.",
        ],
        examples: &[
            "toolscout audit show --since 1d --kind decision",
            "toolscout audit show --limit 500",
        ],
        ..OperationSpec::read("audit show", "Show calls and decisions, newest last", "/api/audit")
    };

    async fn run(
        workspace: &Workspace,
        input: AuditQuery,
        _: &Cx,
    ) -> Result<AuditPage, OperationError> {
        let page =
            read(workspace, move |environment| journal::calls_and_decisions(environment, &input))
                .await?;
        Ok(with_notes(workspace, page))
    }

    fn text(output: &AuditPage, _: &Text) -> String {
        page(output)
    }

    fn warnings(output: &AuditPage) -> &[String] {
        &output.notes
    }
}

impl Operation<Workspace> for ShowTimeline {
    type Input = AuditQuery;
    type Output = AuditPage;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        commands: &[CommandName::new("audit timeline")],
        examples: &["toolscout audit timeline --since 1h"],
        ..OperationSpec::read(
            "audit timeline",
            "Show discoveries, searches, calls and decisions",
            "/api/timeline",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: AuditQuery,
        _: &Cx,
    ) -> Result<AuditPage, OperationError> {
        let page =
            read(workspace, move |environment| journal::timeline(environment, &input)).await?;
        Ok(with_notes(workspace, page))
    }

    fn text(output: &AuditPage, _: &Text) -> String {
        page(output)
    }

    fn warnings(output: &AuditPage) -> &[String] {
        &output.notes
    }
}

fn with_notes(workspace: &Workspace, mut page: AuditPage) -> AuditPage {
    if !is_recording(workspace) {
        page.notes.push(RECORDING_OFF.to_owned());
    }
    page
}

fn page(output: &AuditPage) -> String {
    if output.entries.is_empty() { "No records.\n".to_owned() } else { audit_text::page(output) }
}
