//! Opens an address in the browser of the person who is there.

use crate::Environment;
use std::process::Stdio;
use tokio::process::Command;

/// Opens it, if there is a way. Where there is none, the person has been told the address.
pub(super) fn open(environment: &Environment, link: &str) {
    // A captured environment has no screen.
    if environment.is_made_up() {
        return;
    }
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let null = Stdio::null;
    // It goes on without us: a browser that it starts stays open when we end.
    if let Err(error) = Command::new(program).arg(link).stdin(null()).stdout(null()).stderr(null()).spawn() {
        tracing::debug!(event = "browser_not_opened", program, %error);
    }
}
