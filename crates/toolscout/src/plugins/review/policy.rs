//! `policy`: what may be done with each tool, who said so, and how to say something else.

use crate::config::Config;
use crate::config::edit::Editor;
use crate::{AppError, Command, RunCx};
use serde::Serialize;
use std::future;
use std::path::Path;
use std::sync::Arc;
use toolscout_core::door::Policy;
use toolscout_core::{BoxFuture, ErrorKind, SourceId, Tool, ToolId, escape};
use toolscout_gateway::Gateway;
use toolscout_gateway::policy::{LevelName, PolicyUpdate};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;
use toolscout_surface::output::Format;

const USAGE: &str = "toolscout policy SOURCE/TOOL allow|ask|deny|disable";

pub(super) struct PolicyCommand;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PolicyView {
    tool: String,
    policy: &'static str,
    because: String,
    /// What the project may choose, given what its parents say.
    allowed: Vec<&'static str>,
}

impl Command for PolicyCommand {
    fn spec(&self) -> CommandSpec {
        let words = Policy::ALL.map(Policy::word);
        CommandSpec::new("policy", "Show or set what may be done with tools")
            .positional(PositionalSpec::new("TOOL", "A tool, SOURCE/* for all of a source, or * for everything"))
            .positional(PositionalSpec::new("POLICY", "What holds from now on").choices(words))
            .option(OptionSpec::switch("unset", "Take back what was set"))
            .option(OptionSpec::switch("global", "In your own configuration instead of the project's"))
            .option(OptionSpec::help("Show this help"))
            .note("The tightest of what your own configuration, the project and the session say holds. Setting a policy asks no server anything.")
            .example("toolscout policy")
            .example("toolscout policy files/write_file ask")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let gateway = cx.tools().known_quietly().await?;
            let positionals = &cx.parsed.positionals;
            match (positionals.first(), positionals.get(1), cx.parsed.switch("unset")) {
                (Some(pattern), Some(word), false) => set(cx, gateway, pattern, Policy::from_word(word)).await,
                (Some(pattern), None, true) => set(cx, gateway, pattern, None).await,
                (Some(_), Some(_), true) => {
                    Err(AppError::invalid("--unset takes no policy", "toolscout policy TOOL --unset"))
                }
                (None, _, true) => {
                    Err(AppError::invalid("--unset needs to know which tool", "toolscout policy TOOL --unset"))
                }
                (only, _, false) => show(cx, gateway, only.map(String::as_str)),
            }
        })
    }
}

fn show(cx: &RunCx, gateway: &Gateway, only: Option<&str>) -> Result<Exit, AppError> {
    let snapshot = gateway.whole_snapshot();
    let policies = gateway.policies();
    let named = only.and_then(|it| snapshot.resolve(it).ok()).map(|it| &it.id);
    let source = only.map(|it| it.strip_suffix("/*").unwrap_or(it));
    let is_wanted = |id: &ToolId| only.is_none() || Some(id.source.as_str()) == source || Some(id) == named;
    let view = |tool: &Arc<Tool>| {
        let decision = policies.effective(tool);
        let allowed = policies.allowed_values(LevelName::Project, &tool.id).into_iter().map(Policy::word).collect();
        PolicyView { tool: tool.id.to_string(), policy: decision.policy.word(), because: decision.because, allowed }
    };
    let views: Vec<_> = snapshot.tools().filter(|it| is_wanted(&it.id)).map(view).collect();
    if let (Some(only), true) = (only, views.is_empty()) {
        let message = format!("`{}` is neither a tool nor a source that is known", escape::line(only));
        let hint = Some("`toolscout tools list` shows the names".to_owned());
        return Err(AppError::Said { kind: ErrorKind::NotFound, message, hint });
    }
    gateway.dangling().iter().for_each(|it| cx.tools().warn(&it.problem()));
    match cx.options().format() {
        Format::Text => {
            let line = |it: &PolicyView| {
                format!("  {:<8} {} ({})\n", it.policy, escape::line(&it.tool), escape::line(&it.because))
            };
            cx.print(&views.iter().map(line).collect::<String>())?;
        }
        format => cx.print_value(&views, format)?,
    }
    Ok(Exit::Done)
}

