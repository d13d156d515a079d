//! The tools, resources and prompts of the honest server with `--reference`: everything that the
//! official conformance suite expects of a server, under the names it expects.

mod asking;
mod content;
mod library;

use crate::process::pause;
use crate::protocol::{object, tool};
use crate::rich;
use crate::server::HostileServer;
use crate::server::acts::Act;
use crate::server::request::{ClientRequest, Sent};
use serde_json::{Value, json};
use std::time::Duration;

const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The delay between two messages of one call, so that they arrive separately.
const BEAT: Duration = Duration::from_millis(50);

pub(crate) fn act(method: &str) -> Option<Act> {
    library::act(method)
}

pub(crate) fn tools(server: &HostileServer) -> Vec<Value> {
    let text = json!({ "type": "string" });
    let silent = |name: &str, description: &str| tool(name, description, object(json!({}), &[]));
    let mut tools = vec![
        silent("test_simple_text", "Gives a text"),
        silent("test_image_content", "Gives a picture"),
        silent("test_audio_content", "Gives a sound"),
        silent("test_embedded_resource", "Gives a resource"),
        silent("test_multiple_content_types", "Gives a text, a picture and a resource"),
        silent("test_error_handling", "Fails every time"),
        silent("test_tool_with_logging", "Logs three messages"),
        silent("test_logging_tool", "Logs three messages, too"),
        silent("test_tool_with_progress", "Reports three steps"),
        silent("test_reconnection", "Takes a moment"),
        silent("test_missing_capability", "Needs a client with sampling, and sends it no request"),
        silent("test_trigger_tool_change", "Adds a tool, and notifies the client"),
        silent("test_trigger_prompt_change", "Adds a prompt, and notifies the client"),
        tool(
            "test_custom_header",
            "Has an argument that is mirrored in a header",
            object(
                json!({ "region": { "type": "string", "x-mcp-header": "Region" } }),
                &["region"],
            ),
        ),
        tool(
            "test_sampling",
            "Requests a text from the client's model",
            object(json!({ "prompt": text }), &["prompt"]),
        ),
        tool(
            "test_elicitation",
            "Requests a name and an address",
            object(json!({ "message": text }), &["message"]),
        ),
        tool(
            "json_schema_2020_12_tool",
            "Has a schema with all the keywords of its dialect",
            content::rich_schema(),
        ),
    ];
    tools.extend(asking::TOOLS.iter().map(|tool| silent(tool, "Requests input from the client")));
    let grown = server.reference.tools.count();
    tools.extend(
        (0..grown).map(|index| silent(&format!("test_grown_{index}"), "Was not there before")),
    );
    tools
}

pub(crate) fn call(request: &ClientRequest, name: &str) -> Sent {
    if let Some(result) = content::of(request, name) {
        return request.reply(result);
    }
    match name {
        "test_tool_with_logging" | "test_logging_tool" => log(request),
        "test_tool_with_progress" => progress(request),
        "test_missing_capability" => sample_nothing(request),
        "test_trigger_tool_change" => {
            request.server.reference.tools.up();
            rich::announce(request, "notifications/tools/list_changed", json!({}))?;
            request.reply(request.text("one more tool"))
        }
        "test_trigger_prompt_change" => {
            request.server.reference.prompts.up();
            rich::announce(request, "notifications/prompts/list_changed", json!({}))?;
            request.reply(request.text("one more prompt"))
        }
        "test_reconnection" => {
            pause(BEAT);
            request.reply(request.text("still here"))
        }
        "test_custom_header" => {
            request.reply(request.text(request.params()["arguments"]["region"].clone()))
        }
        "json_schema_2020_12_tool" => {
            request.reply(request.text(request.params()["arguments"].to_string()))
        }
        _ if name.starts_with("test_grown_") => request.reply(request.text(name)),
        _ => asking::call(request, name),
    }
}

/// Sends three log messages, unless a modern client did not request them.
fn log(request: &ClientRequest) -> Sent {
    let is_wanted = !request.is_modern() || !request.params()["_meta"][LOG_LEVEL].is_null();
    for text in ["begun", "going on", "nearly done"] {
        if is_wanted {
            request.notify(
                "notifications/message",
                json!({ "level": "info", "logger": "reference", "data": text }),
            )?;
        }
        pause(BEAT);
    }
    request.reply(request.text("logged"))
}

fn progress(request: &ClientRequest) -> Sent {
    let token = &request.params()["_meta"]["progressToken"];
    for done in [0, 50, 100] {
        if !token.is_null() {
            let params = json!({ "progressToken": token, "progress": done, "total": 100 });
            request.notify("notifications/progress", params)?;
        }
        pause(BEAT);
    }
    request.reply(request.text("done"))
}

fn sample_nothing(request: &ClientRequest) -> Sent {
    if client(request)["sampling"].is_object() {
        return request.reply(request.text("you can sample"));
    }
    let data = json!({ "requiredCapabilities": { "sampling": {} } });
    request.send(request.failure(
        json!({ "code": -32021, "message": "needs a client that can sample", "data": data }),
    ))
}

/// The client's capabilities: from this request in the modern era, from the handshake in the legacy
/// era.
fn client(request: &ClientRequest) -> Value {
    if request.is_modern() {
        return request.params()["_meta"][CAPABILITIES].clone();
    }
    request.server.rich.capabilities.lock().clone()
}
