//! `serve --http`: the address to listen on, authentication, and the instructions for the operator.

use super::fleet_listener::FleetNode;
use super::listener_error;
use super::mcp_servers::McpServers;
use super::projects::Project;
use super::{placed_calls, stdio_sessions, stopping};
use crate::plugins::browser;
use crate::{AppError, RunCx};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use tokio::sync::oneshot;
use toolscout_config::JwtSettings;
use toolscout_core::cx::ClientApprovals;
use toolscout_core::{Caller, Cx, escape};
use toolscout_fleet::ReplicaState;
use toolscout_mcp_client::oauth;
use toolscout_surface::api::{OperationRouter, unknown_project_routes};
use toolscout_surface::http::auth::{ClaimNames, Fetch, Jwt, JwtTerms, Token};
use toolscout_surface::http::{Auth, Listener, Role, Routes, Terms};
use toolscout_surface::mcp::http::{Endpoint, Protocol, Servers};
use toolscout_surface::page;
use toolscout_workspace::access_tokens::file::{SavedToken, load_or_create};
use toolscout_workspace::{AGENT_TOKEN, AccessTokens, CURRENT_PROJECT, OPERATOR_TOKEN};

/// Options that are valid only with `--http`.
const ONLY_HERE: [&str; 6] =
    ["auth", "issuer", "audience", "allow-host", "allow-origin", "projects"];

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
    pub(super) fn of_ui(port: u16, is_fixed: bool) -> Self {
        let addr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        let purpose = if is_fixed { Purpose::Ui } else { Purpose::UiOnAnyPort };
        Self { addr, auth: AuthMethod::Token, purpose }
    }

    /// Whether this is `serve --http`. A UI beside it must not take the address of the fleet.
    pub(super) fn is_for_agents(&self) -> bool {
        self.purpose == Purpose::Agents
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
        terms.limits.connections = terms.limits.connections.min(max_connections());
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
            (Purpose::Agents, Some(token)) => {
                cx.say(&instructions(&url, &token, cx.environment().err_is_terminal()));
            }
            (Purpose::Agents, None) => {}
            _ => links.link().map_or(Ok(()), |link| browser::show_sign_in_link(cx, &link))?,
        }
        let addresses = addresses(cx, projects, listener.addr());
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
                let environment = &cx.workspace().environment;
                let agent = load_or_create(environment, AGENT_TOKEN)?;
                let operator = load_or_create(environment, OPERATOR_TOKEN)?;
                for (name, saved) in [("agent", &agent), ("operator", &operator)] {
                    // A token that could be guessed is an error.
                    Token::new(name, &saved.secret, Role::Agent).map_err(listener_error)?;
                }
                let tokens = AccessTokens::new(environment.clone());
                Ok((Auth::Tokens(Arc::new(tokens)), Some(agent)))
            }
            AuthMethod::Jwt { issuer, audience } => {
                let terms = JwtTerms {
                    issuer: issuer.clone(),
                    resource: audience.clone(),
                    audiences: Vec::new(),
                    scopes: Vec::new(),
                    claims: claim_names(cx),
                    approvals: ClientApprovals::AsConfigured,
                    fetch: fetch(issuer.clone()),
                };
                Ok((Auth::Jwt(Box::new(Jwt::new(terms).map_err(listener_error)?)), None))
            }
        }
    }
}

/// The claims that the operator's configuration names.
fn claim_names(cx: &RunCx) -> ClaimNames {
    let defaults = ClaimNames::default();
    let JwtSettings { user, tenant, profile, role, operator } =
        cx.workspace().config().settings.serve.jwt.clone();
    ClaimNames {
        user: user.unwrap_or(defaults.user),
        role: role.unwrap_or(defaults.role),
        tenant,
        profile,
        operator,
    }
}

/// The addresses of the profiles, and of the projects if there are several.
fn addresses(cx: &RunCx, projects: &[Project], addr: SocketAddr) -> String {
    let profiles = |mcp: &McpServers, url: &str| -> String {
        let names = mcp.profile_names().into_iter().filter(|_| cx.parsed.text("profile").is_none());
        names.map(|name| format!("profile {name} at {url}/{name}\n")).collect()
    };
    let own = profiles(&projects[0].mcp, &format!("http://{addr}/mcp"));
    let several = projects.iter().filter(|_| projects.len() > 1);
    let several = several.map(|Project { id, mcp, .. }| {
        let url = format!("http://{addr}/projects/{id}/mcp");
        format!("project {id} at {url}\n{}", profiles(mcp, &url))
    });
    own + &several.collect::<String>()
}

