//! `tools/call`: finds out which tool is meant, has the gateway run it, and passes on what it says.

use super::back::Wanted;
use super::exchange::Exchange;
use super::face::{Face, Meant};
use super::fault::Fault;
use super::http::mirror;
use super::large::READ_RESULT;
use super::object::Object;
use super::sealed::State;
use super::waiting::{Step, Underway};
use super::{message, meta};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::mpsc;
use toolscout_core::{Arguments, Cx, RawJson, Resume, SourceError, Tool, ToolCall, ToolOutput};
use toolscout_gateway::Error;

/// So often a tool may want something before it must be done.
pub(super) const ROUNDS: u8 = 8;

#[derive(Deserialize)]
struct Params {
    name: String,
    arguments: Option<RawJson>,
    #[serde(rename = "_meta")]
    meta: Option<RawJson>,
    #[serde(rename = "inputResponses")]
    responses: Option<HashMap<String, RawJson>>,
    #[serde(rename = "requestState")]
    state: Option<String>,
}

pub(super) async fn call(exchange: &Exchange) -> Result<String, Fault> {
    let mut params: Params = exchange.read()?;
    let bound_to = Binding::of(exchange, &params);
    let (mut underway, rounds) = match params.state.take() {
        None => {
            let resume = params.responses.take().map(|it| Resume { responses: written(&it), state: None });
            (begin(exchange, params, resume), 0)
        }
        Some(state) => match exchange.server.seal().open(&state, &bound_to.text()) {
            Some((State::Upstream(state), rounds)) => {
                let responses = params.responses.take().and_then(|it| written(&it));
                (begin(exchange, params, Some(Resume { responses, state })), rounds)
            }
            Some((State::Waiting(number), rounds)) => {
                let mut underway = exchange.server.waiting().take(number).ok_or_else(expired)?;
                underway.answer(params.responses.take().unwrap_or_default());
                (underway, rounds)
            }
            None => return Err(expired()),
        },
    };
    let wants_more = || rounds < ROUNDS;
    let (result, state) = match underway.go_on().await {
        Step::Done(Ok(output)) if output.wants_input() && wants_more() => {
            (output.raw().as_str().to_owned(), State::Upstream(output.state()))
        }
        Step::Done(Ok(output)) if output.wants_input() => return Ok(too_often().raw().as_str().to_owned()),
        Step::Done(Ok(output)) => return Ok(delivered(exchange, &output)),
        Step::Done(Err(fault)) => return Err(fault),
        Step::Wants(_) if !wants_more() => return Ok(too_often().raw().as_str().to_owned()),
        Step::Wants(asked) => (wish(&asked), State::Waiting(exchange.server.waiting().put(underway))),
    };
    let state = exchange.server.seal().close(state, rounds + 1, &bound_to.text());
    let state = state.ok_or_else(|| Fault::new(Fault::INTERNAL, "the tool wants too much to be brought along"))?;
    let mut result = Object::parse(&result).unwrap_or_default();
    let quoted = message::quoted(&state);
    result.set("requestState", quoted.as_str());
    Ok(result.to_string())
}

/// As they came.
fn written(responses: &HashMap<String, RawJson>) -> Option<RawJson> {
    let entries = responses.iter().map(|(name, it)| format!("{}:{}", message::quoted(name), it.as_str()));
    RawJson::parse(&format!("{{{}}}", entries.collect::<Vec<_>>().join(","))).ok()
}

/// The rest of a result that was too large; through both doors.
fn read_on(exchange: &Exchange, arguments: Option<&RawJson>) -> ToolOutput {
    exchange.server.large().read(arguments, exchange.owner().as_ref())
}

/// What a sealed state is good for: a call of another client, of another tool or with other arguments is another call.
struct Binding {
    user: Option<Arc<str>>,
    name: String,
    arguments: Option<RawJson>,
}

impl Binding {
    fn of(exchange: &Exchange, params: &Params) -> Self {
        let user = exchange.owner();
        Self { user, name: params.name.clone(), arguments: params.arguments.clone() }
    }

    fn text(&self) -> String {
        json!([self.user.as_deref(), self.name, self.arguments.as_ref().map(RawJson::as_str)]).to_string()
    }
}

fn begin(exchange: &Exchange, params: Params, resume: Option<Resume>) -> Underway {
    let (wanted, wants) = mpsc::unbounded_channel();
    let exchange = exchange.clone();
    Underway::new(Box::pin(async move { run(exchange, params, resume, wanted).await }), wants)
}

