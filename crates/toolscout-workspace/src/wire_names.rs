//! The wire names of a project's tools, for names that a person or a program takes from an export.

use crate::Tools;
use std::borrow::Cow;
use toolscout_gateway::Snapshot;
use toolscout_surface::mcp::WireNameStore;

impl Tools {
    /// The wire names of this project, as all its processes see them.
    pub fn wire_names(&self) -> WireNameStore {
        WireNameStore::in_store(self.environment().store(), self.partition())
    }

    /// The id of the tool that was given this wire name; otherwise the name as it is.
    ///
    /// The wire name comes before the form `source__tool`: the two differ only if the names of
    /// several tools are equal in letters, digits and `_`, and then only the wire name is unique.
    pub fn canonical_name<'a>(&self, snapshot: &Snapshot, name: &'a str) -> Cow<'a, str> {
        let is_plain =
            name.contains(['/', ':']) || !name.contains("__") && snapshot.resolve(name).is_ok();
        let wire_tool = || self.wire_names().tool(snapshot, name);
        match (!is_plain).then(wire_tool).flatten() {
            Some(id) => Cow::Owned(id.to_string()),
            None => Cow::Borrowed(name),
        }
    }
}
