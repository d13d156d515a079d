//! Decides which definitions may be used, and which are pending review.
//!
//! The tools of a source added by the operator are approved when first seen, except those with a
//! severe finding. Any later change is quarantined until the operator decides, and reverting it
//! does not restore trust. Pure: the caller loads and stores the records.
//!
//! Start reading at [`review`].

#[cfg(test)]
mod tests;

use crate::diff;
use crate::findings::{Finding, Severity};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::digest::canonical;
use toolscout_core::{Digest, Moment, RawJson, ReviewMode, Tool, ToolId};

/// The review state of one source's definitions; also the stored form.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReviewRecord {
    /// The hash of the source's configuration.
    pub entry: String,
    /// The time of the listing that was last reviewed.
    pub listed: Option<Moment>,
    /// By name. Tools that a source no longer lists stay.
    pub tools: BTreeMap<String, ReviewedTool>,
}

/// The review state of one tool.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReviewedTool {
    /// The definition that may be used, if any.
    pub approved: Option<ApprovedDefinition>,
    /// The definition that is pending review. While there is one, the tool must not be used.
    pub held: Option<QuarantinedDefinition>,
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
    pub why: QuarantineReason,
    /// The reason as text for the user.
    pub reason: String,
    /// The start of the quarantine.
    pub at: Moment,
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
}

impl CanonicalDefinition {
    /// The current definition of a tool.
    pub fn of(tool: &Tool) -> Self {
        let value = tool.definition();
        let mut text = String::new();
        canonical(&value, &mut text);
        let digest = Digest::of_canonical(&tool.id, &text);
        let text = RawJson::parse(&text).unwrap_or_else(|_| RawJson::from_value(&value));
        Self { digest, text }
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
    pub held: BTreeMap<String, String>,
    /// The newly quarantined tools, with the reason.
    pub news: Vec<(ToolId, String)>,
}

/// Decides for each tool of a source whether it may be used. `scan` scans one definition; it is
/// called only for unapproved ones.
pub fn review(
    record: &ReviewRecord,
    terms: &ReviewMode,
    found: &[Arc<Tool>],
    scan: impl Fn(&Tool) -> Vec<Finding>,
    now: Moment,
) -> ReviewOutcome {
    let ReviewMode::Needed { approves_first_sight, accepts_changes, entry } = terms else {
        return ReviewOutcome::default();
    };
    let listed = found.iter().filter_map(|it| it.provenance.seen).max();
    // A listing from before the operator changed the entry is no evidence about the new entry.
    let is_old_listing = listed.is_some() && listed == record.listed;
    let is_new_entry = *record.entry != **entry && !is_old_listing;
    let mut next = ReviewOutcome {
        record: if is_new_entry { only_rejected(record) } else { record.clone() },
        ..ReviewOutcome::default()
    };
    if is_new_entry {
        next.record.entry = entry.to_string();
    }
    next.record.listed = listed.or(record.listed);
    let desk = ReviewTerms {
        approves_first_sight: *approves_first_sight,
        accepts_changes: *accepts_changes,
        scan,
        now,
    };
    for tool in found {
        let name = tool.id.name.as_str();
        // A person's approval of exactly this definition survives a change of the entry, if the
        // source is approved at first sight.
        let before = record.tools.get(name).filter(|_| is_new_entry && desk.approves_first_sight);
        let remembered = next.record.tools.entry(name.to_owned()).or_default();
        let was_held = remembered.held.is_some();
        desk.decide(tool, remembered, before.and_then(|it| it.approved.as_ref()));
        if let Some(held) = &remembered.held {
            next.held.insert(name.to_owned(), held.reason.clone());
            if !was_held {
                next.news.push((tool.id.clone(), held.reason.clone()));
            }
        }
    }
    next
}

/// After a change of the entry, only rejections still count.
fn only_rejected(record: &ReviewRecord) -> ReviewRecord {
    let is_rejected =
        |it: &ReviewedTool| it.held.as_ref().is_some_and(|it| it.why == QuarantineReason::Rejected);
    let tools = record.tools.iter().filter(|(_, it)| is_rejected(it));
    ReviewRecord {
        tools: tools.map(|(name, it)| (name.clone(), it.clone())).collect(),
        ..ReviewRecord::default()
    }
}

/// The terms of one review.
struct ReviewTerms<S> {
    approves_first_sight: bool,
    accepts_changes: bool,
    scan: S,
    now: Moment,
}

impl<S: Fn(&Tool) -> Vec<Finding>> ReviewTerms<S> {
    fn decide(
        &self,
        tool: &Tool,
        remembered: &mut ReviewedTool,
        before: Option<&ApprovedDefinition>,
    ) {
        let definition = CanonicalDefinition::of(tool);
        match (&mut remembered.held, &remembered.approved) {
            (Some(held), _) => {
                held.see(definition);
                self.settle(tool, remembered);
            }
            // Approved only because the operator had added the source, which no longer applies.
            (None, Some(approved))
                if approved.by == ApprovedBy::FirstSight && !self.approves_first_sight =>
            {
                self.meet(tool, definition, remembered, None);
            }
            (None, Some(approved)) if approved.definition.digest == definition.digest => {}
            (None, Some(approved)) => {
                let changes = diff::changes(&approved.definition.value(), &definition.value());
                let reason =
                    format!("changed since it was approved: {}", diff::fields(&changes).join(", "));
                match worst(&(self.scan)(tool)) {
                    Some(found) => self.hold(
                        remembered,
                        definition,
                        QuarantineReason::Suspicious,
                        format!("{reason}; {found}"),
                    ),
                    None if self.accepts_changes => {
                        self.approve(remembered, definition, ApprovedBy::Rule)
                    }
                    None => self.hold(remembered, definition, QuarantineReason::Changed, reason),
                }
            }
            (None, None) => self.meet(tool, definition, remembered, before),
        }
    }

