//! Decides which definitions may be used, and which are pending review.
//!
//! The tools of a source added by the operator are approved when first seen, except those with a
//! severe finding. Any later change is quarantined until the operator decides, and reverting it
//! does not restore trust. An edit of the source's entry releases nothing. Pure: the caller loads
//! and stores the records.
//!
//! Start reading at [`review`].

#[cfg(test)]
mod tests;

use crate::diff;
use crate::findings::{Finding, worst_severe};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::digest::canonical;
use toolscout_core::{Digest, Moment, RawJson, ReviewMode, Tool, ToolId, UnknownFields};

/// The review state of one source's definitions; also the stored form.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReviewRecord {
    /// The hash of the source's configuration.
    pub entry: String,
    /// The time of the listing that was last reviewed.
    pub listed: Option<Moment>,
    /// By name. Tools that a source no longer lists stay.
    pub tools: BTreeMap<String, ReviewedTool>,
    /// Fields of a later version.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

/// The review state of one tool.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReviewedTool {
    /// The definition that may be used, if any.
    pub approved: Option<ApprovedDefinition>,
    /// The definition that is pending review. While there is one, the tool must not be used.
    #[serde(rename = "held")]
    pub quarantined: Option<QuarantinedDefinition>,
    /// Fields of a later version.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

/// A definition that may be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApprovedDefinition {
    /// The definition.
    pub definition: CanonicalDefinition,
    /// The origin of the approval.
    pub by: ApprovedBy,
    /// The time of the approval.
    pub at: Moment,
    /// Fields of a later version.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

/// The origin of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovedBy {
    /// Approved when first seen, because the operator added the source.
    FirstSight,
    /// Approved by a rule of the operator to accept changes.
    Rule,
    /// Approved by a person who reviewed it.
    Person,
}

/// A definition that is pending review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuarantinedDefinition {
    /// The current definition; an approval applies to this one.
    pub definition: CanonicalDefinition,
    /// The definition at the start of the quarantine, if it has changed again since.
    pub first: Option<CanonicalDefinition>,
    /// The reason.
    #[serde(rename = "why")]
    pub cause: QuarantineReason,
    /// The reason as text for users and agents, without any text of the source.
    pub reason: String,
    /// The start of the quarantine.
    pub at: Moment,
    /// Fields of a later version.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

/// The reason for a quarantine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuarantineReason {
    /// It was never approved.
    New,
    /// It differs from the approved definition.
    Changed,
    /// It has a severe finding.
    Suspicious,
    /// A person rejected it.
    Rejected,
}

/// A complete definition, as canonical JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CanonicalDefinition {
    /// The digest of the definition, bound to the tool's id.
    pub digest: Digest,
    /// The complete text.
    pub text: RawJson,
    /// Fields of a later version.
    #[serde(flatten)]
    pub unknown: UnknownFields,
}

impl CanonicalDefinition {
    /// The current definition of a tool.
    pub fn new(tool: &Tool) -> Self {
        let value = tool.definition();
        let mut text = String::new();
        canonical(&value, &mut text);
        let digest = Digest::of_canonical(&tool.id, &text);
        let text = RawJson::parse(&text).unwrap_or_else(|_| RawJson::from_value(&value));
        Self { digest, text, unknown: UnknownFields::default() }
    }

    /// The parsed definition.
    pub fn value(&self) -> Value {
        self.text.to_value()
    }
}

/// The outcome of a review.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReviewOutcome {
    /// The new record to store.
    pub record: ReviewRecord,
    /// The reason for each quarantined tool, as text for the user, by name.
    pub quarantined: BTreeMap<String, String>,
    /// The newly quarantined tools, with the reason.
    pub newly_quarantined: Vec<(ToolId, String)>,
}

