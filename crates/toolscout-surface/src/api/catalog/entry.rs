//! A tool as catalogues show it.

use crate::api::Discovery;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::{RawJson, SourceId, SourceKind, Tool};
use toolscout_gateway::Snapshot;
use toolscout_gateway::policy::Policies;

/// A tool as catalogues show it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AvailableTool<'a> {
    /// Of a native tool its own name, of a server's `server/tool`.
    pub name: Cow<'a, str>,
    /// What it does.
    pub description: Cow<'a, str>,
    /// `native` or `mcp`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// What somebody said that may be done with it; missing where nobody did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configured_policy: Option<&'static str>,
    /// Of its server: `never`, `discovering`, `success` or `failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discovery_status: Option<&'static str>,
    /// When its server last listed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_discovered: Option<String>,
}

/// The source of tools that are only declared.
const PRESET: &str = "preset";

/// Makes entries of tools.
pub(in crate::api) struct Entries<'a> {
    pub(in crate::api) policies: &'a Policies,
    pub(in crate::api) discoveries: &'a BTreeMap<SourceId, Discovery>,
}

impl Entries<'_> {
    /// All tools of a snapshot, native ones first.
    pub(in crate::api) fn of_snapshot<'t>(&self, snapshot: &'t Snapshot) -> Vec<AvailableTool<'t>> {
        let mut all = self.native(snapshot, |_| true);
        all.extend(servers(snapshot).flat_map(|it| snapshot.tools_of(it)).map(|it| self.of_server(it)));
        all
    }

    /// The tools that are no server's, those that are wanted. Where two have one name, the name alone is that of the stronger.
    pub(in crate::api) fn native<'t>(
        &self,
        snapshot: &'t Snapshot,
        is_wanted: impl Fn(&Tool) -> bool,
    ) -> Vec<AvailableTool<'t>> {
        let sources = snapshot.sources().filter(|(_, origin)| *origin != SourceKind::Mcp);
        let tools = sources.flat_map(|(id, _)| snapshot.tools_of(id)).filter(|it| is_wanted(it));
        let native = |tool: &'t Arc<Tool>| {
            let name = tool.id.name.as_str();
            let first = snapshot.named(name).iter().find(|it| it.origin != SourceKind::Mcp);
            let is_first = first.is_some_and(|it| it.tool.id == tool.id);
            // What is only declared is not there beside what is there.
            if !is_first && tool.id.source.as_str() == PRESET {
                return None;
            }
            Some(AvailableTool {
                name: if is_first { name.into() } else { tool.id.to_string().into() },
                description: tool.description.as_deref().unwrap_or_default().into(),
                kind: "native",
                configured_policy: self.policies.configured(&tool.id).map(|it| it.word()),
                discovery_status: None,
                last_discovered: None,
            })
        };
        tools.filter_map(native).collect()
    }

    /// A tool of a server.
    pub(in crate::api) fn of_server<'t>(&self, tool: &'t Tool) -> AvailableTool<'t> {
        let discovery = self.discoveries.get(&tool.id.source);
        let described = tool.description.as_deref().filter(|it| !it.is_empty());
        AvailableTool {
            name: tool.id.to_string().into(),
            description: match described {
                Some(described) => described.into(),
                None => format!("{} tool: {}", tool.id.source, tool.id.name).into(),
            },
            kind: "mcp",
            configured_policy: self.policies.configured(&tool.id).map(|it| it.word()),
            discovery_status: Some(discovery.map_or("never", |it| it.status)),
            last_discovered: tool.provenance.seen.map(|it| it.to_string()).or_else(|| discovery?.last.clone()),
        }
    }
}

/// The servers of a snapshot, in their order.
pub(in crate::api) fn servers(snapshot: &Snapshot) -> impl Iterator<Item = &SourceId> {
    snapshot.sources().filter(|(_, origin)| *origin == SourceKind::Mcp).map(|(id, _)| id)
}

/// Whether its author says that it is for the inside of a program, and not for a person to choose.
pub(in crate::api) fn is_internal(tool: &Tool) -> bool {
    let says = |raw: &RawJson, place: &[&str]| {
        // Nearly no tool does, and there may be thousands.
        raw.as_str().contains("nternal") && {
            let value = raw.to_value();
            let said = place.iter().fold(&value, |value, key| &value[*key]);
            ["safeInternal", "safe-internal"].iter().any(|it| said[*it] == true)
        }
    };
    tool.annotations.as_ref().is_some_and(|it| says(it, &[]))
        || tool.extra.as_ref().is_some_and(|it| says(it, &["_meta"]))
}