async fn set(cx: &RunCx, gateway: &Gateway, pattern: &str, policy: Option<Policy>) -> Result<Exit, AppError> {
    let pattern = target(gateway, pattern)?;
    let config = Config::of(cx.options(), cx.surroundings())?;
    let is_global = cx.parsed.switch("global");
    let file = Editor::own_file(&config, cx.surroundings(), is_global)?;
    let (name, file_name) = (escape::line(&pattern).into_owned(), file.display());
    let level = if is_global { LevelName::Global } else { LevelName::Project };
    let update = PolicyUpdate { level, pattern: pattern.clone(), policy };
    gateway.policies().check(&update)?;
    let verb = policy.map_or(format!("unset {name}"), |it| format!("set {name} to {}", it.word()));
    if cx.only_would(&format!("{verb}, in {file_name}")) {
        return Ok(Exit::Done);
    }
    let write = |update| future::ready(write_policy(&Editor::of(cx.surroundings()), &file, &update));
    gateway.set_policy(update, &cx.request(), write).await?;
    let said = policy.map_or("no longer set".to_owned(), |it| format!("set to {}", it.word()));
    cx.say(&format!("{name} is {said}, in {file_name}\n"));
    if let Some(policy) = policy {
        say_what_is_tighter(cx, gateway, &pattern, policy)?;
    }
    Ok(Exit::Done)
}

/// Writes a policy into a file: a rule for `*` into `[policies]`, others beside the server's entry if the file has it.
pub(crate) fn write_policy(editor: &Editor, file: &Path, update: &PolicyUpdate) -> Result<(), AppError> {
    // The gateway has checked what the levels above allow.
    Ok(editor.set_policy(file, &update.pattern, update.policy, &Policy::ALL)?)
}

/// Somebody else may say something tighter about the same tools, and that holds.
fn say_what_is_tighter(cx: &RunCx, gateway: &Gateway, pattern: &str, wanted: Policy) -> Result<(), AppError> {
    super::renew_policies(cx)?;
    let snapshot = gateway.whole_snapshot();
    let (source, tool) = pattern.split_once('/').unwrap_or((pattern, "*"));
    let is_meant =
        |id: &ToolId| (source == "*" || id.source.as_str() == source) && (tool == "*" || id.name.as_str() == tool);
    let meant = snapshot.tools().filter(|it| is_meant(&it.id));
    let tighter: Vec<_> = meant.map(|it| (it, gateway.decision(it))).filter(|(_, it)| it.policy > wanted).collect();
    match &tighter[..] {
        [] => {}
        [(tool, decision)] => {
            let (id, word) = (tool.id.to_string(), decision.policy.word());
            cx.say(&format!("  note: {} stays {word}, {}\n", escape::line(&id), escape::line(&decision.because)));
        }
        several => {
            cx.say(&format!("  note: {} stay tighter: toolscout policy {source}\n", counted(several.len(), "tool")))
        }
    }
    Ok(())
}

/// The pattern that is meant: `*`, all of a source, or one tool. A tool that is not known yet may be named in full.
fn target(gateway: &Gateway, pattern: &str) -> Result<String, AppError> {
    if pattern == "*" || pattern.ends_with("/*") {
        return Ok(pattern.to_owned());
    }
    if let Ok(tool) = gateway.whole_snapshot().resolve(pattern) {
        return Ok(tool.id.to_string());
    }
    let unknown = || AppError::invalid(format!("`{}` is no tool that is known", escape::line(pattern)), USAGE);
    let (source, _) = pattern.split_once('/').ok_or_else(unknown)?;
    SourceId::new(source).map_err(|it| AppError::invalid(it.to_string(), USAGE))?;
    Ok(pattern.to_owned())
}
