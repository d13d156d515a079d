//! The desk: where the API has things done.

use super::change;
use super::shown::shown;
use super::trouble::told;
use super::work::{Work, aside};
use crate::config::Config;
use crate::config::edit::Editor;
use crate::plugins::serve::mcp_servers::{McpServers, configured_servers};
use crate::plugins::servers::{ServerSet, state_of, try_out, why_barred};
use crate::plugins::{Journal, Metrics};
use crate::{RunCx, Surroundings};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use toolscout_core::{Caller, Cx, SourceId, Tool, escape, redact};
use toolscout_gateway::Gateway;
use toolscout_gateway::policy::PolicyUpdate;
use toolscout_mcp_client::{McpSource, partition};
use toolscout_surface::api::servers::{Action, Logs, NewServer, Server, ServerChange};
use toolscout_surface::api::{Code, Desk, Discovery, Done, Trouble};
use toolscout_surface::ops::servers::Tested;
use toolscout_telemetry::audit::{AuditPage, AuditQuery, AuditVerification};
use toolscout_telemetry::stats::{PinSuggestions, UsageStats};

/// Where the API has things done.
pub(in crate::plugins::serve) struct FrontDesk {
    cx: RunCx,
    mcp: Arc<McpServers>,
    work: Work,
}

impl FrontDesk {
    pub(in crate::plugins::serve) fn new(cx: &RunCx, mcp: &Arc<McpServers>) -> Self {
        Self { cx: cx.clone(), mcp: mcp.clone(), work: Work::default() }
    }

    pub(super) fn surroundings(&self) -> &Surroundings {
        self.cx.surroundings()
    }

    pub(super) fn editor(&self) -> Editor {
        Editor::of(self.surroundings())
    }

    pub(super) fn config(&self) -> Result<Arc<Config>, Trouble> {
        Config::of(self.cx.options(), self.surroundings()).map_err(told)
    }

    /// The servers as they are configured now.
    pub(super) fn set(&self) -> Result<Arc<ServerSet>, Trouble> {
        let none = || Trouble::new(Code::Conflict, "this program was put together without servers");
        configured_servers(&self.cx).map_err(told)?.ok_or_else(none)
    }

    /// Has what the files say now taken over, and waits for it.
    pub(super) async fn reload(&self) -> Result<(), Trouble> {
        self.mcp.reload().await.map_err(told)
    }

    /// A server that may be started here.
    fn startable(&self, id: &SourceId) -> Result<Arc<McpSource>, Trouble> {
        let set = self.set()?;
        let configured = set.find(id.as_str()).map_err(told)?;
        if !configured.server.enabled {
            let trouble = Trouble::new(Code::Conflict, format!("server `{id}` is not enabled"));
            return Err(trouble.hint(r#"`POST …/control {"action":"enable"}`"#));
        }
        let source = set.source(id.as_str()).map_err(told)?;
        match source.may_start() {
            true => Ok(source.clone()),
            false => {
                let (what, hint) = why_barred(configured);
                Err(Trouble::new(Code::PolicyDenied, what).hint(hint))
            }
        }
    }

    async fn one(&self, id: &SourceId, cx: Cx) -> Result<Server, Trouble> {
        let servers = self.servers(cx).await?;
        servers.into_iter().find(|it| it.id == id.as_str()).ok_or_else(|| Trouble::not_found("Server"))
    }

    fn start(&self, source: Arc<McpSource>, stops_first: bool, cx: Cx) -> Result<(), Trouble> {
        let mcp = self.mcp.clone();
        self.work.begin(async move {
            if stops_first {
                source.stop().await;
            }
            let id = source.server().id.clone();
            match source.start(&cx).await {
                // What it lists now is what a session has.
                Ok(()) => drop(source.refresh(&cx).await),
                Err(error) => {
                    let error = redact::text(&error.to_string());
                    tracing::warn!(event = "server_not_started", server = %id, error = %escape::line(&error));
                }
            }
            mcp.refresh_source(&id).await;
        })
    }

    fn stop(&self, source: Arc<McpSource>) -> Result<(), Trouble> {
        let mcp = self.mcp.clone();
        self.work.begin(async move {
            source.stop().await;
            // Others may have asked it meanwhile, and remembered what it said.
            mcp.refresh_source(&source.server().id).await;
        })
    }
}

impl Desk for FrontDesk {
    fn gateway(&self) -> Arc<Gateway> {
        self.mcp.served_gateway()
    }

    fn everything(&self) -> Arc<Gateway> {
        self.cx.tools().shared_gateway()
    }

    fn request(&self) -> Cx {
        Cx { caller: Caller::Http, asker: None, ..self.cx.request() }
    }

    fn project_id(&self) -> String {
        partition(self.cx.request().project.as_deref().map_or(Path::new("."), |it| it.as_path()))
    }

    fn project_name(&self) -> String {
        let project = self.cx.request().project;
        let name = project.as_deref().and_then(|it| it.file_name()).map(|it| it.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "/".to_owned())
    }

    fn servers(&self, cx: Cx) -> Done<'_, Vec<Server>> {
        let set = configured_servers(&self.cx);
        let known = self.everything().whole_snapshot();
        Box::pin(async move {
            let Some(set) = set.map_err(told)? else { return Ok(Vec::new()) };
            let all = move || {
                let one = |it| Ok(shown(it, state_of(&set, it, &cx).map_err(told)?.as_ref(), &known));
                set.configured.iter().map(one).collect()
            };
            aside(all).await
        })
    }

    fn discoveries(&self, cx: &Cx) -> BTreeMap<SourceId, Discovery> {
        let Ok(Some(set)) = configured_servers(&self.cx) else { return BTreeMap::new() };
        let of = |id: &SourceId| {
            let record = set.shared.as_ref().and_then(|it| it.records().read(id, cx.user.as_deref()).ok());
            Discovery {
                status: record.as_ref().map_or("never", |it| it.status.word()),
                last: record.and_then(|it| it.last_discovery).map(|it| it.to_string()),
            }
        };
        set.configured.iter().map(|it| (it.server.id.clone(), of(&it.server.id))).collect()
    }

    fn live(&self) -> BTreeMap<SourceId, Vec<Arc<Tool>>> {
        let Ok(Some(set)) = configured_servers(&self.cx) else { return BTreeMap::new() };
        let listed = |it: &Arc<McpSource>| {
            let tools = it.listed()?.into_iter().map(Arc::new).collect();
            Some((it.server().id.clone(), tools))
        };
        set.sources.iter().filter_map(listed).collect()
    }

    fn add_server(&self, server: NewServer, cx: Cx) -> Done<'_, Server> {
        Box::pin(async move {
            let id = SourceId::new(&server.id).map_err(|it| Trouble::invalid(it.to_string()))?;
            change::add(self, &id, server).await?;
            self.one(&id, cx).await
        })
    }

