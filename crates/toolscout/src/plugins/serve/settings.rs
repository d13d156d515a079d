//! Creates MCP servers from the command line and the configuration.

use crate::{AppError, RunCx};
use std::sync::Arc;
use toolscout_core::cx::Role;
use toolscout_core::{Caller, Cx, SourceId, Store, escape};
use toolscout_gateway::Gateway;
use toolscout_surface::mcp::{MetaTools, OperationTools, Server, ServerOptions, WireNameStore};
use toolscout_surface::operation::Operations;
use toolscout_workspace::access_tokens::file;

/// Creates the MCP servers of a run, which share most options.
pub(super) struct McpServerFactory {
    pub(super) options: ServerOptions,
    /// `--meta-tools`, which overrides every file.
    meta_tools: Option<MetaTools>,
    operations: Operations,
    store: Arc<dyn Store>,
    partition: String,
}

impl McpServerFactory {
    pub(super) fn of(cx: &RunCx) -> Result<Self, AppError> {
        let store = cx.environment().store();
        // Without a persistent key, the state that clients carry for us is valid only until this
        // process ends.
        let key = store.key().or_else(|_| file::random())?;
        let mut options = ServerOptions::new(
            cx.program(),
            cx.version(),
            blake3::derive_key("toolscout request state", &key),
        );
        let clock = store.clone();
        options.clock = Arc::new(move || clock.now());
        if let Some(Ok(fleet)) = cx.environment().fleet() {
            options.replica = Some(fleet.id().into());
        }
        options.ranking =
            cx.parsed.text("ranking").and_then(|value| value.parse().ok()).unwrap_or_default();
        if let Some(essential) = &cx.workspace().config().settings.context.essential {
            options.essential.clone_from(essential);
        }
        let serve = &cx.workspace().config().settings.serve;
        if let Some(name) = &serve.name {
            options.name.clone_from(name);
        }
        if let Some(version) = &serve.version {
            options.version.clone_from(version);
        }
        if let Some(size) = serve.page_size.and_then(|size| usize::try_from(size).ok()) {
            options.page_size = size;
        }
        options.strict_hidden = cx.parsed.switch("strict-hidden");
        options.transparent =
            cx.parsed.text("transparent").map(|value| transparent(cx, value)).transpose()?;
        // Clients over HTTP have no working folder here.
        let cwd = cx.request().cwd.filter(|_| cx.parsed.text("http").is_none());
        options.request = Cx {
            caller: Caller::Mcp,
            role: Role::Agent,
            approval_prompt: None,
            cwd,
            ..cx.request()
        };
        let meta_tools = cx.parsed.text("meta-tools").and_then(MetaTools::from_name);
        Ok(Self {
            options,
            meta_tools,
            operations: cx.operations(),
            store,
            partition: cx.workspace().config().partition(),
        })
    }

    /// A server for the tools of this gateway, and for these operations. The options derive from
    /// [`McpServerFactory::options`].
    pub(super) fn server(
        &self,
        gateway: Arc<Gateway>,
        options: ServerOptions,
        operations: OperationTools,
    ) -> Arc<Server> {
        let names = WireNameStore::in_store(self.store.clone(), &self.partition);
        Server::new(gateway, options, names, operations)
    }

    /// The meta tools, and the operations exposed under these names.
    pub(super) fn operations(&self, exposed: &[String]) -> Result<OperationTools, AppError> {
        Ok(OperationTools::new(&self.operations, exposed)?)
    }

    /// When the meta tools are offered, given the setting in a file.
    pub(super) fn meta_tools(&self, written: Option<&str>) -> MetaTools {
        self.meta_tools.or_else(|| written.and_then(MetaTools::from_name)).unwrap_or_default()
    }
}

/// The source that `--transparent` names: an MCP server or any other source.
fn transparent(cx: &RunCx, id: &str) -> Result<SourceId, AppError> {
    let gateway = cx.tools().gateway();
    if let Some(source) = gateway.sources().iter().find(|source| source.id().as_str() == id) {
        return Ok(source.id().clone());
    }
    if let Some(set) = cx.workspace().configured_servers() {
        set.source(id)?;
    }
    let hint = gateway
        .sources()
        .iter()
        .map(|source| source.id().to_string())
        .collect::<Vec<_>>()
        .join(", ");
    let message = format!("there is no source `{}`", escape::line(id));
    Err(AppError::invalid(message, format!("known sources: {hint}")))
}
