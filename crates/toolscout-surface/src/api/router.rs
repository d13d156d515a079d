//! Routes of operations: each reads the input, runs the operation, and writes its output.

use super::response::{self, JSON};
use super::{openapi, projects, query};
use crate::http::event_stream::{self, KEEP_ALIVE, MEDIA_TYPE as EVENT_STREAM};
use crate::http::socket::{EXIT_CODE, SocketRouter};
use crate::http::{
    CancelToken, Limits, Principal, RequestShares, Routes, cancelled, drain, is_json, read,
    share_key,
};
use crate::mcp::http::forwarded_headers;
use crate::operation::{
    Access, BoundOperation, DRY_RUN, ErrorCode, ItemStream, OperationError, OperationOutput,
    OperationSpec, Operations, StreamItem, Text,
};
use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Path, Request};
use axum::http::header::{ACCEPT, USER_AGENT};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, get};
use axum::{Extension, Router};
use futures_util::StreamExt;
use futures_util::stream::unfold;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc;
use tokio::time::sleep;
use toolscout_core::cx::{ApprovalPrompt, Progress, Role};
use toolscout_core::event::trace_context;
use toolscout_core::{BoxFuture, Caller, Cx, SharePermit};

const TEXT: &str = "text/plain";
/// Progress events that may be queued for a slow reader; further ones are dropped.
const MAX_PENDING_PROGRESS: usize = 64;
/// The maximum size of a request body in bytes: only the arguments of a call may be long.
const MAX_BODY: usize = 4 << 20;
/// The maximum length of a client's name in characters.
const MAX_CLIENT_NAME: usize = 100;

/// The routes of all operations. The same router serves the HTTP listener and the control socket.
pub struct OperationRouter {
    operations: Operations,
    /// The base context of every request: the project, the observers.
    request: Cx,
    document: OnceLock<Bytes>,
    shares: RequestShares,
    limits: Limits,
    /// Ends the streams on shutdown; without it they end with their connections.
    shutdown: Option<CancelToken>,
}

impl OperationRouter {
    pub fn new(
        operations: Operations,
        request: Cx,
        limits: Limits,
        shutdown: Option<CancelToken>,
    ) -> Arc<Self> {
        let limits = Limits { body: limits.body.min(MAX_BODY), ..limits };
        Arc::new(Self {
            operations,
            request,
            document: OnceLock::new(),
            shares: RequestShares::new(&limits),
            limits,
            shutdown,
        })
    }

    /// The routes of another project, which share the limits of this one.
    pub fn for_project(&self, operations: Operations, request: Cx) -> Arc<Self> {
        Arc::new(Self {
            operations,
            request,
            document: OnceLock::new(),
            shares: self.shares.clone(),
            limits: self.limits.clone(),
            shutdown: self.shutdown.clone(),
        })
    }

    /// Adds these routes to those of a listener.
    pub fn add_to(self: &Arc<Self>, routes: Routes) -> Routes {
        let (open, guarded) = self.routers(|path| Some(path.to_owned()));
        routes.open(open).guarded(guarded.merge(self.document_route()))
    }

    /// Adds these routes to those of a listener, under the path of a project.
    pub fn add_project_to(self: &Arc<Self>, id: &str, routes: Routes) -> Routes {
        let (_, guarded) = self.routers(|path| projects::path_in(id, path));
        routes.guarded(guarded)
    }

    /// All routes, for the operator who owns the control socket. Commands typed at a terminal
    /// are forwarded this way; a command that needs a confirmation has already requested it
    /// there.
    pub fn for_owner(self: &Arc<Self>) -> SocketRouter {
        self.for_peer(SocketPeer { role: Role::Operator, has_authorized: true })
    }

    /// All routes, for a tool or a server of the owner: it decides nothing. If it is toolscout
    /// itself, it has authorized a call before it forwards it.
    pub fn for_tool(self: &Arc<Self>, is_toolscout: bool) -> SocketRouter {
        self.for_peer(SocketPeer { role: Role::Tool, has_authorized: is_toolscout })
    }

