//! A tool in a list.

use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use toolscout_core::cx::Role;
use toolscout_core::{Cx, RawJson, Status, Tool, Visibility};
use toolscout_gateway::policy::Policies;
use toolscout_gateway::{CatalogView, Snapshot};
use toolscout_surface::output::safe_schema;

/// A tool in a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Tool")]
pub(crate) struct ToolSummary {
    /// `source/name`.
    pub(super) id: String,
    /// The id of its source.
    pub(super) source: String,
    /// Its name at its source.
    pub(super) name: String,
    /// A display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
    /// What it does.
    pub(super) description: Option<String>,
    /// Additional words for search.
    pub(super) keywords: Vec<String>,
    /// The file that defines it; for operators only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<PathBuf>,
    /// The JSON Schema of its arguments, unchanged unless `safeSchemas` is set.
    #[schemars(with = "serde_json::Value")]
    pub(super) input_schema: RawJson,
    /// The effective policy: `allow`, `ask`, `deny` or `disable`.
    policy: &'static str,
    /// `ready`, `quarantined`, `unprobed` or `unavailable`.
    pub(super) status: &'static str,
    /// `listed` (agents see it in the tool list) or `searchable` (agents find it by search).
    visibility: &'static str,
    /// Why it is not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}

impl ToolSummary {
    pub(super) fn new(tool: &Tool, policies: &Policies, cx: &Cx) -> Self {
        Self {
            id: tool.id.to_string(),
            source: tool.id.source.to_string(),
            name: tool.id.name.to_string(),
            title: tool.title.clone(),
            description: tool.description.clone(),
            keywords: tool.keywords.clone(),
            path: tool.provenance.path.clone().filter(|_| cx.role == Role::Operator),
            input_schema: tool.input_schema.clone(),
            policy: policies.effective(tool).policy.as_str(),
            status: match &tool.status {
                // The first call completes its definition.
                Status::Static => "ready",
                status => status.as_str(),
            },
            visibility: match tool.visibility {
                Visibility::Listed => "listed",
                Visibility::Searchable => "searchable",
            },
            reason: tool.status.reason().map(str::to_owned),
        }
    }
}

impl ToolSummary {
    /// A copy for catalogs: with a reduced schema, and without HTML in its texts.
    pub(super) fn into_safe(self) -> Self {
        let safe = |text: String| safe_schema::safe_text(&text);
        Self {
            title: self.title.map(safe),
            description: self.description.map(safe),
            keywords: self.keywords.into_iter().map(safe).collect(),
            input_schema: RawJson::from_value(&safe_schema::safe_schema(
                &self.input_schema.to_value(),
            )),
            ..self
        }
    }
}

/// The tools visible to a request; with `all`, an operator also sees disabled tools and the
/// text of quarantined ones.
pub(super) fn snapshot(view: &CatalogView, all: bool, cx: &Cx) -> Arc<Snapshot> {
    if all && cx.role == Role::Operator { view.full_snapshot() } else { view.snapshot() }
}
