//! `audit verify`: check the chain of the audit log.

use super::{audit_text, read};
use crate::Workspace;
use crate::journal;
use crate::operations::status::NoInput;
use toolscout_core::Cx;
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::{Access, Operation, OperationError, OperationSpec, Text};
use toolscout_telemetry::audit::AuditVerification;

/// Verify the audit log.
pub(crate) struct VerifyAudit;

impl Operation<Workspace> for VerifyAudit {
    type Input = NoInput;
    type Output = AuditVerification;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        notes: &[
            "Exits with 1, and shows where, if a record was changed, removed, inserted or cut off.",
        ],
        examples: &["toolscout audit verify"],
        ..OperationSpec::read(
            "audit verify",
            "Verify the audit log, from the first record to the last",
            "/api/audit/verify",
        )
    };

    async fn run(
        workspace: &Workspace,
        _: NoInput,
        _: &Cx,
    ) -> Result<AuditVerification, OperationError> {
        read(workspace, journal::verify).await
    }

    fn text(output: &AuditVerification, _: &Text) -> String {
        audit_text::verification(output)
    }

    fn exit(output: &AuditVerification) -> Exit {
        if output.valid { Exit::Done } else { Exit::Failed }
    }
}
