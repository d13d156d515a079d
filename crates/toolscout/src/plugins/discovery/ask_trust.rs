//! Prompts the user at a terminal, once per folder, whether its files may be started to be probed.

use crate::{AppError, Decorator, Next, RunCx};
use toolscout_core::{BoxFuture, DiagnosticKind};
use toolscout_surface::codes::Exit;
use toolscout_workspace::{Trust, present_content};

pub(super) struct AskTrust;

/// Commands that do not need tools, or report untrusted folders themselves.
const WITHOUT: [&str; 10] = [
    "trust",
    "doctor",
    "manifest",
    "completion",
    "server",
    "import",
    "connect",
    "disconnect",
    "new",
    "wrap",
];

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
        .filter(|problem| problem.kind == DiagnosticKind::Untrusted)
        .filter_map(|problem| problem.path.as_deref())
        .filter(|path| path.is_dir());
    let mut changed = false;
    for folder in folders.filter(|folder| !trust.folders.has_decision(folder)) {
        let question =
            format!("Trust {} and start its files to list their tools?", folder.display());
        if cx.environment().confirm(&question).await {
            let content = present_content(cx.workspace(), folder, &cx.request()).await?;
            changed |= trust.folders.add(folder, content).is_ok();
            cx.request().emit_decision("trust", folder.display(), "added");
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
