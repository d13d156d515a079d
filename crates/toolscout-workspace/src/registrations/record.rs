//! Rows about registrations in the store, for commands of the same project: they list the tools
//! themselves, and call them through the process that has the registration.

use super::{Definition, RegisteredSource, Registrations};
use crate::Startup;
use crate::servers::{HostedSource, ServerSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use toolscout_core::{Moment, Namespace, Source, SourceId, Store, StoreError};
use toolscout_gateway::Gateway;

const VERSION: u32 = 1;
/// The time until a row of a connected program expires. A living process writes it again in time.
const ROW_TTL: Duration = Duration::from_secs(120);

#[derive(Serialize, Deserialize)]
struct RegistrationRow {
    version: u32,
    entry: String,
    expires: Moment,
    definitions: Vec<Definition>,
}

impl Registrations {
    /// Removes registrations when they expire, and writes the rows; never returns.
    pub async fn follow(
        &self,
        gateway: &Gateway,
        servers: impl Fn() -> Arc<ServerSet>,
    ) -> Infallible {
        let mut written = BTreeSet::new();
        loop {
            let next = self.remove_expired(gateway);
            written = self.write_rows(&servers(), written).await;
            let rewrite = Instant::now() + ROW_TTL / 2;
            let wake = next.map_or(rewrite, |next| next.min(rewrite));
            tokio::select! {
                () = self.changed.notified() => {}
                () = sleep_until(wake) => {}
            }
        }
    }

    /// Writes a row for each registration in the catalog, and removes the rows of the others that
    /// were written before. Returns the ids with a row.
    pub(crate) async fn write_rows(
        &self,
        set: &ServerSet,
        before: BTreeSet<SourceId>,
    ) -> BTreeSet<SourceId> {
        let rows = self.rows();
        let ids: BTreeSet<_> = rows.iter().map(|(id, _)| id.clone()).collect();
        let gone: Vec<_> = before.difference(&ids).cloned().collect();
        let (store, partition) = (set.store.clone(), set.partition.clone());
        let write = move || -> Result<(), StoreError> {
            for (id, row) in rows {
                let bytes = serde_json::to_vec(&row).unwrap_or_default();
                store.write(Namespace::Registration, &key(&partition, &id), &bytes)?;
            }
            gone.iter().try_for_each(|id| {
                store.remove(Namespace::Registration, &key(&partition, id)).map(|_| ())
            })
        };
        if let Ok(Err(error)) = tokio::task::spawn_blocking(write).await {
            tracing::warn!(event = "registrations_not_stored", error = %error);
        }
        ids
    }

    fn rows(&self) -> Vec<(SourceId, RegistrationRow)> {
        let (now, clock) = (Instant::now(), Moment::now());
        let entries = self.entries.lock();
        let in_catalog = entries.iter().filter(|(_, registration)| registration.is_in_catalog());
        let row = in_catalog.map(|(id, registration)| {
            let ttl =
                registration.until().map_or(ROW_TTL, |until| until.saturating_duration_since(now));
            let source = &registration.source;
            let row = RegistrationRow {
                version: VERSION,
                entry: source.entry.to_string(),
                expires: clock.after(ttl),
                definitions: source.definitions.clone(),
            };
            (id.clone(), row)
        });
        row.collect()
    }
}

/// The tools that programs have registered with the host of this project; none if this process
/// serves itself, or there is no host.
pub(crate) fn sources_of_host(startup: &Startup) -> Vec<Arc<dyn Source>> {
    let set = &startup.servers;
    let Some(control) = &set.control else { return Vec::new() };
    let is_configured = |id: &SourceId| set.configured.iter().any(|entry| entry.server.id == *id);
    let sources = read(&*set.store, &set.partition).into_iter();
    let hosted = |source: RegisteredSource| -> Arc<dyn Source> {
        Arc::new(HostedSource::new(Arc::new(source), control.clone()))
    };
    sources.filter(|source| !is_configured(source.id())).map(hosted).collect()
}

/// The registrations of a project that have not expired. Unreadable rows count as missing.
fn read(store: &dyn Store, partition: &str) -> Vec<RegisteredSource> {
    let keys = store.keys(Namespace::Registration).unwrap_or_default();
    let prefix = key(partition, "");
    let source = |key: &String| {
        let id = SourceId::new(key.strip_prefix(&prefix)?).ok()?;
        let bytes = store.read(Namespace::Registration, key).ok()??;
        let row: RegistrationRow = serde_json::from_slice(&bytes).ok()?;
        let is_usable = row.version == VERSION && row.expires > Moment::now();
        is_usable.then(|| RegisteredSource::elsewhere(id, row.definitions, &row.entry))
    };
    keys.iter().filter_map(source).collect()
}

fn key(partition: &str, id: impl std::fmt::Display) -> String {
    format!("{partition}/{id}")
}
