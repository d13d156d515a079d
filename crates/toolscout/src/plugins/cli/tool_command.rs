//! A command per tool, built when it is called by name.

use crate::line::{input_text, read_arguments};
use crate::live_output::LiveOutput;
use crate::progress::watched_call;
use crate::{AfterSetup, AppError, Command, CommandSet, Listing, RunCx, Tools};
use serde_json::{Value, json};
use std::sync::Arc;
use toolscout_core::{
    Arguments, BoxFuture, Diagnostic, DiagnosticKind, ErrorKind, SourceKind, Tool, ToolCall,
    ToolOutput, escape,
};
use toolscout_surface::cli::{CommandSpec, Locale, Parsed, ToolFlags};
use toolscout_surface::codes::Exit;
use toolscout_surface::output::{self, Format};
use toolscout_surface::output::{tool_result, tools};
use toolscout_workspace::{Trust, refuse_quarantined};

/// All tools as commands. Listing them loads none; resolving a name builds one.
pub(super) struct ToolCommands {
    tools: Arc<Tools>,
    locale: Locale,
    /// Nothing may be started, because the run is read-only.
    only_reads: bool,
}

impl ToolCommands {
    pub(super) fn new(cx: &AfterSetup) -> Self {
        Self {
            tools: cx.tools().clone(),
            locale: cx.options().locale(),
            only_reads: cx.options().command.only_reads || cx.options().switch("dry-run"),
        }
    }
}

impl CommandSet for ToolCommands {
    fn find<'a>(
        &'a self,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<Arc<dyn Command>>, AppError>> {
        Box::pin(async move {
            let gateway = self.tools.discovered_gateway().await?;
            let name = &*self.tools.canonical_name(&gateway.full_snapshot(), name);
            let found = if self.only_reads {
                gateway.resolve(name)
            } else {
                gateway.find(name, &self.tools.request()).await
            };
            match found {
                Ok(tool) => {
                    refuse_quarantined(&tool)?;
                    Ok(Some(Arc::new(ToolCommand::new(tool, self.locale)) as Arc<dyn Command>))
                }
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error.into()),
            }
        })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Listing>, AppError>> {
        Box::pin(async {
            let snapshot = self.tools.discovered_gateway().await?.snapshot();
            let listing = |tool: &Arc<Tool>| Listing {
                name: tool.id.name.to_string(),
                about: tools::about(tool),
                group: tool.id.source.to_string(),
            };
            Ok(snapshot.tools().map(listing).collect())
        })
    }
}

/// One tool as a command.
pub(super) struct ToolCommand {
    tool: Arc<Tool>,
    flags: ToolFlags,
}

impl ToolCommand {
    pub(super) fn new(tool: Arc<Tool>, locale: Locale) -> Self {
        let flags = ToolFlags::in_locale(&tool, locale);
        Self { tool, flags }
    }

    /// Warns if the tool is not the one that the user has trusted: agents cannot call it. It runs,
    /// because the user typed it.
    fn warn_if_changed(&self, cx: &RunCx) {
        let provenance = &self.tool.provenance;
        let Some(path) = provenance
            .path
            .as_deref()
            .filter(|_| !provenance.trusted && !cx.options().switch("quiet"))
        else {
            return;
        };
        let trust = Trust::new(cx.environment(), cx.options());
        if path.parent().is_some_and(|folder| trust.covers(folder)) {
            let path = path.display().to_string();
            cx.say(&format!(
                "warning: {}: it is new or has changed since you trusted its folder, so agents cannot call it\n  hint: toolscout trust\n",
                escape::line(&path)
            ));
        }
    }