/// Decides for each tool of a source whether it may be used. `scan` scans one definition; it is
/// called only for unapproved ones.
pub fn review(
    record: &ReviewRecord,
    mode: &ReviewMode,
    found: &[Arc<Tool>],
    scan: impl Fn(&Tool) -> Vec<Finding>,
    now: Moment,
) -> ReviewOutcome {
    let ReviewMode::Needed { approves_first_sight, approves_new_tools, accepts_changes, entry } =
        mode
    else {
        return ReviewOutcome::default();
    };
    let listed = found.iter().filter_map(|tool| tool.provenance.last_listed).max();
    // A listing from before the operator changed the entry is no evidence about the new entry.
    let is_old_listing = listed.is_some() && listed == record.listed;
    let is_known = !record.tools.is_empty() || record.listed.is_some();
    let is_new_entry = *record.entry != **entry && !is_old_listing;
    let mut next = ReviewOutcome {
        record: if is_new_entry { only_quarantined(record) } else { record.clone() },
        ..ReviewOutcome::default()
    };
    if is_new_entry {
        next.record.entry = entry.to_string();
    }
    next.record.listed = listed.or(record.listed);
    let rules = ReviewTerms {
        approves_first_sight: *approves_first_sight,
        approves_unseen: if is_known { *approves_new_tools } else { *approves_first_sight },
        accepts_changes: *accepts_changes,
        scan,
        now,
    };
    for tool in found {
        let name = tool.id.name.as_str();
        // A person's approval of exactly this definition survives a change of the entry, if the
        // source is approved at first sight.
        let before = record.tools.get(name).filter(|_| is_new_entry && rules.approves_first_sight);
        let tool_record = next.record.tools.entry(name.to_owned()).or_default();
        let was_quarantined = tool_record.quarantined.is_some();
        rules.decide(tool, tool_record, before.and_then(|tool| tool.approved.as_ref()));
        if let Some(quarantined) = &tool_record.quarantined {
            next.quarantined.insert(name.to_owned(), quarantined.reason.clone());
            if !was_quarantined {
                next.newly_quarantined.push((tool.id.clone(), quarantined.reason.clone()));
            }
        }
    }
    next
}

/// After a change of the entry, what was quarantined stays so: the edit is no decision about it.
fn only_quarantined(record: &ReviewRecord) -> ReviewRecord {
    let tools = record.tools.iter().filter(|(_, tool)| tool.quarantined.is_some());
    ReviewRecord {
        tools: tools.map(|(name, value)| (name.clone(), value.clone())).collect(),
        unknown: record.unknown.clone(),
        ..ReviewRecord::default()
    }
}

/// The terms of one review.
struct ReviewTerms<S> {
    approves_first_sight: bool,
    /// Whether definitions without a record are approved.
    approves_unseen: bool,
    accepts_changes: bool,
    scan: S,
    now: Moment,
}

impl<S: Fn(&Tool) -> Vec<Finding>> ReviewTerms<S> {
    fn decide(
        &self,
        tool: &Tool,
        tool_record: &mut ReviewedTool,
        before: Option<&ApprovedDefinition>,
    ) {
        let definition = CanonicalDefinition::new(tool);
        match (&mut tool_record.quarantined, &tool_record.approved) {
            (Some(quarantined), _) => {
                quarantined.update(definition);
                self.apply_rules(tool, tool_record);
            }
            // Approved only because the operator had added the source, which no longer applies.
            (None, Some(approved))
                if approved.by == ApprovedBy::FirstSight && !self.approves_first_sight =>
            {
                self.review_new(tool, definition, tool_record, None);
            }
            (None, Some(approved)) if approved.definition.digest == definition.digest => {}
            (None, Some(approved)) => {
                let changes = diff::changes(&approved.definition.value(), &definition.value());
                let reason =
                    format!("changed since it was approved: {}", diff::fields(&changes).join(", "));
                match worst_finding(&(self.scan)(tool)) {
                    Some(found) => self.quarantine(
                        tool_record,
                        definition,
                        QuarantineReason::Suspicious,
                        format!("{reason}; {found}"),
                    ),
                    None if self.accepts_changes => {
                        self.approve(tool_record, definition, ApprovedBy::Rule)
                    }
                    None => {
                        self.quarantine(tool_record, definition, QuarantineReason::Changed, reason)
                    }
                }
            }
            (None, None) => self.review_new(tool, definition, tool_record, before),
        }
    }

    /// Decides about a definition that was not seen before.
    fn review_new(
        &self,
        tool: &Tool,
        definition: CanonicalDefinition,
        tool_record: &mut ReviewedTool,
        before: Option<&ApprovedDefinition>,
    ) {
        if let Some(before) = before.filter(|value| {
            value.by == ApprovedBy::Person && value.definition.digest == definition.digest
        }) {
            tool_record.approved = Some(before.clone());
            return;
        }
        match worst_finding(&(self.scan)(tool)) {
            Some(found) => {
                self.quarantine(tool_record, definition, QuarantineReason::Suspicious, found)
            }
            None if self.approves_unseen => {
                let by = if self.approves_first_sight {
                    ApprovedBy::FirstSight
                } else {
                    ApprovedBy::Rule
                };
                self.approve(tool_record, definition, by)
            }
            None => self.quarantine(
                tool_record,
                definition,
                QuarantineReason::New,
                "new, and not approved yet".to_owned(),
            ),
        }
    }

