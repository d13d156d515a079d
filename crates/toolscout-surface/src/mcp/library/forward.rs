//! Forwards a request to its source, whichever eras the client and the server support.

use super::NO_RESOURCE;
use crate::mcp::errors;
use crate::mcp::exchange::Exchange;
use crate::mcp::object::Object;
use crate::mcp::resumable::{self, ClientInput, MAX_ROUNDS, Outcome, Start};
use serde_json::json;
use std::sync::Arc;
use toolscout_core::jsonrpc::{RpcError, quoted};
use toolscout_core::{RawJson, Resume, Source, SourceError, ToolOutput};

/// Forwards a request to its source, and the source's requests for input to the client.
pub(super) async fn forward(
    exchange: &Exchange,
    source: &Arc<dyn Source>,
    method: &'static str,
    params: &str,
) -> Result<String, RpcError> {
    let input: ClientInput = serde_json::from_str(params)
        .map_err(|error| RpcError::invalid_params(error.to_string()))?;
    let params =
        RawJson::parse(params).map_err(|error| RpcError::invalid_params(error.to_string()))?;
    let bound_to = || bound_to(exchange, source, method);
    let outcome = resumable::run(exchange, input, bound_to, |start| {
        Box::pin(run(exchange.clone(), source.clone(), method, params.clone(), start))
    });
    match outcome.await? {
        Outcome::Done(output) => Ok(output.raw().as_str().to_owned()),
        Outcome::InputRequired(result) => Ok(result),
        Outcome::TooManyRounds => Err(too_many_rounds()),
    }
}

async fn run(
    exchange: Exchange,
    source: Arc<dyn Source>,
    method: &'static str,
    params: RawJson,
    Start { resume, input_requests, .. }: Start,
) -> Result<ToolOutput, RpcError> {
    let library = source.library().ok_or_else(|| RpcError::unknown_method(method))?;
    let cx = exchange.cx(exchange.is_modern().then_some(input_requests));
    let params = match resume {
        Some(resume) => with_resume(&params, &resume)?,
        None => params,
    };
    let result = library
        .request(method, params, cx)
        .await
        .map_err(|error| source_error(&exchange, &error))?;
    ToolOutput::from_raw(result).map_err(RpcError::failed)
}

fn with_resume(params: &RawJson, resume: &Resume) -> Result<RawJson, RpcError> {
    let mut params = Object::parse(params.as_str()).unwrap_or_default();
    params.remove("requestState");
    if let Some(responses) = &resume.responses {
        params.set("inputResponses", responses.as_str());
    }
    if let Some(state) = &resume.state {
        params.set("requestState", quoted(state));
    }
    RawJson::parse(&params.to_string()).map_err(|error| RpcError::invalid_params(error.to_string()))
}

fn source_error(exchange: &Exchange, error: &SourceError) -> RpcError {
    match error {
        // The code of the old era has no meaning in the modern one.
        SourceError::Answered { code: NO_RESOURCE, .. } if exchange.is_modern() => {
            RpcError { code: RpcError::PARAMS, ..errors::from_source(error) }
        }
        error => errors::from_source(error),
    }
}

fn too_many_rounds() -> RpcError {
    RpcError::new(
        RpcError::INTERNAL,
        format!("the request was stopped: the server requested input more than {MAX_ROUNDS} times"),
    )
}

/// Binds the state to the user, the server and the parameters. A request that differs in any of
/// them is another request.
fn bound_to(exchange: &Exchange, source: &Arc<dyn Source>, method: &str) -> String {
    let user = exchange.owner().unwrap_or_default();
    let mut params = exchange.params.to_value();
    if let Some(params) = params.as_object_mut() {
        for key in ["_meta", "inputResponses", "requestState"] {
            params.remove(key);
        }
    }
    json!([&*user, source.id().as_str(), method, params]).to_string()
}
