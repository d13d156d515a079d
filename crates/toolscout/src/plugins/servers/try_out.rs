//! `server test`: starts a server, asks it for its tools, ends it, and remembers nothing.

use super::ServerSet;
use crate::{AppError, Command, RunCx};
use serde::Serialize;
use std::time::Instant;
use toolscout_core::{BoxFuture, escape, redact};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::list::counted;
use toolscout_surface::output::Format;

pub(super) struct TestCommand;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tested {
    ok: bool,
    latency_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Command for TestCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("server test", "Start a server, ask it for its tools, and end it again")
            .positional(PositionalSpec::new("ID", "Which server").required())
            .option(OptionSpec::help("Show this help"))
            .note("Nothing is remembered of it. Exits with 3 if the server does not answer.")
            .example("toolscout server test files")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let set = ServerSet::of(cx.options(), cx.surroundings())?;
            let source = set.source(&cx.parsed.positionals[0])?;
            if cx.only_would(&format!("start and ask {}", source.server().id)) {
                return Ok(Exit::Done);
            }
            let begun = Instant::now();
            let tried = source.try_out(&cx.request()).await;
            let latency_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            let tested = match tried {
                Ok(tried) => Tested {
                    ok: true,
                    latency_ms,
                    tool_count: Some(tried.tools),
                    protocol: Some(tried.era.version().to_owned()),
                    error: None,
                },
                Err(error) => {
                    let error = Some(redact::text(&error.to_string()));
                    Tested { ok: false, latency_ms, tool_count: None, protocol: None, error }
                }
            };
            show(cx, &tested)?;
            Ok(if tested.ok { Exit::Done } else { Exit::Unavailable })
        })
    }
}

fn show(cx: &RunCx, tested: &Tested) -> Result<(), AppError> {
    match (cx.options().format(), &tested.error) {
        (Format::Text, Some(error)) => {
            cx.say(&format!(
                "error: {}\n  hint: `toolscout server logs {}` has more, while it runs\n",
                escape::line(error),
                cx.parsed.positionals[0]
            ));
            Ok(())
        }
        (Format::Text, None) => {
            let tools = counted(tested.tool_count.unwrap_or(0), "tool");
            let protocol = tested.protocol.as_deref().unwrap_or_default();
            cx.print(&format!("ok: {tools}, {} ms, protocol {}\n", tested.latency_ms, escape::line(protocol)))
        }
        (format, _) => cx.print_value(tested, format),
    }
}
