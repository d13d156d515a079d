//! All that is offered to agents: everything, the profiles, or one of them.

use super::shown::Part;
use super::stand::{Ground, Stand};
use super::terms;
use super::wishes::Wishes;
use crate::config::{Config, Profile};
use crate::plugins::servers::ServerSet;
use crate::{AppError, RunCx};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::{ErrorKind, ProblemKind, Source, SourceId, escape};
use toolscout_gateway::Gateway;
use toolscout_surface::mcp::Server;

/// Which of all that could be offered is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Everything.
    All,
    /// Everything, and each profile beside it.
    AllAndProfiles,
    /// This profile, and nothing else.
    Profile(String),
}

/// All that is offered.
pub(super) struct Offer {
    wanted: Wanted,
    ground: Ground,
    main: Stand,
    profiles: Mutex<BTreeMap<String, (Profile, Arc<Stand>)>>,
    /// Sources that are no servers: those stay for as long as we do.
    others: Vec<Arc<dyn Source>>,
    /// Who has changed a file wants it read now.
    wishes: Wishes,
}

impl Offer {
    /// Puts together what is wanted; asks nobody anything yet.
    pub(super) fn new(cx: &RunCx, wanted: Wanted) -> Result<Self, AppError> {
        let config = terms::config(cx)?;
        let ground = terms::ground(cx)?;
        let gateway = cx.tools().shared_gateway();
        let servers = servers(cx)?.map(|it| it.layered()).unwrap_or_default();
        let is_server = |it: &Arc<dyn Source>| servers.iter().any(|server| Arc::ptr_eq(server, it));
        let others = gateway.sources().iter().filter(|it| !is_server(it)).cloned().collect();
        let main = Stand::of_all(gateway, &config, &ground);
        let offer = Self { wanted, ground, main, profiles: Mutex::default(), others, wishes: Wishes::default() };
        offer.renew(&config, servers)?;
        match &offer.wanted {
            Wanted::Profile(name) if offer.server(None).is_none() => Err(unknown_profile(name, &config)),
            _ => Ok(offer),
        }
    }

    /// Who serves those that want everything, or a profile; none where there is no such profile.
    pub(super) fn server(&self, profile: Option<&str>) -> Option<Arc<Server>> {
        let of_profile = |name: &str| self.profiles.lock().get(name).map(|(_, it)| it.server());
        match (&self.wanted, profile) {
            (Wanted::Profile(only), None) => of_profile(only),
            (_, None) => Some(self.main.server()),
            (_, Some(name)) => of_profile(name),
        }
    }

    pub(super) fn servers(&self) -> Vec<Arc<Server>> {
        let profiles = self.profiles.lock();
        std::iter::once(self.main.server()).chain(profiles.values().map(|(_, it)| it.server())).collect()
    }

    pub(super) fn profile_names(&self) -> Vec<String> {
        self.profiles.lock().keys().cloned().collect()
    }

    /// What to say about a profile that is not offered.
    pub(super) fn unknown(&self, profile: &str) -> String {
        let names = self.profile_names();
        let near = toolscout_surface::cli::nearest(profile, names.iter().map(String::as_str));
        let near = near.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
        format!("there is no profile `{}`{near}", escape::line(profile))
    }

    /// The gateway of those that want everything that is offered here; none where that is a profile that is gone.
    pub(super) fn shown_gateway(&self) -> Option<Arc<Gateway>> {
        match &self.wanted {
            Wanted::Profile(only) => self.profiles.lock().get(only).map(|(_, it)| it.stage.gateway.clone()),
            _ => Some(self.main.stage.gateway.clone()),
        }
    }

    /// Has the configuration read again now, by who follows it, and waits for that.
    pub(super) async fn reload(&self) -> Result<(), AppError> {
        self.wishes.reload().await
    }

    pub(super) fn wishes(&self) -> &Wishes {
        &self.wishes
    }

    pub(super) fn gateway(&self) -> &Gateway {
        &self.main.stage.gateway
    }

    /// Offers what the configuration says now, with these servers. What is gone is gone at once; what is new is there after
    /// the next refresh.
    pub(super) fn renew(&self, config: &Config, servers: Vec<Arc<dyn Source>>) -> Result<(), AppError> {
        let sources: Vec<_> = self.others.iter().cloned().chain(servers).collect();
        self.main.renew(None, config, &self.ground);
        self.main.stage.show(Part::all(config), &sources);
        let mut profiles = self.profiles.lock();
        let wanted: Vec<_> = config.profiles.iter().filter(|it| self.wants(it)).collect();
        profiles.retain(|name, _| wanted.iter().any(|it| it.name == *name));
        for profile in wanted {
            let stand = match profiles.get(&profile.name) {
                Some((_, stand)) => stand.clone(),
                None => Arc::new(Stand::of_profile(profile, config, &self.main.stage, &self.ground)?),
            };
            stand.renew(Some(profile), config, &self.ground);
            stand.tighten(self.gateway(), profile);
            stand.stage.show(Part::of(profile, config), &sources);
            profiles.insert(profile.name.clone(), (profile.clone(), stand));
        }
        Ok(())
    }

    /// Looks again at everything that is offered; what is held since the last time is said.
    pub(super) async fn refresh(&self, cx: &RunCx) {
        match cx.tools().discover_quietly_again().await {
            Ok(news) => news.iter().filter(|it| it.kind == ProblemKind::Held).for_each(|it| cx.tools().warn(it)),
            Err(error) => tracing::warn!(event = "changes_not_seen", error = %escape::line(&error.to_string())),
        }
        self.follow().await;
    }

    /// As [`Offer::refresh`], one source only.
    pub(super) async fn refresh_source(&self, id: &SourceId) {
        let request = &self.ground.terms.request;
        self.gateway().refresh_source(id, request).await;
        for stand in self.stands() {
            stand.stage.gateway.refresh_source(id, request).await;
        }
    }

    /// Has the profiles follow what is known and decided elsewhere.
    pub(super) async fn follow(&self) {
        for (profile, stand) in self.profiles.lock().values() {
            stand.tighten(self.gateway(), profile);
        }
        for stand in self.stands() {
            stand.stage.gateway.refresh(&self.ground.terms.request).await;
        }
    }

    fn stands(&self) -> Vec<Arc<Stand>> {
        self.profiles.lock().values().map(|(_, it)| it.clone()).collect()
    }

    fn wants(&self, profile: &Profile) -> bool {
        match &self.wanted {
            Wanted::All => false,
            Wanted::AllAndProfiles => true,
            Wanted::Profile(name) => *name == profile.name,
        }
    }
}

/// The configured servers; none in a program that has nothing to do with servers, or takes its tools from a file.
pub(super) fn servers(cx: &RunCx) -> Result<Option<Arc<ServerSet>>, AppError> {
    if cx.commands().find("server list").is_none() || cx.options().text("tools-from").is_some() {
        return Ok(None);
    }
    ServerSet::of(cx.options(), cx.surroundings()).map(Some)
}

fn unknown_profile(name: &str, config: &Config) -> AppError {
    let known = || config.profiles.iter().map(|it| it.name.as_str());
    let hint = match toolscout_surface::cli::nearest(name, known()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None if config.profiles.is_empty() => "profiles are tables in toolscout.toml: [profiles.NAME]".to_owned(),
        None => format!("there are: {}", known().collect::<Vec<_>>().join(", ")),
    };
    let message = format!("there is no profile `{}`", escape::line(name));
    AppError::Said { kind: ErrorKind::NotFound, message, hint: Some(hint) }
}
