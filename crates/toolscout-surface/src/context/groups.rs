//! Groups tools by server and selects the essential ones.

use super::MAX_NAMED;
use super::words::BULLET;
use toolscout_core::{Status, Tool};
use toolscout_gateway::Snapshot;

/// The source of tools that were only observed in an agent's messages; their names begin with
/// the name of their server.
const OBSERVED: &str = "observed";
/// The maximum length of a name that is shown, in bytes.
const MAX_NAME_LENGTH: usize = 64;

/// The tools of one server.
pub(super) struct Group<'a> {
    server: &'a str,
    pub(super) tools: usize,
    pub(super) essential: Vec<&'a str>,
}

/// Whether a tool is shown to models. A quarantined tool is left out, because a model might
/// follow its description, and so is a placeholder, because it has no definition. An unavailable
/// tool is included.
pub(crate) fn is_usable(tool: &Tool) -> bool {
    !matches!(tool.status, Status::Quarantined(_)) && !tool.provenance.placeholder
}

/// Groups by server, in the order of the catalog. `essential` is in lower case.
pub(super) fn group_by_server<'a>(snapshot: &'a Snapshot, essential: &[String]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for tool in snapshot.tools().filter(|tool| is_usable(tool)) {
        let (server, name) = server_and_name(tool);
        let has_own_source =
            || server != OBSERVED && snapshot.sources().any(|(id, _)| id.as_str() == server);
        if tool.id.source.as_str() == OBSERVED && has_own_source() {
            continue;
        }
        // Tools are ordered by server, so the last group almost always matches.
        let index = groups.iter().rposition(|group| group.server == server).unwrap_or_else(|| {
            groups.push(Group { server, tools: 0, essential: Vec::new() });
            groups.len() - 1
        });
        groups[index].tools += 1;
        if is_plain(name) && is_essential(name, essential) {
            groups[index].essential.push(name);
        }
    }
    groups
}

fn server_and_name(tool: &Tool) -> (&str, &str) {
    let (source, name) = (tool.id.source.as_str(), tool.id.name.as_str());
    match name.split_once('/') {
        Some((server, rest)) if source == OBSERVED && is_plain(server) => (server, rest),
        _ => (source, name),
    }
}

fn is_essential(name: &str, essential: &[String]) -> bool {
    let name = name.to_lowercase();
    essential.iter().any(|essential| name.contains(essential.as_str()))
}

/// Whether this is a plain name. A model reads this text in every session, so any other name,
/// which may contain instructions by its author, is only counted.
fn is_plain(name: &str) -> bool {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':' | b'/');
    !name.is_empty() && name.len() <= MAX_NAME_LENGTH && name.bytes().all(is_plain)
}

impl Group<'_> {
    pub(super) fn line(&self) -> String {
        let (server, essential) = (self.server, self.essential.len());
        if essential == 0 {
            return format!("{BULLET}{server}: {} tools available", self.tools);
        }
        let named: Vec<_> = self.essential.iter().take(MAX_NAMED).copied().collect();
        let mut line = format!("{BULLET}{server}: {}", named.join(", "));
        if essential > MAX_NAMED {
            line += &format!(" (+{} more)", essential - MAX_NAMED);
        }
        if self.tools > essential {
            line += &format!(" and {} other tools", self.tools - essential);
        }
        line
    }
}
