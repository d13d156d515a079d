//! How approvals lie on disk.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolscout_catalog::review::{
    ApprovedBy, ApprovedDefinition, CanonicalDefinition, QuarantineReason, QuarantinedDefinition, ReviewRecord,
    ReviewedTool,
};
use toolscout_core::{Digest, Moment, RawJson};

#[derive(Serialize, Deserialize)]
pub(super) struct RecordRow {
    version: u32,
    entry: String,
    listed: Option<Moment>,
    tools: BTreeMap<String, ToolRow>,
}

#[derive(Serialize, Deserialize)]
struct ToolRow {
    approved: Option<ApprovedRow>,
    held: Option<QuarantinedRow>,
}

#[derive(Serialize, Deserialize)]
struct ApprovedRow {
    definition: DefinitionRow,
    by: String,
    at: Moment,
}

#[derive(Serialize, Deserialize)]
struct QuarantinedRow {
    definition: DefinitionRow,
    first: Option<DefinitionRow>,
    why: String,
    reason: String,
    at: Moment,
}

#[derive(Serialize, Deserialize)]
struct DefinitionRow {
    digest: String,
    text: RawJson,
}

const VERSION: u32 = 1;
const BY: [(ApprovedBy, &str); 3] =
    [(ApprovedBy::FirstSight, "first-sight"), (ApprovedBy::Rule, "rule"), (ApprovedBy::Person, "person")];
const WHY: [(QuarantineReason, &str); 4] = [
    (QuarantineReason::New, "new"),
    (QuarantineReason::Changed, "changed"),
    (QuarantineReason::Suspicious, "suspicious"),
    (QuarantineReason::Rejected, "rejected"),
];

pub(super) fn write(record: &ReviewRecord) -> RecordRow {
    let tools = record.tools.iter().map(|(name, it)| {
        let approved = it.approved.as_ref().map(|it| ApprovedRow {
            definition: definition(&it.definition),
            by: word(&BY, it.by),
            at: it.at,
        });
        let held = it.held.as_ref().map(|it| QuarantinedRow {
            definition: definition(&it.definition),
            first: it.first.as_ref().map(definition),
            why: word(&WHY, it.why),
            reason: it.reason.clone(),
            at: it.at,
        });
        (name.clone(), ToolRow { approved, held })
    });
    let (entry, listed) = (record.entry.clone(), record.listed);
    RecordRow { version: VERSION, entry, listed, tools: tools.collect() }
}

/// None where it is not one of ours, or of a later version.
pub(super) fn read(body: &RawJson) -> Option<ReviewRecord> {
    let row: RecordRow = serde_json::from_str(body.as_str()).ok()?;
    let tools = row.tools.into_iter().map(|(name, it)| {
        let approved = match it.approved {
            Some(it) => Some(ApprovedDefinition {
                definition: read_definition(it.definition)?,
                by: meaning(&BY, &it.by)?,
                at: it.at,
            }),
            None => None,
        };
        let held = match it.held {
            Some(it) => Some(QuarantinedDefinition {
                definition: read_definition(it.definition)?,
                first: it.first.and_then(read_definition),
                why: meaning(&WHY, &it.why)?,
                reason: it.reason,
                at: it.at,
            }),
            None => None,
        };
        Some((name, ReviewedTool { approved, held }))
    });
    let tools = tools.collect::<Option<_>>()?;
    (row.version == VERSION).then_some(ReviewRecord { entry: row.entry, listed: row.listed, tools })
}

fn definition(definition: &CanonicalDefinition) -> DefinitionRow {
    DefinitionRow { digest: definition.digest.to_string(), text: definition.text.clone() }
}

fn read_definition(row: DefinitionRow) -> Option<CanonicalDefinition> {
    Some(CanonicalDefinition { digest: Digest::from_hex(&row.digest)?, text: row.text })
}

fn word<T: PartialEq>(words: &[(T, &str)], meant: T) -> String {
    words.iter().find(|(it, _)| *it == meant).map(|(_, word)| (*word).to_owned()).unwrap_or_default()
}

fn meaning<T: Copy>(words: &[(T, &str)], said: &str) -> Option<T> {
    words.iter().find(|(_, word)| *word == said).map(|(it, _)| *it)
}
