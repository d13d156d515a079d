//! 1. Routes for operators refuse agents, and every guarded route refuses unauthenticated requests.
//! 2. No foreign origin and no foreign host name reaches any route.
//! 3. The document describes every operation and nothing else; each schema in it is valid.
//! 4. Errors under `/api` have one shape.
//! 5. A stream sends its items as events, and ends with the listener.
//! 6. An error names the invalid part of a request.

mod access;
mod document;
mod invalid_requests;
mod streams;

use super::OperationRouter;
use crate::http::fixture::{Site, Wire, WireResponse};
use crate::http::{Listener, Routes, Terms};
use crate::operation::{
    Access, BoundOperation, HttpRoute, ItemStream, Operation, OperationError, OperationSpec,
    Operations, StreamOperation, Text, WorkspaceSlot,
};
use futures_util::StreamExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};
use toolscout_core::{Caller, Cx};

/// A workspace with nothing in it.
struct Empty;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Serialize, JsonSchema)]
struct Greeting {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Greet {
    /// The name to greet.
    name: String,
    #[serde(default)]
    #[schemars(range(min = 1, max = 10))]
    times: Option<usize>,
    #[serde(default)]
    words: Vec<String>,
}

/// `GET /api/health`, open.
struct Health;
/// `GET /api/greetings/{name}`, for agents.
struct ReadGreeting;
/// `POST /api/greetings`, for operators.
struct WriteGreeting;
/// `GET /api/count`, a stream for agents.
struct Count;

impl Operation<Empty> for Health {
    type Input = Nothing;
    type Output = Greeting;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Open,
        ..OperationSpec::read("health", "Show whether it runs", "/api/health")
    };

    async fn run(_: &Empty, _: Nothing, _: &Cx) -> Result<Greeting, OperationError> {
        Ok(Greeting { text: "ok".to_owned() })
    }

    fn text(output: &Greeting, _: &Text) -> String {
        output.text.clone()
    }
}

impl Operation<Empty> for ReadGreeting {
    type Input = Greet;
    type Output = Greeting;

    const SPEC: OperationSpec = OperationSpec {
        alias: Some("/metrics"),
        ..OperationSpec::read("greeting show", "Show a greeting", "/api/greetings/{name}")
    };

    async fn run(_: &Empty, input: Greet, _: &Cx) -> Result<Greeting, OperationError> {
        if input.name == "nobody" {
            return Err(OperationError::not_found("Greeting"));
        }
        let words = input.words.join(" ");
        Ok(Greeting { text: format!("{} {words}", input.name).repeat(input.times.unwrap_or(1)) })
    }

    fn text(output: &Greeting, _: &Text) -> String {
        output.text.clone()
    }
}

impl Operation<Empty> for WriteGreeting {
    type Input = Greet;
    type Output = Greeting;

    const SPEC: OperationSpec = OperationSpec {
        route: HttpRoute { method: "POST", path: "/api/greetings", status: 201 },
        ..OperationSpec::change("greeting write", "Write a greeting", "POST", "/api/greetings")
    };

    async fn run(_: &Empty, input: Greet, _: &Cx) -> Result<Greeting, OperationError> {
        Ok(Greeting { text: input.name })
    }

    fn text(output: &Greeting, _: &Text) -> String {
        output.text.clone()
    }
}

impl StreamOperation<Empty> for Count {
    type Input = Nothing;
    type Item = u32;

    const SPEC: OperationSpec = OperationSpec::read("count", "Count", "/api/count");

    async fn open(_: &Empty, _: Nothing, _: &Cx) -> Result<ItemStream<u32>, OperationError> {
        let items = [Ok(1), Ok(2), Err(OperationError::not_found("Three"))];
        Ok(futures_util::stream::iter(items).chain(futures_util::stream::pending()).boxed())
    }

    fn event(item: &u32) -> &'static str {
        if *item == 1 { "first" } else { "next" }
    }

    fn text(item: &u32, _: &Text) -> String {
        format!("{item}\n")
    }
}

fn operations() -> Operations {
    let slot: WorkspaceSlot<Empty> = Arc::new(OnceLock::from(Arc::new(Empty)));
    Operations::new(vec![
        BoundOperation::new::<Empty, Health>(&slot),
        BoundOperation::new::<Empty, ReadGreeting>(&slot),
        BoundOperation::new::<Empty, WriteGreeting>(&slot),
        BoundOperation::stream::<Empty, Count>(&slot),
    ])
}

/// Every route: method, path with a name filled in, and access.
fn routes() -> Vec<(&'static str, String, Access)> {
    let filled = |path: &str| path.replace("{name}", "ada");
    let operations = operations();
    let all = operations.iter().map(|operation| {
        (operation.spec.route.method, filled(operation.spec.route.path), operation.spec.access)
    });
    all.chain([("GET", "/api/openapi.json".to_owned(), Access::Agent)]).collect()
}

/// A listener that serves only the API.
async fn site(terms: Terms) -> Site {
    let listener = Listener::bind(terms).await.expect("bound");
    let (request, limits) = (Cx::new(Caller::Http), listener.limits().clone());
    let router = OperationRouter::new(operations(), request, limits, Some(listener.shutdown()));
    Site::serve(listener, router.add_to(Routes::new()))
}

/// A request: a method, a path, and an optional body. Each header is a whole line.
fn request(method: &str, path: &str, headers: &[&str], body: Option<&str>) -> String {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    let body = body.map_or("\r\n".to_owned(), |body| {
        format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    });
    format!("{method} {path} HTTP/1.1\r\n{headers}{body}")
}

async fn send(
    site: &Site,
    method: &str,
    path: &str,
    headers: &[&str],
    body: Option<&str>,
) -> WireResponse {
    site.send(request(method, path, headers, body)).await
}

/// Sends a request and reads only the head of the response: the body is a stream without end.
async fn open(site: &Site, request: String) -> (Wire, WireResponse) {
    let mut wire = site.dial().await;
    wire.send(request).await;
    let head = wire.head().await;
    (wire, head)
}
