//! The MCP servers of one run: one for everything, and one for each served profile.
//!
//! All of them share one gateway. A profile is a scope of it, so its server sees nothing else.

use super::reload_requests::ReloadRequests;
use super::settings::McpServerFactory;
use crate::{AppError, LifecycleError, RunCx};
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use toolscout_config::{Config, Profile};
use toolscout_core::{ErrorKind, Source, SourceId, escape};
use toolscout_gateway::{Gateway, Reconfiguration, RefreshOutcome, Scope};
use toolscout_surface::mcp::{MetaTools, Server, ServerOptions};
use toolscout_workspace::{NextConfiguration, Workspace};

/// The servers of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Selection {
    Everything,
    EverythingAndProfiles,
    /// This profile, and nothing else.
    Profile(String),
}

impl Selection {
    /// The servers that the command line selects.
    pub(super) fn of(cx: &RunCx, is_web: bool) -> Self {
        match cx.parsed.text("profile") {
            Some(name) => Self::Profile(name.to_owned()),
            None if is_web => Self::EverythingAndProfiles,
            None => Self::Everything,
        }
    }
}

/// Servers by profile, with the settings from which each was created.
type ServersByProfile = BTreeMap<Option<String>, (ServerSettings, Arc<Server>)>;

/// The settings that may change while a process serves.
#[derive(Clone, PartialEq)]
struct ServerSettings {
    meta_tools: MetaTools,
    exposed_operations: Vec<String>,
    wait_for_discovery: Duration,
    client_approvals: bool,
    spotlight: bool,
}

/// The MCP servers of one run.
pub(super) struct McpServers {
    selection: Selection,
    factory: McpServerFactory,
    gateway: Arc<Gateway>,
    /// By profile; `None` is everything. New clients get the current server, connected ones keep
    /// theirs.
    servers: Mutex<ServersByProfile>,
    /// Sources that are not configured servers. They stay as long as the process runs.
    fixed_sources: Vec<Arc<dyn Source>>,
    reload_requests: ReloadRequests,
}

impl McpServers {
    /// Creates the servers of this selection, without discovering anything.
    pub(super) fn new(cx: &RunCx, selection: Selection) -> Result<Self, AppError> {
        let config = cx.workspace().config();
        let gateway = cx.tools().shared_gateway();
        let configured =
            cx.workspace().configured_servers().map(|set| set.layered()).unwrap_or_default();
        let is_configured =
            |source: &Arc<dyn Source>| configured.iter().any(|other| Arc::ptr_eq(other, source));
        let fixed_sources =
            gateway.sources().iter().filter(|source| !is_configured(source)).cloned().collect();
        let (servers, reload_requests, factory) =
            (Mutex::default(), ReloadRequests::default(), McpServerFactory::of(cx)?);
        let all = Self { selection, factory, gateway, servers, fixed_sources, reload_requests };
        all.gateway.set_scopes(everything(&config), all.scopes(&config));
        all.update_servers(&config)?;
        match &all.selection {
            Selection::Profile(name) if all.server(None).is_none() => {
                Err(unknown_profile(name, &config))
            }
            _ => Ok(all),
        }
    }

    /// The server of a profile, or of everything that this run serves; `None` if there is no such
    /// profile.
    pub(super) fn server(&self, profile: Option<&str>) -> Option<Arc<Server>> {
        let key = match (&self.selection, profile) {
            (Selection::Profile(only), None) => Some(only.clone()),
            (_, profile) => profile.map(str::to_owned),
        };
        self.servers().get(&key).map(|(_, server)| server.clone())
    }

    pub(super) fn all(&self) -> Vec<Arc<Server>> {
        self.servers().values().map(|(_, server)| server.clone()).collect()
    }

    pub(super) fn profile_names(&self) -> Vec<String> {
        self.servers().keys().flatten().cloned().collect()
    }

    /// The message for a profile that is not served.
    pub(super) fn unknown(&self, profile: &str) -> String {
        let names = self.profile_names();
        let near = toolscout_surface::cli::nearest(profile, names.iter().map(String::as_str));
        let near = near.map(|value| format!("; did you mean `{value}`?")).unwrap_or_default();
        format!("there is no profile `{}`{near}", escape::line(profile))
    }

    /// The gateway with everything.
    pub(super) fn gateway(&self) -> &Arc<Gateway> {
        &self.gateway
    }

    /// The gateway, limited to the scope that this run serves.
    pub(super) fn served_gateway(&self) -> Arc<Gateway> {
        match &self.selection {
            Selection::Profile(only) => Arc::new(self.gateway.within(only)),
            _ => self.gateway.clone(),
        }
    }

    /// Reloads the configuration, and waits until that is done.
    pub(super) async fn reload(&self) -> Result<(), AppError> {
        self.reload_requests.reload().await
    }

    pub(super) fn reload_requests(&self) -> &ReloadRequests {
        &self.reload_requests
    }

