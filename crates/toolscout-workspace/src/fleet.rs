//! The fleet of a run, from its configuration, and where its changes are in force.

use crate::Environment;
use schemars::JsonSchema;
use serde::Serialize;
use toolscout_config::{Config, CutOffMode};
use toolscout_core::{Namespace, escape};
use toolscout_fleet::{CUT_OFF, FleetError, FleetKeys, FleetSettings, InForce, MAX_CUT_OFF};
use toolscout_mcp_client::ConfigText;
use toolscout_surface::output::counted;

/// The replicas of the fleet where a change is in force.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangeReach {
    /// The number of replicas where it is.
    on: usize,
    /// The number of replicas that may serve clients.
    replicas: usize,
    /// The names of those where it may not be in force yet.
    behind: Vec<String>,
}

impl ChangeReach {
    /// Waits until a change of this namespace is in force on all replicas, for a second at most.
    /// None without a fleet, and if no replica serves.
    pub(crate) async fn of(environment: &Environment, namespace: Namespace) -> Option<Self> {
        let fleet = environment.fleet()?.as_ref().ok()?.clone();
        let waiting = tokio::task::spawn_blocking(move || fleet.wait_until_in_force(namespace));
        match waiting.await.ok()? {
            Ok(InForce { on, behind }) => {
                let replicas = on + behind.len();
                (replicas > 0).then_some(Self { on, replicas, behind })
            }
            Err(error) => {
                tracing::warn!(event = "fleet_reach_unknown", %error);
                None
            }
        }
    }

    /// A line for the user.
    pub(crate) fn line(&self) -> String {
        let (on, all) = (self.on, counted(self.replicas, "replica"));
        if self.behind.is_empty() {
            return format!("In force on {on} of {all}.\n");
        }
        let behind = escape::line(&self.behind.join(", ")).into_owned();
        format!("In force on {on} of {all}. Not yet on: {behind}.\n")
    }
}

/// The settings of the fleet, if the configuration names one. References are resolved.
pub(crate) fn settings(
    config: &Config,
    environment: &Environment,
) -> Option<Result<FleetSettings, FleetError>> {
    let table = &config.settings.fleet;
    let database = table.database.as_ref()?;
    let lookup = environment.lookup();
    let resolve = |name: &str, text: &ConfigText| {
        let value = text.resolve(&lookup);
        value.map_err(|reason| FleetError::Settings {
            message: format!("`fleet.{name}`: {reason}"),
            hint: "set it in the environment of every replica",
        })
    };
    let settings = || {
        if table.project.as_deref().is_none_or(str::is_empty) {
            return Err(FleetError::Settings {
                message: "`fleet.project` is missing".to_owned(),
                hint: "add `project = \"NAME\"` to `[fleet]`, the same on every replica",
            });
        }
        let key = table.key.as_ref().ok_or_else(|| FleetError::Settings {
            message: "`fleet.key` is missing".to_owned(),
            hint: "create one with `toolscout fleet key`, and add `key = \"env:TOOLSCOUT_FLEET_KEY\"`",
        })?;
        let listen = table.listen_database.as_ref();
        Ok(FleetSettings {
            database: resolve("database", database)?,
            listen_database: listen.map(|url| resolve("listen_database", url)).transpose()?,
            keys: FleetKeys::parse(&resolve("key", key)?)?,
            max_cut_off: match table.when_cut_off.unwrap_or_default() {
                CutOffMode::Serve => MAX_CUT_OFF,
                CutOffMode::Refuse => CUT_OFF,
            },
        })
    };
    Some(settings())
}
