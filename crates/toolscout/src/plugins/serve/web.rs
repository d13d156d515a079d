//! `serve --http`: where to listen, to whom, and what to tell the person who started it.

use super::mcp_servers::McpServers;
use super::{conversations, stopping, token};
use crate::plugins::browser;
use crate::{AppError, RunCx};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use toolscout_core::{Caller, Cx, ErrorKind, escape};
use toolscout_mcp_client::oauth;
use toolscout_surface::api::OperationRouter;
use toolscout_surface::http::auth::{Fetch, Jwt, JwtTerms, Token};
use toolscout_surface::http::{Auth, Error, Listener, Role, Routes, Terms};
use toolscout_surface::mcp::http::{Endpoint, Protocol};
use toolscout_surface::page;

/// Options that mean nothing without `--http`.
const ONLY_HERE: [&str; 5] = ["auth", "issuer", "audience", "allow-host", "allow-origin"];

/// Where to listen, and to whom.
pub(super) struct Web {
    addr: SocketAddr,
    auth: Who,
    /// Where the address came from.
    wish: Wish,
}

/// Who said where to listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// `serve --http`.
    Agents,
    /// `ui`, told so.
    Page,
    /// `ui`, by itself: any other port will do.
    PageAnywhere,
}

#[derive(Debug, Clone)]
enum Who {
    /// Whoever has our token.
    Token,
    Anybody,
    /// Whoever an issuer vouches for.
    Issued {
        issuer: String,
        audience: String,
    },
}

impl Web {
    /// What the command line says; none where it wants pipes.
    pub(super) fn of(cx: &RunCx) -> Result<Option<Self>, AppError> {
        let Some(addr) = cx.parsed.text("http") else {
            return match ONLY_HERE.into_iter().find(|it| cx.parsed.is_given(it)) {
                Some(option) => Err(AppError::invalid(
                    format!("--{option} is for who listens on an address"),
                    format!("toolscout serve --http 127.0.0.1:7420 --{option} …"),
                )),
                None => Ok(None),
            };
        };
        Ok(Some(Self { addr: address(addr)?, auth: who(cx)?, wish: Wish::Agents }))
    }

    /// On this machine, for who has our token or comes in at the page.
    pub(super) fn of_page(port: u16, insists: bool) -> Self {
        let addr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        Self { addr, auth: Who::Token, wish: if insists { Wish::Page } else { Wish::PageAnywhere } }
    }

    pub(super) fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Takes the address, and says where and how to come in.
    pub(super) async fn bind(&self, cx: &RunCx, mcp: &McpServers) -> Result<Listener, AppError> {
        let (auth, kept) = self.auth(cx)?;
        let links = &cx.workspace().parts.page_links;
        let texts = |option: &str| cx.parsed.texts(option).to_vec();
        let mut terms = Terms::new(self.place(), auth);
        terms.sign_ins = Some(links.sign_ins().clone());
        terms.allowed_hosts = texts("allow-host");
        terms.allowed_origins = texts("allow-origin");
        if let Who::Issued { audience, .. } = &self.auth {
            terms.allowed_hosts.extend(host_of(audience));
        }
        let listener = Listener::bind(terms).await.map_err(said)?;
        links.listens(listener.addr());
        let url = format!("http://{}/mcp", listener.addr());
        match (self.wish, kept) {
            (Wish::Agents, Some(kept)) => cx.say(&way_in(&url, &kept)),
            (Wish::Agents, None) => {}
            _ => links.link().iter().for_each(|it| browser::show_sign_in_link(cx, it)),
        }
        let profiles = mcp.profile_names().into_iter().filter(|_| cx.parsed.text("profile").is_none());
        let profiles: String = profiles.map(|it| format!("profile {it} at {url}/{it}\n")).collect();
        let has_page = self.wish == Wish::Agents && cx.workspace().parts.ui;
        let page = if has_page { format!("for people: {} ui opens the page\n", cx.program()) } else { String::new() };
        cx.say(&format!("{profiles}{page}listening on {url}\n"));
        Ok(listener)
    }

    /// Where to listen: where nobody insists on a port that is taken, on another.
    fn place(&self) -> SocketAddr {
        let is_free = || TcpListener::bind(self.addr).is_ok();
        match self.wish == Wish::PageAnywhere && !is_free() {
            true => SocketAddr::new(self.addr.ip(), 0),
            false => self.addr,
        }
    }

