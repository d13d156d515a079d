//! The tools and the prompt that send requests to the client: separate requests in the legacy era,
//! as part of the result in the modern era.

use super::{client, content};
use crate::protocol::{failed, object};
use crate::rich;

use crate::server::request::{ClientRequest, Gone, Sent};
use serde_json::{Map, Value, json};

/// The tools without arguments.
pub(super) const TOOLS: &[&str] = &[
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_streaming_elicitation",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
];

pub(super) const PROMPT: &str = "test_input_required_result_prompt";

/// Requests for input by their keys, and the state that the client must return.
struct InputRequests {
    requests: Value,
    state: Option<&'static str>,
}

/// The outcome of requests for input.
enum InputReply {
    Answers(Value),
    /// A response was already sent, with the requests or with an error.
    Over,
}

pub(super) fn call(request: &ClientRequest, name: &str) -> Sent {
    if name == "test_input_required_result_multi_round" {
        return two_rounds(request);
    }
    let Some(questions) = questions(request, name) else {
        return request.error(-32602, &format!("no such tool: {name}"));
    };
    match put(request, &questions)? {
        InputReply::Answers(answers) => {
            request.reply(request.text(format!("the client answered: {answers}")))
        }
        InputReply::Over => Ok(()),
    }
}

pub(super) fn prompt(request: &ClientRequest) -> Sent {
    let questions = only(
        "user_context",
        elicit("What is it about?", json!({ "context": { "type": "string" } })),
    );
    match put(request, &questions)? {
        InputReply::Answers(answers) => {
            let text = json!({ "type": "text", "text": format!("Speak about {answers}.") });
            request.reply(content::spoken(request, vec![text]))
        }
        InputReply::Over => Ok(()),
    }
}

fn questions(request: &ClientRequest, name: &str) -> Option<InputRequests> {
    let arguments = &request.params()["arguments"];
    let name_of = || elicit("What is your name?", json!({ "name": { "type": "string" } }));
    let sure = || elicit("Are you sure?", json!({ "ok": { "type": "boolean" } }));
    Some(match name {
        "test_sampling" => only("sample", sample(arguments["prompt"].as_str().unwrap_or_default())),
        "test_elicitation" => {
            let text = json!({ "type": "string" });
            let wanted = json!({ "username": text, "email": text });
            only("person", elicit(arguments["message"].as_str().unwrap_or_default(), wanted))
        }
        "test_elicitation_sep1034_defaults" => only("person", elicit("Is this right?", defaults())),
        "test_elicitation_sep1330_enums" => only("choices", elicit("Which of them?", choices())),
        "test_streaming_elicitation" => only("ok", sure()),
        "test_input_required_result_elicitation" => only("user_name", name_of()),
        "test_input_required_result_sampling" => {
            only("capital_question", sample("What is the capital of France?"))
        }
        "test_input_required_result_list_roots" => only("client_roots", roots()),
        "test_input_required_result_request_state" => {
            remembering("state-ok", only("confirm", sure()))
        }
        "test_input_required_result_tampered_state" => remembering("mine", only("confirm", sure())),
        "test_input_required_result_multiple_inputs" => {
            let all = json!({ "user_name": name_of(), "greeting": sample("Greet the user"), "client_roots": roots() });
            InputRequests { requests: all, state: Some("all three") }
        }
        "test_input_required_result_capabilities" => within(&client(request), name_of()),
        _ => return None,
    })
}

/// Requests input twice, with different requests.
fn two_rounds(request: &ClientRequest) -> Sent {
    let first = remembering(
        "round 1",
        only("step1", elicit("Your name?", json!({ "name": { "type": "string" } }))),
    );
    let second = remembering(
        "round 2",
        only("step2", elicit("Your colour?", json!({ "color": { "type": "string" } }))),
    );
    let is_second = request.is_modern() && request.params()["requestState"] == "round 2";
    if !is_second && matches!(put(request, &first)?, InputReply::Over) {
        return Ok(());
    }
    if request.is_modern() && !is_second {
        return request.reply(wanted(&second));
    }
    match put(request, &second)? {
        InputReply::Answers(answers) => {
            request.reply(request.text(format!("in the end: {answers}")))
        }
        InputReply::Over => Ok(()),
    }
}