    fn for_peer(self: &Arc<Self>, peer: SocketPeer) -> SocketRouter {
        let (open, guarded) = self.routers(|path| Some(path.to_owned()));
        let guarded = guarded.merge(self.document_route());
        let principal = Principal::new(None, peer.role);
        SocketRouter(open.merge(guarded).layer(Extension(principal)).layer(Extension(peer)))
    }

    /// The routes that need no authentication, and those that do. `place` maps the path of an
    /// operation to the path of its route, or to none.
    fn routers(
        self: &Arc<Self>,
        place: impl Fn(&'static str) -> Option<String>,
    ) -> (Router, Router) {
        let (mut open, mut guarded) = (Router::new(), Router::new());
        let paths = |operation: &Arc<BoundOperation>| {
            [Some(operation.spec.route.path), operation.spec.alias]
        };
        let all = self.operations.iter().flat_map(paths).flatten().filter(|path| !path.is_empty());
        for path in all.collect::<BTreeSet<_>>() {
            let at_path =
                self.operations.iter().filter(|operation| paths(operation).contains(&Some(path)));
            let (mut route, mut methods, mut is_open) = (MethodRouter::new(), Vec::new(), true);
            for operation in at_path {
                let method = operation.spec.route.method;
                // axum supports every method that operations use.
                let filter = method
                    .parse()
                    .ok()
                    .and_then(|method: Method| MethodFilter::try_from(method).ok());
                let (router, operation) = (self.clone(), operation.clone());
                methods.push(method);
                is_open &= operation.spec.access == Access::Open;
                let run = move |request| respond(router.clone(), operation.clone(), request);
                route = if let Some(filter) = filter { route.on(filter, run) } else { route };
            }
            let methods = methods.join(", ");
            let route = route.fallback(async move |request: Request| {
                drain(request.into_body()).await;
                response::method_not_allowed(&methods)
            });
            match place(path) {
                Some(path) if is_open => open = open.route(&path, route),
                Some(path) => guarded = guarded.route(&path, route),
                None => {}
            }
        }
        (open, guarded)
    }

    fn document_route(self: &Arc<Self>) -> Router {
        let router = self.clone();
        let document = get(async move || response::bytes(StatusCode::OK, JSON, router.document()));
        let document = document.fallback(async || response::method_not_allowed("GET"));
        Router::new().route(openapi::PATH, document)
    }

    fn document(&self) -> Bytes {
        self.document.get_or_init(|| openapi::document(&self.operations).to_string().into()).clone()
    }
}

/// The other end of the control socket.
#[derive(Clone, Copy)]
struct SocketPeer {
    role: Role,
    /// Whether it has asked for an approval already, if a call needs one.
    has_authorized: bool,
}

/// Responds to a request for an operation. It checks the role before it reads anything of the
/// request.
async fn respond(
    router: Arc<OperationRouter>,
    operation: Arc<BoundOperation>,
    request: Request,
) -> Result<Response, OperationError> {
    let (mut head, body) = request.into_parts();
    let principal = match (head.extensions.get::<Principal>(), operation.spec.access) {
        (Some(principal), _) => Ok(principal.clone()),
        (None, Access::Open) => Ok(Principal::new(None, Role::Agent)),
        (None, _) => {
            Err(OperationError::new(ErrorCode::Unauthorized, "the request is not authenticated"))
        }
    };
    let admitted = principal.and_then(|principal| {
        let cx = context(&router, &principal, &head);
        operation.check_access(&cx).map(|()| (principal, cx))
    });
    let (principal, cx) = match admitted {
        Ok(admitted) => admitted,
        Err(error) => {
            drain(body).await;
            return Err(error);
        }
    };
    let too_many = |what| {
        let message = format!("busy, retry after 1 s: too many concurrent {what} of this client");
        OperationError::new(ErrorCode::TooManyRequests, message)
    };
    let shares = &router.shares;
    let key = share_key(&principal, &head);
    let permit = shares.requests.try_acquire(&key).ok_or_else(|| too_many("requests"))?;
    let body_permit = shares.bodies.empty_permit(&key);
    let (input, is_dry_run, body_permit) =
        input(&router, &operation, &mut head, body, body_permit).await?;
    let permits = (permit, body_permit);
    let cx = Cx { dry_run: is_dry_run, ..cx };
    if operation.is_stream() {
        let permit = shares.streams.try_acquire(&key).ok_or_else(|| too_many("streams"))?;
        let items = operation.open(input, cx).await?;
        return Ok(stream(items, router.shutdown.clone(), permit));
    }
    match accepted(&head.headers) {
        Some(EVENT_STREAM) => {
            let run = move |cx| -> BoxFuture<'static, _> {
                Box::pin(async move {
                    let _permits = permits;
                    operation.invoke(input, cx).await
                })
            };
            Ok(with_progress(run, cx))
        }
        accepted => {
            let output = operation.invoke(input, cx).await?;
            render_response(&operation.spec, &output, accepted == Some(TEXT))
        }
    }
}

