//! Replaces sources, scopes and policies in one step.

use super::{CatalogParts, CatalogPublisher, Ticket};
use crate::discover::{DiscoveryResult, discover_results};
use crate::policy::{LevelName, Policies};
use crate::scope::{Scope, Scopes};
use crate::sources::SourceSet;
use crate::tasks::run_blocking;
use crate::{DuplicateSource, Gateway, RefreshOutcome};
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::{Cx, Diagnostic, Source, SourceId};

/// A new configuration of a gateway; see [`Gateway::reconfigure`].
#[derive(Default)]
pub struct Reconfiguration {
    /// All sources. A source that the gateway has already keeps its place.
    pub sources: Vec<Arc<dyn Source>>,
    /// The scope of handles without a scope; only its [`Scope::listed`] has an effect.
    pub everything: Scope,
    /// The named scopes.
    pub scopes: BTreeMap<String, Scope>,
    /// The policies; `None` keeps the current ones. The rules of the session are always kept.
    pub policies: Option<Policies>,
    /// Diagnostics about absent sources; see [`Gateway::set_absent`].
    pub absent: Vec<Diagnostic>,
}

impl Gateway {
    /// Replaces sources, scopes and policies, and discovers all new sources. Everything is
    /// published in one step: until then readers see the previous configuration with its tools,
    /// and after it the new one. Cancel-safe: nothing is published before the end.
    pub async fn reconfigure(
        &self,
        new: Reconfiguration,
        cx: &Cx,
    ) -> Result<RefreshOutcome, DuplicateSource> {
        let Reconfiguration { sources, everything, scopes, policies, absent } = new;
        let sources = SourceSet::new(sources)?;
        let ticket = self.publisher.ticket();
        let results = discover_results(sources.all(), cx, |_| ()).await;
        let new = NewConfiguration { sources, scopes: Scopes::new(everything, scopes), policies };
        // Reviews read definitions and the store, which may take a while.
        let publisher = self.publisher.clone();
        let published = run_blocking(move || publisher.reconfigure(new, results, ticket)).await;
        self.set_absent(absent);
        let mut refreshed = published.unwrap_or_default();
        refreshed.diagnostics.extend(self.dangling().iter().map(|rule| rule.to_diagnostic()));
        Ok(refreshed)
    }

    /// Ignores discoveries of these sources until the next [`Gateway::reconfigure`]: while their
    /// successors are prepared, both may write to the same storage.
    pub fn pause_sources(&self, ids: impl IntoIterator<Item = SourceId>) {
        self.publisher.paused.store(Arc::new(ids.into_iter().collect()));
    }
}

/// A checked [`Reconfiguration`].
struct NewConfiguration {
    sources: SourceSet,
    scopes: Scopes,
    policies: Option<Policies>,
}

impl CatalogPublisher {
    fn reconfigure(
        &self,
        new: NewConfiguration,
        results: Vec<DiscoveryResult>,
        ticket: Ticket,
    ) -> RefreshOutcome {
        let mut state = self.state.lock();
        let now = self.now();
        self.paused.store(Arc::default());
        let sources = new.sources.in_order_of(&now.sources);
        let mut snapshot = (*now.all).clone();
        for old in now.sources.all().iter().filter(|source| !sources.has(source)) {
            // Later discoveries of the old source are not newer than the first of the new one.
            state.tickets.remove(old.id());
            if sources.by_id(old.id()).is_none() {
                state.forget(old.id());
                snapshot = snapshot.without(old.id());
            }
        }
        sources.all().iter().for_each(|source| state.update_review_mode(source));
        let session = now.policies.level(LevelName::Session).clone();
        let policies = new.policies.map(|policies| policies.with(LevelName::Session, session));
        let parts = CatalogParts {
            scopes: if new.scopes == *now.scopes { now.scopes.clone() } else { new.scopes.into() },
            all: Arc::new(snapshot),
            policies: policies.map_or_else(|| now.policies.clone(), Arc::new),
            sources: Arc::new(sources),
        };
        let refreshed = self.publish_parts(&mut state, parts, results, ticket);
        self.source_changes.send_modify(|count| *count += 1);
        refreshed
    }
}
