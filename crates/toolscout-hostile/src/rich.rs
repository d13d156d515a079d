//! The additional features of the honest server with `--rich`: tools that send requests to the
//! client, log and report progress, a result with all kinds of content, resources, prompts.

use crate::process::pause;
use crate::protocol::{SUBSCRIPTION, object, tool, with};
use crate::server::acts::Act;
use crate::server::request::{ClientRequest, Gone, Sent};
use crate::server::state::ChangeListener;
use serde_json::{Value, json};
use std::time::Duration;

const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The timeout for a response of the client; tests end sooner.
const PATIENCE: Duration = Duration::from_secs(30);
/// The time to wait for a response that must not arrive.
const MOMENT: Duration = Duration::from_millis(200);
const PICTURE: &str = "iVBORw0KGgo=";

/// The capabilities of a rich server.
pub(crate) fn capabilities() -> Value {
    json!({
        "tools": { "listChanged": true },
        "resources": { "subscribe": true, "listChanged": true },
        "prompts": { "listChanged": true },
        "completions": {},
        "logging": {},
    })
}

/// Its instructions for clients.
pub(crate) const INSTRUCTIONS: &str = "Read test://readme first.";

pub(crate) fn act(method: &str) -> Option<Act> {
    Some(match method {
        "resources/list" => resources,
        "resources/templates/list" => templates,
        "resources/read" => read,
        "resources/subscribe" | "resources/unsubscribe" => subscribe,
        "prompts/list" => prompts,
        "prompts/get" => prompt,
        "completion/complete" => complete,
        "logging/setLevel" => |request| request.reply(json!({})),
        _ => return None,
    })
}

pub(crate) fn tools() -> Vec<Value> {
    let text = json!({ "type": "string" });
    let whole = json!({ "type": "integer" });
    let plain = |name: &str, description: &str, properties: Value| {
        tool(name, description, object(properties, &[]))
    };
    vec![
        plain(
            "elicit",
            "Requests input from the client's user",
            json!({ "message": text, "mode": text, "withdraw": { "type": "boolean" } }),
        ),
        plain("sample", "Requests a text from the client's model", json!({})),
        plain("roots", "Requests the roots of the client", json!({})),
        plain("log", "Logs so many messages before it answers", json!({ "count": whole })),
        plain("progress", "Reports so many steps before it answers", json!({ "steps": whole })),
        plain("touch", "Reports a change of this resource", json!({ "uri": text })),
        plain("grow", "Adds a resource and a prompt, and notifies the client", json!({})),
        plain("capabilities", "Returns the capabilities that the client declared", json!({})),
        with(
            plain("everything", "Gives content of every kind", json!({})),
            json!({
                "title": "Everything",
                "annotations": { "readOnlyHint": true, "title": "E", "vendorHint": 1.0 },
                "outputSchema": { "type": "object", "properties": { "n": { "type": "number" } } },
                "icons": [{ "src": "data:image/png;base64,iVBORw0KGgo=", "mimeType": "image/png", "sizes": ["48x48"] }],
                "execution": { "taskSupport": "forbidden" },
                "_meta": { "vendor/key": [1, 2.50, null] },
                "x-vendor": { "deep": true },
            }),
        ),
    ]
}

/// Handles a call, if the tool exists only in a rich server.
pub(crate) fn call(request: &ClientRequest, name: &str) -> Option<Sent> {
    let arguments = &request.params()["arguments"];
    Some(match name {
        "elicit" => elicit(request, arguments),
        "sample" => {
            let message =
                json!({ "role": "user", "content": { "type": "text", "text": "say hello" } });
            wonder(
                request,
                "sampling/createMessage",
                json!({ "messages": [message], "maxTokens": 10 }),
            )
        }
        "roots" => wonder(request, "roots/list", json!({})),
        "log" => {
            let count = arguments["count"].as_u64().unwrap_or(1).min(10_000);
            let entry =
                |value| json!({ "level": "info", "logger": "rich", "data": { "number": value } });
            let sent = (0..count)
                .try_for_each(|index| request.notify("notifications/message", entry(index)));
            sent.and_then(|()| request.reply(request.text("logged")))
        }
        "progress" => progress(request, arguments["steps"].as_u64().unwrap_or(3).min(10_000)),
        "touch" => {
            let told = announce(
                request,
                "notifications/resources/updated",
                json!({ "uri": arguments["uri"] }),
            );
            told.and_then(|()| request.reply(request.text("touched")))
        }
        "grow" => grow(request),
        "capabilities" => {
            let modern = &request.params()["_meta"][CAPABILITIES];
            let legacy = request.server.rich.capabilities.lock().clone();
            request.reply(
                request.text(if modern.is_null() { legacy } else { modern.clone() }.to_string()),
            )
        }
        "everything" => request.reply(everything(request)),
        _ => return None,
    })
}

