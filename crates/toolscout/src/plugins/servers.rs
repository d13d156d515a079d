//! MCP servers: their tools beside all others, and the commands about them.

mod add;
mod approve;
pub(crate) mod background;
mod control;
mod edit_entry;
mod host;
mod hosted;
mod list;
mod login;
mod page;
mod per_user;
pub(crate) mod person;
mod refresh;
mod set;
mod show;
mod socket;
mod steer;
mod try_out;

use crate::{AfterSetup, AppError, Decorator, Next, Plugin, RunCx, Setup};
use toolscout_core::BoxFuture;
use toolscout_surface::codes::Exit;

pub(crate) use edit_entry::remove;
pub(crate) use host::keep;
pub(crate) use list::{state_of, view};
pub(crate) use page::page_link;
pub(crate) use set::{ServerSet, why_barred};
pub(crate) use try_out::try_out;

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

    fn setup<'a>(&'a self, cx: &'a mut Setup) -> BoxFuture<'a, Result<(), AppError>> {
        cx.decorate(EndServers);
        cx.add_sources(|options, surroundings| match options.text("tools-from") {
            Some(_) => Ok(Vec::new()),
            None => Ok(ServerSet::of(options, surroundings)?.layered()),
        });
        cx.rule(per_user::rule);
        Box::pin(async {
            cx.add_command(list::ServerCommand)?;
            cx.add_command(list::ListCommand)?;
            cx.add_command(add::AddCommand)?;
            cx.add_command(edit_entry::RemoveCommand)?;
            cx.add_command(edit_entry::EnableCommand)?;
            cx.add_command(edit_entry::DisableCommand)?;
            cx.add_command(show::ShowCommand)?;
            cx.add_command(try_out::TestCommand)?;
            cx.add_command(refresh::RefreshCommand)?;
            cx.add_command(login::LoginCommand)?;
            cx.add_command(login::LogoutCommand)?;
            cx.add_command(host::HostCommand)?;
            steer::commands().into_iter().try_for_each(|it| cx.add_command(it))
        })
    }

    fn after_setup<'a>(&'a self, cx: &'a AfterSetup) -> BoxFuture<'a, Result<(), AppError>> {
        Box::pin(async {
            let set = ServerSet::of(cx.options(), cx.surroundings())?;
            set.problems.iter().for_each(|it| cx.tools().warn(it));
            cx.tools().gateway().set_absent(set.absent());
            Ok(())
        })
    }
}

/// Ends the servers that a command has started, when it is done with them.
struct EndServers;

impl Decorator for EndServers {
    fn around<'a>(&'a self, cx: &'a RunCx, next: Next<'a>) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async move {
            let done = next.run(cx).await;
            ServerSet::of(cx.options(), cx.surroundings())?.end_all().await;
            done
        })
    }
}
