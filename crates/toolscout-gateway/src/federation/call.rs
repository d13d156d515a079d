//! Calls of remote tools, through the `execute_tool` of their gateway.

use super::definitions::RemoteDefinition;
use super::search::any_object_schema;
use super::via::{MAX_GATEWAYS, forwarded_meta};
use crate::delegation;
use crate::standing::{DefinitionFacts, ToolStanding};
use crate::{CatalogView, Error, Gateway};
use std::sync::Arc;
use toolscout_core::{Cx, SourceError, Tool, ToolCall, ToolId};

/// A remote tool with its policy, for one call.
pub(crate) struct RemoteTool {
    pub(crate) tool: Arc<Tool>,
    pub(crate) standing: ToolStanding,
    /// The remote gateway's own digest of this definition.
    digest: Option<Arc<str>>,
    via: Arc<[String]>,
    gateway: String,
}

/// A tool with a known name but an unknown definition.
pub(super) fn unknown(id: ToolId) -> Tool {
    Tool { input_schema: any_object_schema(), ..Tool::new(id) }
}

impl Gateway {
    /// Adds this tool to the view, if it is a remote tool.
    pub(crate) fn with_remote_tool_of(
        &self,
        view: CatalogView,
        id: &ToolId,
        cx: &Cx,
    ) -> CatalogView {
        if view.catalog.tool(id).is_some()
            || !view.can_query(&id.source)
            || delegation::names_meta_tool(id.name.as_str())
        {
            return view;
        }
        match self.remote_tool(&view, id, cx) {
            Some(remote) => view.with_remote_tool(remote),
            None => view,
        }
    }

    fn remote_tool(&self, view: &CatalogView, id: &ToolId, cx: &Cx) -> Option<RemoteTool> {
        let source = view.source(&id.source)?;
        let (meta_tool, _) =
            view.catalog.tool(&delegation::id(&id.source, delegation::EXECUTE)?)?;
        let known = self.federation.definitions.get(&self.requester_key(cx), source, id);
        let is_known = known.is_some();
        let RemoteDefinition { tool, facts, digest } = known.unwrap_or_else(|| {
            let mut tool = unknown(id.clone());
            tool.provenance.trusted = meta_tool.provenance.trusted;
            let tool = Arc::new(tool);
            RemoteDefinition {
                facts: Arc::new(DefinitionFacts::new(tool.clone())),
                tool,
                digest: None,
            }
        });
        let decision = view.catalog.policies.effective_through(&tool, &meta_tool.id, is_known);
        let standing = ToolStanding { decision, facts };
        Some(RemoteTool {
            tool,
            standing,
            digest,
            via: cx.via.clone(),
            gateway: self.federation.name.clone(),
        })
    }
}

impl RemoteTool {
    /// The call of the meta tool that runs this tool. If `is_bound`, the remote gateway must refuse
    /// the call unless the definition is the cached one. Servers without support for that were
    /// queried for the definition by a search, which has to suffice.
    pub(crate) fn to_meta_call(
        &self,
        meta_tool: &Tool,
        call: ToolCall,
        is_bound: bool,
    ) -> Result<ToolCall, Error> {
        if self.via.len() >= MAX_GATEWAYS {
            let reason = format!(
                "`{}` was not called: the request already passed through {MAX_GATEWAYS} gateways",
                self.tool.id
            );
            return Err(SourceError::Refused { reason }.into());
        }
        call.refuse_rest()?;
        let expect = self.digest.as_deref().filter(|_| is_bound);
        let arguments = delegation::execute_arguments(
            meta_tool,
            call.tool.name.as_str(),
            call.arguments,
            expect,
        );
        let meta = Some(forwarded_meta(call.meta.as_ref(), &self.via, &self.gateway));
        Ok(ToolCall { meta, resume: call.resume, ..ToolCall::new(meta_tool.id.clone(), arguments) })
    }
}
