//! Ids for tools with arbitrary names: spaces, dots, any script, duplicates.

use super::set::SetTool;
use std::collections::{HashMap, HashSet};
use toolscout_core::{SourceId, ToolId, ToolName};

/// A unique id for each tool, in their order. Names stay unchanged, because they are searched.
pub(super) fn identities(tools: &[SetTool]) -> Vec<ToolId> {
    let mut sources = Sources::default();
    let mut taken = HashSet::new();
    tools.iter().map(|tool| unique(tool, sources.of(tool), &mut taken)).collect()
}

fn unique(tool: &SetTool, source: SourceId, taken: &mut HashSet<ToolId>) -> ToolId {
    let mut spelling = tool.name().to_owned();
    let mut number = 1;
    loop {
        if let Ok(name) = ToolName::new(&spelling) {
            let id = ToolId::new(source.clone(), name);
            if taken.insert(id.clone()) {
                return id;
            }
        }
        number += 1;
        spelling = format!("{} {number}", tool.name());
    }
}

/// The sources so far, by the server name in their lines.
#[derive(Default)]
struct Sources {
    by_server: HashMap<String, SourceId>,
    taken: HashSet<SourceId>,
    alone: usize,
}

impl Sources {
    fn of(&mut self, tool: &SetTool) -> SourceId {
        let Some(server) = tool.server.as_deref().filter(|server| !server.is_empty()) else {
            return self.own();
        };
        if let Some(known) = self.by_server.get(server) {
            return known.clone();
        }
        let source = self.free(server);
        self.by_server.insert(server.to_owned(), source.clone());
        source
    }

    /// The source of a tool without a server. Its id contains neither a word nor a number that a
    /// query might match: a tool must not be found because its line names no server.
    fn own(&mut self) -> SourceId {
        const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz";
        self.alone += 1;
        let digits =
            (0..6).map(|place| LETTERS[self.alone / LETTERS.len().pow(place) % LETTERS.len()]);
        self.free(&format!("qx{}", digits.map(char::from).collect::<String>()))
    }

    /// The nearest valid id for this text that no other server has.
    fn free(&mut self, text: &str) -> SourceId {
        let nearest = match SourceId::new(text) {
            Ok(id) => id.to_string(),
            Err(error) => error.nearest,
        };
        let spellings = (1..)
            .map(|index| if index == 1 { nearest.clone() } else { shortened(&nearest, index) });
        let mut free = spellings
            .filter_map(|spelling| SourceId::new(&spelling).ok())
            .filter(|source_id| self.taken.insert(source_id.clone()));
        free.next().unwrap_or_else(SourceId::local)
    }
}

/// The same id with a number, within the length limit of ids.
fn shortened(id: &str, number: usize) -> String {
    let end = format!("-{number}");
    let kept: String = id.chars().take(32 - end.len()).collect();
    format!("{}{end}", kept.trim_end_matches(['-', '_']))
}
