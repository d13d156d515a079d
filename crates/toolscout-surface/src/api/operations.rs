//! Operations over HTTP: each route takes the input apart, runs the operation, and writes its output.

use super::answer::{Answer, JSON};
use super::{asked, input, query};
use crate::http::socket::{EVENT_STREAM, EXIT_CODE};
use crate::http::{Budget, Gate, Limits};
use crate::http::{Principal, drain};
use crate::operation::{Access, BoundOperation, ErrorCode, OperationError, OperationOutput, Operations, Text};
use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Path, Request};
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Extension, Router};
use futures_util::stream::unfold;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc;
use toolscout_core::cx::{ApprovalPrompt, Progress, Role};
use toolscout_core::{BoxFuture, Caller, Cx};

/// The query parameter that asks what a change would do.
const DRY_RUN: &str = "dryRun";
const TEXT: &str = "text/plain";
/// Progress events that may wait for a slow reader; further ones are dropped.
const PENDING_PROGRESS: usize = 64;

/// The routes of all operations. The same router serves the HTTP listener and the control socket.
pub struct OperationRouter {
    operations: Operations,
    /// What every request starts from: the project, the observers.
    request: Cx,
    pub(super) requests: Arc<Gate>,
    pub(super) bodies: Arc<Budget>,
    pub(super) limits: Limits,
}

impl OperationRouter {
    /// Routes for these operations.
    pub fn new(operations: Operations, request: Cx, limits: Limits) -> Arc<Self> {
        let limits = Limits { body: limits.body.min(BODY), ..limits };
        let (requests, bodies) = (Gate::new(limits.requests, limits.requests_each), Budget::new(limits.bodies));
        Arc::new(Self { operations, request, requests, bodies, limits })
    }

    /// All operations.
    pub fn operations(&self) -> &Operations {
        &self.operations
    }

    /// The routes that need no authentication, and those that do.
    pub(super) fn routers(self: &Arc<Self>) -> (Router, Router) {
        let (mut open, mut guarded) = (Router::new(), Router::new());
        for path in self.operations.iter().map(|operation| operation.spec.route.path).collect::<BTreeSet<_>>() {
            let here = self.operations.iter().filter(|operation| operation.spec.route.path == path);
            let here: Vec<_> = here.cloned().collect();
            let is_open = here.iter().all(|operation| operation.spec.access == Access::Open);
            let router = self.clone();
            let route = any(move |request| answer(router.clone(), here.clone(), request));
            if is_open {
                open = open.route(path, route);
            } else {
                guarded = guarded.route(path, route);
            }
        }
        (open, guarded)
    }

    /// All routes for the operator who owns the control socket. What they typed at a terminal comes this way, and what needed a
    /// confirmation was confirmed there.
    pub fn for_owner(self: &Arc<Self>) -> SocketRouter {
        let (open, guarded) = self.routers();
        let owner = SocketOwner(Principal { name: None, role: Role::Operator });
        SocketRouter(open.merge(guarded).layer(Extension(owner.0.clone())).layer(Extension(owner)))
    }
}

/// The routes of the control socket.
#[derive(Clone)]
pub struct SocketRouter(pub(crate) Router);

/// Marks a request over the control socket.
#[derive(Clone)]
struct SocketOwner(Principal);

/// Bytes of a request body: arguments of a call may be long, nothing else is.
const BODY: usize = 4 << 20;

/// Answers a request for the operations at one path.
async fn answer(api: Arc<OperationRouter>, operations: Vec<Arc<BoundOperation>>, request: Request) -> Response {
    let (mut head, body) = request.into_parts();
    let method = if head.method == Method::HEAD { "GET" } else { head.method.as_str() };
    let Some(operation) = operations.iter().find(|operation| operation.spec.route.method == method) else {
        drain(body).await;
        let methods: Vec<_> = operations.iter().map(|operation| operation.spec.route.method).collect();
        return Answer::not_allowed(&methods.join(", ")).into_response();
    };
    let result = run(api, operation, &mut head, body).await;
    result.unwrap_or_else(Answer::from).into_response()
}

async fn run(
    api: Arc<OperationRouter>,
    operation: &Arc<BoundOperation>,
    head: &mut Parts,
    body: Body,
) -> Result<Answer, OperationError> {
    let principal = match principal(operation, head) {
        Ok(principal) => principal,
        Err(error) => {
            drain(body).await;
            return Err(error);
        }
    };
    if let Err(error) = operation.check_access(principal.role) {
        drain(body).await;
        return Err(error);
    }
    let pass = api.requests.enter(&principal.name);
    let pass = pass.ok_or_else(|| OperationError::new(ErrorCode::TooManyRequests, "too many requests at once"))?;
    let mut cx = asked::cx(api.request.clone(), &principal, head);
    if head.extensions.get::<SocketOwner>().is_some() {
        let confirmed: ApprovalPrompt = Arc::new(|_| Box::pin(async { true }));
        cx = Cx { caller: Caller::Cli, asker: Some(confirmed), ..cx };
    }
    let input = input(&api, operation, head, body, &mut cx).await?;
    if preferred(&head.headers) == Some(EVENT_STREAM) {
        let (operation, cx) = (operation.clone(), cx);
        return Ok(Answer::other(events(
            |cx| {
                Box::pin(async move {
                    let _pass = pass;
                    operation.invoke(input, cx).await
                })
            },
            cx,
        )));
    }
    let output = operation.invoke(input, cx).await?;
    if preferred(&head.headers) == Some(TEXT) {
        return Ok(Answer::other(text(&output)));
    }
    respond(&output, operation.spec.route.status)
}

