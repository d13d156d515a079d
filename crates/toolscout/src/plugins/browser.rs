//! Shows a sign-in link for the web UI, and opens it in the browser.

use crate::{AppError, Environment, RunCx};
use std::process::Stdio;
use tokio::process::Command;

/// Shows a sign-in link at a terminal, and opens it in the browser. With `--no-open` it is the
/// output of the command instead. Standard error may be kept in a log, so it never gets the link.
pub(super) fn show_sign_in_link(cx: &RunCx, link: &str) -> Result<(), AppError> {
    if cx.environment().err_is_terminal() {
        cx.say(&format!(
            "Open this to sign in; it works once, within two minutes:\n\n  {link}\n\n"
        ));
    } else if cx.parsed.switch("no-open") {
        cx.print(&format!("{link}\n"))?;
    } else {
        cx.say("Run `toolscout ui link` for a link that signs in\n");
    }
    if !cx.parsed.switch("no-open") {
        open(cx.environment(), link);
    }
    Ok(())
}

/// Opens the link, if the system supports it. Otherwise the operator uses the printed link.
fn open(environment: &Environment, link: &str) {
    // A captured environment has no display.
    if environment.is_captured() {
        return;
    }
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let null = Stdio::null;
    // Not awaited: the browser stays open when this process ends.
    if let Err(error) =
        Command::new(program).arg(link).stdin(null()).stdout(null()).stderr(null()).spawn()
    {
        tracing::debug!(event = "browser_not_opened", program, %error);
    }
}