/// The output as a response: JSON, the operation's own media type, or text for people. A text
/// response carries the exit code of the command, because a forwarded command prints it
/// unchanged.
fn render_response(
    spec: &OperationSpec,
    output: &OperationOutput,
    is_text: bool,
) -> Result<Response, OperationError> {
    if spec.media_type != JSON {
        return Ok(response::bytes(StatusCode::OK, spec.media_type, output.text(&Text::default())));
    }
    if is_text {
        let mut response = response::bytes(
            StatusCode::OK,
            "text/plain; charset=utf-8",
            output.text(&Text::default()),
        );
        response.headers_mut().insert(EXIT_CODE, HeaderValue::from(u16::from(output.exit.code())));
        return Ok(response);
    }
    let status = StatusCode::from_u16(spec.route.status).unwrap_or(StatusCode::OK);
    Ok(response::bytes(status, JSON, to_json(output)?))
}

fn to_json(output: &OperationOutput) -> Result<Vec<u8>, OperationError> {
    let failed = |error| {
        OperationError::new(ErrorCode::Internal, format!("cannot write the output: {error}"))
    };
    output.to_json().map_err(failed)
}

/// The context of a request: its client, its role, and the headers that are passed on.
fn context(router: &OperationRouter, principal: &Principal, head: &Parts) -> Cx {
    let headers = forwarded_headers(&head.headers);
    let client = head.headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
    let cx = Cx {
        caller: Caller::Http,
        user: principal.name.clone(),
        token: principal.token.clone(),
        profile: principal.profile.clone(),
        is_ui: principal.is_ui,
        client: client.map(|name| name.chars().take(MAX_CLIENT_NAME).collect::<String>().into()),
        trace: trace_context(&headers),
        headers: headers.into(),
        approval_prompt: None,
        role: principal.role,
        ..router.request.clone()
    };
    let Some(peer) = head.extensions.get::<SocketPeer>() else { return cx };
    let confirmed: ApprovalPrompt = Arc::new(|_| Box::pin(async { true }));
    let approval_prompt = peer.has_authorized.then_some(confirmed);
    Cx { caller: Caller::Cli, approval_prompt, ..cx }
}

/// The fields of path, query and JSON body, whether this is a dry run, and the permit for the bytes
/// of the body, to be held while they are in use. A field that is given twice is an error.
async fn input(
    router: &OperationRouter,
    operation: &BoundOperation,
    head: &mut Parts,
    body: Body,
    permit: SharePermit,
) -> Result<(Map<String, Value>, bool, SharePermit), OperationError> {
    let path = Path::<Vec<(String, String)>>::from_request_parts(head, &()).await;
    let Path(path) = path
        .map_err(|_| OperationError::invalid("the path is not valid UTF-8 with percent escapes"))?;
    let query = query::parse(head.uri.query().unwrap_or_default(), operation.input.query())?;
    let (bytes, permit) = read(body, &router.limits, permit).await?;
    let body = if bytes.is_empty() {
        Map::new()
    } else if !is_json(&head.headers) {
        let error = OperationError::invalid("the body must be JSON");
        return Err(error.hint("send `Content-Type: application/json`"));
    } else {
        let invalid =
            |error| OperationError::invalid(format!("the body is not valid JSON: {error}"));
        match serde_json::from_slice(&bytes)
            .map_err(|error| invalid(error).hint("send a JSON object"))?
        {
            Value::Object(body) => body,
            _ => return Err(OperationError::invalid("the body must be a JSON object")),
        }
    };
    let mut all: Map<_, _> =
        path.into_iter().map(|(name, value)| (name, Value::from(value))).collect();
    let mut is_dry_run = router.request.dry_run;
    for (name, value) in query.into_iter().chain(body) {
        if name == DRY_RUN && !operation.input.has(DRY_RUN) {
            let invalid =
                || OperationError::invalid("the query: `dryRun` must be `true` or `false`");
            is_dry_run = value.as_bool().ok_or_else(invalid)?;
        } else if all.insert(name.clone(), value).is_some() {
            return Err(OperationError::invalid(format!("`{name}` is given more than once")));
        }
    }
    Ok((all, is_dry_run, permit))
}

