//! What happened, and what it cost and saved: looks at the journal.

use super::asked::Asked;
use super::{OperationError, Route};
use schemars::JsonSchema;
use serde::Deserialize;
use toolscout_telemetry::audit::{AuditPage, AuditQuery, AuditVerification};
use toolscout_telemetry::stats::{PinSuggestions, UsageStats};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Since {
    /// Only what happened since then: RFC 3339, or an age such as `7d`.
    #[serde(default)]
    since: Option<String>,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/timeline", "What agents and people did, the newest first", timeline)
            .query::<AuditQuery>()
            .operator(),
        Route::get("/api/audit", "What was called and decided, the newest first", audit)
            .query::<AuditQuery>()
            .operator(),
        Route::get("/api/audit/verify", "Whether the record is as it was written", verify).operator(),
        Route::get("/api/stats", "What tools have cost and saved, by client and session", stats)
            .query::<Since>()
            .operator(),
        Route::get("/api/stats/pins", "Which tools agents would better see without searching", pins)
            .query::<Since>()
            .operator(),
    ]
}

async fn timeline(asked: Asked) -> Result<AuditPage, OperationError> {
    let page: AuditQuery = asked.query()?;
    asked.api.desk.timeline(page).await
}

async fn audit(asked: Asked) -> Result<AuditPage, OperationError> {
    let page: AuditQuery = asked.query()?;
    asked.api.desk.audit(page).await
}

async fn verify(asked: Asked) -> Result<AuditVerification, OperationError> {
    asked.api.desk.verify().await
}

async fn stats(asked: Asked) -> Result<UsageStats, OperationError> {
    let Since { since } = asked.query()?;
    asked.api.desk.stats(since).await
}

async fn pins(asked: Asked) -> Result<PinSuggestions, OperationError> {
    let Since { since } = asked.query()?;
    asked.api.desk.pins(since).await
}
