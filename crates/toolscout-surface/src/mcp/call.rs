//! `tools/call`: resolves the name, has the gateway run the tool, and delivers its result.
//!
//! The call itself is [`Gateway::call_named`], which the operation `call` uses as well. This module
//! adds only how models write names and arguments, and how results reach them. Going through the
//! operation would check the arguments against a second schema and convert them twice for each
//! call.
//!
//! [`Gateway::call_named`]: toolscout_gateway::Gateway::call_named

use super::client_view::{ClientView, ResolvedName};
use super::exchange::Exchange;
use super::first_requests::FirstRequest;
use super::http::mirror;
use super::result_storage::READ_RESULT;
use super::resumable::{self, ClientInput, MAX_ROUNDS, Outcome, Start};
use super::{errors, meta};
use crate::operation::MetaTool;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use toolscout_core::authorization::AuthorizationError;
use toolscout_core::jsonrpc::RpcError;
use toolscout_core::{
    Arguments, Cx, RawJson, Resume, SourceError, Tool, ToolCall, ToolOutput, escape,
};
use toolscout_gateway::{CatalogView, Error};

#[derive(Clone, Deserialize)]
struct Params {
    name: String,
    arguments: Option<RawJson>,
    #[serde(rename = "_meta")]
    meta: Option<RawJson>,
    #[serde(rename = "inputResponses")]
    responses: Option<RawJson>,
    #[serde(rename = "requestState")]
    state: Option<String>,
}

/// A call, and whether its result turned out to be from a tool: other results are our own.
struct Request {
    params: Params,
    is_data: Arc<AtomicBool>,
    /// Whether the client has answered a question about an approval.
    is_answered: bool,
}

impl Request {
    /// The error for an answer that came too late: another request has used the approval, or it
    /// has expired.
    fn late_answer(&self, error: &Error) -> Option<RpcError> {
        let is_undecided =
            matches!(error, Error::Refused(AuthorizationError::NeedsApproval { .. }));
        (self.is_answered && is_undecided).then(resumable::expired)
    }

    fn mark_data(&self, output: ToolOutput) -> ToolOutput {
        self.is_data.store(true, Ordering::Relaxed);
        output
    }
}

pub(super) async fn call(exchange: &Exchange) -> Result<String, RpcError> {
    let mut params: Params = exchange.parse_params()?;
    let input = ClientInput { responses: params.responses.take(), state: params.state.take() };
    // The state is bound to the user, the tool and the arguments. A call that differs in any of
    // them is another call.
    let arguments = params.arguments.as_ref().map(RawJson::as_str);
    let bound_to = || json!([exchange.owner().as_deref(), params.name, arguments]).to_string();
    let is_data = Arc::new(AtomicBool::new(false));
    let outcome = resumable::run(exchange, input, bound_to, |start| {
        let request = Request {
            params: params.clone(),
            is_data: is_data.clone(),
            is_answered: start.answer.is_some(),
        };
        Box::pin(run(exchange.clone(), request, start))
    });
    Ok(match outcome.await? {
        Outcome::Done(output) => {
            let (server, owner) = (&exchange.server, || exchange.owner());
            let is_marked = server.options.spotlight && is_data.load(Ordering::Relaxed);
            server.results.deliver(&output, server.options.result_limit, is_marked, owner)
        }
        Outcome::InputRequired(result) => result,
        Outcome::TooManyRounds => too_many_rounds().raw().as_str().to_owned(),
    })
}

async fn run(
    exchange: Exchange,
    request: Request,
    Start { resume, answer, input_requests }: Start,
) -> Result<ToolOutput, RpcError> {
    let params = &request.params;
    let (server, arguments) = (&exchange.server, params.arguments.as_ref());
    let mut cx = exchange.cx(exchange.is_modern().then_some(input_requests));
    cx.approval_answer = answer.or(cx.approval_answer);
    let (view, client_view) = server.client_view(&cx).await;
    if params.name == READ_RESULT {
        return Ok(server.results.read(arguments, exchange.owner().as_ref()));
    }
    match client_view.resolve(&params.name, &server.options) {
        ResolvedName::MetaTool(MetaTool::Search) => {
            exchange.wait_for_loading(FirstRequest::Search).await;
            let view = server.gateway.view(&cx).await;
            let output =
                meta::search(&view, &server.gateway, arguments, server.options.ranking, &cx).await;
            let searched = output.clone();
            server.meter.record(&cx, move || meta::context_use(&searched));
            Ok(output)
        }
        ResolvedName::MetaTool(MetaTool::Execute) => {
            execute(&exchange, view, &client_view, &request, resume, cx).await
        }
        ResolvedName::Operation(operation) => {
            Ok(operation.run(parse_arguments(arguments)?, cx).await)
        }
        ResolvedName::Tool(tool) => call_listed(&exchange, view, &tool, &request, resume, cx).await,
        // A source that was not discovered yet may have the tool.
        ResolvedName::Nothing if !server.options.is_closed() => {
            let tool = server.gateway.find(&params.name, &cx).await;
            let tool = tool.map_err(|error| match error {
                // A filter or read-only mode hides the tool from lists, and a call has to say so.
                error @ (Error::Source(SourceError::Refused { .. })
                | Error::Refused(AuthorizationError::Denied { .. })) => {
                    RpcError::invalid_params(escape::line(&error.to_string()))
                }
                _ => errors::unknown_tool(&params.name),
            })?;
            call_listed(&exchange, view, &tool, &request, resume, cx).await
        }
        ResolvedName::Nothing => Err(errors::unknown_tool(&params.name)),
    }
}

