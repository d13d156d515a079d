//! Which files and servers may be started in this run: the trusted ones, or all.

use crate::{Environment, Options};
use std::path::Path;
use std::sync::Arc;
use toolscout_folder::trust::TrustedFolders;

/// The folders that may run code.
pub struct Trust {
    /// The folders that an operator trusts.
    pub folders: TrustedFolders,
    /// Whether all folders are trusted in this run.
    all: bool,
}

impl Trust {
    /// The trust of a run.
    pub fn new(environment: &Environment, options: &Options) -> Self {
        let all = options.switch("trust") || environment.var("TOOLSCOUT_TRUST") == Some("1");
        Self { folders: TrustedFolders::new(environment.store()), all }
    }

    /// Whether this folder, or one of its parents, is trusted.
    pub fn covers(&self, folder: &Path) -> bool {
        self.all || self.folders.covers(folder)
    }

    /// The trust check of a folder source for each of its roots.
    pub fn question(self) -> Arc<dyn Fn(&Path) -> bool + Send + Sync> {
        Arc::new(move |folder| self.covers(folder))
    }
}
