//! Routes of operations: each takes the input apart, runs the operation, and writes its output.

use super::answer::{self, JSON};
use super::{body, openapi, query};
use crate::http::event_stream::{self, KEEP_ALIVE, MEDIA_TYPE as EVENT_STREAM};
use crate::http::socket::{EXIT_CODE, SocketRouter};
use crate::http::{Budget, Ending, Gate, Limits, Pass, Principal, Routes, drain};
use crate::mcp::http::passed_on;
use crate::operation::{
    Access, BoundOperation, ErrorCode, ItemStream, OperationError, OperationOutput, Operations, StreamItem, Text,
};
use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Path, Request};
use axum::http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use axum::routing::{any, get};
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
use toolscout_core::{BoxFuture, Caller, Cx};

/// The query parameter that asks what a change would do.
const DRY_RUN: &str = "dryRun";
const TEXT: &str = "text/plain";
/// Progress events that may wait for a slow reader; further ones are dropped.
const PENDING_PROGRESS: usize = 64;
/// Bytes of a request body: arguments of a call may be long, nothing else is.
const BODY: usize = 4 << 20;
/// Characters of a client's name.
const CLIENT_NAME: usize = 100;

/// The routes of all operations. The same router serves the HTTP listener and the control socket.
pub struct OperationRouter {
    operations: Operations,
    /// What every request starts from: the project, the observers.
    request: Cx,
    document: OnceLock<Bytes>,
    requests: Arc<Gate>,
    streams: Arc<Gate>,
    bodies: Arc<Budget>,
    limits: Limits,
    /// Ends the streams; without it they end with their connections.
    ending: Option<Ending>,
}

impl OperationRouter {
    /// Routes for these operations.
    pub fn new(operations: Operations, request: Cx, limits: Limits, ending: Option<Ending>) -> Arc<Self> {
        let limits = Limits { body: limits.body.min(BODY), ..limits };
        Arc::new(Self {
            operations,
            request,
            document: OnceLock::new(),
            requests: Gate::new(limits.requests, limits.requests_each),
            streams: Gate::new(limits.streams, limits.streams_each),
            bodies: Budget::new(limits.bodies),
            limits,
            ending,
        })
    }

    /// Adds these routes to those of a listener.
    pub fn add_to(self: &Arc<Self>, routes: Routes) -> Routes {
        let (open, guarded) = self.routers();
        routes.open(open).guarded(guarded)
    }

    /// All routes for the operator who owns the control socket. What they typed at a terminal comes this way, and what needed a
    /// confirmation was confirmed there.
    pub fn for_owner(self: &Arc<Self>) -> SocketRouter {
        let (open, guarded) = self.routers();
        let owner = SocketOwner(Principal { name: None, role: Role::Operator });
        SocketRouter(open.merge(guarded).layer(Extension(owner.0.clone())).layer(Extension(owner)))
    }

    /// The routes that need no authentication, and those that do.
    fn routers(self: &Arc<Self>) -> (Router, Router) {
        let (mut open, mut guarded) = (Router::new(), Router::new());
        let paths = |operation: &Arc<BoundOperation>| [Some(operation.spec.route.path), operation.spec.alias];
        let all = self.operations.iter().flat_map(paths).flatten().filter(|path| !path.is_empty());
        for path in all.collect::<BTreeSet<_>>() {
            let here = self.operations.iter().filter(|operation| paths(operation).contains(&Some(path)));
            let here: Vec<_> = here.cloned().collect();
            let is_open = here.iter().all(|operation| operation.spec.access == Access::Open);
            let router = self.clone();
            let route = any(move |request| respond(router.clone(), here.clone(), request));
            if is_open {
                open = open.route(path, route);
            } else {
                guarded = guarded.route(path, route);
            }
        }
        let router = self.clone();
        let document = get(async move || answer::bytes(StatusCode::OK, JSON, router.document()));
        let document = document.fallback(async || answer::method_not_allowed(&["GET"]));
        (open, guarded.route(openapi::PATH, document))
    }

    fn document(&self) -> Bytes {
        self.document.get_or_init(|| openapi::document(&self.operations).to_string().into()).clone()
    }
}

/// Marks a request over the control socket.
#[derive(Clone)]
struct SocketOwner(Principal);

/// Responds to a request for the operations at one path.
async fn respond(router: Arc<OperationRouter>, operations: Vec<Arc<BoundOperation>>, request: Request) -> Response {
    let (mut head, body) = request.into_parts();
    let method = if head.method == Method::HEAD { "GET" } else { head.method.as_str() };
    let Some(operation) = operations.iter().find(|operation| operation.spec.route.method == method) else {
        drain(body).await;
        let methods: Vec<_> = operations.iter().map(|operation| operation.spec.route.method).collect();
        return answer::method_not_allowed(&methods);
    };
    let response = match admit(operation, &head) {
        Ok(principal) => run(&router, operation, principal, &mut head, body).await,
        Err(error) => {
            drain(body).await;
            Err(error)
        }
    };
    response.unwrap_or_else(|error| answer::error(&error))
}

