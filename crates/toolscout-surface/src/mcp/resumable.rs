//! Requests that may need input from the client: starts, suspends and resumes them.
//!
//! A client of the old era receives requests for input while its own request runs. A client of the
//! modern era receives them as the result, with a sealed state, and sends its request again with
//! the responses and that state.

use super::exchange::Exchange;
use super::object::Object;
use super::replica_tag::{self, tagged};
use super::reverse_requests::{InputRequest, accepts};
use super::sealed::State;
use super::suspended::{RunningRequest, Step};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use tokio::sync::mpsc;
use toolscout_core::cx::ApprovalAnswer;
use toolscout_core::jsonrpc::{RpcError, quoted};
use toolscout_core::{BoxFuture, Cx, RawJson, Resume, ToolOutput};

/// How often a request may need input before it fails.
pub(super) const MAX_ROUNDS: u8 = 8;

/// The additional parameters of a repeated request of the modern era.
#[derive(Deserialize)]
pub(super) struct ClientInput {
    #[serde(rename = "inputResponses")]
    pub(super) responses: Option<RawJson>,
    #[serde(rename = "requestState")]
    pub(super) state: Option<String>,
}

/// The outcome of running or resuming a request.
pub(super) enum Outcome {
    Done(ToolOutput),
    /// The result that contains the requests for input.
    InputRequired(String),
    TooManyRounds,
}

/// What a request is started with.
pub(super) struct Start {
    /// The continuation of a request of the upstream server.
    pub(super) resume: Option<Resume>,
    /// The answer of the client about an approval.
    pub(super) answer: Option<ApprovalAnswer>,
    pub(super) input_requests: InputRequests,
}

/// The sender for the requests for input of a running request.
pub(super) type InputRequests = mpsc::UnboundedSender<InputRequest>;

/// Runs a request until it is done, or needs input from a client of the modern era. `start` starts
/// it; a suspended request is resumed instead. A state is valid only for the user and the request
/// that `bound_to` identifies.
pub(super) async fn run(
    exchange: &Exchange,
    input: ClientInput,
    bound_to: impl Fn() -> String,
    start: impl Fn(Start) -> BoxFuture<'static, Result<ToolOutput, RpcError>>,
) -> Result<Outcome, RpcError> {
    let server = &exchange.server;
    let ClientInput { responses, state } = input;
    let by_name = responses
        .as_ref()
        .map(|responses| serde_json::from_str::<HashMap<_, RawJson>>(responses.as_str()));
    let by_name =
        by_name.transpose().map_err(|error| RpcError::invalid_params(error.to_string()))?;
    let open = |state: String| {
        let (_, sealed) = replica_tag::split(&state);
        server.seal.open(sealed, &bound_to()).ok_or_else(expired)
    };
    let state = state.map(open).transpose()?;
    let begin = |resume, answer| {
        RunningRequest::new(|input_requests| start(Start { resume, answer, input_requests }))
    };
    let (mut request, mut rounds) = match state {
        None => {
            let resume =
                responses.map(|responses| Resume { responses: Some(responses), state: None });
            (begin(resume, None), 0)
        }
        Some((State::Approval(id), rounds)) => {
            let is_approved = by_name.is_some_and(|all| all.values().any(accepts));
            let answer = ApprovalAnswer::Given { approval_id: id.into(), is_approved };
            (begin(None, Some(answer)), rounds)
        }
        Some((State::Upstream(state), rounds)) => {
            let resume = Some(Resume { responses, state });
            (begin(resume, None), rounds)
        }
        Some((State::Suspended(number), rounds)) => {
            let owner = exchange.owner();
            let suspended = server.suspended.take(owner.as_deref(), number);
            let mut request = suspended.ok_or_else(expired)?;
            request.provide_input(by_name.unwrap_or_default());
            (request, rounds)
        }
    };
    let (result, state) = loop {
        match request.advance().await {
            Step::Done(output) => match output? {
                output if !output.wants_input() => return Ok(Outcome::Done(output)),
                output if exchange.is_modern() => {
                    break (output.raw().as_str().to_owned(), State::Upstream(output.state()));
                }
                // A client of the old era gets the requests for input at once.
                output => {
                    let resume = request_input(&output, &exchange.cx(None)).await;
                    rounds += 1;
                    if rounds >= MAX_ROUNDS {
                        return Ok(Outcome::TooManyRounds);
                    }
                    request = begin(Some(resume), None);
                }
            },
            Step::NeedsApproval(id, question) => {
                break (input_required(&[question]), State::Approval(id));
            }
            Step::NeedsInput(_) if rounds >= MAX_ROUNDS => return Ok(Outcome::TooManyRounds),
            Step::NeedsInput(requests) => {
                break (
                    input_required(&requests),
                    State::Suspended(server.suspended.suspend(exchange.owner(), request)),
                );
            }
        }
    };
    if rounds >= MAX_ROUNDS {
        return Ok(Outcome::TooManyRounds);
    }
    // Only the replica that suspended a request can resume it.
    let replica = match &state {
        State::Suspended(_) => server.options.replica.as_deref(),
        State::Upstream(_) | State::Approval(_) => None,
    };
    let sealed = server.seal.seal(state, rounds + 1, &bound_to());
    let sealed =
        sealed.ok_or_else(|| RpcError::failed("the request state of the server is too large"))?;
    let state = tagged(replica, &sealed);
    let mut result = Object::parse(&result).unwrap_or_default();
    result.set("requestState", quoted(&state));
    Ok(Outcome::InputRequired(result.to_string()))
}

pub(super) fn expired() -> RpcError {
    RpcError::invalid_params(
        "`requestState` belongs to another request or has expired; repeat the call without it",
    )
}

fn input_required(requests: &[(String, String, RawJson)]) -> String {
    let requests = requests.iter().map(|(name, method, params)| {
        format!(r#"{}:{{"method":{},"params":{}}}"#, quoted(name), quoted(method), params.as_str())
    });
    let requests: Vec<_> = requests.collect();
    format!(r#"{{"resultType":"input_required","inputRequests":{{{}}}}}"#, requests.join(","))
}

/// Sends the requests for input to a client of the old era, one after the other, because a person
/// has to respond.
async fn request_input(output: &ToolOutput, cx: &Cx) -> Resume {
    let result = output.raw().to_value();
    let mut responses = serde_json::Map::new();
    for (name, request) in result["inputRequests"].as_object().into_iter().flatten() {
        let (Some(method), Some(counterpart)) = (request["method"].as_str(), &cx.reverse_channel)
        else {
            continue;
        };
        let params = RawJson::from_value(request.get("params").unwrap_or(&json!({})));
        let response = match counterpart.request(method, params).await {
            Ok(response) => response.to_value(),
            Err(_) if method == "elicitation/create" => json!({"action": "cancel"}),
            Err(_) => continue,
        };
        responses.insert(name.clone(), response);
    }
    Resume {
        responses: Some(RawJson::from_value(&Value::Object(responses))),
        state: output.state(),
    }
}
