//! `serve --http`: the address to listen on, authentication, and the instructions for the operator.

use super::mcp_servers::McpServers;
use super::token::{self, SavedToken};
use super::{stdio_sessions, stopping};
use crate::plugins::browser;
use crate::{AppError, RunCx};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use toolscout_core::{Caller, Cx, ErrorKind, escape};
use toolscout_mcp_client::oauth;
use toolscout_surface::api::OperationRouter;
use toolscout_surface::http::auth::{Fetch, Jwt, JwtTerms, Token};
use toolscout_surface::http::{Auth, Error, Listener, Role, Routes, Terms};
use toolscout_surface::mcp::http::{Endpoint, Protocol, Servers};
use toolscout_surface::page;

/// Options that are valid only with `--http`.
const ONLY_HERE: [&str; 5] = ["auth", "issuer", "audience", "allow-host", "allow-origin"];

/// The address to listen on, and how clients authenticate.
pub(super) struct Web {
    addr: SocketAddr,
    auth: AuthMethod,
    purpose: Purpose,
}

/// The command that listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// `serve --http`.
    Agents,
    /// `ui --port`.
    Ui,
    /// `ui`: any port may be used instead.
    UiOnAnyPort,
}

#[derive(Debug, Clone)]
enum AuthMethod {
    /// The tokens in the state folder.
    Token,
    None,
    /// Tokens of a JWT issuer.
    Jwt {
        issuer: String,
        audience: String,
    },
}

impl Web {
    /// The options of the command line; `None` without `--http`.
    pub(super) fn of(cx: &RunCx) -> Result<Option<Self>, AppError> {
        let Some(addr) = cx.parsed.text("http") else {
            return match ONLY_HERE.into_iter().find(|only_here| cx.parsed.is_given(only_here)) {
                Some(option) => Err(AppError::invalid(
                    format!("--{option} needs --http"),
                    format!("toolscout serve --http 127.0.0.1:7420 --{option} …"),
                )),
                None => Ok(None),
            };
        };
        Ok(Some(Self { addr: address(addr)?, auth: auth_method(cx)?, purpose: Purpose::Agents }))
    }

    /// On loopback, with our tokens or a sign-in link.
    pub(super) fn of_page(port: u16, insists: bool) -> Self {
        let addr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        let purpose = if insists { Purpose::Ui } else { Purpose::UiOnAnyPort };
        Self { addr, auth: AuthMethod::Token, purpose }
    }

    pub(super) fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Binds the address, and prints how to connect.
    pub(super) async fn bind(
        &self,
        cx: &RunCx,
        projects: &[Project],
    ) -> Result<Listener, AppError> {
        let (auth, agent_token) = self.auth(cx)?;
        let links = &cx.workspace().parts.page_links;
        let texts = |option: &str| cx.parsed.texts(option).to_vec();
        let mut terms = Terms::new(self.place(), auth);
        terms.sign_ins = Some(links.sign_ins().clone());
        terms.allowed_hosts = texts("allow-host");
        terms.allowed_origins = texts("allow-origin");
        if let AuthMethod::Jwt { audience, .. } = &self.auth {
            terms.allowed_hosts.extend(host_of(audience));
        }
        let listener = Listener::bind(terms).await.map_err(listener_error)?;
        links.set_address(listener.addr());
        let url = format!("http://{}/mcp", listener.addr());
        match (self.purpose, agent_token) {
            (Purpose::Agents, Some(token)) => cx.say(&instructions(&url, &token)),
            (Purpose::Agents, None) => {}
            _ => links.link().iter().for_each(|link| browser::show_sign_in_link(cx, link)),
        }
        let profiles =
            mcp.profile_names().into_iter().filter(|_| cx.parsed.text("profile").is_none());
        let profiles: String =
            profiles.map(|name| format!("profile {name} at {url}/{name}\n")).collect();
        let has_page = self.purpose == Purpose::Agents && cx.workspace().parts.ui;
        let page =
            if has_page { format!("Web UI: run `{} ui`\n", cx.program()) } else { String::new() };
        cx.say(&format!("{addresses}{page}listening on {url}\n"));
        Ok(listener)
    }

    /// The address to bind. If the default port is in use, any other port is used.
    fn place(&self) -> SocketAddr {
        let is_free = || TcpListener::bind(self.addr).is_ok();
        let port =
            if self.purpose == Purpose::UiOnAnyPort && !is_free() { 0 } else { self.addr.port() };
        SocketAddr::new(self.addr.ip(), port)
    }

