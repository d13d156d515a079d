//! `server login` and `server logout`: log in to an HTTP server, and delete the login.

use super::find;
use crate::error::{failure, file_failure};
use crate::servers::{http_endpoint, token_folder};
use crate::{AppError, Environment, Workspace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, escape};
use toolscout_mcp_client::oauth::{self, DeviceLogin, Login, LoginRequest};
use toolscout_mcp_client::{ClientError, OAuthGrant};
use toolscout_surface::operation::{
    Operation, OperationError, OperationSpec, Text, UnavailableServers,
};

/// The timeout for the login in the browser.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(600);

/// Log in to a server on the web.
pub(crate) struct LogIn;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogInInput {
    /// The id of the server
    #[schemars(extend("x-cli" = {"positional": true}))]
    id: String,
    /// Show a code to enter on another device
    #[serde(default)]
    device: bool,
    /// Paste the URL of the last page instead of waiting for the browser
    #[serde(default)]
    paste: bool,
}

/// The login to a server.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerLogin {
    /// The id of the server.
    id: String,
    /// Whether tokens for this server are stored.
    logged_in: bool,
    /// Whether this command changed that.
    changed: bool,
}

impl Operation<Workspace> for LogIn {
    type Input = LogInInput;
    type Output = ServerLogin;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "The tokens are stored in a file that only you can read, and renewed when they expire.",
        ],
        examples: &["toolscout server login github"],
        needs_network: true,
        unavailable_servers: UnavailableServers::Warn,
        ..OperationSpec::local_change("server login", "Log in to an HTTP server")
    };

    /// Available on the command line only, because it prints the URL that the user opens in a
    /// browser.
    async fn run(
        workspace: &Workspace,
        input: LogInInput,
        cx: &Cx,
    ) -> Result<ServerLogin, OperationError> {
        let (set, environment) = (workspace.servers(), &workspace.environment);
        let server = &find(&set, &input.id)?.server;
        let (endpoint, url) = http_endpoint(server, environment).map_err(failure)?;
        if endpoint.grant == OAuthGrant::ClientCredentials {
            let message = format!("server `{}` uses client credentials, not a login", server.id);
            let hint = format!("run `toolscout server test {}`", server.id);
            return Err(OperationError::invalid(message).hint(hint));
        }
        let folder = login_folder(environment)?;
        let change = cx.change(planned(server.id.as_str(), "added", "log in to"))?;
        let lookup = environment.lookup();
        // The server's 401 challenge names the authorization server and the scopes.
        let challenge =
            match set.source(server.id.as_str()).ok().filter(|source| source.may_start()) {
                Some(source) => source.challenge(cx).await,
                None => None,
            };
        let request = LoginRequest {
            id: &server.id,
            url: &url,
            challenge: challenge.as_deref(),
            endpoint,
            lookup: &lookup,
            folder: &folder,
            port: None,
        };
        let logged_in = if input.device {
            by_device(environment, &request).await
        } else {
            by_browser(environment, &request, input.paste).await
        };
        logged_in.map_err(|error| failure(error.into_source_error(&server.id)))?;
        change.commit();
        Ok(ServerLogin { id: server.id.to_string(), logged_in: true, changed: true })
    }

    fn text(output: &ServerLogin, _: &Text) -> String {
        format!("Logged in to {id}.\n  hint: toolscout server refresh {id}\n", id = output.id)
    }
}

async fn by_browser(
    environment: &Environment,
    request: &LoginRequest<'_>,
    paste: bool,
) -> Result<(), ClientError> {
    let login = Login::start(request).await?;
    let (issuer, browser) = (escape::line(login.issuer()), escape::line(login.browser_url()));
    environment
        .eprint(&format!("Open this URL in a browser and log in at {issuer}:\n\n  {browser}\n\n"));
    if !paste {
        environment.eprint(
            "Waiting for the browser. On a machine without a browser, use --paste or --device.\n",
        );
        return login.wait(Instant::now() + LOGIN_TIMEOUT).await;
    }
    environment.eprint("Then paste the URL that the browser ends at: ");
    let pasted =
        tokio::task::spawn_blocking(|| std::io::stdin().lines().next().and_then(Result::ok)).await;
    login.finish_with(pasted.ok().flatten().unwrap_or_default().trim()).await
}

async fn by_device(
    environment: &Environment,
    request: &LoginRequest<'_>,
) -> Result<(), ClientError> {
    let login = DeviceLogin::start(request).await?;
    let (url, code) = (escape::line(&login.verification_uri), escape::line(&login.user_code));
    environment.eprint(&format!(
        "Open {url} on any device and enter this code:\n\n  {code}\n\nWaiting for the login.\n"
    ));
    login.wait(Instant::now() + LOGIN_TIMEOUT).await
}

/// Forget the login to a server on the web.
pub(crate) struct LogOut;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogOutInput {
    /// The id of the server
    #[schemars(extend("x-cli" = {"positional": true}))]
    id: String,
}

impl Operation<Workspace> for LogOut {
    type Input = LogOutInput;
    type Output = ServerLogin;

    const SPEC: OperationSpec = OperationSpec {
        examples: &["toolscout server logout github"],
        unavailable_servers: UnavailableServers::Warn,
        ..OperationSpec::local_change("server logout", "Log out of an HTTP server")
    };

    async fn run(
        workspace: &Workspace,
        input: LogOutInput,
        cx: &Cx,
    ) -> Result<ServerLogin, OperationError> {
        let set = workspace.servers();
        let server = &find(&set, &input.id)?.server;
        let (_, url) = http_endpoint(server, &workspace.environment).map_err(failure)?;
        let folder = login_folder(&workspace.environment)?;
        let change = cx.change(planned(server.id.as_str(), "removed", "log out of"))?;
        let forget = oauth::forget(&folder, &server.id, &url);
        let changed = forget.map_err(file_failure("delete the login in", &folder))?;
        if changed {
            change.commit();
        }
        Ok(ServerLogin { id: server.id.to_string(), logged_in: false, changed })
    }

    fn text(output: &ServerLogin, _: &Text) -> String {
        let verb = if output.changed { "Logged out of" } else { "Was not logged in to" };
        format!("{verb} {}.\n", output.id)
    }
}

fn planned(id: &str, action: &'static str, verb: &str) -> PlannedChange {
    PlannedChange {
        kind: ChangeKind::Login,
        subject: id.to_owned(),
        action,
        summary: format!("{verb} {id}"),
    }
}

fn login_folder(environment: &Environment) -> Result<PathBuf, OperationError> {
    let no_folder = || {
        failure(AppError::not_stored(
            "no state directory for the login: set HOME or TOOLSCOUT_STATE_DIR",
        ))
    };
    token_folder(environment).ok_or_else(no_folder)
}