    /// Releases a quarantined definition only if the operator has since changed the terms of its
    /// source to cover it.
    fn apply_rules(&self, tool: &Tool, tool_record: &mut ReviewedTool) {
        let Some(quarantined) = &tool_record.quarantined else { return };
        let by = match quarantined.cause {
            QuarantineReason::New if self.approves_first_sight && self.approves_unseen => {
                ApprovedBy::FirstSight
            }
            QuarantineReason::Changed if self.accepts_changes => ApprovedBy::Rule,
            _ => return,
        };
        let definition = quarantined.definition.clone();
        match worst_finding(&(self.scan)(tool)) {
            Some(found) => {
                self.quarantine(tool_record, definition, QuarantineReason::Suspicious, found)
            }
            None => self.approve(tool_record, definition, by),
        }
    }

    fn approve(
        &self,
        tool_record: &mut ReviewedTool,
        definition: CanonicalDefinition,
        by: ApprovedBy,
    ) {
        tool_record.approve(definition, by, self.now);
    }

    fn quarantine(
        &self,
        tool_record: &mut ReviewedTool,
        definition: CanonicalDefinition,
        cause: QuarantineReason,
        reason: String,
    ) {
        tool_record.quarantined =
            Some(QuarantinedDefinition::new(definition, cause, reason, self.now));
    }
}

impl ReviewedTool {
    /// Replaces earlier decisions.
    fn approve(&mut self, definition: CanonicalDefinition, by: ApprovedBy, at: Moment) {
        let unknown = UnknownFields::default();
        self.approved = Some(ApprovedDefinition { definition, by, at, unknown });
        self.quarantined = None;
    }
}

impl QuarantinedDefinition {
    /// A quarantine that begins now.
    pub fn new(
        definition: CanonicalDefinition,
        cause: QuarantineReason,
        reason: String,
        at: Moment,
    ) -> Self {
        let unknown = UnknownFields::default();
        Self { definition, first: None, cause, reason, at, unknown }
    }

    /// Records another change: an approval applies to the current definition, but the first one is
    /// kept for display.
    fn update(&mut self, definition: CanonicalDefinition) {
        if definition.digest == self.definition.digest {
            return;
        }
        let before = std::mem::replace(&mut self.definition, definition);
        let first = self.first.take().unwrap_or(before);
        self.first = Some(first).filter(|value| value.digest != self.definition.digest);
    }
}

/// The worst finding, as a reason for the quarantine; `None` if none is severe. Agents read it, so
/// it contains no text of the source: the finding itself has the exact location.
fn worst_finding(findings: &[Finding]) -> Option<String> {
    let severe = worst_severe(findings)?;
    Some(format!("{} in {}", severe.kind, diff::field(&severe.at)))
}

/// The decisions of a person.
impl ReviewRecord {
    /// What remains if the source is removed: its quarantined tools, in case it returns.
    pub fn without_approvals(&self) -> Option<Self> {
        Some(only_quarantined(self)).filter(|record| !record.tools.is_empty())
    }

    /// Approves the quarantined definition of this tool, if it is still the one the person has
    /// seen.
    pub fn approve(
        &mut self,
        name: &str,
        reviewed_digest: Option<Digest>,
        at: Moment,
    ) -> Result<(), DecisionError> {
        let tool_record = self.tools.get_mut(name).ok_or(DecisionError::NotQuarantined)?;
        let quarantined = tool_record.quarantined.as_ref().ok_or(DecisionError::NotQuarantined)?;
        if reviewed_digest.is_some_and(|value| value != quarantined.definition.digest) {
            return Err(DecisionError::ChangedAgain);
        }
        let definition = quarantined.definition.clone();
        tool_record.approve(definition, ApprovedBy::Person, at);
        Ok(())
    }

    /// Rejects the quarantined or approved definition of this tool. It stays quarantined until a
    /// person approves it.
    pub fn reject(&mut self, name: &str, at: Moment) -> Result<(), DecisionError> {
        let tool_record = self.tools.get_mut(name).ok_or(DecisionError::NotQuarantined)?;
        let quarantined = tool_record
            .quarantined
            .take()
            .map(|quarantined| (quarantined.definition, quarantined.first));
        let approved =
            || tool_record.approved.as_ref().map(|value| (value.definition.clone(), None));
        let (definition, first) =
            quarantined.or_else(approved).ok_or(DecisionError::NotQuarantined)?;
        let reason = "it was rejected".to_owned();
        let cause = QuarantineReason::Rejected;
        let rejected = QuarantinedDefinition::new(definition, cause, reason, at);
        tool_record.quarantined = Some(QuarantinedDefinition { first, ..rejected });
        Ok(())
    }
}

/// The reason why a decision failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionError {
    /// The tool is not pending review.
    NotQuarantined,
    /// The definition is no longer the one the person has seen.
    ChangedAgain,
}
