//! Search results as text: a library and a query in, a page out.
//!
//! 1. Each profile scores exactly by its table: [`ladder`], [`ladder2`], [`substring`].
//! 2. A query finds a tool by its bare and by its qualified name: [`names`].
//! 3. Limits, ties and order: [`limits`].
//! 4. Every hit has reasons: [`reasons`].
//! 5. A query for some sources finds only their tools: [`sources`].
//! 6. The parsed form of a query can be shown: [`reading`].
//! 7. By words, embeddings and use, in an order that sources cannot manipulate: [`ranked`],
//!    [`hostile`], [`displacement`].
//! 8. Computed data is kept, and gives the same results: [`incremental`].
//! 9. Words of all languages: [`tokens`], [`languages`].

mod displacement;
mod hostile;
mod incremental;
mod ladder;
mod ladder2;
mod languages;
mod limits;
mod names;
mod ranked;
mod reading;
mod reasons;
mod sources;
mod substring;
mod tokens;

use crate::{Encoder, Index, Query, RankingProfile, TextStamp, ToolDocument, Vector, encoded_text};
use std::sync::Arc;
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
fn search(library: &str, profile: RankingProfile, text: &str) -> String {
    page(library, Query { profile, ..Query::new(text) }, |hit| {
        format!("{} {}", hit.id.name, short(hit.score))
    })
}

/// The hits as lines of `source/name: reason, reason`.
fn explain(library: &str, profile: RankingProfile, text: &str) -> String {
    page(library, Query { profile, ..Query::new(text) }, |hit| {
        format!("{}: {}", hit.id, hit.reasons.join(", "))
    })
}

fn page(library: &str, query: Query<'_>, line: impl Fn(&crate::Hit) -> String) -> String {
    let hits = index_of(library).search(&query);
    if hits.is_empty() {
        "nothing".to_owned()
    } else {
        hits.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

fn index_of(library: &str) -> Index {
    let tools: Vec<Arc<Tool>> = tools(library).into_iter().map(Arc::new).collect();
    Index::build(
        &tools.iter().zip(1..).map(|(tool, stamp)| document(tool, stamp)).collect::<Vec<_>>(),
    )
}

fn document(tool: &Arc<Tool>, stamp: TextStamp) -> ToolDocument<'_> {
    ToolDocument { tool, stamp, is_approved: true, source_description: "" }
}

/// An encoder that knows a few concepts, each a dimension, and nothing else.
struct Concepts;

const CONCEPTS: [&[&str]; 4] = [
    &["email", "emails", "letter", "correspondence"],
    &["database", "records", "rows", "sql"],
    &["container", "kubernetes", "docker", "ship"],
    &["log", "logs", "journal"],
];

impl Encoder for Concepts {
    fn id(&self) -> &str {
        "concepts"
    }

    fn dimensions(&self) -> usize {
        CONCEPTS.len() + 1
    }

    fn encode(&self, text: &str) -> Vec<f32> {
        let mut place = vec![0.0; self.dimensions()];
        crate::words::for_each(text, |word| {
            let at = CONCEPTS
                .iter()
                .position(|concept| concept.contains(&word))
                .unwrap_or(CONCEPTS.len());
            place[at] += if at == CONCEPTS.len() { 0.05 } else { 1.0 };
        });
        let length =
            place.iter().map(|place| place * place).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        place.iter().map(|place| place / length).collect()
    }
}

fn encoded(index: &Index) -> Index {
    let missing = index.without_vector(Concepts.id());
    let new: Vec<_> = missing
        .map(|(stamp, tool)| (stamp, Vector::quantize(&Concepts.encode(&encoded_text(tool)))))
        .collect();
    index.with_vectors(Concepts.id(), new)
}

/// Rounds to four digits, as in the tables of expected scores.
fn short(score: f64) -> String {
    ((score * 1e4).round() / 1e4).to_string()
}

/// Parses lines of `source/tool (keyword, keyword) -- description`.
fn tools(library: &str) -> Vec<Tool> {
    library.lines().map(str::trim).filter(|line| !line.is_empty()).map(tool).collect()
}

fn tool(line: &str) -> Tool {
    let (head, description) =
        line.split_once(" -- ").map_or((line, None), |(head, text)| (head, Some(text)));
    let (id, keywords) = head.split_once(" (").unwrap_or((head, ""));
    let id = id_of(id);
    Tool {
        description: description.map(str::to_owned),
        keywords: keywords
            .trim_end_matches(')')
            .split(", ")
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect(),
        ..Tool::new(id)
    }
}

/// The id that `source/tool` names.
fn id_of(text: &str) -> ToolId {
    let (source, name) = text.split_once('/').expect("an id is source/tool");
    ToolId::new(SourceId::new(source).expect("a source id"), ToolName::new(name).expect("a name"))
}
