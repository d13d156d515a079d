//! One place where agents are served: everything, or what a profile says.

use super::shown::{Part, Parts};
use super::shown_requests::ShownRequests;
use super::stage::Stage;
use crate::config::{Config, Profile};
use crate::plugins::review;
use crate::{AppError, LifecycleError};
use parking_lot::Mutex;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::task::JoinSet;
use toolscout_core::{Cx, Store};
use toolscout_gateway::Gateway;
use toolscout_gateway::policy::{LevelName, Mode, Policies};
use toolscout_surface::mcp::{MetaTools, Remembered, Server, Terms};

/// What all servers of a run have in common.
pub(super) struct Ground {
    pub(super) terms: Terms,
    /// What the command line says; no file says otherwise then.
    pub(super) meta_tools: Option<MetaTools>,
    pub(super) store: Arc<dyn Store>,
    pub(super) partition: String,
}

/// One place where agents are served.
pub(super) struct Stand {
    pub(super) stage: Stage,
    /// Who connects is served by this one; who is there already, by the one they found.
    server: Mutex<(MetaTools, Arc<Server>)>,
    /// Ends with this.
    _watching: JoinSet<Infallible>,
}

impl Ground {
    fn server(&self, gateway: Arc<Gateway>, meta_tools: MetaTools) -> Arc<Server> {
        let names = Remembered::kept(self.store.clone(), &self.partition);
        Server::new(gateway, Terms { meta_tools, ..self.terms.clone() }, names)
    }

    fn meta_tools(&self, written: Option<&str>) -> MetaTools {
        self.meta_tools.or_else(|| written.and_then(MetaTools::from_word)).unwrap_or_default()
    }
}

impl Stand {
    /// Everything that the gateway has.
    pub(super) fn of_all(gateway: Arc<Gateway>, config: &Config, ground: &Ground) -> Self {
        let meta_tools = ground.meta_tools(config.settings.meta_tools.as_deref());
        let server = Mutex::new((meta_tools, ground.server(gateway.clone(), meta_tools)));
        Self { stage: Stage::of_all(gateway, Part::all(config)), server, _watching: JoinSet::new() }
    }

    /// A gateway of its own for a profile, so that lists, search and calls cannot disagree. What it shows is what the other
    /// knows; it has the approvals of that, and nothing to show yet.
    pub(super) fn of_profile(
        profile: &Profile,
        config: &Config,
        all: &Stage,
        ground: &Ground,
    ) -> Result<Self, AppError> {
        let main = &all.gateway;
        let parts = Parts::of(Part::of(profile, config));
        let own = main.request_sources().iter().map(|it| Arc::new(ShownRequests::new(it.clone(), parts.clone())));
        let gateway = own.fold(Gateway::builder(), |gateway, it| gateway.request_sources(it));
        let gateway = gateway.approvals(main.approvals()).policies(tightened(&main.policies(), profile));
        let gateway = gateway.learning(main.learning().clone());
        let gateway = gateway.searching(main.searching_beside());
        let gateway = Arc::new(gateway.build().map_err(LifecycleError::from)?);
        let mut watching = JoinSet::new();
        let (watched, request): (_, Cx) = (gateway.clone(), ground.terms.request.clone());
        watching.spawn(async move { watched.watch(&request).await });
        let studied = gateway.clone();
        watching.spawn(async move { studied.study().await });
        let meta_tools = ground.meta_tools(profile_meta_tools(profile, config));
        let server = Mutex::new((meta_tools, ground.server(gateway.clone(), meta_tools)));
        Ok(Self { stage: Stage::beside(all, gateway, parts), server, _watching: watching })
    }

    pub(super) fn server(&self) -> Arc<Server> {
        self.server.lock().1.clone()
    }

    /// Offers the two tools as the configuration says now, to those who come from now on.
    pub(super) fn renew(&self, profile: Option<&Profile>, config: &Config, ground: &Ground) {
        let written = match profile {
            Some(profile) => profile_meta_tools(profile, config),
            None => config.settings.meta_tools.as_deref(),
        };
        let next = ground.meta_tools(written);
        let mut server = self.server.lock();
        if server.0 != next {
            *server = (next, ground.server(self.stage.gateway.clone(), next));
        }
    }

    /// Has the policies of a profile follow those of everything.
    pub(super) fn tighten(&self, main: &Gateway, profile: &Profile) {
        let next = tightened(&main.policies(), profile);
        if next != *self.stage.gateway.policies() {
            self.stage.gateway.set_policies(next);
        }
    }
}

fn profile_meta_tools<'a>(profile: &'a Profile, config: &'a Config) -> Option<&'a str> {
    profile.meta_tools.as_deref().or(config.settings.meta_tools.as_deref())
}

/// What holds anyway, and what the profile says besides: as the last of the levels it can only tighten.
fn tightened(now: &Policies, profile: &Profile) -> Policies {
    let said = review::level(&profile.rules);
    let is_silent = said.rules.is_empty() && said.default.is_none();
    let mode = match now.mode {
        _ if profile.read_only => Mode::ReadOnly,
        // That nothing is asked was said about everything; this was said about less.
        Mode::AllowAll if !is_silent => Mode::Normal,
        mode => mode,
    };
    now.clone().with(LevelName::Profile, said).in_mode(mode)
}