async fn run(
    exchange: Exchange,
    params: Params,
    resume: Option<Resume>,
    wanted: mpsc::UnboundedSender<Wanted>,
) -> Result<ToolOutput, Fault> {
    let cx = exchange.cx(exchange.is_modern().then_some(wanted));
    let (view, face) = exchange.server.face(&cx).await;
    if params.name == READ_RESULT {
        return Ok(read_on(&exchange, params.arguments.as_ref()));
    }
    match face.meant(&params.name, exchange.server.terms()) {
        Meant::Search => {
            let (gateway, ranking) = (exchange.server.gateway(), exchange.server.terms().ranking);
            let output = meta::search(&view, gateway, params.arguments.as_ref(), ranking, &cx).await;
            let answer = output.clone();
            exchange.server.meter().shown(&cx, move || meta::shown(&answer));
            Ok(output)
        }
        Meant::Execute => execute(&exchange, &face, params, resume, cx).await,
        Meant::Tool(tool) => direct(&exchange, &tool, params, resume, cx).await,
        // A source that was never asked may have it.
        Meant::Nothing if !exchange.server.terms().is_closed() => {
            let tool = exchange.server.gateway().find(&params.name, &cx).await;
            let tool = tool.map_err(|_| Fault::unknown_tool(&params.name))?;
            direct(&exchange, &tool, params, resume, cx).await
        }
        Meant::Nothing => Err(Fault::unknown_tool(&params.name)),
    }
}

/// As the client wrote it.
async fn direct(
    exchange: &Exchange,
    tool: &Arc<Tool>,
    params: Params,
    resume: Option<Resume>,
    cx: Cx,
) -> Result<ToolOutput, Fault> {
    let arguments = arguments(params.arguments.as_ref())?;
    if let Some(headers) = mirrored(exchange) {
        mirror::check(&tool.input_schema, &arguments, headers)?;
    }
    let meta = exchange.meta_of_call(params.meta.as_ref());
    let call = |tool: &Arc<Tool>| ToolCall { meta: meta.clone(), ..ToolCall::new(tool.id.clone(), arguments.clone()) };
    let ran = run_named(exchange, &tool.id.to_string(), call, resume, cx).await;
    ran.or_else(|error| failed(&params.name, tool, &error))
}

/// As a model wrote it: names in any form, arguments as they must have been meant.
async fn execute(
    exchange: &Exchange,
    face: &Face,
    params: Params,
    resume: Option<Resume>,
    cx: Cx,
) -> Result<ToolOutput, Fault> {
    let wish = match meta::Wish::read(params.arguments.as_ref()) {
        Ok(wish) => wish,
        Err(answer) => return Ok(answer),
    };
    if let Some(headers) = mirrored(exchange) {
        check_tool_header(&wish.name, headers)?;
    }
    if wish.name == READ_RESULT {
        let arguments = wish.untouched().map(|it| RawJson::from_value(&Value::Object(it)));
        return Ok(read_on(exchange, arguments.as_ref()));
    }
    let name = face.names().tool(&wish.name).map_or_else(|| wish.name.clone(), ToString::to_string);
    let meta = exchange.meta_of_call(params.meta.as_ref());
    let call = |tool: &Arc<Tool>, arguments| ToolCall {
        meta: meta.clone(),
        expect: wish.expect,
        ..ToolCall::new(tool.id.clone(), arguments)
    };
    // Most calls are written as they should be; what fits is never changed.
    let mut unfit = None;
    if let Some(arguments) = wish.untouched() {
        let plain = |tool: &Arc<Tool>| call(tool, arguments.clone());
        match run_named(exchange, &name, plain, resume.clone(), cx.clone()).await {
            Err(error @ Error::InvalidArguments { .. }) => unfit = Some((arguments, error)),
            outcome => return executed(&wish.name, outcome),
        }
    }
    let tool = match exchange.server.gateway().find(&name, &cx).await {
        Ok(tool) => tool,
        Err(error) => return Ok(meta::not_found(&wish.name, &error)),
    };
    let arguments = match wish.arguments(&tool) {
        Ok(arguments) => arguments,
        Err(answer) => return Ok(answer),
    };
    // What was meant is what was written: once is enough.
    if let Some((_, error)) = unfit.filter(|(written, _)| *written == arguments) {
        return Ok(wish.failure(&tool, &error));
    }
    match run_named(exchange, &name, |it| call(it, arguments.clone()), resume, cx).await {
        Err(error @ Error::InvalidArguments { .. }) => Ok(wish.failure(&tool, &error)),
        outcome => executed(&wish.name, outcome),
    }
}

