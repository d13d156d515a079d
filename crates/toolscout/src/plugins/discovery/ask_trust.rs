//! Prompts the user at a terminal, once per folder, whether its files may be started to be probed.

use crate::{AppError, Decorator, Next, RunCx};
use toolscout_core::{BoxFuture, DiagnosticKind};
use toolscout_surface::codes::Exit;
use toolscout_workspace::Trust;

pub(super) struct AskTrust;

/// Commands that do not need tools, or report untrusted folders themselves.
const WITHOUT: [&str; 8] =
    ["trust", "doctor", "manifest", "completion", "server", "import", "connect", "disconnect"];

impl Decorator for AskTrust {
    fn around<'a>(
        &'a self,
        cx: &'a RunCx,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async move {
            let options = cx.options();
            // A stream is for programs, and must not wait for a prompt.
            let is_for_people = !options.switch("quiet") && !cx.parsed.switch("stream");
            let may_ask =
                cx.environment().is_interactive() && options.command.shows_tools && is_for_people;
            let first = cx.name.split(' ').next().unwrap_or_default();
            if may_ask && !WITHOUT.contains(&first) {
                ask(cx).await?;
            }
            next.run(cx).await
        })
    }
}

async fn ask(cx: &RunCx) -> Result<(), AppError> {
    let trust = Trust::new(cx.environment(), cx.options());
    let problems = cx.tools().discover(|_| ()).await?.iter();
    let folders = problems
        .filter(|it| it.kind == DiagnosticKind::Untrusted)
        .filter_map(|it| it.path.as_deref());
    let mut changed = false;
    for folder in folders.filter(|it| !trust.folders.knows(it)) {
        let question = format!(
            "Trust {}, so that its files may be started to list their tools?",
            folder.display()
        );
        if cx.environment().ask(&question).await {
            changed |= trust.folders.add(folder).is_ok();
            cx.request().decided("trust", folder.display(), "added");
        } else {
            // If the refusal cannot be stored, the only effect is that the prompt is repeated.
            let _ = trust.folders.refuse(folder);
            cx.request().emit_decision("trust", folder.display(), "denied");
        }
    }
    if changed {
        cx.tools().discover_again().await?;
    }
    Ok(())
}