    fn auth(&self, cx: &RunCx) -> Result<(Auth, Option<token::Kept>), AppError> {
        match &self.auth {
            Who::Anybody => Ok((Auth::None, None)),
            Who::Token => {
                let kept = token::kept(cx.environment(), token::AGENT)?;
                let operator = token::kept(cx.environment(), token::OPERATOR)?;
                let agent = Token::new("agent", &kept.secret, Role::Agent).map_err(said)?;
                let operator = Token::new("operator", &operator.secret, Role::Operator).map_err(said)?;
                Ok((Auth::Tokens(vec![agent, operator]), Some(kept)))
            }
            Who::Issued { issuer, audience } => {
                let terms = JwtTerms {
                    issuer: issuer.clone(),
                    resource: audience.clone(),
                    audiences: Vec::new(),
                    scopes: Vec::new(),
                    operator_scope: Some("toolscout:operator".to_owned()),
                    fetch: fetch(issuer.clone()),
                };
                Ok((Auth::Jwt(Box::new(Jwt::new(terms).map_err(said)?)), None))
            }
        }
    }
}

/// Serves until we are told to end; then lets what is under way end.
pub(super) async fn serve(cx: &RunCx, listener: Listener, mcp: &Arc<McpServers>) {
    let mcp = mcp.clone();
    let servers = Arc::new(move |profile: Option<&str>| {
        let server = mcp.server(profile).ok_or_else(|| mcp.unknown(profile.unwrap_or_default()))?;
        Ok(server as Arc<dyn Protocol>)
    });
    let endpoint = Endpoint::new(servers, listener.limits().clone(), listener.ending());
    let routes = Routes::new().guarded(endpoint.routes()).open(page::routes());
    let request = Cx { caller: Caller::Http, asker: None, ..cx.request() };
    let limits = listener.limits().clone();
    let operations = OperationRouter::new(cx.operations(), request, limits, Some(listener.ending()));
    let connected = cx.clone();
    cx.workspace().parts.sessions.connect(move || {
        let here = endpoint.conversations();
        here.into_iter().chain(conversations::elsewhere(&connected)).collect()
    });
    listener.serve(operations.add_to(routes), stopping::told()).await;
}

/// `127.0.0.1:7420`, `[::1]:7420`, `localhost:7420`; or a port, which is one of this machine.
fn address(text: &str) -> Result<SocketAddr, AppError> {
    let wrong = |why: String| {
        let message = format!("`{}` is no address to listen on{why}", escape::line(text));
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

fn who(cx: &RunCx) -> Result<Who, AppError> {
    let (issuer, audience) = (cx.parsed.text("issuer"), cx.parsed.text("audience"));
    let usage = "toolscout serve --http ADDR --auth jwt --issuer URL --audience URL";
    match (cx.parsed.text("auth").unwrap_or("token"), issuer, audience) {
        ("jwt", Some(issuer), Some(audience)) => {
            Ok(Who::Issued { issuer: issuer.to_owned(), audience: audience.to_owned() })
        }
        ("jwt", ..) => {
            Err(AppError::invalid("`--auth jwt` wants to know whose tokens count, and for which address", usage))
        }
        (_, Some(_), _) | (_, _, Some(_)) => {
            Err(AppError::invalid("--issuer and --audience are for `--auth jwt`", usage))
        }
        ("none", ..) => Ok(Who::Anybody),
        _ => Ok(Who::Token),
    }
}

fn fetch(issuer: String) -> Fetch {
    Arc::new(move |url| {
        let issuer = issuer.clone();
        Box::pin(async move { oauth::document(&issuer, &url).await })
    })
}

/// The host of an address, with its port where it says one.
fn host_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    rest.split('/').next().map(str::to_owned)
}

/// What a person needs to connect a client; the token itself only when it is new.
fn way_in(url: &str, kept: &token::Kept) -> String {
    let path = escape::line(&kept.path.display().to_string()).into_owned();
    match kept.is_new {
        false => format!("clients send the token in {path}\n"),
        true => format!(
            "A token was made. It is shown this once, and kept in {path}\n\
             \n  Authorization: Bearer {secret}\n\nFor Claude Code:\n\
             \n  claude mcp add --transport http toolscout {url} --header \"Authorization: Bearer {secret}\"\n\n",
            secret = kept.secret
        ),
    }
}

fn said(error: Error) -> AppError {
    let kind = match error {
        Error::Bind { .. } => ErrorKind::Unavailable,
        _ => ErrorKind::Invalid,
    };
    AppError::Said { kind, message: error.to_string(), hint: None }
}
