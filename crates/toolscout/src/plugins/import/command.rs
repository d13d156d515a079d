//! `import`: shows what other programs have configured, and takes it over where a person says so.

use super::plan::{Choice, Only, Plan};
use super::view::PlanView;
use super::{CLIENTS, Homes, Looking, Ourselves, Target, Treatment, counted, named, page};
use crate::plugins::discovery::Place;
use crate::plugins::servers::{ServerSet, background};
use crate::{AppError, Command, RunCx};
use toolscout_core::{BoxFuture, ErrorKind, SourceId, escape};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::output::Format;

pub(super) struct ImportCommand;

impl Command for ImportCommand {
    fn spec(&self) -> CommandSpec {
        let names = CLIENTS.map(|it| it.name());
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
            let looking = look(cx)?;
            if cx.options().switch("verbose") {
                looking.missing.iter().for_each(|it| cx.say(&format!("nothing at {}\n", shown(it))));
            }
            let target = Target::of(cx, cx.parsed.switch("global"))?;
            let choice = choice(cx, &target)?;
            let is_nothing_there = looking.files.is_empty();
            let plan = Plan::of(looking, &target.known(cx)?, &choice);
            missed(&plan, &choice)?;
            let format = cx.options().format();
            if format == Format::Text {
                cx.print(&page(&plan))?;
            }
            let is_written = settle(cx, &plan, &target).await?;
            if format != Format::Text {
                cx.print_value(&PlanView::new(&plan, &target.file, is_written), format)?;
            }
            if is_nothing_there {
                cx.say(
                    "No configuration of another program was found.\n  hint: --verbose names the files looked for\n",
                );
            }
            Ok(Exit::Done)
        })
    }
}

fn look(cx: &RunCx) -> Result<Looking, AppError> {
    let place = Place::of(cx.options(), cx.surroundings())?;
    let homes = Homes::of(cx.surroundings(), place.project());
    let clients = &cx.parsed.positionals;
    let Some(file) = cx.parsed.text("file") else {
        let wanted: Vec<_> = match clients.is_empty() {
            true => CLIENTS.to_vec(),
            false => clients.iter().filter_map(|it| named(it)).collect(),
        };
        return Ok(Looking::at(&wanted, &homes, None));
    };
    if !clients.is_empty() {
        return Err(AppError::invalid("give clients or --file, not both", "toolscout import --file FILE"));
    }
    let file = cx.surroundings().cwd().join(file);
    Looking::at_file(&file, &homes).map_err(|reason| {
        let message = format!("`{}` cannot be imported: {reason}", file.display());
        AppError::invalid(
            message,
            "give a file that has `mcpServers`, `servers`, `mcp`, `context_servers` or `mcp_servers`",
        )
    })
}

fn choice(cx: &RunCx, target: &Target) -> Result<Choice, AppError> {
    let treatment = match (cx.parsed.switch("keep-secrets"), cx.parsed.text("secrets")) {
        (true, _) => Treatment::Keep,
        (false, Some("file")) => Treatment::files(cx)?,
        _ => Treatment::Variables,
    };
    let only = cx.parsed.texts("only").iter().map(|it| Only::parse(it)).collect::<Result<_, _>>()?;
    Ok(Choice { only, treatment, project: target.project.clone(), base: target.base.clone(), us: Ourselves::of(cx) })
}

impl Only {
    /// `NAME` or `NAME=ID`.
    fn parse(text: &str) -> Result<Self, AppError> {
        let Some((name, id)) = text.split_once('=') else { return Ok(Self { name: text.to_owned(), id: None }) };
        let id = SourceId::new(id)
            .map_err(|it| AppError::invalid(it.to_string(), format!("--only '{name}={}'", it.nearest)))?;
        Ok(Self { name: name.to_owned(), id: Some(id) })
    }
}

impl Treatment {
    /// Files in the person's own configuration folder.
    pub(crate) fn files(cx: &RunCx) -> Result<Self, AppError> {
        let folder = cx.surroundings().config_dir().map(|it| it.join("secrets"));
        folder.map(Self::Files).ok_or_else(super::target::no_home)
    }
}

/// Who asks for a server by name wants to know that it is not there.
fn missed(plan: &Plan, choice: &Choice) -> Result<(), AppError> {
    let is_there = |only: &Only| {
        plan.servers().any(|it| it.name == only.name || super::plan::nearest(&it.name).as_str() == only.name)
    };
    let Some(only) = choice.only.iter().find(|it| !is_there(it)) else { return Ok(()) };
    Err(AppError::Said {
        kind: ErrorKind::NotFound,
        message: format!("no server `{}` was found to import", escape::line(&only.name)),
        hint: Some("toolscout import".to_owned()),
    })
}

/// Writes, if there is something to write and a person wants it; says whether it did.
async fn settle(cx: &RunCx, plan: &Plan, target: &Target) -> Result<bool, AppError> {
    let count = plan.additions().count();
    let file = shown(&target.file);
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
        (.., Format::Text) => cx.surroundings().ask(&format!("Add {} to {file}?", counted(count))).await,
        _ => false,
    };
    if !is_wanted {
        cx.say(&format!("Would add {} to {file}\n  hint: --yes does it\n", counted(count)));
        return Ok(false);
    }
    target.take(cx, plan)?;
    cx.say(&format!("Added {} to {file}\n", counted(count)));
    ask_later(cx, plan).await?;
    Ok(true)
}

/// Has those that may be asked for their tools asked, as if they had been added one by one.
async fn ask_later(cx: &RunCx, plan: &Plan) -> Result<(), AppError> {
    // Only now is it written down who has added them.
    let set = ServerSet::again(cx.options(), cx.surroundings())?;
    let is_asked = |id: &SourceId| set.sources.iter().any(|it| it.server().id == *id && it.may_start());
    let ids: Vec<_> = plan.additions().map(|(id, _)| id.clone()).filter(is_asked).collect();
    if ids.is_empty() {
        return Ok(());
    }
    background::discover(cx, &ids).await?;
    cx.say("They are asked for their tools in the background.\n  hint: toolscout server list\n");
    Ok(())
}

fn shown(path: &std::path::Path) -> String {
    escape::line(&path.display().to_string()).into_owned()
}
