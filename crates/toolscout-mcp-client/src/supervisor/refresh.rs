//! Lists a server on request, or after a change that was announced on another connection.

use super::{Phase, Supervisor};
use crate::discovery::DiscoveryOutcome;
use crate::discovery::library::{library_changes, list};
use std::sync::Weak;
use std::time::Instant;
use toolscout_core::{Caller, Cx, SourceError};

impl Supervisor {
    /// Lists the server and stores the result. If the server runs in this process, that instance is
    /// listed.
    pub(in super::super) async fn refresh(&self, cx: &Cx) -> Result<DiscoveryOutcome, SourceError> {
        let before = self.context.read(&self.server, cx)?.library.unwrap_or_default();
        let discovered = self.refresh_tools(cx).await;
        let after = self.context.read(&self.server, cx)?.library.unwrap_or_default();
        library_changes(&before, &after).into_iter().for_each(|event| self.emit(event));
        discovered
    }

    async fn refresh_tools(&self, cx: &Cx) -> Result<DiscoveryOutcome, SourceError> {
        let Phase::Running(running) = self.phase() else {
            return self.context.discover(&self.server, cx).await;
        };
        let started = Instant::now();
        let changed = running.list_now(cx).await?;
        if changed {
            self.notify_changed();
        }
        let library = list(&running.client, &self.context, cx.deadline).await;
        self.context.store_library(&self.server, cx, &running.client, library)?;
        let record = self.context.read(&self.server, cx)?;
        Ok(DiscoveryOutcome::from_tools(record.tools.as_ref(), started.elapsed(), changed))
    }
}

/// Reports that the list of this connection has changed. `None` if the supervisor is gone.
pub(super) async fn report_change(supervisor: &Weak<Supervisor>) -> Option<()> {
    let this = supervisor.upgrade()?;
    let Some(main) = &this.main else {
        this.notify_changed();
        return Some(());
    };
    let main = main.upgrade()?;
    drop(this);
    // A running main connection receives the announcement itself.
    if !matches!(main.phase(), Phase::Running(_))
        && main.refresh(&Cx::new(Caller::Mcp)).await.is_ok()
    {
        main.notify_changed();
    }
    Some(())
}
