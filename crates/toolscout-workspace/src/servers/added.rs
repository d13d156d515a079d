//! Records which servers an operator has added, for projects that are not trusted as a whole.

use crate::{AppError, Environment};
use toolscout_config::ConfiguredServer;
use toolscout_core::{Namespace, SourceId, Store};
use toolscout_mcp_client::entry_of;

/// Records that an operator added this server, in its current configuration, and whether its
/// tools are trusted.
pub(super) fn record_added(
    store: &dyn Store,
    partition: &str,
    configured: &ConfiguredServer,
    trusts: bool,
) -> Result<(), AppError> {
    let record = record(configured, trusts);
    store
        .write(Namespace::Approval, &key(partition, &configured.server.id), record.as_bytes())
        .map_err(AppError::not_stored)
}

/// Whether the operator who added this server, in its current configuration, trusts its tools;
/// `None` if no operator has added it, or the record cannot be read.
pub(super) fn trusts(
    configured: &ConfiguredServer,
    partition: &str,
    environment: &Environment,
) -> Option<bool> {
    let said = environment
        .store()
        .read(Namespace::Approval, &key(partition, &configured.server.id))
        .ok()??;
    [true, false].into_iter().find(|it| said == record(configured, *it).as_bytes())
}

fn record(configured: &ConfiguredServer, trusts: bool) -> String {
    format!("{} {}", entry_of(&configured.server), if trusts { "trusted" } else { "untrusted" })
}

fn key(partition: &str, id: &SourceId) -> String {
    format!("entry/{partition}/{id}")
}
