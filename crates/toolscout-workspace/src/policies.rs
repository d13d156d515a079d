//! Policies of the configuration, as the gateway takes them.

use toolscout_config::Config;
use toolscout_core::PolicyRules;
use toolscout_gateway::policy::{LevelName, Policies};

/// The policies of this configuration.
pub fn of_config(config: &Config) -> Policies {
    Policies::new()
        .with(LevelName::Global, level(&config.user))
        .with(LevelName::Project, level(&config.project))
        .in_mode(config.mode)
        .shadowing(config.settings.shadow.unwrap_or_default())
}

/// The policy rules of one file or profile.
pub fn level(rules: &PolicyRules) -> PolicyRules {
    rules.clone()
}
