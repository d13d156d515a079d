//! An operation as a command: reads its input from the command line, runs it, and prints its output.

use crate::line::input_text;
use crate::{AppError, Command, RunCx};
use futures_util::StreamExt;
use serde_json::{Map, Value};
use std::sync::Arc;
use toolscout_core::{BoxFuture, Cx, escape};
use toolscout_surface::cli::{CommandSpec, Locale};
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::{
    BoundOperation, CommandName, Effect, ErrorCode, HostUse, ItemStream, OperationCommand, OperationError,
    OperationOutput, Operations, StreamItem, Text,
};
use toolscout_surface::output::{self, Format};
use toolscout_workspace::servers::PROMPT;

/// A command of an operation.
pub(crate) struct OperationCliCommand {
    operation: Arc<BoundOperation>,
    command: CommandName,
}

impl OperationCliCommand {
    /// The commands of all operations.
    pub(crate) fn all(operations: &Operations) -> Vec<Self> {
        let commands = |operation: &Arc<BoundOperation>| {
            let operation = operation.clone();
            let names = OperationCommand::all(&operation);
            names.into_iter().map(move |command| Self { operation: operation.clone(), command })
        };
        operations.iter().flat_map(commands).collect()
    }

    pub(crate) fn operation(&self) -> &BoundOperation {
        &self.operation
    }

    fn command_line(&self, locale: Locale) -> OperationCommand {
        OperationCommand::new(self.operation.clone(), self.command, locale)
    }
}

impl Command for OperationCliCommand {
    fn spec(&self) -> CommandSpec {
        self.command_line(Locale::English).spec()
    }

    fn name(&self) -> String {
        self.command.name.to_owned()
    }

    fn alias(&self) -> Option<&str> {
        self.command.alias
    }

    fn about(&self) -> String {
        let summary = if self.command.summary.is_empty() { self.operation.spec.summary } else { self.command.summary };
        summary.to_owned()
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let command = self.command_line(cx.options().locale());
            let input = command.input(&cx.parsed, |from| input_text(from, cx.environment().cwd()))?;
            let dry_run = cx.options().switch("dry-run");
            if !dry_run && !self.is_confirmed(cx, &input).await? {
                return Ok(Exit::Done);
            }
            if let Some(exit) = self.forward(cx, &input, dry_run).await? {
                return Ok(exit);
            }
            let request = Cx { dry_run, ..cx.request() };
            if self.operation.is_stream() {
                return self.print_stream(cx, self.operation.open(input, request).await?).await;
            }
            let output = self.operation.invoke(input, request).await?;
            self.print(cx, &output)?;
            output.warnings.iter().for_each(|warning| cx.say(&format!("warning: {}\n", escape::text(warning))));
            output.notes.iter().for_each(|note| cx.say(&format!("note: {}\n", escape::text(note))));
            Ok(output.exit)
        })
    }
}

impl OperationCliCommand {
    /// Runs the operation in the process that keeps the servers of the project; none if it runs here.
    async fn forward(&self, cx: &RunCx, input: &Map<String, Value>, dry_run: bool) -> Result<Option<Exit>, AppError> {
        let spec = &self.operation.spec;
        let host_use = self.command.host.unwrap_or(spec.host);
        // A dry run needs no host: it only describes the change.
        if host_use == HostUse::Never || dry_run {
            return Ok(None);
        }
        let servers = cx.workspace().servers();
        let host = servers.control.as_ref().filter(|control| !control.is_ours());
        let format = cx.options().format();
        let accept = if format == Format::Text { "text/plain" } else { "application/json" };
        let response = match host {
            // A host that hangs must not make a command hang that can run without it.
            Some(host) if host_use == HostUse::Preferred => {
                let run = host.run(&spec.route, input.clone(), accept, |_| ());
                tokio::time::timeout(PROMPT, run).await.ok().and_then(Result::ok)
            }
            Some(host) => host.run(&spec.route, input.clone(), accept, |_| ()).await.ok(),
            None => None,
        };
        let Some(response) = response else {
            return if host_use == HostUse::Required { Err(no_host()) } else { Ok(None) };
        };
        if !response.status.is_success() {
            let error = serde_json::from_slice::<OperationError>(&response.body);
            return Err(error.unwrap_or_else(|_| OperationError::invalid("the host gave no answer")).into());
        }
        let text = String::from_utf8_lossy(&response.body);
        if format != Format::Text {
            let value: Value = serde_json::from_str(&text).unwrap_or_default();
            cx.print_value(&value, format)?;
        } else if spec.effect == Effect::Change {
            cx.say(&escape::page(&text));
        } else {
            cx.print(&text)?;
        }
        Ok(Some(response.exit.map_or(Exit::Done, Exit::of_code)))
    }
}

impl OperationCliCommand {
    /// Whether the person at the terminal wants the change; true if it needs no confirmation. A dry run tells what to confirm.
    async fn is_confirmed(&self, cx: &RunCx, input: &Map<String, Value>) -> Result<bool, AppError> {
        if !self.operation.spec.confirm || cx.parsed.switch("yes") {
            return Ok(true);
        }
        let preview = self.operation.invoke(input.clone(), Cx { dry_run: true, ..cx.request() }).await?;
        let Some(would) = preview.would else { return Ok(true) };
        // A program that reads JSON is no person.
        let is_person = cx.options().format() == Format::Text;
        if is_person && cx.environment().ask(&format!("Do you want to {would}?")).await {
            return Ok(true);
        }
        cx.say(&escape::page(&format!("Would {would}\n  hint: --yes does it\n")));
        Ok(false)
    }

    fn print(&self, cx: &RunCx, output: &OperationOutput) -> Result<(), AppError> {
        match cx.options().format() {
            Format::Text if !output.is_data => {
                cx.say(&escape::page(&output.text(&self.text_style(cx))));
                Ok(())
            }
            Format::Text => cx.print(&output.text(&self.text_style(cx))),
            Format::Json => cx.environment().write(|out| {
                output.write_json(out)?;
                out.write_all(b"\n")
            }),
            format => {
                let mut json = Vec::new();
                output.write_json(&mut json).map_err(AppError::io("write", "the output"))?;
                let value = serde_json::from_slice(&json).unwrap_or_default();
                cx.print(&(output::render(&value, format) + "\n"))
            }
        }
    }

    /// Prints a line for each item, as it comes.
    async fn print_stream(&self, cx: &RunCx, mut items: ItemStream<StreamItem>) -> Result<Exit, AppError> {
        let (is_text, style) = (cx.options().format() == Format::Text, self.text_style(cx));
        while let Some(item) = items.next().await {
            let item = item?;
            let line = if is_text { item.text(&style) } else { item.to_json_line() };
            cx.print(&line)?;
        }
        Ok(Exit::Done)
    }

    fn text_style(&self, cx: &RunCx) -> Text {
        Text { command: self.command.name, ..cx.text_style() }
    }
}

fn no_host() -> AppError {
    let error = OperationError::new(ErrorCode::SourceUnavailable, "No server is running.");
    let hint = "Start one with `toolscout serve` or `toolscout server host`; or just call a tool: its server starts for the call.";
    error.hint(hint).into()
}
