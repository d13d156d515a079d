//! What a search gives, in text: a library and a question in, a page out.
//!
//! 1. Each profile scores exactly by its table: [`ladder`], [`ladder2`], [`substring`].
//! 2. A tool answers to its bare and to its qualified name: [`names`].
//! 3. Limits, ties and order: [`limits`].
//! 4. Every hit says why: [`reasons`].

mod ladder;
mod ladder2;
mod limits;
mod names;
mod reasons;
mod substring;

use crate::{Index, Profile, Query};
use toolscout_core::{SourceId, Tool, ToolId, ToolName};

/// Ten tools of an ordinary office.
const LIB10: &str = "
    app/send_email (email, communication, smtp) -- Send an email to a recipient
    app/list_emails (email, inbox, mail) -- List emails in a mailbox folder
    app/sql_query (database, sql, query) -- Execute SQL queries
    app/database_backup (database, backup, archive) -- Create a backup of a database
    app/create_pdf (pdf, document, report) -- Generate PDF documents from templates
    app/kubernetes_deploy (k8s, container, deploy) -- Deploy to Kubernetes
    app/docker_build (docker, container, build, image, devops) -- Build a Docker image
    app/analyze_data (statistics, data, analysis) -- Analyze datasets with statistical methods
    app/cleanup_logs (logs, cleanup, maintenance, delete) -- Delete old log files to free disk space
    app/health_check (health, monitoring, status) -- Run system health checks and return status report
";

/// The hits as lines of `name score`.
fn search(library: &str, profile: Profile, text: &str) -> String {
    page(library, Query { profile, ..Query::new(text) }, |hit| format!("{} {}", hit.id.name, short(hit.score)))
}

/// The hits as lines of `source/name: reason, reason`.
fn explain(library: &str, profile: Profile, text: &str) -> String {
    page(library, Query { profile, ..Query::new(text) }, |hit| format!("{}: {}", hit.id, hit.why.join(", ")))
}

fn page(library: &str, query: Query<'_>, line: impl Fn(&crate::Hit) -> String) -> String {
    let hits = Index::build(&tools(library)).search(&query);
    if hits.is_empty() { "nothing".to_owned() } else { hits.iter().map(line).collect::<Vec<_>>().join("\n") }
}

/// Four places at most, as the tables of expected scores have them.
fn short(score: f64) -> String {
    ((score * 1e4).round() / 1e4).to_string()
}

/// Reads lines of `source/tool (keyword, keyword) -- what it does`.
fn tools(library: &str) -> Vec<Tool> {
    library.lines().map(str::trim).filter(|it| !it.is_empty()).map(tool).collect()
}

fn tool(line: &str) -> Tool {
    let (head, description) = line.split_once(" -- ").map_or((line, None), |(head, text)| (head, Some(text)));
    let (id, keywords) = head.split_once(" (").unwrap_or((head, ""));
    let (source, name) = id.split_once('/').expect("a line starts with source/tool");
    let id = ToolId::new(SourceId::new(source).expect("a source id"), ToolName::new(name).expect("a name"));
    Tool {
        description: description.map(str::to_owned),
        keywords: keywords.trim_end_matches(')').split(", ").filter(|it| !it.is_empty()).map(str::to_owned).collect(),
        ..Tool::new(id)
    }
}
