//! The resources and prompts that the conformance suite reads, and their completions.

use super::{asking, content};
use crate::process::background;
use crate::rich::{self, listed};
use crate::server::acts::Act;
use crate::server::request::{ClientRequest, Sent};
use serde_json::{Value, json};

pub(super) fn act(method: &str) -> Option<Act> {
    Some(match method {
        "resources/list" => resources,
        "resources/templates/list" => templates,
        "resources/read" => read,
        "prompts/list" => prompts,
        "prompts/get" => prompt,
        "completion/complete" => complete,
        // Subscriptions and log levels need no handling of their own.
        _ => return rich::act(method),
    })
}

fn resources(request: &ClientRequest) -> Sent {
    let resource = |uri: &str, name: &str, kind: &str| json!({ "uri": uri, "name": name, "description": format!("The {name}"), "mimeType": kind });
    let all = json!([
        resource("test://static-text", "text", "text/plain"),
        resource("test://static-binary", "picture", "image/png"),
        resource("test://watched-resource", "watched text", "text/plain"),
    ]);
    request.reply(listed(request, "resources", all))
}

fn templates(request: &ClientRequest) -> Sent {
    let template = json!({
        "uriTemplate": "test://template/{id}/data", "name": "template", "description": "One for each number",
        "mimeType": "application/json",
    });
    request.reply(listed(request, "resourceTemplates", json!([template])))
}

fn read(request: &ClientRequest) -> Sent {
    let uri = request.params()["uri"].as_str().unwrap_or_default();
    let filled = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
    let content = match (uri, filled) {
        (_, Some(id)) => {
            let text = json!({ "id": id, "data": format!("data about {id}") }).to_string();
            json!({ "uri": uri, "mimeType": "application/json", "text": text })
        }
        ("test://static-text" | "test://watched-resource", _) => {
            json!({ "uri": uri, "mimeType": "text/plain", "text": "The content of a text resource." })
        }
        ("test://static-binary", _) => {
            json!({ "uri": uri, "mimeType": "image/png", "blob": content::PICTURE })
        }
        _ => {
            let code = if request.is_modern() { -32602 } else { -32002 };
            let error =
                json!({ "code": code, "message": "no such resource", "data": { "uri": uri } });
            return request.send(request.failure(error));
        }
    };
    request.reply(listed(request, "contents", json!([content])))
}

fn prompts(request: &ClientRequest) -> Sent {
    let prompt = |name: &str, arguments: &[&str]| {
        let arguments: Vec<Value> = arguments
            .iter()
            .map(|argument| json!({ "name": argument, "description": format!("The {argument}"), "required": true }))
            .collect();
        json!({ "name": name, "description": format!("The prompt {name}"), "arguments": arguments })
    };
    let mut all = vec![
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
        prompt(asking::PROMPT, &[]),
    ];
    let grown = request.server.reference.prompts.count();
    all.extend((0..grown).map(|index| prompt(&format!("test_grown_prompt_{index}"), &[])));
    request.reply(listed(request, "prompts", all.into()))
}

fn prompt(request: &ClientRequest) -> Sent {
    let arguments = &request.params()["arguments"];
    let text = |text: String| json!({ "type": "text", "text": text });
    let contents = match request.params()["name"].as_str().unwrap_or_default() {
        "test_simple_prompt" => vec![text("Say something simple.".to_owned())],
        "test_prompt_with_arguments" => {
            vec![text(format!("Say {} and {}.", arguments["arg1"], arguments["arg2"]))]
        }
        "test_prompt_with_embedded_resource" => {
            let resource = json!({ "uri": arguments["resourceUri"], "mimeType": "text/plain", "text": "inside" });
            vec![
                json!({ "type": "resource", "resource": resource }),
                text("Describe this resource.".to_owned()),
            ]
        }
        "test_prompt_with_image" => {
            vec![content::picture(), text("Describe this image.".to_owned())]
        }
        asking::PROMPT => return beside(request, asking::prompt),
        name if name.starts_with("test_grown_prompt_") => vec![text(name.to_owned())],
        name => return request.error(-32602, &format!("no such prompt: {name}")),
    };
    request.reply(content::spoken(request, contents))
}

/// Handles the request while others are read, because one of them contains the response to our own
/// request.
fn beside(request: &ClientRequest, act: Act) -> Sent {
    if request.server.is_http() {
        return act(request);
    }
    let request = ClientRequest::new(&request.server, request.message.clone(), request.out());
    background(move || {
        // The reader is gone; the main loop notices that itself.
        let _ = act(&request);
    });
    Ok(())
}

fn complete(request: &ClientRequest) -> Sent {
    let begun = request.params()["argument"]["value"].as_str().unwrap_or_default();
    let values: Vec<&str> = ["parent", "parrot", "test one", "test two"]
        .into_iter()
        .filter(|item| item.starts_with(begun))
        .collect();
    let completion = json!({ "total": values.len(), "values": values, "hasMore": false });
    request.reply(content::complete_in_era(request, json!({ "completion": completion })))
}
