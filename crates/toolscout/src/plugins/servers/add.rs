//! `server add`: writes a server into the configuration, and has it asked for its tools.

use super::{ServerSet, approve, background, person};
use crate::config::edit::Editor;
use crate::config::{Config, Entry};
use crate::error::login;
use crate::{AppError, Command, RunCx};
use std::collections::BTreeMap;
use std::path::Path;
use toolscout_config::import::hidden;
use toolscout_core::{BoxFuture, ErrorKind, SourceId, redact};
use toolscout_mcp_client::Text;
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;
use toolscout_surface::output::Format;

pub(super) struct AddCommand;

impl Command for AddCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("server add", "Add a server: a program after `--`, or an address on the web")
            .positional(PositionalSpec::new("ID", "What to call it").required())
            .positional(PositionalSpec::new("URL", "Its address, if it is on the web"))
            .option(
                OptionSpec::text("env", "A variable it sees; best a reference such as env:NAME")
                    .value("NAME=VALUE")
                    .repeat(),
            )
            .option(OptionSpec::text("header", "A header sent to it").value("NAME: VALUE").repeat())
            .option(OptionSpec::text("bearer", "A token sent to it; best a reference such as env:NAME").value("TOKEN"))
            .option(OptionSpec::text("cwd", "Where its program starts").value("DIR"))
            .option(OptionSpec::switch("sse", "It speaks the old transport, an event stream"))
            .option(OptionSpec::switch("global", "Add it for all projects, to your own configuration"))
            .option(OptionSpec::switch("untrusted", "Let each of its tools wait for a review"))
            .option(OptionSpec::switch("replace", "Put it in the place of one of the same name"))
            .option(OptionSpec::switch("wait", "Wait until it has said what tools it has"))
            .option(OptionSpec::help("Show this help"))
            .note(
                "Returns at once; the server is asked for its tools in the background. The entry stays if that fails.",
            )
            .example("toolscout server add files -- npx -y @modelcontextprotocol/server-filesystem .")
            .example("toolscout server add github https://api.githubcopilot.com/mcp/ --bearer env:GITHUB_TOKEN --wait")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let id = new_id(&cx.parsed.positionals[0])?;
            let entry = entry(cx)?;
            let config = Config::of(cx.options(), cx.surroundings())?;
            let file = Editor::own_file(&config, cx.surroundings(), cx.parsed.switch("global"))?;
            if let (Some(there), false) = (config.server(id.as_str()), cx.parsed.switch("replace")) {
                return Err(taken(&id, &there.file));
            }
            if cx.options().switch("dry-run") {
                return cx.print_value(&hidden(entry), Format::Json).map(|()| Exit::Done);
            }
            warn_of_secrets(cx, &entry, &file);
            Editor::of(cx.surroundings()).put_server(&file, &id, &entry, cx.parsed.switch("replace"))?;
            let set = ServerSet::again(cx.options(), cx.surroundings())?;
            person::has_added(&set, &id, !cx.parsed.switch("untrusted"))?;
            cx.request().decided("server", &id, "added");
            cx.say(&format!("Added {id} to {}\n", file.display()));
            match cx.parsed.switch("wait") {
                true => wait(cx, &id).await,
                false => later(cx, &id).await,
            }
        })
    }
}

/// The id, which must be valid and nobody else's.
fn new_id(text: &str) -> Result<SourceId, AppError> {
    let id = SourceId::new(text)
        .map_err(|it| AppError::invalid(it.to_string(), format!("toolscout server add {} …", it.nearest)))?;
    match SourceId::RESERVED.contains(&id.as_str()) {
        true => Err(AppError::invalid(format!("`{id}` is a name that toolscout itself gives"), "choose another one")),
        false => Ok(id),
    }
}