/// Calls a tool by its own name, with the arguments as the client wrote them. An error that the
/// model can correct or should see is a tool result. A mistake of the client and an error response
/// of the server are protocol errors.
async fn call_listed(
    exchange: &Exchange,
    view: CatalogView,
    tool: &Arc<Tool>,
    request: &Request,
    resume: Option<Resume>,
    cx: Cx,
) -> Result<ToolOutput, RpcError> {
    let params = &request.params;
    let arguments = parse_arguments(params.arguments.as_ref())?;
    if let Some(headers) = mirrored_headers(exchange) {
        mirror::check(&tool.input_schema, &arguments, headers)?;
    }
    let meta = exchange.call_meta(params.meta.as_ref());
    let call = |tool: &Arc<Tool>| ToolCall {
        meta: meta.clone(),
        resume: resume.clone(),
        ..ToolCall::new(tool.id.clone(), arguments.clone())
    };
    match exchange.server.gateway.call_named(view, &tool.id.to_string(), cx, call).await {
        Ok(output) => Ok(request.mark_data(output)),
        Err(Error::UnknownTool { .. }) => Err(errors::unknown_tool(&params.name)),
        Err(Error::Source(error @ SourceError::Answered { .. })) => {
            Err(errors::from_source(&error))
        }
        Err(error) => match request.late_answer(&error) {
            Some(late) => Err(late),
            None => Ok(meta::failure(tool, &error)),
        },
    }
}

/// `execute_tool`: accepts any form of a name, and repairs arguments that do not fit. Nearly every
/// error is a tool result, which the model can read and act on.
async fn execute(
    exchange: &Exchange,
    view: CatalogView,
    client_view: &ClientView,
    received: &Request,
    resume: Option<Resume>,
    cx: Cx,
) -> Result<ToolOutput, RpcError> {
    let params = &received.params;
    let request = match meta::ExecuteRequest::parse(params.arguments.as_ref()) {
        Ok(request) => request,
        Err(output) => return Ok(output),
    };
    if let Some(headers) = mirrored_headers(exchange) {
        check_tool_header(&request.name, headers)?;
    }
    if request.name == READ_RESULT {
        let arguments = request
            .plain_arguments()
            .map(|arguments| RawJson::from_value(&Value::Object(arguments.clone())));
        return Ok(exchange.server.results.read(arguments.as_ref(), exchange.owner().as_ref()));
    }
    let name = client_view
        .names()
        .tool(&request.name)
        .map_or_else(|| request.name.clone(), ToString::to_string);
    let meta = exchange.call_meta(params.meta.as_ref());
    let call = |tool: &Arc<Tool>, arguments| ToolCall {
        meta: meta.clone(),
        expect: request.expect,
        resume: resume.clone(),
        ..ToolCall::new(tool.id.clone(), arguments)
    };
    let result = |outcome: Result<ToolOutput, Error>| match outcome {
        Ok(output) => Ok(received.mark_data(output)),
        Err(Error::Source(error @ SourceError::Answered { .. })) => {
            Err(errors::from_source(&error))
        }
        Err(error) => match received.late_answer(&error) {
            Some(late) => Err(late),
            None => Ok(meta::not_found(&request.name, &error)),
        },
    };
    let gateway = &exchange.server.gateway;
    // Most calls are well-formed; arguments that fit are never changed.
    let mut invalid = None;
    if let Some(arguments) = request.plain_arguments() {
        let plain_call = |tool: &Arc<Tool>| call(tool, arguments.clone());
        match gateway.call_named(view, &name, cx.clone(), plain_call).await {
            Err(error @ Error::InvalidArguments { .. }) => invalid = Some(error),
            outcome => return result(outcome),
        }
    }
    let tool = match gateway.find(&name, &cx).await {
        Ok(tool) => tool,
        Err(error) => return Ok(meta::not_found(&request.name, &error)),
    };
    let arguments = match request.arguments(&tool) {
        Ok(arguments) => arguments,
        Err(output) => return Ok(output),
    };
    // The repair changed nothing, so the gateway would reject the same arguments again.
    if let Some(error) = invalid.filter(|_| request.plain_arguments() == Some(&arguments)) {
        return Ok(request.failure(&tool, &error));
    }
    let view = gateway.view(&cx).await;
    match gateway.call_named(view, &name, cx, |tool| call(tool, arguments.clone())).await {
        Err(error @ Error::InvalidArguments { .. }) => Ok(request.failure(&tool, &error)),
        outcome => result(outcome),
    }
}

/// The headers that must agree with the body: those of a request of the modern era over HTTP.
fn mirrored_headers(exchange: &Exchange) -> Option<&[(String, String)]> {
    exchange.client.identity.headers.as_deref().filter(|_| exchange.is_modern())
}

/// Checks the header in which proxies see the inner tool. A client that sends the header must name
/// the same tool in it; not all clients send it.
fn check_tool_header(name: &str, headers: &[(String, String)]) -> Result<(), RpcError> {
    let header = format!("mcp-param-{}", meta::TOOL_HEADER);
    if !headers.iter().any(|(item, _)| item.eq_ignore_ascii_case(&header)) {
        return Ok(());
    }
    let schema =
        RawJson::from_value(&json!({"properties": {"name": {"x-mcp-header": meta::TOOL_HEADER}}}));
    mirror::check(&schema, &Arguments::from_iter([("name".to_owned(), Value::from(name))]), headers)
}

fn parse_arguments(arguments: Option<&RawJson>) -> Result<Arguments, RpcError> {
    match arguments.map(RawJson::as_str) {
        None | Some("null") => Ok(Arguments::new()),
        Some(text) => serde_json::from_str(text)
            .map_err(|_| RpcError::invalid_params("`arguments` must be an object")),
    }
}

fn too_many_rounds() -> ToolOutput {
    ToolOutput::failure(format!(
        "the call was stopped: the tool requested input more than {MAX_ROUNDS} times"
    ))
}
