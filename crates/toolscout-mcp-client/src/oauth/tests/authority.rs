//! A small server on loopback that plays all parts: the metadata of an MCP server, an authorization
//! server that checks requests like a real one, and a browser whose user agrees to everything.

use super::super::secret::OAuthSecret;
use parking_lot::{Mutex, MutexGuard};
use reqwest::Url;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// A received request.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordedRequest {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) pairs: BTreeMap<String, String>,
    pub(super) head: String,
    pub(super) body: String,
}

/// A response: status, headers, body.
#[derive(Debug, Clone)]
pub(super) struct Reply(pub(super) u16, pub(super) String, pub(super) String);

/// The behavior of the server. Each test changes the fields that it needs.
#[derive(Default)]
pub(super) struct State {
    pub(super) requests: Vec<RecordedRequest>,
    /// Responses by path that replace the default ones.
    pub(super) fixed: BTreeMap<String, Reply>,
    /// Fields of the authorization server metadata that differ.
    pub(super) described: BTreeMap<String, Value>,
    /// Seconds that a token lives.
    pub(super) expires_in: Value,
    /// Whether a new refresh token comes with each renewal.
    pub(super) rotates: bool,
    /// The `iss` parameter of the redirect.
    pub(super) iss: Option<String>,
    /// The secret assigned to registered clients.
    pub(super) client_secret: Option<String>,
    /// The number of polls answered with "pending", and whether the login is denied in the end.
    pub(super) pending: u32,
    pub(super) denied: bool,
    refresh: Option<String>,
    code: Option<Code>,
    given: u32,
    clients: BTreeMap<String, Value>,
}

struct Code {
    client: String,
    challenge: String,
    redirect: String,
    resource: String,
}

pub(super) struct Authority {
    pub(super) base: String,
    state: Arc<Mutex<State>>,
    _tasks: JoinSet<()>,
}

impl Authority {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback works");
        let base = format!("http://{}", listener.local_addr().expect("it has an address"));
        let state = State { expires_in: json!(3_600), rotates: true, ..State::default() };
        let state = Arc::new(Mutex::new(state));
        let mut tasks = JoinSet::new();
        tasks.spawn(serve(listener, base.clone(), Arc::clone(&state)));
        Self { base, state, _tasks: tasks }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// The address of the MCP server.
    pub(super) fn mcp(&self) -> String {
        format!("{}/mcp", self.base)
    }

    pub(super) fn fix(&self, path: &str, status: u16, headers: &str, body: impl ToString) {
        self.state()
            .fixed
            .insert(path.to_owned(), Reply(status, headers.to_owned(), body.to_string()));
    }

    /// The number of requests for this path.
    pub(super) fn count(&self, path: &str) -> usize {
        self.state().requests.iter().filter(|item| item.path == path).count()
    }

    /// The requested paths, in order.
    pub(super) fn paths(&self) -> Vec<String> {
        self.state().requests.iter().map(|item| format!("{} {}", item.method, item.path)).collect()
    }

    /// The last request for this path.
    pub(super) fn last(&self, path: &str) -> RecordedRequest {
        self.state()
            .requests
            .iter()
            .rfind(|item| item.path == path)
            .cloned()
            .expect("a request for this path")
    }
}

async fn serve(listener: TcpListener, base: String, state: Arc<Mutex<State>>) {
    let mut visits = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.expect("loopback works");
        let (base, state) = (base.clone(), Arc::clone(&state));
        visits.spawn(async move {
            if let Some((mut stream, request)) = read(stream).await {
                let Reply(status, headers, body) = state.lock().reply(&base, request);
                let length = body.len();
                let text = format!(
                    "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
                );
                // Fails if the client has closed the connection.
                let _ = stream.write_all(text.as_bytes()).await;
            }
        });
    }
}

async fn read(mut stream: TcpStream) -> Option<(TcpStream, RecordedRequest)> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_owned();
        let length = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok()
        });
        if body.len() >= length.unwrap_or(0) {
            return Some((stream, parse_request(head, body)));
        }
    }
}

fn parse_request(head: String, body: &str) -> RecordedRequest {
    let mut words = head.split(' ').map(str::to_owned);
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let url = Url::parse(&format!("http://h{target}")).expect("a target");
    let query = if method == "POST" { body } else { url.query().unwrap_or_default() };
    let pairs = Url::parse(&format!("http://h/?{query}")).expect("a form");
    let pairs =
        pairs.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
    RecordedRequest { method, path: url.path().to_owned(), pairs, head, body: body.to_owned() }
}

fn ok(body: Value) -> Reply {
    Reply(200, "content-type: application/json\r\n".to_owned(), body.to_string())
}

fn oauth_error(error: &str) -> Reply {
    Reply(400, String::new(), json!({ "error": error }).to_string())
}

impl State {
    fn reply(&mut self, base: &str, request: RecordedRequest) -> Reply {
        self.requests.push(request.clone());
        if let Some(fixed) = self.fixed.get(&request.path) {
            return fixed.clone();
        }
        match request.path.as_str() {
            "/.well-known/oauth-protected-resource/mcp" => ok(json!({
                "resource": format!("{base}/mcp"), "authorization_servers": [base], "scopes_supported": ["read"]
            })),
            "/.well-known/oauth-authorization-server" => ok(self.description(base)),
            "/register" => self.register(&request),
            "/authorize" => self.authorize(request),
            "/token" => self.token(&request),
            "/device" => ok(json!({
                "device_code": "device-code-1", "user_code": "WDJB-MJHT", "verification_uri": format!("{base}/activate"),
                "verification_uri_complete": format!("{base}/activate?user_code=WDJB-MJHT"), "expires_in": 600,
            })),
            _ => Reply(404, String::new(), String::new()),
        }
    }

