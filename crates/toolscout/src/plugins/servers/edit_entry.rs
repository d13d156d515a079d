//! `server remove`, `enable` and `disable`: change an entry where it stands.

use super::{ServerSet, background};
use crate::config::Configured;
use crate::config::edit::Editor;
use crate::{AppError, Command, RunCx};
use toolscout_core::BoxFuture;
use toolscout_gateway::Approvals;
use toolscout_mcp_client::DiscoveryStatus;
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;

pub(super) struct RemoveCommand;
pub(super) struct EnableCommand;
pub(super) struct DisableCommand;

fn spec(name: &str, about: &str) -> CommandSpec {
    CommandSpec::new(name, about)
        .positional(PositionalSpec::new("ID", "Which server").required())
        .option(OptionSpec::help("Show this help"))
        .note("The rest of the file stays as it is, comments too.")
        .example(format!("toolscout {name} files"))
}

impl Command for RemoveCommand {
    fn spec(&self) -> CommandSpec {
        spec("server remove", "Take a server out of the configuration, and forget its tools")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let set = ServerSet::of(cx.options(), cx.surroundings())?;
            let configured = set.find(&cx.parsed.positionals[0])?;
            let id = &configured.server.id;
            if cx.only_would(&format!("remove {id} from {}", configured.file.display())) {
                return Ok(Exit::Done);
            }
            let forgotten = remove(&set, configured, &Editor::of(cx.surroundings()))?;
            cx.request().decided("server", id, "removed");
            cx.say(&format!(
                "Removed {id} from {}, and forgot {}\n",
                configured.file.display(),
                counted(forgotten, "tool")
            ));
            Ok(Exit::Done)
        })
    }
}

/// Takes a server out of the file that holds it, and forgets it; says how many tools that were.
pub(crate) fn remove(set: &ServerSet, configured: &Configured, editor: &Editor) -> Result<usize, AppError> {
    let id = &configured.server.id;
    editor.remove_server(configured)?;
    let forgotten = set.shared.as_ref().and_then(|it| it.records().remove(id).ok()).unwrap_or(0);
    // Should it come back, it is looked at as if it had never been there.
    let _ = Approvals::new(set.store.clone(), set.partition.as_str()).forget(id);
    tracing::info!(event = "tools_removed", server = %id, removed = forgotten);
    Ok(forgotten)
}

impl Command for EnableCommand {
    fn spec(&self) -> CommandSpec {
        spec("server enable", "Use a server again")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let set = ServerSet::of(cx.options(), cx.surroundings())?;
            let configured = set.find(&cx.parsed.positionals[0])?;
            let id = configured.server.id.clone();
            switch(cx, configured, true)?;
            if cx.options().switch("dry-run") {
                return Ok(Exit::Done);
            }
            let set = ServerSet::again(cx.options(), cx.surroundings())?;
            let is_known = set.source(id.as_str())?.state(&cx.request())?.record.status == DiscoveryStatus::Success;
            if !is_known && set.find(id.as_str())?.may_start {
                background::discover(cx, &[id]).await?;
            }
            Ok(Exit::Done)
        })
    }
}

impl Command for DisableCommand {
    fn spec(&self) -> CommandSpec {
        spec("server disable", "Keep a server in the file, and use it no longer")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let set = ServerSet::of(cx.options(), cx.surroundings())?;
            let configured = set.find(&cx.parsed.positionals[0])?;
            switch(cx, configured, false).map(|()| Exit::Done)
        })
    }
}

fn switch(cx: &RunCx, configured: &Configured, enabled: bool) -> Result<(), AppError> {
    let (id, file) = (&configured.server.id, configured.file.display());
    let word = if enabled { "enabled" } else { "disabled" };
    if configured.server.enabled == enabled {
        cx.say(&format!("{id} is {word} already, in {file}\n"));
        return Ok(());
    }
    let verb = if enabled { "enable" } else { "disable" };
    if cx.only_would(&format!("{verb} {id}, in {file}")) {
        return Ok(());
    }
    Editor::of(cx.surroundings()).set_enabled(configured, enabled)?;
    cx.request().decided("server", id, word);
    cx.say(&format!("{id} is now {word}, in {file}\n"));
    Ok(())
}
