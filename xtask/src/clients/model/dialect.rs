//! The APIs between agents and models: the location of tools and results in a request, and the
//! format of a call.

use serde_json::{Value, json};
use std::fmt::{self, Display, Formatter};

/// The requested endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::clients) enum Dialect {
    /// Anthropic's messages.
    Messages,
    /// OpenAI's responses.
    Responses,
    /// OpenAI's chat completions, which many other models support.
    Chat,
    /// Google's `generateContent`.
    Gemini,
}

/// The name of a tool as an agent presents it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::clients) struct ShownToolName {
    /// Its namespace; empty for most agents.
    pub(in crate::clients) space: String,
    pub(in crate::clients) name: String,
}

impl Display for ShownToolName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.space.is_empty() {
            f.write_str(&self.name)
        } else {
            write!(f, "{}.{}", self.space, self.name)
        }
    }
}

/// The tool to call and its arguments; `None` if all steps are done.
pub(super) type Call<'a> = Option<(&'a ShownToolName, &'a Value)>;

impl Dialect {
    /// The dialect by the path of the request; `None` for other endpoints.
    pub(super) fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        match path.rsplit('/').next() {
            Some("messages") => Some(Self::Messages),
            Some("responses") => Some(Self::Responses),
            Some("completions") => Some(Self::Chat),
            Some(model) if model.ends_with(":streamGenerateContent") => Some(Self::Gemini),
            _ => None,
        }
    }

    pub(super) fn tools(self, asked: &Value) -> Vec<ShownToolName> {
        list(&asked["tools"]).iter().flat_map(|item| named(item, "")).collect()
    }

    /// The results of the calls so far, each as text.
    pub(super) fn results(self, asked: &Value) -> Vec<String> {
        let in_messages = || list(&asked["messages"]).iter();
        match self {
            Self::Messages => {
                let blocks = in_messages().flat_map(|message| list(&message["content"]));
                blocks
                    .filter(|block| block["type"] == "tool_result")
                    .map(|block| text(&block["content"]))
                    .collect()
            }
            Self::Responses => {
                let outputs = list(&asked["input"])
                    .iter()
                    .filter(|item| item["type"] == "function_call_output");
                outputs.map(|output| text(&output["output"])).collect()
            }
            Self::Gemini => {
                let parts = list(&asked["contents"]).iter().flat_map(|turn| list(&turn["parts"]));
                parts
                    .filter_map(|part| part.get("functionResponse"))
                    .map(|response| text(&response["response"]["output"]))
                    .collect()
            }
            Self::Chat => in_messages()
                .filter(|message| message["role"] == "tool")
                .map(|message| text(&message["content"]))
                .collect(),
        }
    }

    /// The response, as content type and text: a call, or the final message after this many calls.
    pub(super) fn answer(
        self,
        asked: &Value,
        number: usize,
        call: Call<'_>,
    ) -> (&'static str, String) {
        let events = match self {
            Self::Messages if asked["stream"] != true => {
                return ("application/json", message(asked).to_string());
            }
            Self::Messages => messages(asked, number, call),
            Self::Responses => responses(number, call),
            Self::Chat => chat(asked, number, call),
            Self::Gemini => gemini(number, call),
        };
        ("text/event-stream", events)
    }
}

fn named(tool: &Value, space: &str) -> Vec<ShownToolName> {
    if tool["type"] == "namespace" {
        let space = tool["name"].as_str().unwrap_or_default();
        return list(&tool["tools"]).iter().flat_map(|item| named(item, space)).collect();
    }
    if let Some(functions) = tool.get("functionDeclarations") {
        return list(functions).iter().flat_map(|item| named(item, space)).collect();
    }
    let name =
        tool["name"].as_str().or(tool["function"]["name"].as_str()).or(tool["type"].as_str());
    let name = name.map(|name| ShownToolName { space: space.to_owned(), name: name.to_owned() });
    name.into_iter().collect()
}

/// The content as text: a string, or a list of blocks with text.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<_> =
                blocks.iter().map(|block| block["text"].as_str().unwrap_or_default()).collect();
            texts.join("\n")
        }
        other => other.to_string(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn done(number: usize) -> String {
    format!("Done, after {number} calls.")
}

/// Agents use requests without a stream for titles and the like.
fn message(asked: &Value) -> Value {
    json!({
        "id": "msg_0", "type": "message", "role": "assistant", "model": asked["model"],
        "content": [{"type": "text", "text": "ok"}],
        "stop_reason": "end_turn", "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1},
    })
}

fn messages(asked: &Value, number: usize, call: Call<'_>) -> String {
    let mut begun = message(asked);
    begun["content"] = json!([]);
    begun["stop_reason"] = Value::Null;
    let (block, delta, reason) = match call {
        Some((tool, arguments)) => (
            json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": tool.name, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": arguments.to_string()}),
            "tool_use",
        ),
        None => (
            json!({"type": "text", "text": ""}),
            json!({"type": "text_delta", "text": done(number)}),
            "end_turn",
        ),
    };
    named_events(&[
        json!({"type": "message_start", "message": begun}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ])
}

fn responses(number: usize, call: Call<'_>) -> String {
    let item = match call {
        Some((tool, arguments)) => {
            let mut item = json!({
                "type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number}"),
                "name": tool.name, "arguments": arguments.to_string(),
            });
            if !tool.space.is_empty() {
                item["namespace"] = tool.space.as_str().into();
            }
            item
        }
        None => {
            let content = json!([{"type": "output_text", "text": done(number)}]);
            json!({"type": "message", "id": "msg_0", "role": "assistant", "content": content})
        }
    };
    let id = format!("resp_{number}");
    let usage = json!({
        "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1, "output_tokens_details": null, "total_tokens": 2,
    });
    named_events(&[
        json!({"type": "response.created", "response": {"id": id}}),
        json!({"type": "response.output_item.done", "item": item}),
        json!({"type": "response.completed", "response": {"id": id, "output": [item], "usage": usage}}),
    ])
}

fn chat(asked: &Value, number: usize, call: Call<'_>) -> String {
    let (delta, reason) = match call {
        Some((tool, arguments)) => {
            let function = json!({"name": tool.name, "arguments": arguments.to_string()});
            let call = json!({"index": 0, "id": format!("call_{number}"), "type": "function", "function": function});
            (json!({"role": "assistant", "tool_calls": [call]}), "tool_calls")
        }
        None => (json!({"role": "assistant", "content": done(number)}), "stop"),
    };
    let choices = [
        json!({"index": 0, "delta": delta, "finish_reason": null}),
        json!({"index": 0, "delta": {}, "finish_reason": reason}),
    ];
    let chunk = |choice: &Value| {
        let chunk = json!({
            "id": "chat_0", "object": "chat.completion.chunk", "created": 1, "model": asked["model"], "choices": [choice],
        });
        format!("data: {chunk}\n\n")
    };
    choices.iter().map(chunk).collect::<String>() + "data: [DONE]\n\n"
}

fn gemini(number: usize, call: Call<'_>) -> String {
    let part = match call {
        Some((tool, arguments)) => json!({"functionCall": {"name": tool.name, "args": arguments}}),
        None => json!({"text": done(number)}),
    };
    let content = json!({"role": "model", "parts": [part]});
    let chunk = json!({
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    });
    format!("data: {chunk}\r\n\r\n")
}

/// SSE events, each named by its type.
fn named_events(all: &[Value]) -> String {
    all.iter()
        .map(|item| {
            format!("event: {}\ndata: {item}\n\n", item["type"].as_str().unwrap_or_default())
        })
        .collect()
}
