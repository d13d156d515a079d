//! The way of a request: to its route, past who may take it, with what it brings along read and checked.

use super::answer::Answer;
use super::asked::Asked;
use super::route::Route;
use super::{Api, ErrorCode, OperationError, input, query, table};
use crate::http::{Principal, Role, drain};
use crate::operation::Access;
use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, Path, Request};
use axum::http::Method;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use serde_json::Map;
use std::sync::Arc;

/// All routes of one path: those for anybody, and those for whom we know.
pub(super) fn routers(api: Arc<Api>) -> (Router, Router) {
    let (mut open, mut guarded) = (Router::new(), Router::new());
    let mut paths: Vec<&'static str> = Vec::new();
    for route in table() {
        if paths.contains(&route.path) {
            continue;
        }
        paths.push(route.path);
        let (api, path) = (api.clone(), route.path);
        let here = any(move |request| answer(api.clone(), path, request));
        match route.access {
            Access::Open => open = open.route(path, here),
            _ => guarded = guarded.route(path, here),
        }
    }
    let (open_operations, guarded_operations) = api.operations.routers();
    (open.merge(open_operations), guarded.merge(guarded_operations))
}

async fn answer(api: Arc<Api>, path: &'static str, request: Request) -> Response {
    let (mut head, body) = request.into_parts();
    let method = if head.method == Method::HEAD { "GET" } else { head.method.as_str() };
    let here = || table().iter().filter(|it| it.path == path);
    let Some(route) = here().find(|it| it.method == method) else {
        drain(body).await;
        let methods: Vec<_> = here().map(|it| it.method).collect();
        return Answer::not_allowed(&methods.join(", ")).into_response();
    };
    match admit(route, &head) {
        Ok(principal) => take(api, route, principal, &mut head, body).await.unwrap_or_else(Answer::from),
        Err(trouble) => {
            drain(body).await;
            trouble.into()
        }
    }
    .into_response()
}

/// Who asks, if they may. What the listener lets by without looking is for anybody, and they are nobody.
fn admit(route: &Route, head: &Parts) -> Result<Principal, OperationError> {
    let known = head.extensions.get::<Principal>().cloned();
    match (route.access, known) {
        (Access::Open, known) => Ok(known.unwrap_or(Principal { name: None, role: Role::Agent })),
        (_, None) => Err(OperationError::new(ErrorCode::Unauthorized, "nobody has looked who this is")),
        (Access::Agent, Some(known)) => Ok(known),
        (Access::Operator, Some(known)) if known.role == Role::Operator => Ok(known),
        (Access::Operator, Some(_)) => {
            let trouble = OperationError::new(ErrorCode::Forbidden, "only an operator may do this");
            Err(trouble.hint("come with the token in `operator.token`, or sign in with `toolscout ui`"))
        }
    }
}

async fn take(
    api: Arc<Api>,
    route: &'static Route,
    principal: Principal,
    head: &mut Parts,
    body: Body,
) -> Result<Answer, OperationError> {
    let pass = api.requests.enter(&principal.name);
    let _pass = pass.ok_or_else(|| OperationError::new(ErrorCode::TooManyRequests, "too many requests at once"))?;
    let path = Path::<Vec<(String, String)>>::from_request_parts(head, &()).await;
    let Path(path) = path.map_err(|_| OperationError::invalid("the path is not written as an address wants it"))?;
    let asked = head.uri.query().unwrap_or_default();
    let query = match &route.query {
        Some(shape) => shape.check(query::read(asked, shape.alone())?)?,
        None => query::read(asked, &serde_json::json!({}))?,
    };
    let (came, _held) = match &route.body {
        Some(shape) => input::body(&api, &head.headers, body, shape).await.map(|(came, held)| (came, Some(held)))?,
        None => {
            drain(body).await;
            (Map::new(), None)
        }
    };
    (route.run)(Asked::new(api, principal, head, path, query), came).await
}