/// Three quarters of the files that the process may open: the others are for servers and the store.
fn max_connections() -> usize {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let files = files.and_then(|files| usize::try_from(files).ok()).unwrap_or(usize::MAX);
    (files / 4 * 3).max(1)
}

/// Serves until a signal to stop arrives; running requests may finish. Routes without a project
/// are those of the first one.
///
/// Other replicas are served until the end, because they forward what running requests wait for.
pub(super) async fn serve(listener: Listener, projects: &[Project], node: Option<FleetNode>) {
    let (limits, shutdown) = (listener.limits().clone(), listener.shutdown());
    let first = &projects[0];
    let sessions = node.as_ref().map(FleetNode::sessions);
    let endpoint = Endpoint::new(servers(first), limits.clone(), shutdown.clone(), sessions);
    let request = Cx { all_projects: true, ..request(first) };
    let router = OperationRouter::new(first.cx.operations(), request, limits, Some(shutdown));
    let routes = Routes::new().guarded(endpoint.routes()).open(page::routes());
    let mut routes = router.add_to(routes);
    let mut endpoints = Routes::new().guarded(endpoint.routes());
    let mut ids = vec![CURRENT_PROJECT.to_owned()];
    for (at, project) in projects.iter().enumerate() {
        let router = router.for_project(project.cx.operations(), self::request(project));
        let endpoint = if at == 0 {
            endpoint.clone()
        } else {
            endpoint.for_project(&project.id, servers(project))
        };
        routes = routes.guarded(endpoint.project_routes(&project.id));
        endpoints = endpoints.guarded(endpoint.project_routes(&project.id));
        if let Some(node) = &node {
            node.follow_ended_sessions(&endpoint);
        }
        routes = router.add_project_to(&project.id, routes);
        if at == 0 {
            routes = router.add_project_to(CURRENT_PROJECT, routes);
        }
        ids.push(project.id.clone());
        list_sessions(project, endpoint);
    }
    routes = routes.guarded(unknown_project_routes(ids));
    endpoints = endpoints.and(placed_calls::routes(projects));
    let stopping = async {
        stopping::stop_requested().await;
        if let Some(Ok(fleet)) = projects[0].cx.environment().fleet() {
            fleet.set_state(ReplicaState::Draining);
        }
    };
    let Some(node) = node else { return listener.serve(routes, stopping).await };
    node.join();
    let (ended, has_ended) = oneshot::channel::<()>();
    let serving = async {
        listener.serve(routes, stopping).await;
        drop(ended);
    };
    let forwarding = node.serve(endpoints, async {
        let _ = has_ended.await;
    });
    tokio::join!(serving, forwarding);
}

fn servers(project: &Project) -> Servers {
    let mcp = project.mcp.clone();
    Arc::new(move |profile: Option<&str>| {
        let server = mcp.server(profile).ok_or_else(|| mcp.unknown(profile.unwrap_or_default()))?;
        Ok(server as Arc<dyn Protocol>)
    })
}

/// The context of requests about a project.
fn request(project: &Project) -> Cx {
    Cx {
        caller: Caller::Http,
        role: Role::Agent,
        approval_prompt: None,
        cwd: None,
        ..project.cx.request()
    }
}

/// Lists the sessions of MCP clients, here and in other processes, as sessions of the project.
fn list_sessions(project: &Project, endpoint: Arc<Endpoint>) {
    let cx = project.cx.clone();
    project.cx.workspace().parts.sessions.set_mcp_sessions(move || {
        let here = endpoint.session_infos();
        here.into_iter().chain(stdio_sessions::of_other_processes(&cx)).collect()
    });
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

/// How to connect a client; includes the token itself if it is new and a person sees it. Other
/// output may be kept in a log.
fn instructions(url: &str, token: &SavedToken, is_terminal: bool) -> String {
    let path = escape::line(&token.path.display().to_string()).into_owned();
    if !(token.is_new && is_terminal) {
        return format!(
            "clients authenticate with the token in {path}; `toolscout token create --name NAME` creates one for a single client\n"
        );
    }
    format!(
        "Created a token. It is shown only now, and stored in {path}\n\
             \n  Authorization: Bearer {secret}\n\nFor Claude Code:\n\
             \n  claude mcp add --transport http toolscout {url} --header \"Authorization: Bearer {secret}\"\n\n",
        secret = token.secret
    )
}
