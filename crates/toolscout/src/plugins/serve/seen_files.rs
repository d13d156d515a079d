//! The files and the trust that a configuration depends on, to notice changes.

use crate::RunCx;
use std::time::Duration;
use tokio::time::sleep;
use toolscout_config::FileStamps;
use toolscout_workspace::Trust;

/// A file that changes within this time is probably still being written.
const SETTLE_TIME: Duration = Duration::from_millis(50);
/// The number of times that [`SeenFiles::settled`] waits.
const MAX_WAITS: usize = 20;

/// The files and the trust at the last reload.
#[derive(PartialEq)]
pub(super) struct SeenFiles {
    configuration: FileStamps,
    /// The files of the approval store.
    approvals: FileStamps,
    is_trusted: bool,
}

impl SeenFiles {
    /// The state when this run read its configuration.
    pub(super) fn as_read(cx: &RunCx) -> Self {
        let configuration = cx.workspace().config().stamps.clone();
        let state = cx.environment().state_dir().into_iter();
        let approvals = FileStamps::record(
            state
                .flat_map(|state| [state.clone(), state.join(toolscout_fleet::COPY_FOLDER)])
                .flat_map(|folder| [folder.join("trust.db"), folder.join("trust.db-wal")]),
        );
        Self { configuration, approvals, is_trusted: is_trusted(cx) }
    }

    pub(super) fn again(&self, cx: &RunCx) -> Self {
        let (configuration, approvals) = (self.configuration.current(), self.approvals.current());
        Self { configuration, approvals, is_trusted: is_trusted(cx) }
    }

    /// Waits while the configuration files change: an editor that writes a file in place first
    /// empties it, which must not count as a configuration without servers.
    pub(super) async fn settled(mut self, cx: &RunCx) -> Self {
        for _ in 0..MAX_WAITS {
            sleep(SETTLE_TIME).await;
            let now = self.again(cx);
            let is_settled = now.configuration == self.configuration;
            self = now;
            if is_settled {
                break;
            }
        }
        self
    }
}

fn is_trusted(cx: &RunCx) -> bool {
    let root = cx.request().project;
    root.is_some_and(|root| Trust::new(cx.environment(), cx.options()).covers(&root))
}
