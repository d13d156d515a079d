//! Moves the other servers of a client into our own configuration.

use super::site::ClientSite;
use crate::import::{
    ClientScan, ImportAction, ImportPlan, ImportPlanner, ImportTarget, KeyPath, OwnProgram, SecretHandling,
};
use crate::{Config, ConfigError, ConfigScope};
use serde::Serialize;

/// The servers of a client that move into our own configuration.
#[derive(Serialize)]
pub struct ServerMove {
    pub plan: ImportPlan,
}

impl ServerMove {
    /// Servers of the user's file move to the user's configuration, those of a project's file to the project's. Their
    /// secrets go to files: the client's file will not hold them any more.
    pub(super) fn plan(
        site: ClientSite,
        config: &Config,
        scope: ConfigScope,
        own: &OwnProgram,
    ) -> Result<Self, ConfigError> {
        let target = ImportTarget::new(config, scope)?;
        // Compared with this very file only: another file may not be read wherever this one is.
        let existing = target.own()?;
        let scan = ClientScan { files: vec![site.found()], missing: Vec::new() };
        let planner = ImportPlanner::new(&existing, &[], SecretHandling::files(config)?, own, target);
        Ok(Self { plan: planner.plan_all(scan) })
    }

    /// Those that the client need not have any more.
    pub fn moved(&self) -> Vec<(KeyPath, String)> {
        let moved = self.plan.servers().filter(|it| !matches!(it.fate, ImportAction::Skip { .. }));
        moved.map(|it| (it.section.clone(), it.name.clone())).collect()
    }
}
