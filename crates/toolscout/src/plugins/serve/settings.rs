//! What the command line and the configuration say about serving agents.

use super::token;
use crate::{AppError, RunCx};
use std::sync::Arc;
use toolscout_core::{Caller, Cx, SourceId, Store, escape};
use toolscout_gateway::Gateway;
use toolscout_mcp_client::partition;
use toolscout_surface::mcp::{MetaTools, Remembered, Server, Terms};

/// What all MCP servers of a run have in common.
pub(super) struct ServeSettings {
    pub(super) terms: Terms,
    /// `--meta-tools`, which overrides every file.
    meta_tools: Option<MetaTools>,
    store: Arc<dyn Store>,
    partition: String,
}

impl ServeSettings {
    pub(super) fn of(cx: &RunCx) -> Result<Self, AppError> {
        let store = cx.environment().store();
        // Without a key that survives, the state that clients carry for us is valid until this process ends.
        let key = store.key().or_else(|_| token::random())?;
        let mut terms =
            Terms::new(cx.program(), env!("CARGO_PKG_VERSION"), blake3::derive_key("toolscout request state", &key));
        terms.ranking = cx.parsed.text("ranking").and_then(|it| it.parse().ok()).unwrap_or_default();
        if let Some(essential) = &cx.workspace().config().settings.context.essential {
            terms.essential.clone_from(essential);
        }
        terms.strict_hidden = cx.parsed.switch("strict-hidden");
        terms.transparent = cx.parsed.text("transparent").map(|it| transparent(cx, it)).transpose()?;
        terms.request = Cx { caller: Caller::Mcp, asker: None, ..cx.request() };
        let meta_tools = cx.parsed.text("meta-tools").and_then(MetaTools::from_word);
        let project = terms.request.project.as_deref().cloned().unwrap_or_default();
        Ok(Self { terms, meta_tools, store, partition: partition(&project) })
    }

    /// A server for what this gateway shows.
    pub(super) fn server(&self, gateway: Arc<Gateway>, meta_tools: MetaTools) -> Arc<Server> {
        let names = Remembered::kept(self.store.clone(), &self.partition);
        Server::new(gateway, Terms { meta_tools, ..self.terms.clone() }, names)
    }

    /// When the meta tools are offered, given what a file says.
    pub(super) fn meta_tools(&self, written: Option<&str>) -> MetaTools {
        self.meta_tools.or_else(|| written.and_then(MetaTools::from_word)).unwrap_or_default()
    }
}

/// The source that `--transparent` names: a server, or any other.
fn transparent(cx: &RunCx, id: &str) -> Result<SourceId, AppError> {
    let gateway = cx.tools().gateway();
    if let Some(source) = gateway.sources().iter().find(|it| it.id().as_str() == id) {
        return Ok(source.id().clone());
    }
    if let Some(set) = cx.workspace().configured_servers() {
        set.source(id)?;
    }
    let hint = gateway.sources().iter().map(|it| it.id().to_string()).collect::<Vec<_>>().join(", ");
    let message = format!("there is no source `{}`", escape::line(id));
    Err(AppError::invalid(message, format!("there are: {hint}")))
}