fn put(request: &ClientRequest, questions: &InputRequests) -> Result<InputReply, Gone> {
    if request.is_modern() {
        put_with_result(request, questions)
    } else {
        put_one_by_one(request, questions)
    }
}

fn put_with_result(request: &ClientRequest, questions: &InputRequests) -> Result<InputReply, Gone> {
    let (answers, state) =
        (&request.params()["inputResponses"], request.params()["requestState"].as_str());
    let keys = questions.requests.as_object().into_iter().flat_map(Map::keys);
    let are_complete = keys.clone().all(|key| answers[key].is_object());
    if !are_complete {
        request.reply(wanted(questions))?;
        return Ok(InputReply::Over);
    }
    if questions.state.is_some() && state != questions.state {
        request.error(-32602, "that is not the state of this request")?;
        return Ok(InputReply::Over);
    }
    // Responses to other keys were not requested, and are dropped.
    Ok(InputReply::Answers(
        keys.map(|key| (key.clone(), answers[key].clone())).collect::<Map<_, _>>().into(),
    ))
}

fn wanted(InputRequests { requests, state }: &InputRequests) -> Value {
    let mut result = json!({ "resultType": "input_required", "inputRequests": requests });
    if let Some(state) = state {
        result["requestState"] = (*state).into();
    }
    result
}

fn put_one_by_one(request: &ClientRequest, questions: &InputRequests) -> Result<InputReply, Gone> {
    let mut answers = Map::new();
    for (key, question) in questions.requests.as_object().into_iter().flatten() {
        let method = question["method"].as_str().unwrap_or_default();
        let answer = rich::ask(request, method, question["params"].clone())?;
        match answer.as_ref().and_then(|answer| answer.get("result")) {
            Some(result) => answers.insert(key.clone(), result.clone()),
            None => {
                let text = answer.map_or("the client sent no response".to_owned(), |answer| {
                    answer["error"].to_string()
                });
                match request.method() {
                    Some("tools/call") => request.reply(failed(request.text(text)))?,
                    _ => request.error(-32603, &text)?,
                }
                return Ok(InputReply::Over);
            }
        };
    }
    Ok(InputReply::Answers(answers.into()))
}

fn only(key: &str, question: Value) -> InputRequests {
    InputRequests { requests: json!({ key: question }), state: None }
}

fn remembering(state: &'static str, questions: InputRequests) -> InputRequests {
    InputRequests { state: Some(state), ..questions }
}

/// One request for each capability of this client.
fn within(client: &Value, elicitation: Value) -> InputRequests {
    let mut requests = json!({});
    if client["elicitation"].is_object() {
        requests["name"] = elicitation;
    }
    if client["sampling"].is_object() {
        requests["text"] = sample("Say something");
    }
    InputRequests { requests, state: None }
}

fn elicit(message: &str, properties: Value) -> Value {
    let required: Vec<&str> =
        properties.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
    let schema = object(properties.clone(), &required);
    json!({ "method": "elicitation/create", "params": { "message": message, "requestedSchema": schema } })
}

fn sample(text: &str) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": 100 } })
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

/// A default of each primitive type.
fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    })
}

/// A choice of each kind: one or many, with titles or without, and the legacy form of titles.
fn choices() -> Value {
    let titled = json!([
        { "const": "value1", "title": "First" }, { "const": "value2", "title": "Second" },
        { "const": "value3", "title": "Third" },
    ]);
    let names = json!(["Option One", "Option Two", "Option Three"]);
    let plain = json!(["option1", "option2", "option3"]);
    json!({
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled },
        "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": names },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled } },
    })
}