    fn auth(&self, cx: &RunCx) -> Result<(Auth, Option<SavedToken>), AppError> {
        match &self.auth {
            AuthMethod::None => Ok((Auth::None, None)),
            AuthMethod::Token => {
                let saved = token::load_or_create(cx.environment(), token::AGENT)?;
                let operator = token::load_or_create(cx.environment(), token::OPERATOR)?;
                let agent =
                    Token::new("agent", &saved.secret, Role::Agent).map_err(listener_error)?;
                let operator = Token::new("operator", &operator.secret, Role::Operator)
                    .map_err(listener_error)?;
                Ok((Auth::Tokens(vec![agent, operator]), Some(saved)))
            }
            AuthMethod::Jwt { issuer, audience } => {
                let terms = JwtTerms {
                    issuer: issuer.clone(),
                    resource: audience.clone(),
                    audiences: Vec::new(),
                    scopes: Vec::new(),
                    operator_scope: Some("toolscout:operator".to_owned()),
                    fetch: fetch(issuer.clone()),
                };
                Ok((Auth::Jwt(Box::new(Jwt::new(terms).map_err(listener_error)?)), None))
            }
        }
    }
}

/// Serves until a signal to stop arrives; running requests may finish.
pub(super) async fn serve(cx: &RunCx, listener: Listener, mcp: &Arc<McpServers>) {
    let mcp = mcp.clone();
    let servers = Arc::new(move |profile: Option<&str>| {
        let server = mcp.server(profile).ok_or_else(|| mcp.unknown(profile.unwrap_or_default()))?;
        Ok(server as Arc<dyn Protocol>)
    });
    let endpoint = Endpoint::new(servers, listener.limits().clone(), listener.shutdown());
    let routes = Routes::new().guarded(endpoint.routes()).open(page::routes());
    let request = Cx { caller: Caller::Http, asker: None, ..cx.request() };
    let limits = listener.limits().clone();
    let operations =
        OperationRouter::new(cx.operations(), request, limits, Some(listener.shutdown()));
    let connected = cx.clone();
    cx.workspace().parts.sessions.connect(move || {
        let here = endpoint.conversations();
        here.into_iter().chain(stdio_sessions::of_other_processes(&connected)).collect()
    });
    listener.serve(operations.add_to(routes), stopping::stop_requested()).await;
}

/// Parses `127.0.0.1:7420`, `[::1]:7420`, `localhost:7420`, or a port on loopback.
fn address(text: &str) -> Result<SocketAddr, AppError> {
    let wrong = |why: String| {
        let message = format!("`{}` is not an address to listen on{why}", escape::line(text));
        AppError::invalid(message, "toolscout serve --http 127.0.0.1:7420")
    };
    if let Ok(port) = text.trim_start_matches(':').parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    if let Ok(addr) = text.parse() {
        return Ok(addr);
    }
    let mut found = text.to_socket_addrs().map_err(|error| wrong(format!(": {error}")))?;
    found.next().ok_or_else(|| wrong(String::new()))
}

fn auth_method(cx: &RunCx) -> Result<AuthMethod, AppError> {
    let (issuer, audience) = (cx.parsed.text("issuer"), cx.parsed.text("audience"));
    let usage = "toolscout serve --http ADDR --auth jwt --issuer URL --audience URL";
    match (cx.parsed.text("auth").unwrap_or("token"), issuer, audience) {
        ("jwt", Some(issuer), Some(audience)) => {
            Ok(AuthMethod::Jwt { issuer: issuer.to_owned(), audience: audience.to_owned() })
        }
        ("jwt", ..) => Err(AppError::invalid("`--auth jwt` needs --issuer and --audience", usage)),
        (_, Some(_), _) | (_, _, Some(_)) => {
            Err(AppError::invalid("--issuer and --audience need `--auth jwt`", usage))
        }
        ("none", ..) => Ok(AuthMethod::None),
        _ => Ok(AuthMethod::Token),
    }
}

fn fetch(issuer: String) -> Fetch {
    Arc::new(move |url| {
        let issuer = issuer.clone();
        Box::pin(async move { oauth::document(&issuer, &url).await })
    })
}

/// The host of a URL, with its port if it has one.
fn host_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    rest.split('/').next().map(str::to_owned)
}

/// How to connect a client; includes the token itself if it is new.
fn instructions(url: &str, token: &SavedToken) -> String {
    let path = escape::line(&token.path.display().to_string()).into_owned();
    if !token.is_new {
        return format!("clients send the token in {path}\n");
    }
    format!(
        "Created a token. It is shown only now, and stored in {path}\n\
             \n  Authorization: Bearer {secret}\n\nFor Claude Code:\n\
             \n  claude mcp add --transport http toolscout {url} --header \"Authorization: Bearer {secret}\"\n\n",
        secret = token.secret
    )
}

fn listener_error(error: Error) -> AppError {
    let kind = match error {
        Error::Bind { .. } => ErrorKind::Unavailable,
        _ => ErrorKind::Invalid,
    };
    AppError::Message { kind, message: error.to_string(), hint: None }
}
