//! `disconnect`: takes this program out of a client's configuration.

use super::backup::Backup;
use super::command::{client, homes, scope, scope_option, site};
use super::connection::{self, Disconnected};
use super::file;
use super::site::Site;
use crate::plugins::import::{CLIENTS, Client};
use crate::{AppError, Command, RunCx};
use std::path::{Path, PathBuf};
use toolscout_core::{BoxFuture, Store, escape};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;

pub(super) struct DisconnectCommand;

impl Command for DisconnectCommand {
    fn spec(&self) -> CommandSpec {
        let names = CLIENTS.map(|it| it.name());
        CommandSpec::new("disconnect", "Take this program out of another's configuration")
            .positional(PositionalSpec::new("CLIENT", "Which program").required().choices(names))
            .option(scope_option())
            .option(OptionSpec::switch("whole", "Put the whole file back as it was, whatever was changed since"))
            .option(OptionSpec::help("Show this help"))
            .note("A file that was changed since keeps the changes, and only loses our entry.")
            .example("toolscout disconnect cursor")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let (client, store) = (client(cx)?, cx.surroundings().store());
            let way = Way::of(cx, client, &*store)?;
            let path = escape::line(&way.path().display().to_string()).into_owned();
            cx.say(&match cx.options().switch("dry-run") {
                true => format!("Would take this program out of {path}\n"),
                false => words(way.go(&*store)?, client.title(), &path),
            });
            Ok(Exit::Done)
        })
    }
}

/// How a file loses us.
enum Way {
    /// It is put back as it was, even if it cannot be read any more.
    Whole(PathBuf),
    Ours(Box<Site>),
}

impl Way {
    fn of(cx: &RunCx, client: &'static dyn Client, store: &dyn Store) -> Result<Self, AppError> {
        let scope = scope(cx);
        if cx.parsed.switch("whole") {
            let files = client.files(&homes(cx)?).into_iter().filter(|it| it.scope == scope);
            for path in files.map(|it| file::real(&it.path)) {
                if Backup::read(store, &path)?.is_some() {
                    return Ok(Self::Whole(path));
                }
            }
        }
        Ok(Self::Ours(Box::new(site(cx, client, scope)?)))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Whole(path) => path,
            Self::Ours(site) => &site.path,
        }
    }

    fn go(&self, store: &dyn Store) -> Result<Disconnected, AppError> {
        match self {
            Self::Whole(path) => connection::put_back(path, store),
            Self::Ours(site) => connection::disconnect(site, store),
        }
    }
}

fn words(done: Disconnected, title: &str, path: &str) -> String {
    match done {
        Disconnected::Restored => format!("Disconnected {title}: {path} is as it was\n"),
        Disconnected::Removed => format!("Disconnected {title}: {path} is gone, as before\n"),
        Disconnected::OnlyOurs => format!(
            "Disconnected {title}: {path} was changed since, so only our entry was taken out of it\n  \
             hint: --whole puts it back as it was before\n"
        ),
        Disconnected::WasNot => format!("{title} was not connected: {path}\n"),
    }
}
