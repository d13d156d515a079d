//! The entry that makes a client start us for this project, in the form that most clients read.

use crate::plugins::connect;
use crate::{AppError, RunCx};
use serde_json::{Value, json};
use toolscout_core::ErrorKind;

/// `{"mcpServers": …}` with this program in it, named after itself. The project is named by its path, because nobody knows
/// where the client will be started.
pub(super) fn entry(cx: &RunCx) -> Result<Value, AppError> {
    if cx.workspace().parts.events.is_none() {
        let message = format!("`{}` has no command `serve`, so no client can start it", cx.program());
        return Err(AppError::Said { kind: ErrorKind::Unavailable, message, hint: None });
    }
    // By its place: a client may know another `PATH` than this terminal.
    let launch = connect::launch(cx, true)?;
    let project = cx.request().project.map(|it| ["-C".to_owned(), it.to_string_lossy().into_owned()]);
    let args: Vec<String> = project.into_iter().flatten().chain(launch.args).collect();
    Ok(json!({"mcpServers": {cx.program(): {"command": launch.command, "args": args}}}))
}