/// Records the subscription of a client. Over HTTP the stream stays open.
pub(crate) fn listen(request: &ClientRequest) -> Sent {
    let wanted = request.params()["notifications"].clone();
    let params = json!({ "_meta": { SUBSCRIPTION: request.id() }, "notifications": wanted });
    let listener = ChangeListener { id: request.id().clone(), wanted, out: request.out() };
    request.server.rich.listeners.lock().push(listener);
    request.notify("notifications/subscriptions/acknowledged", params)
}

fn elicit(request: &ClientRequest, arguments: &Value) -> Sent {
    let text = arguments["message"].as_str().unwrap_or("your name?");
    let mut params = json!({ "message": text, "vendor": 1.0 });
    match arguments["mode"].as_str() {
        Some("url") => {
            params["mode"] = "url".into();
            params["url"] = "https://example.com/sign".into();
            params["elicitationId"] = "e1".into();
        }
        _ => params["requestedSchema"] = object(json!({ "name": { "type": "string" } }), &["name"]),
    }
    if arguments["withdraw"] == true {
        return change_of_mind(request, params);
    }
    wonder(request, "elicitation/create", params)
}

/// Sends a request to the client, and returns the whole response as the result of the call. In the
/// modern era the result of the call is the request, and the client repeats the call with its
/// response.
fn wonder(request: &ClientRequest, method: &str, params: Value) -> Sent {
    let (responses, state) =
        (&request.params()["inputResponses"], &request.params()["requestState"]);
    if request.is_modern() && responses.is_null() {
        let requests = json!({ "it": { "method": method, "params": params } });
        let wanted = json!({ "resultType": "input_required", "inputRequests": requests, "requestState": "st-1" });
        return request.reply(wanted);
    }
    if request.is_modern() {
        let got = json!({ "inputResponses": responses, "requestState": state });
        return request.reply(request.text(got.to_string()));
    }
    match ask(request, method, params)? {
        Some(answer) => request.reply(request.text(answer.to_string())),
        None => request.error(-32603, "the client sent no response"),
    }
}

/// Sends a request to a client of the legacy era, and returns its response, if there is one.
pub(crate) fn ask(
    request: &ClientRequest,
    method: &str,
    params: Value,
) -> Result<Option<Value>, Gone> {
    let id = put(request, method, params)?;
    Ok(request.server.rich.answer(&id, PATIENCE))
}

fn change_of_mind(request: &ClientRequest, params: Value) -> Sent {
    let id = put(request, "elicitation/create", params)?;
    // Not before the request was sent.
    pause(MOMENT);
    request.notify(
        "notifications/cancelled",
        json!({ "requestId": id, "reason": "changed my mind" }),
    )?;
    let text =
        if request.server.rich.answer(&id, MOMENT).is_some() { "answered" } else { "withdrawn" };
    request.reply(request.text(text))
}

fn put(request: &ClientRequest, method: &str, params: Value) -> Result<Value, Gone> {
    let id = Value::from(format!("q{}", request.server.rich.questions.up()));
    request.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
    Ok(id)
}

fn progress(request: &ClientRequest, steps: u64) -> Sent {
    let token = &request.params()["_meta"]["progressToken"];
    if !token.is_null() {
        for step in 1..=steps {
            let params = json!({ "progressToken": token, "progress": step, "total": steps, "message": format!("step {step}") });
            request.notify("notifications/progress", params)?;
        }
    }
    request.reply(request.text("done"))
}

fn grow(request: &ClientRequest) -> Sent {
    request.server.rich.sizes.up();
    request.reply(request.text("grown"))?;
    announce(request, "notifications/resources/list_changed", json!({}))?;
    announce(request, "notifications/prompts/list_changed", json!({}))
}

/// Sends a notification to the interested clients: in the modern era to the subscribers, each on
/// its own stream.
pub(crate) fn announce(request: &ClientRequest, method: &str, params: Value) -> Sent {
    if !request.is_modern() {
        return request.notify(method, params);
    }
    let key = match method {
        "notifications/resources/list_changed" => "resourcesListChanged",
        "notifications/prompts/list_changed" => "promptsListChanged",
        "notifications/tools/list_changed" => "toolsListChanged",
        _ => "resourceSubscriptions",
    };
    for ChangeListener { id, wanted, out } in request.server.rich.listeners.lock().iter() {
        let is_wanted = wanted[key] == true
            || wanted[key].as_array().is_some_and(|items| items.contains(&params["uri"]));
        if is_wanted {
            let params = with(params.clone(), json!({ "_meta": { SUBSCRIPTION: id } }));
            // A disconnected subscriber does not affect the others.
            let _ =
                ClientRequest::new(&request.server, json!({}), out.clone()).notify(method, params);
        }
    }
    Ok(())
}

