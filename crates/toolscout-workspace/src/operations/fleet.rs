//! `fleet key`, `fleet migrate` and `fleet status`: the database that several replicas share.

mod maintenance;

pub(super) use maintenance::{DrainReplica, RotateFleetKey};

use super::status::NoInput;
use crate::{Environment, Workspace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, escape};
use toolscout_fleet::{
    FleetError, FleetKey, FleetRoles, FleetSettings, Migration, ReplicaState, ReplicaStatus,
};
use toolscout_surface::operation::{
    Access, CommandName, ErrorCode, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::counted;
use toolscout_surface::output::table::{Cell, table};

const NO_FLEET: &str = "the configuration has no `[fleet]`";

/// Create a key.
pub(crate) struct CreateFleetKey;

#[derive(Serialize, JsonSchema)]
pub(crate) struct CreatedFleetKey {
    /// The key.
    key: String,
}

impl Operation<Workspace> for CreateFleetKey {
    type Input = NoInput;
    type Output = CreatedFleetKey;

    const SPEC: OperationSpec = OperationSpec {
        notes: &["Prints a random key, and stores nothing."],
        commands: &[CommandName::new("fleet key")],
        examples: &["toolscout fleet key"],
        ..OperationSpec::local("fleet key", "Create a key for a fleet")
    };

    async fn run(_: &Workspace, _: NoInput, _: &Cx) -> Result<CreatedFleetKey, OperationError> {
        let key = FleetKey::generate().map_err(|error| failure(&error))?;
        Ok(CreatedFleetKey { key: key.to_text() })
    }

    fn text(output: &CreatedFleetKey, _: &Text) -> String {
        format!("{}\n", output.key)
    }
}

/// Prepare the database.
pub(crate) struct MigrateFleet;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MigrateFleetInput {
    /// Role of the users that replicas connect with
    #[serde(default = "default_app_role")]
    #[schemars(extend("x-cli" = {"value": "ROLE"}))]
    app_role: String,
    /// Role of the users that read the audit log
    #[serde(default = "default_audit_role")]
    #[schemars(extend("x-cli" = {"value": "ROLE"}))]
    audit_role: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MigratedFleet {
    /// The version of the tables before; 0 if there were none.
    from: i32,
    /// The version of the tables now.
    to: i32,
    /// Roles that do not exist, and that the user of the database may not create.
    missing_roles: Vec<String>,
}

fn default_app_role() -> String {
    FleetRoles::APP.to_owned()
}

fn default_audit_role() -> String {
    FleetRoles::AUDIT.to_owned()
}

impl Operation<Workspace> for MigrateFleet {
    type Input = MigrateFleetInput;
    type Output = MigratedFleet;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "Creates or upgrades the tables in the schema `toolscout`. Running it again changes nothing; replicas of the previous version keep working.",
            "Also creates two roles: one for replicas, which changes no tables or audit records, and one that reads the audit log.",
        ],
        commands: &[CommandName::new("fleet migrate")],
        examples: &["toolscout fleet migrate"],
        needs_network: true,
        ..OperationSpec::local_change("fleet migrate", "Prepare the database of the fleet")
    };

    async fn run(
        workspace: &Workspace,
        input: MigrateFleetInput,
        cx: &Cx,
    ) -> Result<MigratedFleet, OperationError> {
        let settings = settings(&workspace.environment)?;
        let roles = FleetRoles::new(&input.app_role, &input.audit_role)
            .map_err(|error| OperationError::invalid(error.to_string()))?;
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Fleet,
            subject: "database".to_owned(),
            action: "migrated",
            summary: "create or upgrade the tables of the fleet's database".to_owned(),
        })?;
        let Migration { from, to, missing_roles } =
            toolscout_fleet::migrate(&settings, &roles).await.map_err(|error| failure(&error))?;
        change.commit();
        Ok(MigratedFleet { from, to, missing_roles })
    }

    fn text(_: &MigratedFleet, _: &Text) -> String {
        String::new()
    }

    fn message(output: &MigratedFleet, _: &Text) -> String {
        let tables = match (output.from, output.to) {
            (0, to) => format!("Created the tables, version {to}.\n"),
            (from, to) if from == to => format!("Nothing to do: the tables have version {to}.\n"),
            (from, to) => format!("Upgraded the tables from version {from} to {to}.\n"),
        };
        if output.missing_roles.is_empty() {
            return tables;
        }
        let missing = output.missing_roles.join(" and ");
        format!(
            "{tables}warning: this user of the database may not create the roles {missing}\n  \
             hint: replicas can use the same user; or create the roles as an administrator, then run `toolscout fleet migrate` again\n"
        )
    }
}