/// The requested media type other than JSON; `None` if the client accepts JSON.
fn accepted(headers: &HeaderMap) -> Option<&'static str> {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("*/*");
    let media_types =
        || accept.split(',').map(|range| range.split(';').next().unwrap_or_default().trim());
    if media_types().any(|range| matches!(range, JSON | "application/*" | "*/*")) {
        return None;
    }
    [EVENT_STREAM, TEXT]
        .into_iter()
        .find(|media_type| media_types().any(|range| range == *media_type))
}

/// The items of a stream as events, with keep-alive comments in between, until the listener
/// shuts down.
fn stream(
    items: ItemStream<StreamItem>,
    shutdown: Option<CancelToken>,
    permit: SharePermit,
) -> Response {
    let events = unfold((items, shutdown, permit), |(mut items, shutdown, permit)| async move {
        let bytes = tokio::select! {
            biased;
            () = cancelled(shutdown.as_ref()) => return None,
            item = items.next() => {
                match item? {
                    Ok(item) => event(item.event, &item.to_json().unwrap_or_default()),
                    Err(error) => event("error", &serde_json::to_string(&error).unwrap_or_default()),
                }
            }
            () = sleep(KEEP_ALIVE) => event_stream::comment(),
        };
        Some((Ok::<_, Infallible>(bytes), (items, shutdown, permit)))
    });
    event_stream::response(Body::from_stream(events))
}

/// Runs the operation and sends its progress: `progress` events, then one `result` or `error`.
fn with_progress(
    run: impl FnOnce(Cx) -> BoxFuture<'static, Result<OperationOutput, OperationError>>,
    cx: Cx,
) -> Response {
    let (sender, progress) = mpsc::channel(MAX_PENDING_PROGRESS);
    let report = move |progress: Progress| drop(sender.try_send(progress));
    let cx = Cx { progress: Some(Arc::new(report)), ..cx };
    let running = RunningOperation { progress, run: Some(run(cx)) };
    let events = unfold(running, |mut running| async move {
        let event = running.next().await?;
        Some((Ok::<_, Infallible>(event), running))
    });
    event_stream::response(Body::from_stream(events))
}

struct RunningOperation {
    progress: mpsc::Receiver<Progress>,
    run: Option<BoxFuture<'static, Result<OperationOutput, OperationError>>>,
}

impl RunningOperation {
    async fn next(&mut self) -> Option<Bytes> {
        let run = self.run.as_mut()?;
        tokio::select! {
            biased;
            Some(progress) = self.progress.recv() => {
                let Progress { done, total, message } = progress;
                Some(event("progress", &json!({"done": done, "total": total, "message": message}).to_string()))
            }
            result = run => {
                self.run = None;
                Some(match result.and_then(|output| to_json(&output)) {
                    Ok(json) => event("result", &String::from_utf8_lossy(&json)),
                    Err(error) => event("error", &serde_json::to_string(&error).unwrap_or_default()),
                })
            }
        }
    }
}

fn event(name: &str, json: &str) -> Bytes {
    let mut event = String::new();
    event_stream::push_event(&mut event, name, json);
    event.into()
}
