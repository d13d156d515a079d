//! Knows again what was reviewed before: most starts find what the last one found, and then nothing need be parsed.
//!
//! A record by which nothing was held says of which definitions, on which terms. Where they are the same, byte for byte, and
//! the record is as it was, a review comes to the same; where anything is another, all is reviewed.

use crate::seal::Seal;
use std::sync::Arc;
use toolscout_core::{Moment, RawJson, Review, Tool};

/// How a record begins that says so.
const BEFORE: &str = r#"{"settled":""#;

/// What is reviewed, and on which terms.
pub(super) struct Sight<'a> {
    pub(super) terms: &'a Review,
    pub(super) found: &'a [Arc<Tool>],
}

impl Sight<'_> {
    /// Stands for this sight. Each part has its length before it, so that no two sights look alike.
    pub(super) fn mark(&self, seal: &Seal) -> String {
        let mut all = Vec::with_capacity(self.found.len() * 512);
        if let Review::Needed { approves_first_sight, accepts_changes, entry } = self.terms {
            all.extend([1, u8::from(*approves_first_sight), u8::from(*accepts_changes)]);
            part(&mut all, Some(&**entry));
        }
        for tool in self.found {
            add(&mut all, tool);
        }
        seal.hash(&all).to_hex().to_string()
    }

    /// Whether the record, which nobody else has touched, says that nothing was held in this sight.
    pub(super) fn is_marked(&self, seal: &Seal, record: &str) -> bool {
        let mark = record.strip_prefix(BEFORE).and_then(|it| it.split('"').next());
        mark.is_some_and(|it| it == self.mark(seal))
    }
}

/// All that a review looks at.
fn add(all: &mut Vec<u8>, tool: &Tool) {
    part(all, Some(tool.id.source.as_str()));
    part(all, Some(tool.id.name.as_str()));
    part(all, tool.title.as_ref());
    part(all, tool.description.as_ref());
    all.extend((tool.keywords.len() as u64).to_le_bytes());
    tool.keywords.iter().for_each(|it| part(all, Some(it)));
    part(all, Some(tool.input_schema.as_str()));
    for optional in [&tool.output_schema, &tool.annotations, &tool.extra] {
        part(all, optional.as_ref().map(RawJson::as_str));
    }
    part(all, tool.provenance.seen.map(|Moment(at)| at.to_le_bytes()));
}

fn part(all: &mut Vec<u8>, part: Option<impl AsRef<[u8]>>) {
    match part {
        None => all.extend(u64::MAX.to_le_bytes()),
        Some(part) => {
            all.extend((part.as_ref().len() as u64).to_le_bytes());
            all.extend_from_slice(part.as_ref());
        }
    }
}