    /// The sources, scopes and policies of a configuration. An error leaves everything unchanged.
    pub(super) fn reconfiguration(
        &self,
        workspace: &Workspace,
        next: &NextConfiguration,
    ) -> Result<Reconfiguration, AppError> {
        let (config, servers) = (&next.config, &next.servers);
        self.factory.operations(&exposed_operations(config))?;
        let (layered, absent) = if workspace.uses_servers() {
            (servers.layered(), servers.absent())
        } else {
            (Vec::new(), Vec::new())
        };
        Ok(Reconfiguration {
            sources: self.fixed_sources.iter().cloned().chain(layered).collect(),
            everything: everything(config),
            scopes: self.scopes(config).collect(),
            policies: workspace.policies_of(config),
            absent,
        })
    }

    /// Publishes a configuration in one step, with the tools that are known now.
    pub(super) async fn reconfigure(
        &self,
        new: Reconfiguration,
    ) -> Result<RefreshOutcome, AppError> {
        let published = self.gateway.reconfigure(new, &self.factory.options.request).await;
        Ok(published.map_err(LifecycleError::from)?)
    }

    /// Creates the servers of this configuration. One with unchanged settings stays.
    pub(super) fn update_servers(&self, config: &Config) -> Result<(), AppError> {
        let exposed = exposed_operations(config);
        let profiles = config.profiles.iter().filter(|profile| self.selects(profile));
        let of_all = config.settings.meta_tools.as_deref();
        let serve = &config.settings.serve;
        let approvals = serve.client_approvals();
        let spotlight = config.settings.spotlight == Some(true);
        let wanted = profiles.map(|profile| {
            let meta_tools = profile.meta_tools.as_deref().or(of_all);
            let approvals = profile.client_approvals.unwrap_or(approvals);
            (Some(profile.name.clone()), meta_tools, approvals, spotlight || profile.spotlight)
        });
        let mut servers = self.servers();
        let before = std::mem::take(&mut *servers);
        for (profile, written, client_approvals, spotlight) in
            std::iter::once((None, of_all, approvals, spotlight)).chain(wanted)
        {
            // A profile offers the tools it names, and no operations.
            let exposed_operations = if profile.is_none() { exposed.clone() } else { Vec::new() };
            let settings = ServerSettings {
                meta_tools: self.factory.meta_tools(written),
                exposed_operations,
                wait_for_discovery: serve.discovery_wait(),
                client_approvals,
                spotlight,
            };
            let server = match before.get(&profile).filter(|(there, _)| *there == settings) {
                Some((_, unchanged)) => unchanged.clone(),
                None => self.new_server(profile.as_deref(), &settings)?,
            };
            servers.insert(profile, (settings, server));
        }
        Ok(())
    }

    /// Discovers one source again.
    pub(super) async fn refresh_source(&self, id: &SourceId) {
        self.gateway.refresh_source(id, &self.factory.options.request).await;
    }

    fn new_server(
        &self,
        profile: Option<&str>,
        settings: &ServerSettings,
    ) -> Result<Arc<Server>, AppError> {
        let gateway = profile
            .map_or_else(|| self.gateway.clone(), |name| Arc::new(self.gateway.within(name)));
        let operations = self.factory.operations(&settings.exposed_operations)?;
        let options = ServerOptions {
            meta_tools: settings.meta_tools,
            wait_for_discovery: settings.wait_for_discovery,
            client_approvals: settings.client_approvals,
            spotlight: settings.spotlight,
            ..self.factory.options.clone()
        };
        Ok(self.factory.server(gateway, options, operations))
    }

    /// The profiles of this run, as scopes of the gateway.
    fn scopes(&self, config: &Config) -> impl Iterator<Item = (String, Scope)> {
        let profiles = config.profiles.iter().filter(|profile| self.selects(profile));
        profiles.map(|profile| (profile.name.clone(), scope(profile, config)))
    }

    fn selects(&self, profile: &Profile) -> bool {
        match &self.selection {
            Selection::Everything => false,
            Selection::EverythingAndProfiles => true,
            Selection::Profile(name) => *name == profile.name,
        }
    }

    fn servers(&self) -> MutexGuard<'_, ServersByProfile> {
        self.servers.lock()
    }
}

fn exposed_operations(config: &Config) -> Vec<String> {
    config.settings.serve.operations.clone().unwrap_or_default()
}

/// The scope without a profile.
fn everything(config: &Config) -> Scope {
    Scope { listed: config.listed.clone(), ..Scope::default() }
}

/// A profile as a scope of the gateway. Its listed tools replace the globally listed ones.
fn scope(profile: &Profile, config: &Config) -> Scope {
    Scope {
        include: profile.include.clone(),
        exclude: profile.exclude.clone(),
        listed: profile.listed.as_ref().unwrap_or(&config.listed).clone(),
        rules: profile.rules.clone(),
        read_only: profile.read_only,
    }
}

fn unknown_profile(name: &str, config: &Config) -> AppError {
    let known = || config.profiles.iter().map(|profile| profile.name.as_str());
    let hint = match toolscout_surface::cli::nearest(name, known()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None if config.profiles.is_empty() => {
            "define a profile in toolscout.toml: [profiles.NAME]".to_owned()
        }
        None => format!("known profiles: {}", known().collect::<Vec<_>>().join(", ")),
    };
    let message = format!("there is no profile `{}`", escape::line(name));
    AppError::Message { kind: ErrorKind::NotFound, message, hint: Some(hint) }
}
