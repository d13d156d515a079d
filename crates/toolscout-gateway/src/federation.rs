//! Federation: servers with a search of their own.
//!
//! A remote toolscout gateway, or any server that hides its tools behind a `tool_search` and an
//! `execute_tool`, has tools that are not in this gateway's catalog. Each search also queries it
//! ([`Gateway::search_remote`]). Its tools have ids of the form `source/remote name`. A call of
//! such a tool goes through its `execute_tool`, after every rule that applies to a tool of that id
//! here.
//!
//! The two meta tools are neither shown nor callable outside of this module.

mod call;
mod definitions;
mod response;
mod search;
mod via;

pub(crate) use call::RemoteTool;
pub use via::parse_via;

use crate::delegation;
use crate::requests::RequestKeys;
use crate::{CatalogView, Gateway};
use definitions::{RemoteDefinitions, RequesterKey};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use toolscout_core::{Cx, Source, Tool, ToolId, ToolName};

/// Maximum length of a tool name; longer names count as unknown.
const MAX_NAME_BYTES: usize = 256;

/// The tools of remote gateways.
pub(crate) struct Federation {
    /// The name that this gateway sends to others, to recognize a request that returns to it.
    name: String,
    definitions: RemoteDefinitions,
}

impl Default for Federation {
    fn default() -> Self {
        // Not a secret: the name only has to be unique.
        let random = || RandomState::new().build_hasher().finish();
        Self {
            name: format!("{:016x}{:016x}", random(), random()),
            definitions: RemoteDefinitions::default(),
        }
    }
}

impl Gateway {
    /// Finds a tool of a remote gateway that is not in the catalog. Returns `None` if the source is
    /// not a remote gateway, or the name cannot be one of its tools.
    pub(crate) async fn find_remote(
        &self,
        view: &CatalogView,
        source: &Arc<dyn Source>,
        name: &ToolName,
        cx: &Cx,
    ) -> Option<Arc<Tool>> {
        let requested = name.as_str();
        if !view.can_query(source.id())
            || requested.len() > MAX_NAME_BYTES
            || delegation::names_meta_tool(requested)
        {
            return None;
        }
        // The catalog may list the same tool under another form of its name.
        if let Some(listed) =
            delegation::forms(requested).find_map(|form| listed(view, source, &form))
        {
            return Some(listed);
        }
        let requester = self.requester_key(cx);
        if let Some(found) = self.federation.definitions.named(&requester, source, requested) {
            return Some(found);
        }
        // Only the source knows the tool's full name and definition there.
        if let Ok(found) =
            self.query_remote(view, source, requested, crate::Query::DEFAULT_LIMIT, cx).await
        {
            self.accept_hits(view, vec![(source.clone(), found)], &requester);
        }
        let found = self.federation.definitions.named(&requester, source, requested);
        Some(found.unwrap_or_else(|| {
            Arc::new(call::unknown(ToolId::new(source.id().clone(), name.clone())))
        }))
    }

    fn requester_key(&self, cx: &Cx) -> RequesterKey {
        let keys: Option<RequestKeys> = self.requests.keys(cx);
        (keys, cx.user.clone())
    }
}

fn listed(view: &CatalogView, source: &Arc<dyn Source>, name: &str) -> Option<Arc<Tool>> {
    let id = ToolId::new(source.id().clone(), ToolName::new(name).ok()?);
    Some(view.catalog.tool(&id)?.0.clone())
}