fn respond(output: &OperationOutput, status: u16) -> Result<Answer, OperationError> {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let bytes = output.to_json();
    let bytes =
        bytes.map_err(|error| OperationError::new(ErrorCode::Internal, format!("cannot write the output: {error}")))?;
    Ok(Answer::bytes(status, JSON, bytes.into()))
}

/// The authenticated client. Routes that are open have one without a name.
fn principal(operation: &BoundOperation, head: &Parts) -> Result<Principal, OperationError> {
    match (operation.spec.access, head.extensions.get::<Principal>().cloned()) {
        (_, Some(principal)) => Ok(principal),
        (Access::Open, None) => Ok(Principal { name: None, role: Role::Agent }),
        (_, None) => Err(OperationError::new(ErrorCode::Unauthorized, "the request is not authenticated")),
    }
}

/// Everything the request says: path, query and body. A field that is given twice is an error.
async fn input(
    api: &OperationRouter,
    operation: &BoundOperation,
    head: &mut Parts,
    body: Body,
    cx: &mut Cx,
) -> Result<Map<String, Value>, OperationError> {
    let path = Path::<Vec<(String, String)>>::from_request_parts(head, &()).await;
    let Path(path) = path.map_err(|_| OperationError::invalid("the path is not valid UTF-8 with percent escapes"))?;
    let mut schema = operation.input.inlined().clone();
    schema["properties"][DRY_RUN] = json!({"type": "boolean"});
    let mut all: Map<_, _> = path.into_iter().map(|(name, value)| (name, Value::from(value))).collect();
    let query = query::read(head.uri.query().unwrap_or_default(), &schema)?;
    let body = input::object(api, &head.headers, body).await?;
    for (name, value) in query.into_iter().chain(body) {
        if name == DRY_RUN && !operation.input.has(DRY_RUN) {
            let invalid = || OperationError::invalid("the query: `dryRun` must be `true` or `false`");
            cx.dry_run = value.as_bool().ok_or_else(invalid)?;
        } else if all.insert(name.clone(), value).is_some() {
            return Err(OperationError::invalid(format!("`{name}` is given twice")));
        }
    }
    Ok(all)
}

/// The output for people, with the exit code of the command: a command that was forwarded prints it as it is.
fn text(output: &OperationOutput) -> Response {
    let mut response = Response::new(Body::from(output.text(&Text::default())));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response.headers_mut().insert(EXIT_CODE, HeaderValue::from(u16::from(output.exit.code())));
    response
}

/// The form of the response other than JSON, if the client asks for one and not for JSON.
fn preferred(headers: &HeaderMap) -> Option<&'static str> {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("*/*");
    let media_types = || accept.split(',').map(|range| range.split(';').next().unwrap_or_default().trim());
    if media_types().any(|range| matches!(range, JSON | "application/*" | "*/*")) {
        return None;
    }
    [EVENT_STREAM, TEXT].into_iter().find(|media_type| media_types().any(|range| range == *media_type))
}

/// Runs the operation while its progress is sent: `progress` events, then one `result` or `error`.
fn events(run: impl FnOnce(Cx) -> BoxFuture<'static, Result<OperationOutput, OperationError>>, cx: Cx) -> Response {
    let (sender, progress) = mpsc::channel(PENDING_PROGRESS);
    let report = move |progress: Progress| drop(sender.try_send(progress));
    let cx = Cx { progress: Some(Arc::new(report)), ..cx };
    let running = Running { progress, run: Some(run(cx)) };
    let body = Body::from_stream(unfold(running, |mut running| async move {
        let event = running.next().await?;
        Some((Ok::<_, Infallible>(event), running))
    }));
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

struct Running {
    progress: mpsc::Receiver<Progress>,
    run: Option<BoxFuture<'static, Result<OperationOutput, OperationError>>>,
}

impl Running {
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
                let output = result.and_then(|output| {
                    let failed = |error| OperationError::new(ErrorCode::Internal, format!("cannot write the output: {error}"));
                    output.to_json().map_err(failed)
                });
                Some(match output {
                    Ok(json) => event("result", &String::from_utf8_lossy(&json)),
                    Err(error) => event("error", &serde_json::to_string(&error).unwrap_or_default()),
                })
            }
        }
    }
}

/// JSON has no line breaks of its own, so it is one line.
fn event(kind: &str, json: &str) -> Bytes {
    format!("event: {kind}\ndata: {json}\n\n").into()
}
