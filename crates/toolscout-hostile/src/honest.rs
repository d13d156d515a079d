//! The well-behaved server that every mode starts from: its handshake, its tools, its responses.

use crate::options::HandshakeEra;
use crate::posted::Answered;
use crate::protocol::{MODERN, SERVER_INFO, SUBSCRIPTION, failed, object, tool, with};
use crate::server::HostileServer;
use crate::server::acts::Acts;
use crate::server::request::{ClientRequest, Sent};
use crate::{reference, rich};
use serde_json::{Value, json};
use std::time::Duration;

pub(crate) const NAME: &str = "honest";

pub(crate) const HONEST: Acts = Acts {
    start: |_| Ok(()),
    obeys_signals: true,
    end_of_input: || (),
    broken_pipe: || (),
    tools,
    discover,
    initialize,
    list,
    listen,
    call,
    other: |server, method| match &server.options {
        options if options.reference => reference::act(method),
        options if options.rich => rich::act(method),
        _ => None,
    },
    frame: |_, message| [message, b"\n"].concat(),
    http: |_, _, _| Ok(Answered::NotYet),
};

pub(crate) fn discover(request: &ClientRequest) -> Sent {
    if request.server.options.era == HandshakeEra::Legacy {
        return request.error(-32601, "no such method: server/discover");
    }
    request.reply(discovered(&request.server))
}

pub(crate) fn initialize(request: &ClientRequest) -> Sent {
    if request.server.options.era == HandshakeEra::Modern {
        return request
            .error(-32601, &format!("no such method: initialize; this server speaks {MODERN}"));
    }
    request.reply(initialized(request))
}

/// The result of `server/discover`.
pub(crate) fn discovered(server: &HostileServer) -> Value {
    let answer = json!({
        "resultType": "complete",
        "supportedVersions": [MODERN],
        "capabilities": capabilities(server),
        "_meta": { SERVER_INFO: { "name": server.options.name, "version": "1.0.0" } },
        "ttlMs": 0,
        "cacheScope": "public",
    });
    with_instructions(answer, server)
}

/// The result of `initialize`.
pub(crate) fn initialized(request: &ClientRequest) -> Value {
    *request.server.rich.capabilities.lock() = request.params()["capabilities"].clone();
    let answer = json!({
        "protocolVersion": request.legacy_version(),
        "capabilities": capabilities(&request.server),
        "serverInfo": { "name": request.server.options.name, "version": "1.0.0" },
    });
    with_instructions(answer, &request.server)
}

fn with_instructions(answer: Value, server: &HostileServer) -> Value {
    if server.options.rich {
        with(answer, json!({ "instructions": rich::INSTRUCTIONS }))
    } else {
        answer
    }
}

fn capabilities(server: &HostileServer) -> Value {
    if server.options.has_more() {
        rich::capabilities()
    } else {
        json!({ "tools": { "listChanged": true } })
    }
}

pub(crate) fn list(request: &ClientRequest) -> Sent {
    request.reply(request.tool_list(request.server.tools()))
}

pub(crate) fn listen(request: &ClientRequest) -> Sent {
    if request.server.options.has_more() {
        return rich::listen(request);
    }
    let about = json!({ SUBSCRIPTION: request.id() });
    let wanted = request.params().get("notifications").cloned().unwrap_or(json!({}));
    let params = json!({ "_meta": about, "notifications": wanted });
    request.notify("notifications/subscriptions/acknowledged", params)?;
    if request.server.is_http() {
        request.reply(json!({ "resultType": "complete", "_meta": about }))?;
    }
    Ok(())
}

pub(crate) fn call(request: &ClientRequest) -> Sent {
    let (server, arguments) = (&request.server, &request.params()["arguments"]);
    let name = request.params()["name"].as_str().unwrap_or_default();
    if server.options.reference {
        return reference::call(request, name);
    }
    if let Some(sent) = server.options.rich.then(|| rich::call(request, name)).flatten() {
        return sent;
    }
    let text = match name {
        "echo" => as_text(&arguments["text"]),
        "add" => sum(&arguments["a"], &arguments["b"]),
        "sleep" => {
            let seconds = arguments["seconds"].as_f64().unwrap_or(1.0);
            let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
            if !server.wait_unless_cancelled(request.id(), time) {
                return Ok(());
            }
            "slept".to_owned()
        }
        "whoami" => identity(server),
        "fail" => return request.reply(failed(request.text("this tool fails every time"))),
        "blob" => "b".repeat(arguments["bytes"].as_u64().unwrap_or(0).min(1 << 30) as usize),
        _ if server.tools().iter().any(|tool| tool["name"] == name) => format!("ok {name}"),
        _ => return request.error(-32602, &format!("no such tool: {name}")),
    };
    request.reply(request.text(text))
}

fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn sum(a: &Value, b: &Value) -> String {
    match (a.as_i64(), b.as_i64()) {
        (Some(a), Some(b)) => a.saturating_add(b).to_string(),
        _ => format!("{:?}", a.as_f64().unwrap_or(0.0) + b.as_f64().unwrap_or(0.0)),
    }
}

fn identity(server: &HostileServer) -> String {
    json!({
        "name": server.options.name, "pid": std::process::id(), "mode": server.mode,
        "lists": server.lists.count(), "calls": server.calls.count(),
    })
    .to_string()
}

/// The six tools of every mode, and the filler tools.
pub(crate) fn tools(server: &HostileServer) -> Vec<Value> {
    if server.options.reference {
        return reference::tools(server);
    }
    let (text, number, integer) =
        (json!({ "type": "string" }), json!({ "type": "number" }), json!({ "type": "integer" }));
    let mut tools = vec![
        with(
            tool(
                "echo",
                "Gives back the text it was given",
                object(json!({ "text": text }), &["text"]),
            ),
            reads(),
        ),
        with(
            tool(
                "add",
                "Adds two numbers",
                object(json!({ "a": number, "b": number }), &["a", "b"]),
            ),
            reads(),
        ),
        tool(
            "sleep",
            "Waits so many seconds, then answers",
            object(json!({ "seconds": number }), &["seconds"]),
        ),
        tool("whoami", "Returns the name and pid of this server", object(json!({}), &[])),
        tool("fail", "Reports an error every time", object(json!({}), &[])),
        tool(
            "blob",
            "Gives a text of so many bytes",
            object(json!({ "bytes": integer }), &["bytes"]),
        ),
    ];
    tools.extend((0..server.options.tools).map(filler));
    if server.options.rich {
        tools.extend(rich::tools());
    }
    tools
}

fn reads() -> Value {
    json!({ "annotations": { "readOnlyHint": true } })
}

fn filler(number: usize) -> Value {
    const VERBS: [&str; 10] = [
        "create", "list", "update", "delete", "search", "export", "import", "archive", "sync",
        "review",
    ];
    const NOUNS: [&str; 10] = [
        "invoice",
        "ticket",
        "customer",
        "report",
        "calendar event",
        "repository",
        "database row",
        "email",
        "document",
        "deployment",
    ];
    let (verb, noun) = (VERBS[number % 10], NOUNS[number / 10 % 10]);
    let name = format!("{verb}_{}_{number:05}", noun.replace(' ', "_"));
    let schema =
        object(json!({ "id": { "type": "string" }, "limit": { "type": "integer" } }), &["id"]);
    tool(&name, &format!("{verb} a {noun}, variant {number}"), schema)
}

/// The honest tools, followed by these.
pub(crate) fn tools_and(
    server: &HostileServer,
    more: impl IntoIterator<Item = Value>,
) -> Vec<Value> {
    let mut tools = tools(server);
    tools.extend(more);
    tools
}
