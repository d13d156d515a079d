//! The programs in `examples/`, run as their readers run them.

use crate::api::Api;
use crate::servers::fixture::signal;
use crate::world::{Outcome, World, can_run, is_installed};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

/// The path of a file in `examples/`.
fn example(path: &str) -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    repository.canonicalize().expect("the repository").join("examples").join(path)
}

/// A running example. Dropping it stops the process.
struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Running {
    /// Starts an example with the address and the operator token of a running toolscout.
    fn start(command: &mut Command, api: &Api) -> Self {
        let token = api.operator.trim_start_matches("Authorization: Bearer ");
        command.env("TOOLSCOUT_URL", format!("http://{}", api.web.addr));
        command.env("TOOLSCOUT_TOKEN", token);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Self { child, output }
    }

    /// The next line of its output.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// Interrupts it; returns its exit code.
    fn interrupt(mut self) -> Option<i32> {
        signal(self.child.id(), Signal::TERM);
        self.child.wait().expect("the process exits").code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Approves all tools of a source.
fn approve(api: &Api, source: &str) {
    api.done("POST", "/api/reviews", Some(json!({"server": source, "decision": "approve"})));
}

/// The result of a call by an agent.
fn call(api: &Api, name: &str, arguments: Value) -> Value {
    let body = json!({"name": name, "arguments": arguments});
    let answer = api.request_as(&api.agent, "POST", "/api/call", Some(body));
    assert_eq!(answer.status, 200, "{name}: {answer:?}");
    answer.message()["result"].clone()
}

/// The first hit of a search.
fn first_hit(api: &Api, query: &str) -> Value {
    api.get(&format!("/api/search?q={query}"))["results"][0]["id"].clone()
}

/// M-18i
#[test]
fn the_node_example_offers_its_tools_while_it_runs() {
    if !is_installed("node") {
        return;
    }
    let world = World::trusted();
    let api = Api::start(&world);
    let mut node = world.program_command("node");
    let mut program = Running::start(node.arg(example("node/main.mjs")), &api);
    assert_eq!(program.line(), "registered 2 tools");
    approve(&api, "text");
    assert_eq!(first_hit(&api, "permalink"), "text/slugify");
    let slug = call(&api, "text/slugify", json!({"title": "Hello, World!"}));
    assert_eq!(slug["content"][0]["text"], "hello-world");
    let count = call(&api, "text/count_words", json!({"text": "one two three"}));
    assert_eq!(count["structuredContent"], json!({"words": 3}));
    assert_eq!(program.interrupt(), Some(0));
    crate::servers::fixture::wait_until("the tools are removed", || {
        api.get("/api/registrations")["registrations"] == json!([])
    });
}

/// M-18j
#[test]
fn the_go_example_offers_its_tools_with_a_callback() {
    if !is_installed("go") {
        return;
    }
    let world = World::trusted();
    let program = world.temp_dir().join("orders");
    let cache = std::env::temp_dir().join("toolscout-go-cache");
    let mut build = Command::new("go");
    build.args(["build", "-o"]).arg(&program).arg(".").current_dir(example("go"));
    // The standard library is compiled once for all runs of this test.
    build.env("GOCACHE", cache).env("GOFLAGS", "-buildvcs=false -mod=mod").env("GOWORK", "off");
    assert!(build.status().expect("go starts").success());
    let api = Api::start(&world);
    let mut orders = world.program_command(&program.display().to_string());
    let mut program = Running::start(&mut orders, &api);
    assert_eq!(program.line(), "registered 2 tools");
    approve(&api, "orders");
    assert_eq!(first_hit(&api, "delivery"), "orders/order_status");
    let status = call(&api, "orders/order_status", json!({"order": "A-1"}));
    assert_eq!(status["content"][0]["text"], "A-1 is shipped");
    let unknown = call(&api, "orders/order_status", json!({"order": "B-9"}));
    assert_eq!(unknown["isError"], true);
    assert_eq!(unknown["content"][0]["text"], "there is no order \"B-9\"");
    let count = call(&api, "orders/order_count", json!({}));
    assert_eq!(count["structuredContent"], json!({"orders": 2}));
    assert_eq!(program.interrupt(), Some(0));
}

/// Python with the packages of the example, if `TOOLSCOUT_TEST_EXAMPLES` names their environment.
fn python() -> Option<PathBuf> {
    let folder = std::env::var_os("TOOLSCOUT_TEST_EXAMPLES").map(PathBuf::from);
    let python = folder.map(|folder| folder.join("bin/python")).filter(|python| python.exists());
    can_run(python.is_some(), "TOOLSCOUT_TEST_EXAMPLES").then_some(python).flatten()
}

/// M-18k
#[test]
fn the_python_agent_loop_finds_and_calls_a_tool() {
    let Some(python) = python() else { return };
    let more = "description = \"Count the words of a text\"\n\
                [[parameters]]\nname = \"text\"\ntype = \"string\"";
    let world = World::trusted().echo("tools/word-count.tool.toml", "word-count", more);
    let api = Api::start(&world);
    let task = || {
        let mut command = world.program_command(&python.display().to_string());
        command.arg("-B").arg(example("python/agent.py"));
        command.args(["count the words of a text", "{\"text\": \"one two\"}"]);
        command.env("TOOLSCOUT_URL", format!("http://{}", api.web.addr));
        command.env("TOOLSCOUT_TOKEN", api.agent.trim_start_matches("Authorization: Bearer "));
        Outcome::run(&mut command).exits(0).out
    };
    let output = task();
    let (prompt, steps) = output.split_once("tool_search").expect("a search");
    assert!(
        prompt.starts_with("You are Orion.\n\n## Available Tools\nYou have access"),
        "{prompt}"
    );
    assert_eq!(
        steps,
        " {\"query\": \"count the words of a text\"}\n\
         execute_tool {\"name\": \"local/word-count\", \"arguments\": {\"text\": \"one two\"}}\n\
         {\"text\":\"one two\"}\n"
    );
    let denied = json!({"level": "project", "pattern": "local/word-count", "policy": "deny"});
    api.done("PUT", "/api/policies", Some(denied));
    assert!(task().contains("denied"), "the model sees the reason");
}

/// M-18l
#[test]
fn the_chat_example_shows_the_catalog_and_asks_for_approvals() {
    if !is_installed("node") {
        return;
    }
    let world = World::trusted().listing(
        "mail",
        &json!([{"name": "send", "description": "Send an email", "inputSchema": {"type": "object"}}]),
    );
    world.run(&["server", "refresh"]).exits(0);
    let api = Api::start(&world);
    let mut node = world.program_command("node");
    node.arg(example("chat/server.mjs")).env("PORT", "0").env("CHAT_PASSWORD", "a person");
    let agent = api.agent.trim_start_matches("Authorization: Bearer ");
    let mut program = Running::start(node.env("TOOLSCOUT_AGENT_TOKEN", agent), &api);
    let line = program.line();
    let addr = line.strip_prefix("listening on ").expect("an address").to_owned();
    let chat = crate::serve::Client { addr };
    let send = |method: &str, path: &str, headers: &[&str], body: &Value| {
        let response = chat.send(method, path, headers, &body.to_string());
        (response.status, response.message())
    };
    let say = |message: &str| send("POST", "/chat", &[], &json!({"message": message}));
    let person = ["X-Chat-Password: a person"];

    let (_, catalog) = send("GET", "/catalog", &[], &json!({}));
    let tool = json!({"name": "mail/send", "description": "Send an email", "policy": "allow"});
    assert_eq!(catalog, json!({"tools": [tool]}));
    assert_eq!(say("/search email"), (200, json!({"reply": "mail/send"})));
    assert_eq!(say("/call mail/send nonsense").0, 400);

    let policy = json!({"tool": "mail/send", "policy": "ask"});
    assert_eq!(send("PUT", "/policies", &[], &policy).0, 401);
    assert_eq!(send("PUT", "/policies", &person, &policy).0, 200);
    let (status, waiting) = say("/call mail/send {}");
    assert_eq!(status, 202, "{waiting}");
    let decision = json!({"id": waiting["waiting"], "decision": "approve"});
    assert_eq!(send("POST", "/approvals", &[], &decision).0, 401);
    assert_eq!(
        send("GET", "/approvals", &person, &json!({})).1["approvals"][0]["id"],
        waiting["waiting"]
    );
    assert_eq!(send("POST", "/approvals", &person, &decision).0, 200);
    assert_eq!(say("/call mail/send {}").0, 200);
    // An approval is for one call.
    assert_eq!(say("/call mail/send {}").0, 202);
    assert_eq!(program.interrupt(), Some(0));
}