fn entry(cx: &RunCx) -> Result<Entry, AppError> {
    let parsed = &cx.parsed;
    let url = parsed.positionals.get(1).cloned();
    let usage = "toolscout server add ID -- COMMAND ARGS…, or toolscout server add ID URL";
    let mut words = parsed.rest.iter().cloned();
    let command = words.next();
    match (&command, &url) {
        (None, None) => return Err(AppError::invalid("nothing says what to start or to reach", usage)),
        (Some(_), Some(_)) => {
            return Err(AppError::invalid("a server is either a program or an address, not both", usage));
        }
        (None, Some(url)) if !url.starts_with("http://") && !url.starts_with("https://") => {
            return Err(AppError::invalid(format!("`{}` is no address", toolscout_core::escape::line(url)), usage));
        }
        _ => {}
    }
    let of_program = [("env", !parsed.texts("env").is_empty()), ("cwd", parsed.text("cwd").is_some())];
    let of_address = [
        ("header", !parsed.texts("header").is_empty()),
        ("bearer", parsed.text("bearer").is_some()),
        ("sse", parsed.switch("sse")),
    ];
    let (foreign, what) = if url.is_some() { (&of_program[..], "a program") } else { (&of_address[..], "an address") };
    if let Some((name, _)) = foreign.iter().find(|(_, given)| *given) {
        return Err(AppError::invalid(format!("--{name} is for {what}"), usage));
    }
    Ok(Entry {
        command,
        args: words.collect(),
        env: pairs(parsed.texts("env"), "env", '=')?,
        cwd: parsed.text("cwd").map(str::to_owned),
        url,
        kind: parsed.switch("sse").then(|| "sse".to_owned()),
        headers: pairs(parsed.texts("header"), "header", ':')?,
        bearer: parsed.text("bearer").map(str::to_owned),
        trust: parsed.switch("untrusted").then_some(false),
        ..Entry::default()
    })
}

fn pairs(given: &[String], option: &str, separator: char) -> Result<BTreeMap<String, String>, AppError> {
    let pair = |text: &String| {
        let (name, value) =
            text.split_once(separator).filter(|(name, _)| !name.trim().is_empty()).ok_or_else(|| {
                AppError::invalid(
                    format!("--{option} takes a name, `{separator}` and a value"),
                    format!("--{option} 'NAME{separator}VALUE'"),
                )
            })?;
        Ok((name.trim().to_owned(), value.trim_start().to_owned()))
    };
    given.iter().map(pair).collect()
}

/// A secret that is written into a file stays there, and goes wherever the file goes.
fn warn_of_secrets(cx: &RunCx, entry: &Entry, file: &Path) {
    let is_plain = |value: &str| !Text::new(value, None).is_reference() && !value.is_empty();
    let named =
        entry.env.iter().chain(&entry.headers).filter(|(name, value)| redact::names_a_secret(name) && is_plain(value));
    let names =
        named.map(|(name, _)| name.as_str()).chain(entry.bearer.as_deref().filter(|it| is_plain(it)).map(|_| "bearer"));
    for name in names {
        cx.say(&format!(
            "warning: the value of `{name}` is now in {}\n  hint: give a reference instead: env:NAME, file:PATH or keyring:NAME\n",
            file.display()
        ));
    }
}

async fn wait(cx: &RunCx, id: &SourceId) -> Result<Exit, AppError> {
    // Only now is it written down who has added it.
    let set = ServerSet::again(cx.options(), cx.surroundings())?;
    let source = set.source(id.as_str())?;
    match source.refresh(&cx.request()).await {
        Ok(found) => {
            let tools = counted(found.tools, "tool");
            cx.print(&format!("{id}: {tools} ({:.1} s)\n", found.took.as_secs_f64()))?;
            approve::first_sight(cx, &set).await.map(|()| Exit::Done)
        }
        Err(error) => Err(AppError::Said {
            kind: ErrorKind::Unavailable,
            message: format!("Tool discovery failed: {}", redact::text(&error.to_string())),
            hint: Some(match login(&error) {
                Some(login) => format!("the entry stays; log in with: {login}, then: toolscout server refresh {id}"),
                None => format!("the entry stays; mend it, then: toolscout server refresh {id}"),
            }),
        }),
    }
}

async fn later(cx: &RunCx, id: &SourceId) -> Result<Exit, AppError> {
    background::discover(cx, std::slice::from_ref(id)).await?;
    cx.say("It is asked for its tools in the background.\n  hint: toolscout server list\n");
    Ok(Exit::Done)
}

fn taken(id: &SourceId, file: &Path) -> AppError {
    AppError::invalid(
        format!("there is a server `{id}` already, in {}", file.display()),
        "choose another name, or replace it with --replace",
    )
}
