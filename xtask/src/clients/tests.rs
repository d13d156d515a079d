//! 1. In every dialect the model calls the tools of its script in order, and then ends.
//! 2. It derives the next step from the results so far: side requests do not confuse it.
//! 3. Requests are read with a length, in chunks, and in sequence on one connection.
//! 4. A failed run has one fault per problem, and still a transcript.

use super::agent::AGENTS;
use super::model::{Model, ModelRequest};
use super::options::Options;
use super::run::AgentRun;
use super::script::steps;
use super::transcript::{Transcript, shortened};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// The response of the model to this request.
fn ask(model: &Model, path: &str, body: &Value) -> String {
    let body = body.to_string();
    let addr = model.url();
    let mut stream = TcpStream::connect(addr.trim_start_matches("http://")).unwrap();
    // In two chunks, as some clients send it.
    let (one, two) = body.split_at(body.len() / 2);
    let text = format!(
        "POST {path} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{one}\r\n{:x}\r\n{two}\r\n0\r\n\r\n",
        one.len(),
        two.len()
    );
    stream.write_all(text.as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

fn model() -> Model {
    Model::begin(steps("word")).unwrap()
}

#[test]
fn messages_carry_calls_and_results() {
    let model = model();
    let tools = json!([{"name": "Bash"}, {"name": "mcp__x__execute_tool"}, {"name": "mcp__x__tool_search"}]);
    let first = ask(
        &model,
        "/v1/messages?beta=true",
        &json!({"stream": true, "tools": tools, "messages": []}),
    );
    assert!(
        first.contains(r#""name":"mcp__x__tool_search""#)
            && first.contains(r#""stop_reason":"tool_use""#),
        "{first}"
    );
    let result = json!({"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "hits"}]}]});
    let second = json!({"stream": true, "tools": tools, "messages": [{"role": "user", "content": "go"}, result]});
    assert!(ask(&model, "/v1/messages", &second).contains("mcp__x__execute_tool"));
    let requests = model.take_requests();
    assert_eq!(requests[1].results, ["hits"]);
    let title = ask(&model, "/v1/messages", &json!({"messages": [], "model": "small"}));
    assert!(title.contains(r#""text":"ok""#) && title.contains(r#""model":"small""#), "{title}");
    assert!(model.take_requests().is_empty(), "requests without tools are not recorded");
}

#[test]
fn responses_carry_calls_in_namespaces() {
    let model = model();
    let inner = json!([{"type": "function", "name": "tool_search"}, {"type": "function", "name": "execute_tool"}]);
    let tools = json!([{"type": "function", "name": "shell"}, {"type": "namespace", "name": "mcp__x", "tools": inner}]);
    let output = json!({"type": "function_call_output", "output": "hits"});
    let answer = ask(&model, "/v1/responses", &json!({"tools": tools, "input": [output]}));
    assert!(
        answer.contains(r#""name":"execute_tool","#) && answer.contains(r#""namespace":"mcp__x""#),
        "{answer}"
    );
    let requests = model.take_requests();
    let requests = &requests[0];
    assert_eq!(requests.results, ["hits"]);
    assert_eq!(
        requests.tools.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["shell", "mcp__x.tool_search", "mcp__x.execute_tool"]
    );
}

#[test]
fn chats_end_when_the_script_is_over() {
    let model = model();
    let tools = json!([{"type": "function", "function": {"name": "x_tool_search"}}, {"function": {"name": "x_execute_tool"}}]);
    let results = vec![json!({"role": "tool", "content": "it"}); 6];
    let last = ask(&model, "/v1/chat/completions", &json!({"tools": tools, "messages": results}));
    assert!(last.contains("Done, after 6 calls.") && last.ends_with("data: [DONE]\n\n"), "{last}");
    let first = ask(&model, "/v1/chat/completions", &json!({"tools": tools, "messages": []}));
    assert!(
        first.contains(r#""name":"x_tool_search""#)
            && first.contains(r#""finish_reason":"tool_calls""#),
        "{first}"
    );
}

#[test]
fn gemini_requests_carry_calls_and_results() {
    let model = model();
    let functions = json!([{"name": "mcp_x_tool_search"}, {"name": "mcp_x_execute_tool"}]);
    let tools = json!([{"functionDeclarations": functions}]);
    let path = "/v1beta/models/scripted:streamGenerateContent?alt=sse";
    let first = ask(&model, path, &json!({"tools": tools, "contents": []}));
    assert!(first.contains(r#""functionCall":{"name":"mcp_x_tool_search""#), "{first}");
    let part = json!({"functionResponse": {"name": "x", "response": {"output": "hits"}}});
    let contents = json!([{"role": "user", "parts": [part]}]);
    let second = ask(&model, path, &json!({"tools": tools, "contents": contents}));
    assert!(second.contains("mcp_x_execute_tool"), "{second}");
    assert_eq!(model.take_requests()[1].results, ["hits"]);
}

#[test]
fn other_endpoints_get_an_empty_response() {
    let model = model();
    assert!(ask(&model, "/v1/messages/count_tokens", &json!({})).contains(r#""input_tokens":1"#));
    assert!(model.take_requests().is_empty());
}

fn run(requests: Vec<ModelRequest>, ended: Result<(), String>) -> AgentRun {
    AgentRun { agent: AGENTS[0], steps: steps("word"), requests, took: Duration::ZERO, ended }
}

#[test]
fn a_run_with_every_result_has_no_problems() {
    let model = model();
    let tools = json!([{"name": "x_tool_search"}, {"name": "x_execute_tool"}]);
    let results = [
        "1. everything/get-sum",
        "The sum of 2 and 40 is 42.",
        "1. local/word-of-the-day",
        "en: word",
        "1. honest/echo\nand more\nand more\nand more",
        "word again",
    ];
    let results: Vec<_> = results
        .map(|value| json!({"content": [{"type": "tool_result", "content": value}]}))
        .to_vec();
    ask(&model, "/v1/messages", &json!({"tools": tools, "messages": results}));
    let good = run(model.take_requests(), Ok(()));
    assert_eq!(good.problems(), Vec::<String>::new());
    let text = Transcript::of(&good).to_string();
    assert!(
        text.contains("shows the model x_tool_search and x_execute_tool, of 2 tools"),
        "{text}"
    );
    assert!(text.contains("calls execute_tool") && text.contains("  … and 1 more"), "{text}");
}

#[test]
fn a_failed_run_names_each_problem() {
    let silent = run(Vec::new(), Err("it ended with 1".to_owned()));
    assert_eq!(silent.problems(), ["it ended with 1", "it sent no request to the model"]);
    let requests = ModelRequest { tools: Vec::new(), results: vec!["no tool fits".to_owned()] };
    let problems = run(vec![requests], Ok(())).problems();
    assert_eq!(problems[0], "it does not show `tool_search` to the model");
    assert_eq!(problems[2], "`tool_search` gave no `everything/get-sum`: no tool fits");
    assert_eq!(problems[3], "nothing came of step 2, `execute_tool`");
}

#[test]
fn results_are_shown_in_short() {
    assert_eq!(shortened("one\ntwo"), "  one\n  two\n");
    assert_eq!(shortened(&"ä".repeat(200)), format!("  {} …\n", "ä".repeat(110)));
}

#[test]
fn agents_have_the_names_of_init() {
    let arguments =
        |value: &[&str]| Options::parse(&value.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(arguments(&[]).unwrap().agents.len(), 4);
    let one = arguments(&["codex", "--debug"]).unwrap();
    assert!(one.is_debug && one.agents.len() == 1 && one.agents[0].name() == "codex");
    assert!(
        arguments(&["emacs"])
            .err()
            .unwrap()
            .to_string()
            .contains("claude-code, codex, opencode, gemini")
    );
}