/// The authenticated client, if its role suffices. Routes that are open have one without a name.
fn admit(operation: &BoundOperation, head: &Parts) -> Result<Principal, OperationError> {
    let principal = match (operation.spec.access, head.extensions.get::<Principal>().cloned()) {
        (_, Some(principal)) => principal,
        (Access::Open, None) => Principal { name: None, role: Role::Agent },
        (_, None) => return Err(OperationError::new(ErrorCode::Unauthorized, "the request is not authenticated")),
    };
    operation.check_access(principal.role)?;
    Ok(principal)
}

async fn run(
    router: &OperationRouter,
    operation: &Arc<BoundOperation>,
    principal: Principal,
    head: &mut Parts,
    body: Body,
) -> Result<Response, OperationError> {
    let too_many = |what| OperationError::new(ErrorCode::TooManyRequests, format!("too many {what} at a time"));
    let pass = router.requests.enter(&principal.name).ok_or_else(|| too_many("requests"))?;
    let mut cx = cx(router.request.clone(), &principal, head);
    let input = input(router, operation, head, body, &mut cx).await?;
    if operation.is_stream() {
        let pass = router.streams.enter(&principal.name).ok_or_else(|| too_many("streams"))?;
        let items = operation.open(input, cx).await?;
        return Ok(stream(items, router.ending.clone(), pass));
    }
    let accepted = accepted(&head.headers);
    if accepted == Some(EVENT_STREAM) {
        let operation = operation.clone();
        let run = |cx| -> BoxFuture<'static, _> {
            Box::pin(async move {
                let _pass = pass;
                operation.invoke(input, cx).await
            })
        };
        return Ok(with_progress(run, cx));
    }
    let output = operation.invoke(input, cx).await?;
    if operation.spec.media_type != JSON {
        let text = output.text(&Text::default());
        return Ok(answer::bytes(StatusCode::OK, operation.spec.media_type, text));
    }
    if accepted == Some(TEXT) {
        return Ok(text(&output));
    }
    let status = StatusCode::from_u16(operation.spec.route.status).unwrap_or(StatusCode::OK);
    Ok(answer::bytes(status, JSON, to_json(&output)?))
}

fn to_json(output: &OperationOutput) -> Result<Vec<u8>, OperationError> {
    let failed = |error| OperationError::new(ErrorCode::Internal, format!("cannot write the output: {error}"));
    output.to_json().map_err(failed)
}

/// The context of a request: its client, its role, and the headers that are passed on.
fn cx(request: Cx, principal: &Principal, head: &Parts) -> Cx {
    let headers = passed_on(&head.headers);
    let client = head.headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
    let cx = Cx {
        caller: Caller::Http,
        user: principal.name.clone(),
        client: client.map(|name| name.chars().take(CLIENT_NAME).collect::<String>().into()),
        trace: trace_context(&headers),
        headers: headers.into(),
        asker: None,
        role: principal.role,
        ..request
    };
    if head.extensions.get::<SocketOwner>().is_none() {
        return cx;
    }
    let confirmed: ApprovalPrompt = Arc::new(|_| Box::pin(async { true }));
    Cx { caller: Caller::Cli, asker: Some(confirmed), ..cx }
}

/// Everything the request says: path, query and body. A field that is given twice is an error.
async fn input(
    router: &OperationRouter,
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
    let body = body::object(&router.limits, &router.bodies, &head.headers, body).await?;
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
fn accepted(headers: &HeaderMap) -> Option<&'static str> {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("*/*");
    let media_types = || accept.split(',').map(|range| range.split(';').next().unwrap_or_default().trim());
    if media_types().any(|range| matches!(range, JSON | "application/*" | "*/*")) {
        return None;
    }
    [EVENT_STREAM, TEXT].into_iter().find(|media_type| media_types().any(|range| range == *media_type))
}

/// The items of a stream as events, with comments while there is none, until the listener ends.
fn stream(items: ItemStream<StreamItem>, ending: Option<Ending>, pass: Pass) -> Response {
    let events = unfold((items, ending, pass), |(mut items, ending, pass)| async move {
        let ended = async {
            match &ending {
                Some(ending) => ending.over().await,
                None => std::future::pending().await,
            }
        };
        let bytes = tokio::select! {
            biased;
            () = ended => return None,
            item = items.next() => {
                match item? {
                    Ok(item) => event(item.event, &item.to_json().unwrap_or_default()),
                    Err(error) => event("error", &serde_json::to_string(&error).unwrap_or_default()),
                }
            }
            () = sleep(KEEP_ALIVE) => event_stream::comment(),
        };
        Some((Ok::<_, Infallible>(bytes), (items, ending, pass)))
    });
    event_stream::response(Body::from_stream(events))
}

/// Runs the operation while its progress is sent: `progress` events, then one `result` or `error`.
fn with_progress(
    run: impl FnOnce(Cx) -> BoxFuture<'static, Result<OperationOutput, OperationError>>,
    cx: Cx,
) -> Response {
    let (sender, progress) = mpsc::channel(PENDING_PROGRESS);
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
