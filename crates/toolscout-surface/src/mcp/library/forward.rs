//! Takes a request to where it belongs, and what is wanted on the way back to the client, whichever eras the two speak.

use super::super::call::{ROUNDS, ask_for, wish};
use super::super::exchange::Exchange;
use super::super::fault::Fault;
use super::super::message::quoted;
use super::super::object::Object;
use super::super::sealed::State;
use super::super::waiting::{Step, Underway};
use super::NO_RESOURCE;
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::mpsc;
use toolscout_core::{RawJson, Resume, Source, SourceError, ToolOutput};

/// Takes a request to its source. What is wanted first goes back sealed, and what was sealed is opened.
pub(super) async fn forward(
    exchange: &Exchange,
    source: &Arc<dyn Source>,
    method: &str,
    params: &str,
) -> Result<String, Fault> {
    let bound_to = bound_to(exchange, source, method);
    let mut params = Object::parse(params).unwrap_or_default();
    let sealed = params.get("requestState").and_then(|it| serde_json::from_str::<String>(it).ok());
    let (mut underway, rounds) = match sealed.map(|it| exchange.server.seal().open(&it, &bound_to)) {
        None => (begin(exchange, source, method, &params)?, 0),
        Some(Some((State::Upstream(state), rounds))) => {
            params.remove("requestState");
            if let Some(state) = state {
                params.set("requestState", quoted(&state));
            }
            (begin(exchange, source, method, &params)?, rounds)
        }
        Some(Some((State::Waiting(number), rounds))) => {
            let mut underway = exchange.server.waiting().take(number).ok_or_else(expired)?;
            underway.answer(responses(&params));
            (underway, rounds)
        }
        Some(None) => return Err(expired()),
    };
    let (wish, state) = match underway.go_on().await {
        Step::Done(output) => {
            let output = output?;
            if !output.wants_input() {
                return Ok(output.raw().as_str().to_owned());
            }
            (output.raw().as_str().to_owned(), State::Upstream(output.state()))
        }
        Step::Wants(asked) => (wish(&asked), State::Waiting(exchange.server.waiting().put(underway))),
    };
    if rounds >= ROUNDS {
        return Err(too_often());
    }
    let sealed = exchange.server.seal().close(state, rounds + 1, &bound_to);
    let sealed = sealed.ok_or_else(|| Fault::new(Fault::INTERNAL, "the server wants too much back"))?;
    let mut wish = Object::parse(&wish).unwrap_or_default();
    wish.set("requestState", quoted(&sealed));
    Ok(wish.to_string())
}

fn begin(exchange: &Exchange, source: &Arc<dyn Source>, method: &str, params: &Object<'_>) -> Result<Underway, Fault> {
    let params = parsed(params)?;
    let (wanted, wants) = mpsc::unbounded_channel();
    let (exchange, source, method) = (exchange.clone(), source.clone(), method.to_owned());
    let request = async move {
        let library = source.library().ok_or_else(|| Fault::unknown_method(&method))?;
        let cx = exchange.cx(exchange.is_modern().then_some(wanted));
        let mut params = params;
        for _ in 0..ROUNDS {
            let result = library.request(&method, params.clone(), cx.clone()).await;
            let result = result.map_err(|it| refused(&exchange, &it))?;
            let output = ToolOutput::from_raw(result).map_err(|reason| Fault::new(Fault::INTERNAL, reason))?;
            // A client of the modern era comes back with what is wanted; one of the old era is asked for it right away.
            if exchange.is_modern() || !output.wants_input() {
                return Ok(output);
            }
            params = with(&params, &ask_for(&output, &cx).await)?;
        }
        Err(too_often())
    };
    Ok(Underway::new(Box::pin(request), wants))
}

fn with(params: &RawJson, resume: &Resume) -> Result<RawJson, Fault> {
    let mut params = Object::parse(params.as_str()).unwrap_or_default();
    params.remove("requestState");
    if let Some(responses) = &resume.responses {
        params.set("inputResponses", responses.as_str());
    }
    if let Some(state) = &resume.state {
        params.set("requestState", quoted(state));
    }
    parsed(&params)
}

fn parsed(params: &Object<'_>) -> Result<RawJson, Fault> {
    RawJson::parse(&params.to_string()).map_err(|error| Fault::invalid_params(error.to_string()))
}

fn responses(params: &Object<'_>) -> HashMap<String, RawJson> {
    params.get("inputResponses").and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default()
}

fn refused(exchange: &Exchange, error: &SourceError) -> Fault {
    match error {
        // The number of the old era means nothing in the modern one.
        SourceError::Answered { code: NO_RESOURCE, .. } if exchange.is_modern() => {
            Fault { code: Fault::PARAMS, ..Fault::from(error) }
        }
        error => error.into(),
    }
}

fn expired() -> Fault {
    Fault::invalid_params("`requestState` is of another request, or too old")
}

fn too_often() -> Fault {
    Fault::new(Fault::INTERNAL, format!("the server wanted something more often than {ROUNDS} times, and was given up"))
}

/// What a sealed state is good for: a request of another client, to another server or about something else is another one.
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