/// Show the replicas.
pub(crate) struct ShowFleet;

#[derive(Serialize, JsonSchema)]
pub(crate) struct FleetView {
    /// The replicas that serve, or did in the last day.
    replicas: Vec<ReplicaView>,
    /// The database.
    database: DatabaseView,
    /// Whether the configuration names a fleet.
    configured: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReplicaView {
    /// Its name.
    name: String,
    /// Where other replicas reach it.
    address: Option<String>,
    /// The version of toolscout.
    version: String,
    /// The last heartbeat; RFC 3339.
    last_seen: String,
    /// `ready`, `draining`, or `gone` if it has missed its heartbeats.
    state: &'static str,
    /// A random id of its process.
    id: String,
}

#[derive(Serialize, JsonSchema)]
struct DatabaseView {
    /// Whether the database answers.
    reachable: bool,
    /// Why it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Operation<Workspace> for ShowFleet {
    type Input = NoInput;
    type Output = FleetView;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        commands: &[CommandName::new("fleet status"), CommandName::new("fleet")],
        examples: &["toolscout fleet status"],
        needs_network: true,
        ..OperationSpec::read("fleet status", "Show the replicas of the fleet", "/api/fleet")
    };

    async fn run(workspace: &Workspace, _: NoInput, _: &Cx) -> Result<FleetView, OperationError> {
        if workspace.environment.fleet_settings().is_none() {
            return Ok(FleetView {
                replicas: Vec::new(),
                database: DatabaseView { reachable: false, error: Some(NO_FLEET.to_owned()) },
                configured: false,
            });
        }
        let settings = settings(&workspace.environment)?;
        match toolscout_fleet::status(&settings).await {
            Ok(status) => Ok(FleetView {
                replicas: status.replicas.into_iter().map(ReplicaView::from).collect(),
                database: DatabaseView { reachable: true, error: None },
                configured: true,
            }),
            Err(error @ FleetError::Unreachable(_)) => Ok(FleetView {
                replicas: Vec::new(),
                database: DatabaseView { reachable: false, error: Some(error.to_string()) },
                configured: true,
            }),
            Err(error) => Err(failure(&error)),
        }
    }

    fn text(output: &FleetView, text: &Text) -> String {
        let rows: Vec<_> = output.replicas.iter().map(ReplicaView::row).collect();
        table(&rows, text)
    }

    fn message(output: &FleetView, _: &Text) -> String {
        if let Some(error) = &output.database.error {
            return format!("{}\n", escape::line(error));
        }
        let live = output.replicas.iter().filter(|replica| replica.state != "gone").count();
        format!("{} running. The database answers.\n", counted(live, "replica"))
    }
}

impl From<ReplicaStatus> for ReplicaView {
    fn from(replica: ReplicaStatus) -> Self {
        let ReplicaStatus { id, name, address, version, last_seen, state } = replica;
        let state = match state {
            ReplicaState::Ready => "ready",
            ReplicaState::Draining => "draining",
            ReplicaState::Gone => "gone",
        };
        Self { name, address, version, last_seen, state, id }
    }
}

impl ReplicaView {
    fn row(&self) -> Vec<Cell> {
        let shown = |text: &str| escape::line(text).into_owned();
        vec![
            Cell::id(shown(&self.name)),
            Cell::state(self.state),
            Cell::text(shown(self.address.as_deref().unwrap_or("-"))),
            Cell::text(shown(&self.version)),
            Cell::faint(format!("last seen {}", shown(&self.last_seen))),
        ]
    }
}

fn settings(environment: &Environment) -> Result<FleetSettings, OperationError> {
    match environment.fleet_settings() {
        Some(settings) => settings.clone().map_err(|error| failure(&error)),
        None => {
            let error = OperationError::invalid(NO_FLEET);
            Err(error.hint("add `database`, `key` and `project` to `[fleet]` in config.toml"))
        }
    }
}

fn failure(error: &FleetError) -> OperationError {
    let code = match error {
        FleetError::Unreachable(_) => ErrorCode::SourceUnavailable,
        FleetError::Refused(_) | FleetError::Copy(_) => ErrorCode::Internal,
        FleetError::KeyNotEverywhere(_) => ErrorCode::Conflict,
        FleetError::UnknownReplica(_) => ErrorCode::ResourceNotFound,
        _ => ErrorCode::ValidationFailed,
    };
    let failure = OperationError::new(code, error.to_string());
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
