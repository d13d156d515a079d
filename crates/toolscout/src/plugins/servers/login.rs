//! `server login` and `logout`: lets a person log in to a server on the web, and forgets it again.

use crate::{AppError, Command, RunCx};
use std::time::{Duration, Instant};
use toolscout_core::{BoxFuture, escape};
use toolscout_mcp_client::ClientError;
use toolscout_mcp_client::oauth::{self, DeviceLogin, Login, LoginRequest};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_workspace::servers::{address, token_folder};

pub(super) struct LoginCommand;
pub(super) struct LogoutCommand;

/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(600);

impl Command for LoginCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("server login", "Log in to a server on the web")
            .positional(PositionalSpec::new("ID", "Which server").required())
            .option(OptionSpec::switch("device", "Show a code to type on another device"))
            .option(OptionSpec::switch(
                "paste",
                "Paste the address that the browser ends at, instead of waiting for it",
            ))
            .option(OptionSpec::help("Show this help"))
            .note("The tokens are kept in a file that only you can read, and renewed when they expire.")
            .example("toolscout server login github")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let set = cx.workspace().servers();
            let server = &set.find(&cx.parsed.positionals[0])?.server;
            let (endpoint, url) = address(server, cx.environment())?;
            let folder = token_folder(cx.environment()).ok_or_else(nowhere)?;
            if cx.only_would(&format!("log in to {}", server.id)) {
                return Ok(Exit::Done);
            }
            let lookup = cx.environment().lookup();
            // What the server itself says when it turns us away names where to log in, and for what.
            let challenge = match set.source(server.id.as_str()).ok().filter(|it| it.may_start()) {
                Some(source) => source.challenge(&cx.request()).await,
                None => None,
            };
            let ask = LoginRequest {
                id: &server.id,
                url: &url,
                challenge: challenge.as_deref(),
                endpoint,
                lookup: &lookup,
                folder: &folder,
                port: None,
            };
            let logged_in = match cx.parsed.switch("device") {
                true => by_device(cx, &ask).await,
                false => by_browser(cx, &ask).await,
            };
            logged_in.map_err(|it| it.of(&server.id))?;
            cx.say(&format!("Logged in to {}.\n  hint: toolscout server refresh {}\n", server.id, server.id));
            Ok(Exit::Done)
        })
    }
}

impl Command for LogoutCommand {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new("server logout", "Forget the login to a server on the web")
            .positional(PositionalSpec::new("ID", "Which server").required())
            .option(OptionSpec::help("Show this help"))
            .example("toolscout server logout github")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let set = cx.workspace().servers();
            let server = &set.find(&cx.parsed.positionals[0])?.server;
            let (_, url) = address(server, cx.environment())?;
            let folder = token_folder(cx.environment()).ok_or_else(nowhere)?;
            if cx.only_would(&format!("log out of {}", server.id)) {
                return Ok(Exit::Done);
            }
            let was = oauth::forget(&folder, &server.id, &url).map_err(AppError::io("forget the login in", &folder))?;
            cx.say(&if was {
                format!("Logged out of {}.\n", server.id)
            } else {
                format!("Was not logged in to {}.\n", server.id)
            });
            Ok(Exit::Done)
        })
    }
}

async fn by_browser(cx: &RunCx, ask: &LoginRequest<'_>) -> Result<(), ClientError> {
    let login = Login::begin(ask).await?;
    cx.say(&format!(
        "Open this address in a browser, and log in at {}:\n\n  {}\n\n",
        escape::line(login.issuer()),
        escape::line(login.browser())
    ));
    if !cx.parsed.switch("paste") {
        cx.say("Waiting for the browser. Without one on this machine, use --paste or --device.\n");
        return login.wait(Instant::now() + PATIENCE).await;
    }
    cx.say("Then paste the address that the browser ends at: ");
    let pasted = tokio::task::spawn_blocking(|| std::io::stdin().lines().next().and_then(Result::ok)).await;
    let pasted = pasted.ok().flatten().unwrap_or_default();
    login.finish_with(pasted.trim()).await
}

async fn by_device(cx: &RunCx, ask: &LoginRequest<'_>) -> Result<(), ClientError> {
    let login = DeviceLogin::begin(ask).await?;
    let (address, code) = (escape::line(&login.verification_uri), escape::line(&login.user_code));
    cx.say(&format!("Open {address} on any device, and type this code:\n\n  {code}\n\nWaiting.\n"));
    login.wait(Instant::now() + PATIENCE).await
}

fn nowhere() -> AppError {
    AppError::not_stored("nothing says where to keep a login: HOME is not set")
}