/// To a model nearly everything is a result: it can read it, and do something about it.
fn executed(name: &str, outcome: Result<ToolOutput, Error>) -> Result<ToolOutput, Fault> {
    match outcome {
        Ok(output) => Ok(output),
        Err(Error::Source(error @ SourceError::Answered { .. })) => Err((&error).into()),
        Err(error) => Ok(meta::not_found(name, &error)),
    }
}

/// A server of the modern era may want something. A client of the old era is asked for it right away.
async fn run_named(
    exchange: &Exchange,
    name: &str,
    call: impl Fn(&Arc<Tool>) -> ToolCall,
    mut resume: Option<Resume>,
    cx: Cx,
) -> Result<ToolOutput, Error> {
    for _ in 0..ROUNDS {
        let again = |tool: &Arc<Tool>| ToolCall { resume: resume.clone(), ..call(tool) };
        let output = exchange.server.gateway().call_named(name, cx.clone(), again).await?;
        if exchange.is_modern() || !output.wants_input() {
            return Ok(output);
        }
        resume = Some(ask_for(&output, &cx).await);
    }
    Ok(too_often())
}

/// Asks for everything that the output wants, one after the other, as a person would have to answer it.
pub(super) async fn ask_for(output: &ToolOutput, cx: &Cx) -> Resume {
    let wish = output.raw().to_value();
    let mut responses = serde_json::Map::new();
    for (name, request) in wish["inputRequests"].as_object().into_iter().flatten() {
        let (Some(method), Some(counterpart)) = (request["method"].as_str(), &cx.counterpart) else { continue };
        let params = RawJson::from_value(request.get("params").unwrap_or(&json!({})));
        let answer = match counterpart.ask(method, params).await {
            Ok(answer) => answer.to_value(),
            Err(_) if method == "elicitation/create" => json!({"action": "cancel"}),
            Err(_) => continue,
        };
        responses.insert(name.clone(), answer);
    }
    Resume { responses: Some(RawJson::from_value(&Value::Object(responses))), state: output.state() }
}

/// The headers that have to say what the body says: those of the modern era, over HTTP.
fn mirrored(exchange: &Exchange) -> Option<&[(String, String)]> {
    exchange.client.identity.headers.as_deref().filter(|_| exchange.is_modern())
}

/// Devices on the way see the inner tool in a header. Whoever sends one must not say another tool there than here; not all
/// clients send it, and what nobody was told is no lie.
fn check_tool_header(name: &str, headers: &[(String, String)]) -> Result<(), Fault> {
    let schema = RawJson::from_value(&json!({"properties": {"name": {"x-mcp-header": meta::HEADER}}}));
    let is_said = headers.iter().any(|(it, _)| it.eq_ignore_ascii_case(&format!("mcp-param-{}", meta::HEADER)));
    let said = Arguments::from_iter([("name".to_owned(), Value::from(name))]);
    if is_said { mirror::check(&schema, &said, headers) } else { Ok(()) }
}

fn arguments(raw: Option<&RawJson>) -> Result<Arguments, Fault> {
    match raw.map(RawJson::as_str) {
        None | Some("null") => Ok(Arguments::new()),
        Some(text) => serde_json::from_str(text).map_err(|_| Fault::invalid_params("`arguments` must be an object")),
    }
}

/// Why a direct call came to nothing. What the model can mend, or should know, is a result; what the client got wrong, a
/// fault; and what the server itself said passes on.
fn failed(name: &str, tool: &Tool, error: &Error) -> Result<ToolOutput, Fault> {
    match error {
        Error::UnknownTool { .. } => Err(Fault::unknown_tool(name)),
        Error::Source(error @ SourceError::Answered { .. }) => Err(error.into()),
        error => Ok(meta::failure(tool, error)),
    }
}

pub(super) fn wish(asked: &[(String, String, RawJson)]) -> String {
    let requests = asked.iter().map(|(name, method, params)| {
        let (name, method) = (message::quoted(name), message::quoted(method));
        format!(r#"{name}:{{"method":{method},"params":{}}}"#, params.as_str())
    });
    let requests: Vec<_> = requests.collect();
    format!(r#"{{"resultType":"input_required","inputRequests":{{{}}}}}"#, requests.join(","))
}

fn too_often() -> ToolOutput {
    ToolOutput::failure(format!("the tool wanted something more often than {ROUNDS} times, and was given up"))
}

fn expired() -> Fault {
    Fault::invalid_params("`requestState` is of another request, or too old; make the call again without it")
}

/// What the tool said, whole where it fits.
fn delivered(exchange: &Exchange, output: &ToolOutput) -> String {
    let server = &exchange.server;
    server.large().deliver(output, server.terms().result_limit, exchange.owner().as_ref())
}