    /// Decides about a definition that was not seen before.
    fn meet(
        &self,
        tool: &Tool,
        definition: CanonicalDefinition,
        remembered: &mut ReviewedTool,
        before: Option<&ApprovedDefinition>,
    ) {
        if let Some(before) = before
            .filter(|it| it.by == ApprovedBy::Person && it.definition.digest == definition.digest)
        {
            remembered.approved = Some(before.clone());
            return;
        }
        match worst(&(self.scan)(tool)) {
            Some(found) => self.hold(remembered, definition, QuarantineReason::Suspicious, found),
            None if self.approves_first_sight => {
                self.approve(remembered, definition, ApprovedBy::FirstSight)
            }
            None => self.hold(
                remembered,
                definition,
                QuarantineReason::New,
                "new, and not approved yet".to_owned(),
            ),
        }
    }

    /// Releases a quarantined definition only if the operator has since changed the terms of its
    /// source to cover it.
    fn settle(&self, tool: &Tool, remembered: &mut ReviewedTool) {
        let Some(held) = &remembered.held else { return };
        let by = match held.why {
            QuarantineReason::New if self.approves_first_sight => ApprovedBy::FirstSight,
            QuarantineReason::Changed if self.accepts_changes => ApprovedBy::Rule,
            _ => return,
        };
        let definition = held.definition.clone();
        match worst(&(self.scan)(tool)) {
            Some(found) => self.hold(remembered, definition, QuarantineReason::Suspicious, found),
            None => self.approve(remembered, definition, by),
        }
    }

    fn approve(
        &self,
        remembered: &mut ReviewedTool,
        definition: CanonicalDefinition,
        by: ApprovedBy,
    ) {
        *remembered = ReviewedTool {
            approved: Some(ApprovedDefinition { definition, by, at: self.now }),
            held: None,
        };
    }

    fn hold(
        &self,
        remembered: &mut ReviewedTool,
        definition: CanonicalDefinition,
        why: QuarantineReason,
        reason: String,
    ) {
        remembered.held =
            Some(QuarantinedDefinition { definition, first: None, why, reason, at: self.now });
    }
}

impl QuarantinedDefinition {
    /// Records another change: an approval applies to the current definition, but the first one is
    /// kept for display.
    fn see(&mut self, definition: CanonicalDefinition) {
        if definition.digest == self.definition.digest {
            return;
        }
        let before = std::mem::replace(&mut self.definition, definition);
        let first = self.first.take().unwrap_or(before);
        self.first = Some(first).filter(|it| it.digest != self.definition.digest);
    }
}

/// The worst finding, as a reason for the quarantine; `None` if none is severe.
fn worst(findings: &[Finding]) -> Option<String> {
    let severe = findings.iter().find(|it| it.severity == Severity::Severe)?;
    Some(format!("{} at `{}`", severe.kind, severe.at))
}

/// The decisions of a person.
impl ReviewRecord {
    /// Approves the quarantined definition of this tool, if it is still the one the person has
    /// seen.
    pub fn approve(
        &mut self,
        name: &str,
        seen: Option<Digest>,
        at: Moment,
    ) -> Result<(), DecisionError> {
        let remembered = self.tools.get_mut(name).ok_or(DecisionError::NotHeld)?;
        let held = remembered.held.as_ref().ok_or(DecisionError::NotHeld)?;
        if seen.is_some_and(|it| it != held.definition.digest) {
            return Err(DecisionError::ChangedAgain);
        }
        let definition = held.definition.clone();
        *remembered = ReviewedTool {
            approved: Some(ApprovedDefinition { definition, by: ApprovedBy::Person, at }),
            held: None,
        };
        Ok(())
    }

    /// Rejects the quarantined or approved definition of this tool. It stays quarantined until a
    /// person approves it.
    pub fn reject(&mut self, name: &str, at: Moment) -> Result<(), DecisionError> {
        let remembered = self.tools.get_mut(name).ok_or(DecisionError::NotHeld)?;
        let held = remembered.held.take().map(|it| (it.definition, it.first));
        let approved = || remembered.approved.as_ref().map(|it| (it.definition.clone(), None));
        let (definition, first) = held.or_else(approved).ok_or(DecisionError::NotHeld)?;
        let reason = "a person has rejected it".to_owned();
        remembered.held = Some(QuarantinedDefinition {
            definition,
            first,
            why: QuarantineReason::Rejected,
            reason,
            at,
        });
        Ok(())
    }
}

/// The reason why a decision failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionError {
    /// The tool is not pending review.
    NotHeld,
    /// The definition is no longer the one the person has seen.
    ChangedAgain,
}
