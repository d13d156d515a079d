//! `connect`: writes this program into a client's configuration.

use super::connection;
use super::site::Site;
use super::take::Take;
use super::{launch, list};
use crate::plugins::discovery::Place;
use crate::plugins::import::{self, CLIENTS, Client, Homes, Ourselves, Scope, counted};
use crate::{AppError, Command, RunCx};
use serde_json::{Value, json};
use toolscout_core::{BoxFuture, escape};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec, UsageError, UsageErrors};
use toolscout_surface::codes::Exit;

pub(super) struct ConnectCommand;

impl Command for ConnectCommand {
    fn spec(&self) -> CommandSpec {
        let names = CLIENTS.map(|it| it.name());
        CommandSpec::new("connect", "Make a program use this one as its MCP server")
            .positional(PositionalSpec::new("CLIENT", "Which program").choices(names))
            .option(scope_option())
            .option(OptionSpec::switch("take", "Move its other servers to our configuration"))
            .option(OptionSpec::switch("list", "Show which programs are there, and which are connected"))
            .option(OptionSpec::help("Show this help"))
            .note("The file as it was is kept, and `disconnect` puts it back.")
            .example("toolscout connect cursor")
            .example("toolscout connect claude-desktop --take")
            .example("toolscout connect --list")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            if cx.parsed.switch("list") {
                return list::list(cx).map(|()| Exit::Done);
            }
            let scope = scope(cx);
            let client = client(cx)?;
            let site = site(cx, client, scope)?;
            let entry = client.own_entry(&launch::of(cx, client.is_desktop())?, &site.section);
            let take = match cx.parsed.switch("take") {
                true => Some(Take::of(cx, self::site(cx, client, scope)?, scope)?),
                false => None,
            };
            if let Some(take) = &take {
                cx.print(&import::page(&take.plan))?;
            }
            match cx.options().switch("dry-run") {
                true => show(cx, &site, &entry, take.as_ref()),
                false => write(cx, &site, &entry, take.as_ref()),
            }
        })
    }
}

/// `--project` is taken: it says which project.
pub(super) fn scope_option() -> OptionSpec {
    OptionSpec::text("scope", "In the file for everywhere, or in that of this project")
        .value("SCOPE")
        .choices(["user", "project"])
        .default("user")
}

pub(super) fn scope(cx: &RunCx) -> Scope {
    match cx.parsed.text("scope") {
        Some("project") => Scope::Project,
        _ => Scope::User,
    }
}

pub(super) fn client(cx: &RunCx) -> Result<&'static dyn Client, AppError> {
    let named = cx.parsed.positionals.first().and_then(|it| import::named(it));
    named.ok_or_else(|| UsageErrors::from(UsageError::MissingArgument { name: "CLIENT".to_owned() }).into())
}

pub(super) fn homes(cx: &RunCx) -> Result<Homes, AppError> {
    let place = Place::of(cx.options(), cx.surroundings())?;
    Ok(Homes::of(cx.surroundings(), place.project()))
}

pub(super) fn site(cx: &RunCx, client: &'static dyn Client, scope: Scope) -> Result<Site, AppError> {
    Site::of(client, &homes(cx)?, scope, &Ourselves::of(cx))
}

fn show(cx: &RunCx, site: &Site, entry: &Value, take: Option<&Take>) -> Result<Exit, AppError> {
    let nested = site.section.iter().rev().fold(json!({&site.name: entry}), |it, key| json!({key: it}));
    let text = serde_json::to_string_pretty(&nested).unwrap_or_default();
    cx.print(&format!("{}\n", escape::text(&text)))?;
    if let Some(take) = take {
        let (moved, target) = (counted(take.moved().len()), take.target.file.display());
        cx.say(&format!("Would move {moved} to {target}\n"));
    }
    cx.say(&format!("Would write this into {}\n", site.path.display()));
    Ok(Exit::Done)
}

fn write(cx: &RunCx, site: &Site, entry: &Value, take: Option<&Take>) -> Result<Exit, AppError> {
    let moved = take.map(Take::moved).unwrap_or_default();
    let (title, path) = (site.client.title(), escape::line(&site.path.display().to_string()).into_owned());
    let Some(text) = connection::prepare(site, entry, &moved)? else {
        cx.say(&format!("{title} was connected already: {path}\n"));
        return Ok(Exit::Done);
    };
    if let Some(take) = take {
        // First there, then no longer here: whatever happens between, no server is lost.
        take.target.take(cx, &take.plan)?;
    }
    connection::connect(site, &text, &*cx.surroundings().store())?;
    if let (Some(take), false) = (take, moved.is_empty()) {
        cx.say(&format!("Moved {} to {}\n", counted(moved.len()), take.target.file.display()));
    }
    cx.say(&format!("Connected {title}: {path}\n  hint: start {title} anew\n"));
    Ok(Exit::Done)
}
