//! Converts the policies of the configuration for the gateway.

use toolscout_config::Config;
use toolscout_gateway::policy::{LevelName, Policies};

/// The policies of this configuration.
pub fn from_config(config: &Config) -> Policies {
    Policies::new()
        .with(LevelName::Global, config.user_rules.clone())
        .with(LevelName::Project, config.project_rules.clone())
        .in_mode(config.mode)
        .shadowing(config.settings.shadow.unwrap_or_default())
        .waiting(config.settings.ask_wait())
}
