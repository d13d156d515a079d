//! Remembers which definitions a person was shown, so that a yes is to what they saw and not to what came after.

use crate::{AppError, RunCx};
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::{Digest, Namespace, SourceId, Store, ToolId};
use toolscout_gateway::QuarantinedTool;
use toolscout_mcp_client::partition;

/// What a person was last shown of one source's held tools.
pub(super) struct Shown {
    store: Arc<dyn Store>,
    key: String,
    /// By the tool's name.
    digests: BTreeMap<String, String>,
}

impl Shown {
    /// What was shown of this source. What cannot be read was not.
    pub(super) fn of(cx: &RunCx, source: &SourceId) -> Result<Self, AppError> {
        let place = cx.workspace().config();
        let key = format!("shown/{}/{source}", partition(place.project_folder()));
        let store = cx.environment().store();
        let kept = store.read(Namespace::Approval, &key).ok().flatten();
        let digests = kept.and_then(|it| serde_json::from_slice(&it).ok()).unwrap_or_default();
        Ok(Self { store, key, digests })
    }

    /// Of the definition that was shown; none where none was.
    pub(super) fn digest(&self, tool: &ToolId) -> Option<Digest> {
        Digest::from_hex(self.digests.get(tool.name.as_str())?)
    }

    /// Notes that these were shown. Where that cannot be kept they are shown again, which does no harm.
    pub(super) fn note<'a>(mut self, held: impl IntoIterator<Item = &'a QuarantinedTool>) {
        let shown = held.into_iter().map(|it| (it.id.name.to_string(), it.digest.to_string()));
        self.digests.extend(shown);
        if let Ok(bytes) = serde_json::to_vec(&self.digests) {
            let _ = self.store.write(Namespace::Approval, &self.key, &bytes);
        }
    }
}

/// Notes, source by source, that these were shown.
pub(super) fn note(cx: &RunCx, held: &[QuarantinedTool]) -> Result<(), AppError> {
    for of_source in held.chunk_by(|one, other| one.id.source == other.id.source) {
        Shown::of(cx, &of_source[0].id.source)?.note(of_source);
    }
    Ok(())
}
