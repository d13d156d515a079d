//! An MCP server with its own tools, written in Rust.
//!
//! ```text
//! cargo run --example own_server -- serve
//! ```
//!
//! `help` is listed and keeps its name. Clients find the other tools with `tool_search` and run
//! them with `execute_tool`. Tools can be added and removed while the server runs, and every client
//! is notified. Over HTTP (`serve --http 127.0.0.1:7420`) a request with the header `X-User-ID` has
//! one more tool.

use std::process::ExitCode;
use toolscout::source::request::{header, request_tools};
use toolscout::source::schemars::JsonSchema;
use toolscout::source::{CodeTool, Param, ToolBuilder};
use toolscout::{App, AppError, core::ToolOutput, plugins};

/// Name, description, keywords.
const LIBRARY: [(&str, &str, &[&str]); 10] = [
    ("send_email", "Send an email to a recipient", &["email", "communication", "smtp"]),
    ("list_emails", "List emails in a mailbox folder", &["email", "inbox", "mail"]),
    ("sql_query", "Execute SQL queries", &["database", "sql", "query"]),
    ("database_backup", "Create a backup of a database", &["database", "backup", "archive"]),
    ("create_pdf", "Generate PDF documents from templates", &["pdf", "document", "report"]),
    ("kubernetes_deploy", "Deploy to Kubernetes", &["k8s", "container", "deploy"]),
    ("docker_build", "Build a Docker image", &["docker", "container", "build", "image", "devops"]),
    (
        "analyze_data",
        "Analyze datasets with statistical methods",
        &["statistics", "data", "analysis"],
    ),
    (
        "cleanup_logs",
        "Delete old log files to free disk space",
        &["logs", "cleanup", "maintenance", "delete"],
    ),
    (
        "health_check",
        "Run system health checks and return status report",
        &["health", "monitoring", "status"],
    ),
];

/// What `help` takes: its schema is made of this.
#[derive(serde::Deserialize, JsonSchema)]
#[schemars(crate = "toolscout::source::schemars")]
struct Wish {
    /// Take this tool away, for everybody
    #[serde(default)]
    retire: Option<String>,
    /// Bring this tool back
    #[serde(default)]
    restore: Option<String>,
}

fn main() -> ExitCode {
    toolscout::main(app())
}

fn app() -> Result<App, AppError> {
    let registry = plugins::Registry::default();
    let tools = registry.tools();
    let known = tools.clone();
    let help = builder("help", "Say which tools there are").listed().typed::<Wish>().run(
        move |wish, _cx| {
            let _was_there = wish.retire.is_some_and(|retire| known.unregister(&retire));
            let back = LIBRARY
                .iter()
                .filter(|library| wish.restore.as_deref() == Some(library.0))
                .map(tool);
            let said = known.register_all(back).map(|_| format!("{} tools", known.len() - 1));
            async { Ok(ToolOutput::text(said?)) }
        },
    );
    tools
        .register_all(LIBRARY.iter().map(tool).chain([help]))
        .expect("a later tool replaces an earlier one");
    let saved = request_tools(
        |cx| header(cx, "x-user-id").map(str::to_owned),
        |user, _cx| [saved_queries(user)],
    );
    App::builder("own")
        .about("Tools of our own")
        .plugin(registry)
        .plugin(plugins::Requests::default().sources(saved))
        .plugin(plugins::Serve)
        .plugin(plugins::Cli)
        .build()
}

fn tool((name, description, keywords): &(&'static str, &str, &[&str])) -> CodeTool {
    let begun = builder(name, description).keywords(keywords.iter().copied());
    let begun = match *name {
        "send_email" => ["to", "subject", "body"]
            .iter()
            .fold(begun, |value, at| value.param(Param::string(*at, "").required())),
        _ => begun.param(Param::string("target", "What to work on")),
    };
    let name = *name;
    begun.run(move |given, _cx| async move {
        Ok(ToolOutput::text(format!("{name}: {}", serde_json::json!(given))))
    })
}

/// A tool that exists only for requests of this user.
fn saved_queries(user: &str) -> CodeTool {
    let answer = format!("{user} has saved nothing yet");
    builder("my_saved_queries", &format!("The saved queries of {user}")).run(move |_, _cx| {
        let answer = answer.clone();
        async { Ok(ToolOutput::text(answer)) }
    })
}

fn builder(name: &str, description: &str) -> ToolBuilder {
    ToolBuilder::new(name).expect("a name").description(description)
}
