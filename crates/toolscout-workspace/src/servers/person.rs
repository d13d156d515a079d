//! Remembers which servers a person has added with their own hands, in a project that nobody trusts as a whole.

use crate::{AppError, Environment};
use toolscout_config::ConfiguredServer;
use toolscout_core::{ErrorKind, Namespace, SourceId, Store, StoreError};
use toolscout_mcp_client::entry_of;

/// Records that an operator added this server, as it is configured now, and whether its tools are trusted.
pub(super) fn record_added(
    store: &dyn Store,
    partition: &str,
    configured: &ConfiguredServer,
    trusts: bool,
) -> Result<(), AppError> {
    let record = record(configured, trusts);
    store.write(Namespace::Approval, &key(partition, &configured.server.id), record.as_bytes()).map_err(unkept)
}

/// Whether the person who added this server, as it is configured now, trusts it; none where no person has. What cannot be
/// read was not said.
pub(super) fn trusts(configured: &ConfiguredServer, partition: &str, environment: &Environment) -> Option<bool> {
    let said = environment.store().read(Namespace::Approval, &key(partition, &configured.server.id)).ok()??;
    [true, false].into_iter().find(|it| said == record(configured, *it).as_bytes())
}

fn record(configured: &ConfiguredServer, trusts: bool) -> String {
    format!("{} {}", entry_of(&configured.server), if trusts { "trusted" } else { "untrusted" })
}

fn key(partition: &str, id: &SourceId) -> String {
    format!("entry/{partition}/{id}")
}

fn unkept(error: StoreError) -> AppError {
    AppError::Said {
        kind: ErrorKind::Unavailable,
        message: error.to_string(),
        hint: Some("set TOOLSCOUT_STATE_DIR to a folder you can write".to_owned()),
    }
}
