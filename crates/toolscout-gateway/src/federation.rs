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
pub use via::via;

use crate::delegation;
use crate::requests::RequestKeys;
use crate::{CatalogView, Gateway};
use definitions::{RemoteDefinitions, RequesterKey};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use toolscout_core::{Cx, Source, Tool, ToolId, ToolName};

/// Maximum length of a tool name; longer names count as unknown.
const LONGEST_NAME: usize = 256;

/// The tools of remote gateways.
pub(crate) struct Federation {
    /// The name that this gateway sends to others, to recognize a request that returns to it.
    name: String,
    definitions: RemoteDefinitions,
}

impl Default for Federation {
    fn default() -> Self {
        // Not a secret: the name only has to be unique.
        let chance = || RandomState::new().build_hasher().finish();
        Self {
            name: format!("{:016x}{:016x}", chance(), chance()),
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
        let said = name.as_str();
        if !view.asks(source.id()) || said.len() > LONGEST_NAME || delegation::names_meta_tool(said)
        {
            return None;
        }
        // The catalog may list the same tool under another form of its name.
        if let Some(listed) = delegation::forms(said).find_map(|it| listed(view, source, &it)) {
            return Some(listed);
        }
        let whose = self.found_for(cx);
        if let Some(known) = self.federation.definitions.named(&whose, source, said) {
            return Some(known);
        }
        // Only the source knows the tool's full name and definition there.
        if let Ok(found) =
            self.ask_remote(view, source, said, crate::Query::DEFAULT_LIMIT, cx).await
        {
            self.vetted(view, vec![(source.clone(), found)], &whose);
        }
        let known = self.federation.definitions.named(&whose, source, said);
        Some(known.unwrap_or_else(|| {
            Arc::new(call::unknown(ToolId::new(source.id().clone(), name.clone())))
        }))
    }

    fn found_for(&self, cx: &Cx) -> RequesterKey {
        let keys: Option<RequestKeys> = self.requests.keys(cx);
        (keys, cx.user.clone())
    }
}

fn listed(view: &CatalogView, source: &Arc<dyn Source>, name: &str) -> Option<Arc<Tool>> {
    let id = ToolId::new(source.id().clone(), ToolName::new(name).ok()?);
    Some(view.catalog.tool(&id)?.0.clone())
}