    fn description(&self, base: &str) -> Value {
        let mut out = json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
            "registration_endpoint": format!("{base}/register"),
            "device_authorization_endpoint": format!("{base}/device"),
            "code_challenge_methods_supported": ["plain", "S256"],
        });
        for (name, value) in &self.described {
            out[name] = value.clone();
        }
        out
    }

    fn register(&mut self, request: &RecordedRequest) -> Reply {
        let metadata: Value = serde_json::from_str(&request.body).expect("JSON");
        let id = format!("client-{}", self.clients.len() + 1);
        let mut given = metadata.clone();
        given["client_id"] = json!(id);
        if let Some(secret) = &self.client_secret {
            given["client_secret"] = json!(secret);
            given["token_endpoint_auth_method"] = json!("client_secret_basic");
        }
        self.clients.insert(id, metadata);
        Reply(201, String::new(), given.to_string())
    }

    /// The user agrees, and the browser is redirected.
    fn authorize(&mut self, request: RecordedRequest) -> Reply {
        let param = |name: &str| request.pairs.get(name).cloned().unwrap_or_default();
        let (client, redirect) = (param("client_id"), param("redirect_uri"));
        let registered = self
            .clients
            .get(&client)
            .is_none_or(|client| client["redirect_uris"] == json!([redirect]));
        if !registered
            || param("response_type") != "code"
            || param("code_challenge_method") != "S256"
        {
            return oauth_error("invalid_request");
        }
        self.code = Some(Code {
            client,
            challenge: param("code_challenge"),
            redirect,
            resource: param("resource"),
        });
        let mut callback = Url::parse(&param("redirect_uri")).expect("an address");
        callback
            .query_pairs_mut()
            .append_pair("code", "the-code-1")
            .append_pair("state", &param("state"));
        if let Some(iss) = &self.iss {
            callback.query_pairs_mut().append_pair("iss", iss);
        }
        Reply(302, format!("location: {callback}\r\n"), String::new())
    }

    fn token(&mut self, request: &RecordedRequest) -> Reply {
        let param = |name: &str| request.pairs.get(name).cloned().unwrap_or_default();
        if let Some(secret) = &self.client_secret
            && !request.head.contains(&basic(&format!("client-1:{secret}")))
        {
            return oauth_error("invalid_client");
        }
        match param("grant_type").as_str() {
            "authorization_code" => {
                let Some(code) = self.code.take() else { return oauth_error("invalid_grant") };
                let bound = OAuthSecret::new(param("code_verifier")).challenge() == code.challenge
                    && param("code") == "the-code-1"
                    && param("redirect_uri") == code.redirect
                    && param("resource") == code.resource
                    && (param("client_id") == code.client || self.client_secret.is_some());
                if bound { self.issue_tokens(true) } else { oauth_error("invalid_grant") }
            }
            "client_credentials" => self.issue_tokens(false),
            "refresh_token" if self.refresh == Some(param("refresh_token")) => {
                self.issue_tokens(self.rotates)
            }
            "refresh_token" => {
                let repeated = format!("{} is over", param("refresh_token"));
                Reply(
                    400,
                    String::new(),
                    json!({"error": "invalid_grant", "error_description": repeated}).to_string(),
                )
            }
            super::super::registration::DEVICE_GRANT if self.pending > 0 => {
                self.pending -= 1;
                oauth_error("authorization_pending")
            }
            super::super::registration::DEVICE_GRANT if self.denied => oauth_error("access_denied"),
            super::super::registration::DEVICE_GRANT if param("device_code") == "device-code-1" => {
                self.issue_tokens(true)
            }
            _ => oauth_error("unsupported_grant_type"),
        }
    }

    fn issue_tokens(&mut self, with_refresh: bool) -> Reply {
        self.given += 1;
        let number = self.given;
        let mut out = json!({
            "access_token": format!("access-{number}"), "token_type": "Bearer", "expires_in": self.expires_in
        });
        if with_refresh {
            out["refresh_token"] = json!(format!("refresh-{number}"));
            self.refresh = Some(format!("refresh-{number}"));
        }
        ok(out)
    }

    /// Revokes all refresh tokens.
    pub(super) fn revoke(&mut self) {
        self.refresh = None;
    }
}

fn basic(text: &str) -> String {
    use base64::Engine as _;
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(text))
}

/// Sends one request like a browser; returns the status, the head and the body.
pub(super) async fn get(url: &str) -> (u16, String, String) {
    let url = Url::parse(url).expect("an address");
    let address = (url.host_str().expect("a host"), url.port().expect("a port"));
    let mut stream = TcpStream::connect(address).await.expect("the server listens");
    let target = &url.as_str()[path_start(&url)..];
    let request = format!("GET {target} HTTP/1.1\r\nhost: {}\r\n\r\n", address.0);
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut text = String::new();
    stream.read_to_string(&mut text).await.expect("a response");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|part| part.parse().ok()).expect("a status");
    (status, head.to_owned(), body.to_owned())
}

/// The offset at which the path begins.
fn path_start(url: &Url) -> usize {
    url.as_str().len() - url.path().len() - url.query().map_or(0, |query| query.len() + 1)
}

/// The address that this page redirects a browser to.
pub(super) async fn consent(url: &str) -> String {
    let (status, head, body) = get(url).await;
    assert_eq!(status, 302, "{body}");
    head.lines().find_map(|line| line.strip_prefix("location: ")).expect("a redirect").to_owned()
}
