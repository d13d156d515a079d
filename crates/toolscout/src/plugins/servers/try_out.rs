//! `server test`: starts a server, asks it for its tools, ends it, and remembers nothing.

use super::ServerSet;
use super::set::why_barred;
use crate::error::login;
use crate::{AppError, Command, RunCx};
use std::time::Instant;
use toolscout_core::{BoxFuture, Cx, escape, redact};
use toolscout_mcp_client::McpSource;
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;
use toolscout_surface::ops::servers::Tested;
use toolscout_surface::output::Format;

pub(super) struct TestCommand;

impl Command for TestCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("server test", "Start a server, ask it for its tools, and end it again")
            .positional(PositionalSpec::new("ID", "Which server").required())
            .option(OptionSpec::help("Show this help"))
            .note("Nothing is remembered of it. Exits with 3 if the server does not answer, and with 4 if it may not be started.")
            .example("toolscout server test files")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let set = ServerSet::of(cx.options(), cx.surroundings())?;
            let source = set.source(&cx.parsed.positionals[0])?;
            if !source.may_start() {
                let (error, hint) = why_barred(set.find(&cx.parsed.positionals[0])?);
                return show(cx, &Tested::failed(0, error, hint), Exit::Refused);
            }
            if cx.only_would(&format!("start and ask {}", source.server().id)) {
                return Ok(Exit::Done);
            }
            let tested = try_out(source, &cx.request()).await;
            let exit = if tested.ok { Exit::Done } else { Exit::Unavailable };
            show(cx, &tested, exit)
        })
    }
}

/// Starts a server, asks it for its tools, and ends it again.
pub(crate) async fn try_out(source: &McpSource, request: &Cx) -> Tested {
    let begun = Instant::now();
    let tried = source.try_out(request).await;
    let latency_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    match tried {
        Ok(tried) => Tested {
            ok: true,
            latency_ms,
            tool_count: Some(tried.tools),
            protocol: Some(tried.era.version().to_owned()),
            error: None,
            hint: None,
        },
        Err(error) => {
            let id = &source.server().id;
            let logs = || format!("`toolscout server logs {id}` has more, while a host keeps it");
            let hint = login(&error).unwrap_or_else(logs);
            Tested::failed(latency_ms, redact::text(&error.to_string()), hint)
        }
    }
}

fn show(cx: &RunCx, tested: &Tested, exit: Exit) -> Result<Exit, AppError> {
    match (cx.options().format(), &tested.error) {
        (Format::Text, Some(error)) => {
            let hint = tested.hint.as_deref().unwrap_or_default();
            cx.say(&format!("error: {}\n  hint: {}\n", escape::line(error), escape::line(hint)));
        }
        (Format::Text, None) => {
            let tools = counted(tested.tool_count.unwrap_or(0), "tool");
            let protocol = tested.protocol.as_deref().unwrap_or_default();
            cx.print(&format!("ok: {tools}, {} ms, protocol {}\n", tested.latency_ms, escape::line(protocol)))?;
        }
        (format, _) => cx.print_value(tested, format)?,
    }
    Ok(exit)
}
