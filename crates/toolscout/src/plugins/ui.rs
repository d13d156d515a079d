//! `ui`: opens the web UI of a project in a browser, signed in.

use crate::plugins::{browser, serve};
use crate::{AppError, Command, Plugin, RunCx, Setup};
use toolscout_core::BoxFuture;
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::tool_error;
use toolscout_workspace::{CommandTraits, sign_in_link_of_host};

/// The default port of the UI.
const PORT: u16 = 7420;

/// Adds the command `ui`.
///
/// The process that runs the project's servers and listens on an address also serves the UI; if
/// there is none, the command serves it itself.
#[derive(Default)]
pub struct Ui;

impl Plugin for Ui {
    fn id(&self) -> &str {
        "ui"
    }

    fn requires(&self) -> Vec<&str> {
        vec!["discovery", "servers", "serve"]
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        cx.parts.ui = true;
        cx.add_command(UiCommand)
    }
}

struct UiCommand;

impl Command for UiCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("ui", "Open the web UI in a browser, signed in")
            .option(OptionSpec::switch("no-open", "Print the URL instead of opening it"))
            .option(OptionSpec::text("port", "Listen on this port, if the UI is not served yet").value("PORT"))
            .option(OptionSpec::help("Show this help"))
            .note("If `toolscout serve --http` is running for this project, opens its web UI and exits. Otherwise serves the web UI, and MCP at `/mcp`, until interrupted.")
            .example("toolscout ui")
            .example("toolscout ui --no-open --port 8080")
    }

    fn traits(&self) -> CommandTraits {
        CommandTraits::serving()
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let port = cx.parsed.text("port").map(port).transpose()?;
            if cx.environment().tool_parent().is_some() {
                return Err(tool_error("ui").into());
            }
            if cx.only_would("open the web UI of this project") {
                return Ok(Exit::Done);
            }
            if let Some(link) = sign_in_link_of_host(cx.workspace()).await {
                browser::show_sign_in_link(cx, &link)?;
                return Ok(Exit::Done);
            }
            serve::serve_ui(cx, port.unwrap_or(PORT), port.is_some()).await
        })
    }
}

fn port(text: &str) -> Result<u16, AppError> {
    let wrong = |_| {
        let message = format!("`{}` is not a port", toolscout_core::escape::line(text));
        AppError::invalid(message, "use a number up to 65535; 0 picks a free port")
    };
    text.parse().map_err(wrong)
}
