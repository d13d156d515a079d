//! `import`: shows what other programs have configured, and takes it over where a person says so.

use super::{client_folders, counted, page};
use crate::{AppError, Command, RunCx};
use toolscout_config::import::{self, CLIENTS, ImportPlan, ImportPlanView, ImportRequest, OwnProgram, SecretHandling};
use toolscout_config::{Config, ConfigScope};
use toolscout_core::{BoxFuture, SourceId, escape};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::output::Format;
use toolscout_workspace::config;

pub(super) struct ImportCommand;

impl Command for ImportCommand {
    fn spec(&self) -> CommandSpec {
        let names = CLIENTS.iter().map(|it| it.name);
        CommandSpec::new("import", "Take over servers that other programs have configured")
            .positional(PositionalSpec::new("CLIENT", "Whose; of all programs if left out").many().choices(names))
            .option(OptionSpec::text("file", "Take them from this file instead").value("FILE"))
            .option(OptionSpec::switch("global", "Into your own configuration instead of the project's"))
            .option(OptionSpec::switch("yes", "Do it without asking").short('y'))
            .option(OptionSpec::text("only", "Only this server; NAME=ID gives it another id").value("NAME").repeat())
            .option(
                OptionSpec::text("secrets", "What stands for a secret: a variable, or a file of its own")
                    .value("HOW")
                    .choices(["env", "file"])
                    .default("env"),
            )
            .option(OptionSpec::switch("keep-secrets", "Write secrets out as they are").conflicts("secrets"))
            .option(OptionSpec::help("Show this help"))
            .note("Shows first what it would take, and no secret. The servers it took are asked for their tools in the background.")
            .example("toolscout import")
            .example("toolscout import cursor --yes")
            .example("toolscout import --file servers.json --only github=gh")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let config = cx.workspace().config();
            let plan = plan(cx, &config)?;
            if cx.options().switch("verbose") {
                plan.missing.iter().for_each(|it| cx.say(&format!("nothing at {}\n", shown(it))));
            }
            let format = cx.options().format();
            if format == Format::Text {
                cx.print(&page(&plan))?;
            }
            let is_written = settle(cx, &plan).await?;
            if format != Format::Text {
                cx.print_value(&ImportPlanView::new(&plan, is_written), format)?;
            }
            if plan.files.is_empty() {
                cx.say(
                    "No configuration of another program was found.\n  hint: --verbose names the files looked for\n",
                );
            }
            Ok(Exit::Done)
        })
    }
}

fn plan(cx: &RunCx, config: &Config) -> Result<ImportPlan, AppError> {
    let clients: Vec<_> = cx.parsed.positionals.iter().filter_map(|it| import::named(it)).collect();
    let file = cx.parsed.text("file").map(|it| cx.environment().cwd().join(it));
    if file.is_some() && !clients.is_empty() {
        return Err(AppError::invalid("give clients or --file, not both", "toolscout import --file FILE"));
    }
    let secrets = match (cx.parsed.switch("keep-secrets"), cx.parsed.text("secrets")) {
        (true, _) => SecretHandling::Keep,
        (false, Some("file")) => SecretHandling::files(config)?,
        _ => SecretHandling::Variables,
    };
    let request = ImportRequest {
        clients,
        file: file.as_deref(),
        only: cx.parsed.texts("only").iter().map(|it| it.parse()).collect::<Result<_, _>>()?,
        scope: if cx.parsed.switch("global") { ConfigScope::User } else { ConfigScope::Project },
        secrets,
        folders: &client_folders(cx, config),
        own: &OwnProgram::running(cx.program()),
    };
    Ok(import::plan(request, config)?)
}

/// Writes, if there is something to write and a person wants it; says whether it did.
async fn settle(cx: &RunCx, plan: &ImportPlan) -> Result<bool, AppError> {
    let count = plan.additions().count();
    let file = shown(&plan.target.file);
    if count == 0 {
        if plan.servers().next().is_some() {
            cx.say("Nothing to add.\n");
        }
        return Ok(false);
    }
    let is_wanted = match (cx.options().switch("dry-run"), cx.parsed.switch("yes"), cx.options().format()) {
        (true, ..) => false,
        (_, true, _) => true,
        // Who reads JSON is no person.
        (.., Format::Text) => cx.environment().ask(&format!("Add {} to {file}?", counted(count))).await,
        _ => false,
    };
    if !is_wanted {
        cx.say(&format!("Would add {} to {file}\n  hint: --yes does it\n", counted(count)));
        return Ok(false);
    }
    has_added_all(cx, &import::apply(plan, &config::editor(cx.environment()))?)?;
    cx.say(&format!("Added {} to {file}\n", counted(count)));
    ask_later(cx, plan).await?;
    Ok(true)
}

/// Has those that may be asked for their tools asked, as if they had been added one by one.
async fn ask_later(cx: &RunCx, plan: &ImportPlan) -> Result<(), AppError> {
    // Only now is it written down who has added them.
    cx.workspace().reload()?;
    let set = cx.workspace().servers();
    let is_asked = |id: &SourceId| set.sources.iter().any(|it| it.server().id == *id && it.may_start());
    let ids: Vec<_> = plan.additions().map(|(id, _)| id.clone()).filter(is_asked).collect();
    if ids.is_empty() {
        return Ok(());
    }
    cx.workspace().discover_in_another_process(&ids).await?;
    cx.say("They are asked for their tools in the background.\n  hint: toolscout server list\n");
    Ok(())
}

fn shown(path: &std::path::Path) -> String {
    escape::line(&path.display().to_string()).into_owned()
}

/// Records that the user added these servers, whatever else is in the project.
pub(crate) fn has_added_all(cx: &RunCx, ids: &[SourceId]) -> Result<(), AppError> {
    if ids.is_empty() {
        return Ok(());
    }
    cx.workspace().reload()?;
    let set = cx.workspace().servers();
    ids.iter().try_for_each(|id| {
        set.record_added(id, true)?;
        cx.request().decided("server", id, "added");
        Ok(())
    })
}
