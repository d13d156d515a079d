//! Records events in the journal; the operations `audit …`, `stats` and `suggest pins` read it.

use crate::{AppError, Decorator, Next, Plugin, RunCx, Setup};
use toolscout_core::BoxFuture;
use toolscout_surface::codes::Exit;
use toolscout_workspace::Environment;
use toolscout_workspace::journal::JournalHandle;

/// Records events, and adds the operations `audit …`, `stats` and `suggest pins`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Journal;

impl Plugin for Journal {
    fn id(&self) -> &str {
        "journal"
    }

    fn requires(&self) -> Vec<&str> {
        vec!["discovery"]
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        let handle = cx.once_per_process::<JournalHandle>();
        let opening = handle.clone();
        cx.add_observer(move |startup| {
            Ok(opening.open(startup.config.settings.journal.retention, &startup.environment))
        });
        cx.decorate(FlushJournal(handle.clone()));
        cx.parts.journal = Some(handle);
        Ok(())
    }
}

/// Flushes the journal when a command ends or is interrupted.
struct FlushJournal(JournalHandle);

impl Decorator for FlushJournal {
    fn around<'a>(
        &'a self,
        cx: &'a RunCx,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async move {
            let _flush = FlushOnDrop(self.0.clone(), cx.environment());
            next.run(cx).await
        })
    }
}

struct FlushOnDrop<'a>(JournalHandle, &'a Environment);

impl Drop for FlushOnDrop<'_> {
    fn drop(&mut self) {
        self.0.flush();
        self.0.ship(self.1);
    }
}
