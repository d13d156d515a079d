//! An operation as a command: reads its input from the command line, runs it, and prints its
//! output.

use crate::line::{input_text, read_arguments};
use crate::progress::watched_operation;
use crate::{AppError, Command, RunCx};
use futures_util::StreamExt;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use toolscout_core::{BoxFuture, Cx, escape};
use toolscout_surface::cli::{CommandSpec, Locale};
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::{
    BoundOperation, CommandName, Confirm, Effect, ErrorCode, HostUse, ItemStream, OperationCommand,
    OperationError, OperationOutput, Operations, StreamItem,
};
use toolscout_surface::output::{self, Format};
use toolscout_workspace::CommandTraits;
use toolscout_workspace::servers::PROMPT_TIMEOUT;

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
        let summary = if self.command.summary.is_empty() {
            self.operation.spec.summary
        } else {
            self.command.summary
        };
        summary.to_owned()
    }

    fn traits(&self) -> CommandTraits {
        let unavailable_servers = self.operation.spec.unavailable_servers;
        CommandTraits { unavailable_servers, ..CommandTraits::default() }
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let command = Arc::new(self.command_line(cx.options().locale()));
            let (line, parsed, cwd) =
                (command.clone(), cx.parsed.clone(), cx.environment().cwd().to_owned());
            let read = move || line.input(&parsed, |from| input_text(from, &cwd));
            let input = read_arguments(read).await?;
            let mut input = read_files(&command, input, cx).await?;
            let dry_run = cx.options().switch("dry-run");
            if let Some(name) = command.secret() {
                input.insert(name.to_owned(), read_secret(cx).await?.into());
            }
            // Before it is forwarded: the host does not see which process has asked.
            self.operation.check_access(&cx.request())?;
            // The text that the user confirmed. A result that is data is more than that.
            let mut shown = None;
            if !dry_run {
                match self.confirm(cx, &input).await? {
                    Confirmation::NotNeeded => {}
                    Confirmation::Given { is_data } => shown = Some(is_data),
                    Confirmation::Missing(exit) => return Ok(exit),
                }
            }
            let (request, line) = watched_operation(cx, self.command.name);
            if let Some(exit) = self.forward(cx, &input, dry_run).await? {
                return Ok(exit);
            }
            if self.operation.is_stream() {
                drop((request, line));
                let request = Cx { dry_run, ..cx.request() };
                return self.print_stream(cx, self.operation.open(input, request).await?).await;
            }
            let output = self.operation.invoke(input, Cx { dry_run, ..request }).await?;
            drop(line);
            let is_shown = shown.is_some_and(|was_data| was_data || !output.is_data);
            self.print(cx, &output, is_shown)
        })
    }
}

impl OperationCliCommand {
    /// Runs the operation in the host process that runs the servers of the project; `None` if it
    /// must run here.
    async fn forward(
        &self,
        cx: &RunCx,
        input: &Map<String, Value>,
        dry_run: bool,
    ) -> Result<Option<Exit>, AppError> {
        let spec = &self.operation.spec;
        let host_use = self.command.host.unwrap_or(spec.host);
        // A dry run needs no host: it only describes the change.
        if host_use == HostUse::Never || dry_run {
            return Ok(None);
        }
        let servers = cx.workspace().servers();
        let format = cx.options().format();
        let accept = if format == Format::Text { "text/plain" } else { "application/json" };
        let response = match &servers.control {
            // A host that hangs must not block a command that can run without it.
            Some(host) if host_use == HostUse::Preferred => {
                let run = host.run(&spec.route, input.clone(), accept, |_| ());
                tokio::time::timeout(PROMPT_TIMEOUT, run).await.ok().and_then(Result::ok)
            }
            Some(host) => host.run(&spec.route, input.clone(), accept, |_| ()).await.ok(),
            None => None,
        };
        let Some(response) = response else {
            return if host_use == HostUse::Required { Err(no_host()) } else { Ok(None) };
        };
        if !response.status.is_success() {
            let error = serde_json::from_slice::<OperationError>(&response.body);
            return Err(error
                .unwrap_or_else(|_| {
                    OperationError::invalid("the host returned an invalid response")
                })
                .into());
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
        Ok(Some(response.exit.map_or(Exit::Done, Exit::from_code)))
    }
}

/// Whether the user at the terminal confirmed the change.
enum Confirmation {
    NotNeeded,
    /// Confirmed; the output of the dry run is already shown.
    Given {
        /// Whether that was data.
        is_data: bool,
    },
    /// Not confirmed; the command ends with this exit code.
    Missing(Exit),
}

impl OperationCliCommand {
    /// Prompts for a confirmation, if the operation needs one. A dry run shows the change first.
    async fn confirm(
        &self,
        cx: &RunCx,
        input: &Map<String, Value>,
    ) -> Result<Confirmation, AppError> {
        let is_interactive = cx.environment().is_interactive();
        // A client that reads JSON cannot confirm at the terminal.
        let (asks, can_ask) = match self.operation.spec.confirm {
            Confirm::Never => (false, false),
            Confirm::Always => {
                (!cx.parsed.switch("yes"), is_interactive && cx.options().format() == Format::Text)
            }
            Confirm::AtTerminal => (is_interactive, is_interactive),
        };
        if !asks {
            return Ok(Confirmation::NotNeeded);
        }
        let preview =
            self.operation.invoke(input.clone(), Cx { dry_run: true, ..cx.request() }).await?;
        let Some(planned) = preview.planned.as_ref().filter(|_| can_ask) else {
            // Nothing would change, or there is no terminal for the prompt.
            return self.print(cx, &preview, false).map(Confirmation::Missing);
        };
        if self.operation.spec.confirm == Confirm::AtTerminal && !preview.has_value() {
            return Ok(Confirmation::NotNeeded);
        }
        self.print_data(cx, &preview)?;
        if cx.environment().confirm(&format!("Do you want to {}?", planned.summary)).await {
            return Ok(Confirmation::Given { is_data: preview.is_data });
        }
        cx.say("Nothing changed.\n");
        Ok(Confirmation::Missing(Exit::Done))
    }