fn everything(request: &ClientRequest) -> Value {
    let link =
        json!({ "type": "resource_link", "uri": "test://readme", "name": "readme", "size": 5 });
    let inside = json!({ "uri": "test://inside", "mimeType": "text/plain", "text": "inside", "_meta": { "a": 1 } });
    let content = json!([
        { "type": "text", "text": "plain \u{1f600}", "annotations": { "audience": ["user"], "priority": 0.50 } },
        { "type": "image", "data": PICTURE, "mimeType": "image/png" },
        { "type": "audio", "data": "UklGRg==", "mimeType": "audio/wav" },
        link,
        { "type": "resource", "resource": inside },
        { "type": "x-vendor", "anything": [1, 2.0, null] },
    ]);
    let more = json!({
        "content": content, "structuredContent": { "n": 1.50 }, "_meta": { "vendor/key": { "b": 1, "a": 2 } }, "x-more": 1,
    });
    with(request.text(""), more)
}

fn resources(request: &ClientRequest) -> Sent {
    let sizes = request.server.rich.sizes.count();
    let grown = (0..sizes)
        .map(|index| resource(&format!("test://grown/{index}"), &format!("grown {index}")));
    let picture = with(
        resource("test://picture", "picture"),
        json!({ "mimeType": "image/png", "x-vendor": 1.0 }),
    );
    match request.cursor() {
        None => {
            let first = json!([resource("test://readme", "readme"), picture]);
            request.reply(with(listed(request, "resources", first), json!({ "nextCursor": "2" })))
        }
        Some(_) => {
            let rest =
                std::iter::once(resource("test://numbers", "numbers")).chain(grown).collect();
            request.reply(listed(request, "resources", rest))
        }
    }
}

fn templates(request: &ClientRequest) -> Sent {
    let template = json!({ "uriTemplate": "test://item/{id}", "name": "item" });
    request.reply(listed(request, "resourceTemplates", json!([template])))
}

fn read(request: &ClientRequest) -> Sent {
    let uri = request.params()["uri"].as_str().unwrap_or_default();
    let content = match uri {
        "test://picture" => json!({ "uri": uri, "mimeType": "image/png", "blob": PICTURE }),
        _ if uri.starts_with("test://") => {
            json!({ "uri": uri, "mimeType": "text/plain", "text": format!("text of {uri}") })
        }
        _ => {
            return request
                .error(if request.is_modern() { -32602 } else { -32002 }, "no such resource");
        }
    };
    request.reply(listed(request, "contents", json!([content])))
}

fn subscribe(request: &ClientRequest) -> Sent {
    if request.is_modern() {
        return request.error(-32601, "no such method in this era");
    }
    request.reply(json!({}))
}

fn prompts(request: &ClientRequest) -> Sent {
    let greet = json!({ "name": "greet", "description": "Greets", "arguments": [{ "name": "who", "required": true }] });
    let grown = (0..request.server.rich.sizes.count())
        .map(|index| json!({ "name": format!("grown_{index}") }));
    let all = std::iter::once(greet).chain(grown).chain([json!({ "name": "ask" })]).collect();
    request.reply(listed(request, "prompts", all))
}

fn prompt(request: &ClientRequest) -> Sent {
    let (name, arguments) = (&request.params()["name"], &request.params()["arguments"]);
    match name.as_str() {
        Some("ask") if request.is_modern() => {
            wonder(request, "elicitation/create", json!({ "message": "who?" }))
        }
        Some("greet" | "ask") => {
            let text = format!("Greet {}", arguments["who"].as_str().unwrap_or("somebody"));
            let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
            let mut result = json!({ "messages": [message] });
            if request.is_modern() {
                result["resultType"] = "complete".into();
            }
            request.reply(result)
        }
        _ => request.error(-32602, "no such prompt"),
    }
}

fn complete(request: &ClientRequest) -> Sent {
    let begun = request.params()["argument"]["value"].as_str().unwrap_or_default();
    let values: Vec<&str> =
        ["anna", "anton", "berta"].into_iter().filter(|item| item.starts_with(begun)).collect();
    let mut result =
        json!({ "completion": { "total": values.len(), "values": values, "hasMore": false } });
    if request.is_modern() {
        result["resultType"] = "complete".into();
    }
    request.reply(result)
}

fn resource(uri: &str, name: &str) -> Value {
    json!({ "uri": uri, "name": name })
}

/// A cacheable result, with the additional fields of the request's era.
pub(crate) fn listed(request: &ClientRequest, key: &str, items: Value) -> Value {
    let mut result = json!({ key: items });
    if request.is_modern() {
        let more = json!({ "resultType": "complete", "ttlMs": request.server.options.ttl_ms, "cacheScope": "public" });
        result = with(result, more);
    }
    result
}
