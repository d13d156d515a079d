//! The fleet of a run, from its configuration.

use crate::Environment;
use toolscout_config::Config;
use toolscout_fleet::{FleetError, FleetKeys, FleetSettings};
use toolscout_mcp_client::ConfigText;

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
        })
    };
    Some(settings())
}