    /// Prints the output; skips the data if it is already shown.
    fn print(
        &self,
        cx: &RunCx,
        output: &OperationOutput,
        is_shown: bool,
    ) -> Result<Exit, AppError> {
        match cx.options().format() {
            Format::Text if is_shown => {}
            Format::Text => self.print_data(cx, output)?,
            Format::Json => cx.environment().write(|out| {
                output.write_json(out)?;
                out.write_all(b"\n")
            })?,
            format => {
                let mut json = Vec::new();
                output.write_json(&mut json).map_err(AppError::io("write", "the output"))?;
                let value = serde_json::from_slice(&json).unwrap_or_default();
                cx.print(&(output::render(&value, format) + "\n"))?;
            }
        }
        cx.say(&escape::page(&self.message(cx, output)));
        output
            .warnings
            .iter()
            .for_each(|warning| cx.say(&format!("warning: {}\n", escape::text(warning))));
        output.notes.iter().for_each(|note| cx.say(&format!("note: {}\n", escape::text(note))));
        Ok(output.exit)
    }

    fn print_data(&self, cx: &RunCx, output: &OperationOutput) -> Result<(), AppError> {
        let text = output.data(&cx.text_style());
        if output.is_data {
            return cx.print(&text);
        }
        cx.say(&escape::page(&text));
        Ok(())
    }

    /// The message; for a dry run it adds the option that confirms.
    fn message(&self, cx: &RunCx, output: &OperationOutput) -> String {
        let needs_yes = output.planned.is_some() && self.operation.spec.confirm == Confirm::Always;
        output.message(&cx.text_style())
            + if needs_yes { "  hint: use --yes to do it\n" } else { "" }
    }

    /// Prints a line for each item as it arrives.
    async fn print_stream(
        &self,
        cx: &RunCx,
        mut items: ItemStream<StreamItem>,
    ) -> Result<Exit, AppError> {
        let (is_text, style) = (cx.options().format() == Format::Text, cx.text_style());
        while let Some(item) = items.next().await {
            let item = item?;
            let line = if is_text { item.text(&style) } else { item.to_json_line() };
            cx.print(&line)?;
        }
        Ok(Exit::Done)
    }
}

/// A secret from standard input, without its line end; at a terminal, the user is prompted for it.
async fn read_secret(cx: &RunCx) -> Result<String, AppError> {
    let typed = if cx.environment().is_interactive() {
        cx.environment().prompt_secret("Value (not shown): ").await
    } else {
        read_file(cx, "value", "-").await?
    };
    let value = typed.trim_end_matches(['\r', '\n']);
    if value.is_empty() {
        let hint = "pass it on standard input, as in `toolscout secret set NAME < file`";
        return Err(AppError::invalid("the value is empty", hint));
    }
    Ok(value.to_owned())
}

fn no_host() -> AppError {
    let error = OperationError::new(ErrorCode::SourceUnavailable, "no server is running");
    let hint = "start one with `toolscout serve` or `toolscout server host`; or just call a tool: its server starts for the call";
    error.hint(hint).into()
}

/// The maximum size in bytes of a file given by an option; a larger one is likely the wrong file.
const LARGEST_FILE: u64 = 16 << 20;

/// Replaces file paths in the input by the contents of the files.
async fn read_files(
    command: &OperationCommand,
    mut input: Map<String, Value>,
    cx: &RunCx,
) -> Result<Map<String, Value>, AppError> {
    for name in command.files() {
        if let Some(Value::String(file)) = input.get_mut(name) {
            *file = read_file(cx, name, file).await?;
        }
    }
    Ok(input)
}

/// The text of a file, or of standard input for `-`.
async fn read_file(cx: &RunCx, name: &str, file: &str) -> Result<String, AppError> {
    let path = (file != "-").then(|| cx.environment().cwd().join(file));
    let shown = path.clone().unwrap_or_else(|| PathBuf::from("standard input"));
    // Standard input may block indefinitely, and an interrupt must still be handled.
    let bytes = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        match path {
            Some(path) => File::open(path)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes),
            None => io::stdin().take(LARGEST_FILE + 1).read_to_end(&mut bytes),
        }
        .map(|_| bytes)
    });
    let bytes = bytes.await.unwrap_or_else(|error| Err(io::Error::other(error)));
    let bytes = bytes.map_err(AppError::io("read", &shown))?;
    let hint = format!("--{name} takes a text file of at most 16 MiB");
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(AppError::invalid(
            format!("`{}` is too large for a {name}", shown.display()),
            hint,
        ));
    }
    String::from_utf8(bytes)
        .map_err(|_| AppError::invalid(format!("`{}` is not UTF-8", shown.display()), hint))
}
