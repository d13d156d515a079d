//! MCP servers: their tools as sources, and the `server` commands.

mod host;

use crate::{AfterSetup, AppError, Decorator, Next, Plugin, RunCx, Setup};
use toolscout_core::BoxFuture;
use toolscout_surface::codes::Exit;

/// Adds a source for each configured server, and the commands `server …`.
#[derive(Default)]
pub struct Servers;

impl Plugin for Servers {
    fn id(&self) -> &str {
        "servers"
    }

    fn requires(&self) -> Vec<&str> {
        vec!["discovery"]
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        cx.decorate(StopServers);
        cx.parts.servers = true;
        cx.add_sources(|startup| match startup.options.text("tools-from") {
            Some(_) => Ok(Vec::new()),
            None => {
                let mut sources = startup.servers.layered();
                sources.extend(startup.registered_sources());
                Ok(sources)
            }
        });
        cx.rule(|gateway, startup| match startup.options.text("tools-from") {
            Some(_) => Ok(gateway),
            None => startup.servers.add_request_sources(gateway),
        });
        cx.add_command(host::HostCommand)
    }

    fn after_setup(&self, cx: &AfterSetup) -> Result<(), AppError> {
        let set = cx.workspace.servers();
        set.diagnostics.iter().for_each(|problem| cx.tools().warn(problem));
        cx.tools().gateway().set_absent(set.absent());
        Ok(())
    }
}

/// Stops the servers that a command has started, when it is done.
struct StopServers;

impl Decorator for StopServers {
    fn around<'a>(
        &'a self,
        cx: &'a RunCx,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async move {
            let done = next.run(cx).await;
            cx.workspace().servers().stop_all().await;
            done
        })
    }
}
