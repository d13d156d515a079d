//! Which folders may run code in this run: those a person trusts, or all of them.

use crate::{Environment, Options};
use std::path::Path;
use std::sync::Arc;
use toolscout_folder::trust::TrustedFolders;

/// What a person has said before, and what holds for this run.
pub struct Trust {
    /// The folders that an operator trusts.
    pub folders: TrustedFolders,
    /// Everything is trusted, for this run.
    all: bool,
}

impl Trust {
    /// The trust of a run.
    pub fn new(environment: &Environment, options: &Options) -> Self {
        let all = options.switch("trust") || environment.var("TOOLSCOUT_TRUST") == Some("1");
        Self { folders: TrustedFolders::new(environment.store()), all }
    }

    /// Whether this folder, or one around it, is trusted.
    pub fn covers(&self, folder: &Path) -> bool {
        self.all || self.folders.covers(folder)
    }

    /// What a folder source asks about each of its roots.
    pub fn question(self) -> Arc<dyn Fn(&Path) -> bool + Send + Sync> {
        Arc::new(move |folder| self.covers(folder))
    }
}
