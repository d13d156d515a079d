//! Records which definitions an operator has seen, so that an approval applies to those and not
//! to later ones.

use crate::Workspace;
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::{Digest, Namespace, SourceId, Store, ToolId};
use toolscout_gateway::QuarantinedTool;

/// The last shown definitions of one source.
pub(super) struct ShownDefinitions {
    store: Arc<dyn Store>,
    key: String,
    /// By tool name.
    digests: BTreeMap<String, String>,
}

impl ShownDefinitions {
    /// The record of this source. An unreadable record counts as empty.
    pub(super) fn load(workspace: &Workspace, source: &SourceId) -> Self {
        let key = format!("shown/{}/{source}", workspace.config().partition());
        let store = workspace.environment.store();
        let record = store.read(Namespace::Approval, &key).ok().flatten();
        let digests =
            record.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self { store, key, digests }
    }

    /// The digest of the shown definition.
    pub(super) fn digest(&self, tool: &ToolId) -> Option<Digest> {
        Digest::from_hex(self.digests.get(tool.name.as_str())?)
    }

    /// Records that these definitions are shown. If the write fails, they are shown again,
    /// which is harmless.
    pub(super) fn record<'a>(mut self, quarantined: impl IntoIterator<Item = &'a QuarantinedTool>) {
        self.digests.extend(
            quarantined.into_iter().map(|quarantined| {
                (quarantined.id.name.to_string(), quarantined.digest.to_string())
            }),
        );
        if let Ok(bytes) = serde_json::to_vec(&self.digests) {
            let _ = self.store.write(Namespace::Approval, &self.key, &bytes);
        }
    }
}

/// Records that these definitions are shown, source by source.
pub(super) fn record(workspace: &Workspace, quarantined: &[QuarantinedTool]) {
    for group in quarantined.chunk_by(|one, other| one.id.source == other.id.source) {
        ShownDefinitions::load(workspace, &group[0].id.source).record(group);
    }
}