    fn change_server(&self, id: SourceId, change: ServerChange, cx: Cx) -> Done<'_, Server> {
        Box::pin(async move {
            change::change(self, &id, change).await?;
            self.one(&id, cx).await
        })
    }

    fn remove_server(&self, id: SourceId, _: Cx) -> Done<'_, ()> {
        Box::pin(async move { change::take_out(self, &id).await })
    }

    fn control_server(&self, id: SourceId, action: Action, cx: Cx) -> Done<'_, ()> {
        Box::pin(async move {
            match action {
                Action::Start => self.start(self.startable(&id)?, false, cx),
                Action::Restart => self.start(self.startable(&id)?, true, cx),
                Action::Stop => match self.set()?.source(id.as_str()) {
                    Ok(source) => self.stop(source.clone()),
                    // What is off does not run.
                    Err(_) => Ok(()),
                },
                Action::Enable => change::switch(self, &id, true).await,
                Action::Disable => change::switch(self, &id, false).await,
            }
        })
    }

    fn test_server(&self, id: SourceId, cx: Cx) -> Done<'_, Tested> {
        Box::pin(async move {
            let source = self.startable(&id)?;
            Ok(try_out(&source, &cx).await)
        })
    }

    fn refresh_server(&self, id: SourceId, waits: bool, cx: Cx) -> Done<'_, ()> {
        Box::pin(async move {
            let source = self.startable(&id)?;
            let mcp = self.mcp.clone();
            let refreshing = async move {
                let refreshed = source.refresh(&cx).await;
                mcp.refresh_source(&source.server().id).await;
                refreshed
            };
            match waits {
                true => refreshing.await.map(|_| ()).map_err(Trouble::from),
                false => self.work.begin(async { drop(refreshing.await) }),
            }
        })
    }

    fn logs(&self, id: SourceId) -> Done<'_, Logs> {
        Box::pin(async move {
            let tail = self.set()?.source(id.as_str()).ok().and_then(|it| it.tail());
            Ok(Logs { running: tail.is_some(), logs: tail.as_deref().map(redact::text).unwrap_or_default() })
        })
    }

    fn write_policy(&self, update: PolicyUpdate) -> Done<'_, ()> {
        Box::pin(change::write_policy(self, update))
    }

    fn timeline(&self, page: AuditQuery) -> Done<'_, AuditPage> {
        let cx = self.cx.clone();
        Box::pin(aside(move || Journal::timeline(cx.surroundings(), &page).map_err(told)))
    }

    fn audit(&self, page: AuditQuery) -> Done<'_, AuditPage> {
        let cx = self.cx.clone();
        Box::pin(aside(move || Journal::audit(cx.surroundings(), &page).map_err(told)))
    }

    fn verify(&self) -> Done<'_, AuditVerification> {
        let cx = self.cx.clone();
        Box::pin(aside(move || Journal::verify(cx.surroundings()).map_err(told)))
    }

    fn stats(&self, since: Option<String>) -> Done<'_, UsageStats> {
        let cx = self.cx.clone();
        Box::pin(aside(move || Journal::stats(cx.surroundings(), since.as_deref()).map_err(told)))
    }

    fn pins(&self, since: Option<String>) -> Done<'_, PinSuggestions> {
        let cx = self.cx.clone();
        Box::pin(aside(move || Journal::pins(&cx, since.as_deref()).map_err(told)))
    }

    fn metrics(&self) -> String {
        self.cx.offered::<Metrics>().map(|it| it.render()).unwrap_or_default()
    }
}
