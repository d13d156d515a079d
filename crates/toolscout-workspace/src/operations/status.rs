//! Health, readiness, the identity of the caller, and metrics.

use crate::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::cx::Role;
use toolscout_core::{Cx, Store};
use toolscout_surface::operation::{
    Access, CommandName, ErrorCode, Operation, OperationError, OperationSpec, Text,
};

/// The input of operations without parameters.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoInput {}

/// Show whether toolscout is running.
pub(crate) struct ShowHealth;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Health {
    /// Always `ok`.
    status: &'static str,
    /// The version of toolscout.
    version: &'static str,
}

impl Operation<Workspace> for ShowHealth {
    type Input = NoInput;
    type Output = Health;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Open,
        commands: CommandName::NONE,
        alias: Some("/api/live"),
        examples: &["GET /api/health"],
        ..OperationSpec::read("health", "Show whether toolscout is running", "/api/health")
    };

    async fn run(_: &Workspace, _: NoInput, _: &Cx) -> Result<Health, OperationError> {
        Ok(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
    }

    fn text(output: &Health, _: &Text) -> String {
        format!("{} {}\n", output.status, output.version)
    }
}

/// Show whether the program is ready.
pub(crate) struct ShowReadiness;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Readiness {
    /// Whether the catalog is loaded.
    ready: bool,
    /// `loading`, `ready`, or `degraded` while the database of the fleet is away.
    status: &'static str,
}

impl Operation<Workspace> for ShowReadiness {
    type Input = NoInput;
    type Output = Readiness;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Open,
        commands: CommandName::NONE,
        examples: &["GET /api/ready"],
        ..OperationSpec::read("ready", "Show whether the first catalog is published", "/api/ready")
    };

    async fn run(workspace: &Workspace, _: NoInput, _: &Cx) -> Result<Readiness, OperationError> {
        let ready = workspace.tools.is_discovered();
        let fleet = workspace.environment.fleet().and_then(|fleet| fleet.as_ref().ok());
        if fleet.is_some_and(|fleet| fleet.is_draining()) {
            let message = "this replica is draining: it finishes its calls";
            return Err(OperationError::new(ErrorCode::NotReady, message));
        }
        if let Some(Err(error)) = fleet.map(|fleet| fleet.check_contact()) {
            return Err(OperationError::new(ErrorCode::NotReady, error.to_string()));
        }
        let is_degraded = fleet.is_some_and(|fleet| fleet.contact().is_err());
        let status = match (ready, is_degraded) {
            (false, _) => "loading",
            (true, true) => "degraded",
            (true, false) => "ready",
        };
        Ok(Readiness { ready, status })
    }

    fn text(output: &Readiness, _: &Text) -> String {
        format!("{}\n", output.status)
    }
}

/// Show who the caller is.
pub(crate) struct ShowCaller;

#[derive(Serialize, JsonSchema)]
pub(crate) struct CallerInfo {
    /// `operator` or `agent`.
    role: &'static str,
    /// The name of the user; missing without per-user authentication.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl Operation<Workspace> for ShowCaller {
    type Input = NoInput;
    type Output = CallerInfo;

    const SPEC: OperationSpec = OperationSpec {
        commands: CommandName::NONE,
        examples: &["GET /api/me"],
        keeps_profile: true,
        ..OperationSpec::read("me", "Show the caller and its role", "/api/me")
    };

    async fn run(_: &Workspace, _: NoInput, cx: &Cx) -> Result<CallerInfo, OperationError> {
        let role = if cx.role == Role::Operator { "operator" } else { "agent" };
        Ok(CallerInfo { role, name: cx.user.as_deref().map(str::to_owned) })
    }

    fn text(output: &CallerInfo, _: &Text) -> String {
        format!("{}\n", output.role)
    }
}

/// Show metrics.
pub(crate) struct ShowMetrics;

#[derive(Serialize, JsonSchema)]
pub(crate) struct MetricsText {
    /// Metrics in the Prometheus text format.
    metrics: String,
}

impl Operation<Workspace> for ShowMetrics {
    type Input = NoInput;
    type Output = MetricsText;

    const SPEC: OperationSpec = OperationSpec {
        alias: Some("/metrics"),
        media_type: "text/plain; version=0.0.4; charset=utf-8",
        commands: CommandName::NONE,
        examples: &["GET /api/metrics"],
        ..OperationSpec::read(
            "metrics",
            "Show metrics in the text format of Prometheus",
            "/api/metrics",
        )
    };

    async fn run(workspace: &Workspace, _: NoInput, _: &Cx) -> Result<MetricsText, OperationError> {
        let metrics =
            workspace.parts.metrics.as_ref().map(|metrics| metrics.render()).unwrap_or_default();
        Ok(MetricsText { metrics })
    }

    fn text(output: &MetricsText, _: &Text) -> String {
        output.metrics.clone()
    }
}