    /// Calls the tool with the parsed arguments, and prints its result.
    pub(super) async fn call(&self, cx: &RunCx, parsed: &Parsed) -> Result<Exit, AppError> {
        self.flags.diagnostics.iter().for_each(|diagnostic| cx.tools().warn(diagnostic));
        self.warn_if_changed(cx);
        let arguments = self.arguments(cx, parsed).await?;
        let mut call = ToolCall::new(self.tool.id.clone(), arguments);
        call.rest.clone_from(&parsed.rest);
        let gateway = cx.tools().discovered_gateway().await?;
        if cx.options().switch("dry-run") {
            let plan = gateway.plan(&self.tool, call, &cx.request())?;
            return cx.print(&self.plan(&plan)).map(|()| Exit::Done);
        }
        let format =
            if self.flags.wants_json(parsed) { Format::Json } else { cx.options().format() };
        let (mut request, line) = watched_call(cx, &self.tool.id);
        let environment = &cx.workspace().environment;
        let is_live = format == Format::Text
            && environment.out_is_terminal()
            && environment.err_is_terminal()
            && !cx.options().switch("quiet");
        let live = is_live.then(|| LiveOutput::new(environment.clone(), line.clone()));
        request.output = live.as_ref().map(LiveOutput::sink);
        let output = gateway.call_tool(&self.tool, call, request).await;
        drop(line);
        let has_failed = output.as_ref().map_or(true, ToolOutput::is_error);
        let is_shown = live.is_some_and(|live| live.finish(has_failed));
        let output = output?;
        for doubt in output.warnings() {
            cx.tools().warn(&Diagnostic::warning(
                DiagnosticKind::Broken,
                format!("`{}`: {doubt}", self.tool.id),
            ));
        }
        if is_shown && !output.is_error() {
            return Ok(Exit::Done);
        }
        let known = gateway.full_snapshot();
        let is_foreign = known.tool(&self.tool.id).is_some_and(|tool| tool.kind == SourceKind::Mcp);
        show(cx, &output, format, is_foreign)
    }

    async fn arguments(&self, cx: &RunCx, parsed: &Parsed) -> Result<Arguments, AppError> {
        let (flags, parsed, cwd) =
            (self.flags.clone(), parsed.clone(), cx.environment().cwd().to_owned());
        read_arguments(move || flags.arguments_with(&parsed, |from| input_text(from, &cwd))).await
    }

    pub(super) fn wants_help(&self, parsed: &Parsed) -> bool {
        self.flags.wants_help(parsed)
    }

    fn plan(&self, call: &ToolCall) -> String {
        let path = self.tool.provenance.path.as_ref().map(|path| path.display().to_string());
        let mut plan = json!({"tool": self.tool.id.to_string(), "path": path, "arguments": Value::Object(call.arguments.clone())});
        if !call.rest.is_empty() {
            plan["rest"] = call.rest.clone().into();
        }
        output::render(&plan, Format::Json) + "\n"
    }
}

impl Command for ToolCommand {
    fn spec(&self) -> CommandSpec {
        self.flags.spec.clone()
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(self.call(cx, &cx.parsed))
    }
}

/// Prints data to standard output, and the message of a failed tool to standard error unless a data
/// format is selected. Programs receive every byte; on a terminal, output of a remote server is
/// escaped, so that it cannot control the terminal.
fn show(
    cx: &RunCx,
    output: &ToolOutput,
    format: Format,
    is_foreign: bool,
) -> Result<Exit, AppError> {
    let text = match format {
        Format::Text => tool_result::text(output),
        format => tool_result::json(output)
            .map_or_else(|text| text, |value| output::render(&value, format)),
    };
    let text = if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" };
    let is_talk = output.is_error() && format == Format::Text;
    let is_seen = is_talk || cx.environment().out_is_terminal();
    let text = if is_foreign && is_seen { escape::page(&text).into_owned() } else { text };
    if is_talk {
        cx.say(&text);
    } else {
        cx.print(&text)?;
    }
    if let Some(reason) = tool_result::unreadable(output) {
        cx.say(&format!("error: {reason}\n"));
        return Ok(Exit::Failed);
    }
    Ok(if output.is_error() { Exit::Failed } else { Exit::Done })
}
