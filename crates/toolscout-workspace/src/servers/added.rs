//! Records which servers an operator has added, for projects that are not trusted as a whole.

use crate::{AppError, Environment};
use toolscout_config::ConfiguredServer;
use toolscout_core::{Namespace, SourceId, Store};
use toolscout_mcp_client::entry_fingerprint;

/// Records that an operator added this server, in its current configuration, and whether its
/// tools are trusted.
pub(super) fn record_added(
    store: &dyn Store,
    partition: &str,
    configured: &ConfiguredServer,
    trusted: bool,
) -> Result<(), AppError> {
    let record = record(configured, trusted);
    store
        .write(Namespace::Approval, &key(partition, &configured.server.id), record.as_bytes())
        .map_err(AppError::not_stored)
}

/// Whether the operator who added this server, in its current configuration, trusts its tools;
/// `None` if no operator has added it, or the record cannot be read.
pub(super) fn recorded_trust(
    configured: &ConfiguredServer,
    partition: &str,
    environment: &Environment,
) -> Option<bool> {
    let stored = environment
        .store()
        .read(Namespace::Approval, &key(partition, &configured.server.id))
        .ok()??;
    [true, false].into_iter().find(|trusted| stored == record(configured, *trusted).as_bytes())
}

fn record(configured: &ConfiguredServer, trusted: bool) -> String {
    format!(
        "{} {}",
        entry_fingerprint(&configured.server),
        if trusted { "trusted" } else { "untrusted" }
    )
}

/// The key of the record of a server.
pub(super) fn key(partition: &str, id: &SourceId) -> String {
    format!("entry/{partition}/{id}")
}
