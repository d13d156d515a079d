//! MCP over stdio, as clients start the program.

mod agent;
mod approvals;
mod changes;
mod connect;
mod crowd;
mod federation;
mod fidelity;
mod first_requests;
mod http;
mod jwt;
mod meta_tools;
mod names;
mod operations;
mod passthrough;
mod plugins;
mod profiles;
mod prompts;
mod protocol;
mod protocol_eras;
mod reload;
mod reverse_requests;
mod settings;
mod several_processes;
mod visibility;
mod web;

pub(crate) use agent::Agent;
pub(crate) use web::{Client, HttpResponse, Session, Web};

use crate::world::World;
use serde_json::json;

/// Ten tools: name, description, keywords.
pub(crate) const LIBRARY: [(&str, &str, &[&str]); 10] = [
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

/// A trusted project with ten tools that echo their arguments; `send_email` requires three strings.
pub(crate) fn library() -> World {
    let mut world = World::trusted();
    for (name, description, keywords) in LIBRARY {
        let schema = match name {
            "send_email" => {
                let text = json!({"type": "string"});
                let properties = json!({"to": text, "subject": text, "body": text});
                json!({"type": "object", "properties": properties, "required": ["to", "subject", "body"]})
            }
            _ => json!({"type": "object", "properties": {"target": {"type": "string"}}}),
        };
        let run = json!({"command": ["cat"]});
        let tool = json!({"name": name, "description": description, "keywords": keywords, "input_schema": schema, "run": run});
        world = world.file(&format!("tools/{name}.tool.json"), &tool.to_string());
    }
    world
}
