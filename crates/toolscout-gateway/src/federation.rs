//! Servers that search for themselves.
//!
//! A toolscout behind this one, or any server that hides its tools behind a `tool_search` and an `execute_tool`, knows
//! tools that no catalog here has. It is asked whenever somebody searches here ([`Gateway::search_remote`]); what it finds
//! is known as `source/its name`, and a call of that goes through its `execute_tool`, past every rule that would hold for
//! a tool of that name here.
//!
//! Its two meta tools are neither shown nor callable outside of this module.

mod answer;
mod call;
mod definitions;
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

/// Names longer than this are nobody's.
const LONGEST_NAME: usize = 256;

/// What is known of tools beyond the catalog.
pub(crate) struct Federation {
    /// What this gateway calls itself to others, so that a request that comes back is known again.
    name: String,
    definitions: RemoteDefinitions,
}

impl Default for Federation {
    fn default() -> Self {
        // Not a secret: two gateways must not have the same one, and that is all.
        let chance = || RandomState::new().build_hasher().finish();
        Self { name: format!("{:016x}{:016x}", chance(), chance()), definitions: RemoteDefinitions::default() }
    }
}

impl Gateway {
    /// The tool of a source that searches for itself, of which the catalog knows nothing. None where the source does not
    /// do that, or the name is none that it could have.
    pub(crate) async fn find_remote(
        &self,
        view: &CatalogView,
        source: &Arc<dyn Source>,
        name: &ToolName,
        cx: &Cx,
    ) -> Option<Arc<Tool>> {
        let said = name.as_str();
        if !view.asks(source.id()) || said.len() > LONGEST_NAME || delegation::names_meta_tool(said) {
            return None;
        }
        // One and the same tool may be in its list, under the name that it has there.
        if let Some(listed) = delegation::forms(said).find_map(|it| listed(view, source, &it)) {
            return Some(listed);
        }
        let whose = self.found_for(cx);
        if let Some(known) = self.federation.definitions.named(&whose, source, said) {
            return Some(known);
        }
        // Under which name it goes there, and what it takes, the source says best.
        if let Ok(found) = self.ask_remote(view, source, said, crate::Query::DEFAULT_LIMIT, cx).await {
            self.vetted(view, vec![(source.clone(), found)], &whose);
        }
        let known = self.federation.definitions.named(&whose, source, said);
        Some(known.unwrap_or_else(|| Arc::new(call::unknown(ToolId::new(source.id().clone(), name.clone())))))
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
