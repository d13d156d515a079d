//! Tools by server, and which of them are worth a name.

use super::NAMED;
use super::words::BULLET;
use toolscout_core::{Status, Tool};
use toolscout_gateway::Snapshot;

/// The source of tools that were only seen in an agent's messages; their names begin with that of their server.
const OBSERVED: &str = "observed";
/// Bytes of a name that is still a name, and not a text.
const LONGEST: usize = 64;

/// What one server has.
pub(super) struct Group<'a> {
    server: &'a str,
    pub(super) tools: usize,
    pub(super) essential: Vec<&'a str>,
}

/// By server, in the order of the catalog. `essential` is in lower case.
pub(super) fn of<'a>(snapshot: &'a Snapshot, essential: &[String]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for tool in snapshot.tools().filter(|it| !matches!(it.status, Status::Quarantined(_))) {
        let (server, name) = place(tool);
        let is_seen_elsewhere = || server != OBSERVED && snapshot.sources().any(|(id, _)| id.as_str() == server);
        if tool.id.source.as_str() == OBSERVED && is_seen_elsewhere() {
            continue;
        }
        // Mostly the one before: tools come server by server.
        let at = groups.iter().rposition(|it| it.server == server).unwrap_or_else(|| {
            groups.push(Group { server, tools: 0, essential: Vec::new() });
            groups.len() - 1
        });
        groups[at].tools += 1;
        if is_plain(name) && is_essential(name, essential) {
            groups[at].essential.push(name);
        }
    }
    groups
}

fn place(tool: &Tool) -> (&str, &str) {
    let (source, name) = (tool.id.source.as_str(), tool.id.name.as_str());
    match name.split_once('/') {
        Some((server, rest)) if source == OBSERVED && is_plain(server) => (server, rest),
        _ => (source, name),
    }
}

fn is_essential(name: &str, essential: &[String]) -> bool {
    let name = name.to_lowercase();
    essential.iter().any(|it| name.contains(it.as_str()))
}

/// Whether this is a name and nothing else. A model reads what stands here in every session, so what is no plain name, but
/// whatever its author wants to be read, is only counted.
fn is_plain(name: &str) -> bool {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.' | b':' | b'/');
    !name.is_empty() && name.len() <= LONGEST && name.bytes().all(is_plain)
}

impl Group<'_> {
    pub(super) fn line(&self) -> String {
        let (server, essential) = (self.server, self.essential.len());
        if essential == 0 {
            return format!("{BULLET}{server}: {} tools available", self.tools);
        }
        let named: Vec<_> = self.essential.iter().take(NAMED).copied().collect();
        let mut line = format!("{BULLET}{server}: {}", named.join(", "));
        if essential > NAMED {
            line += &format!(" (+{} more)", essential - NAMED);
        }
        if self.tools > essential {
            line += &format!(" and {} other tools", self.tools - essential);
        }
        line
    }
}
