//! Which definitions may be used, and which wait for a person.
//!
//! A source that a person added is approved as first seen, but for what a severe finding holds back; any later change is
//! held until a person decides, and taking it back does not restore trust. Pure: who keeps records brings them along.
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

/// What is remembered of one source's definitions; also the form in which it is stored.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReviewRecord {
    /// What the person had configured, hashed.
    pub entry: String,
    /// When the source had listed what was last looked at.
    pub listed: Option<Moment>,
    /// By name. What a source no longer lists stays.
    pub tools: BTreeMap<String, ReviewedTool>,
}

/// What is remembered of one tool.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReviewedTool {
    /// What may be used, if anything.
    pub approved: Option<ApprovedDefinition>,
    /// What waits for a person. While something does, nothing of the tool may be used.
    pub held: Option<QuarantinedDefinition>,
}

/// A definition that may be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApprovedDefinition {
    /// Which.
    pub definition: CanonicalDefinition,
    /// Who said so.
    pub by: ApprovedBy,
    /// When.
    pub at: Moment,
}

/// Who approved a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovedBy {
    /// Nobody in particular: a person added the source.
    FirstSight,
    /// Nobody in particular: a person said to take changes as they come.
    Rule,
    /// A person who looked at it.
    Person,
}

/// A definition that waits for a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuarantinedDefinition {
    /// As it is now; what an approval approves.
    pub definition: CanonicalDefinition,
    /// As it was when it was held, where it has changed again since.
    pub first: Option<CanonicalDefinition>,
    /// What for.
    pub why: QuarantineReason,
    /// The same, for people.
    pub reason: String,
    /// Since when.
    pub at: Moment,
}

/// Why a definition is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuarantineReason {
    /// Nobody has approved it.
    New,
    /// It is not what was approved.
    Changed,
    /// Something severe was found in it.
    Suspicious,
    /// A person said no.
    Rejected,
}

/// A complete definition, as canonical JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CanonicalDefinition {
    /// Of the definition, bound to the tool's id.
    pub digest: Digest,
    /// The whole of it.
    pub text: RawJson,
}

impl CanonicalDefinition {
    /// The tool's definition as it is now.
    pub fn of(tool: &Tool) -> Self {
        let value = tool.definition();
        let mut text = String::new();
        canonical(&value, &mut text);
        let digest = Digest::of_canonical(&tool.id, &text);
        let text = RawJson::parse(&text).unwrap_or_else(|_| RawJson::from_value(&value));
        Self { digest, text }
    }

    /// Parsed.
    pub fn value(&self) -> Value {
        self.text.to_value()
    }
}

/// What came of a review.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReviewOutcome {
    /// What to remember from now on.
    pub record: ReviewRecord,
    /// Why each held tool is, for people, by name.
    pub held: BTreeMap<String, String>,
    /// Those held that were not before, with the reason.
    pub news: Vec<(ToolId, String)>,
}

/// Decides for each tool of a source whether it may be used. `scan` looks through one definition; it is asked only about
/// those that nobody has approved.
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
    // What was listed before the person changed the entry says nothing about what the new entry has.
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
    let desk =
        ReviewTerms { approves_first_sight: *approves_first_sight, accepts_changes: *accepts_changes, scan, now };
    for tool in found {
        let name = tool.id.name.as_str();
        // A person's word about these very bytes outlives a change of the entry, where first sight would do.
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

/// Of an entry that is no more, only a person's no still counts.
fn only_rejected(record: &ReviewRecord) -> ReviewRecord {
    let is_rejected = |it: &ReviewedTool| it.held.as_ref().is_some_and(|it| it.why == QuarantineReason::Rejected);
    let tools = record.tools.iter().filter(|(_, it)| is_rejected(it));
    ReviewRecord { tools: tools.map(|(name, it)| (name.clone(), it.clone())).collect(), ..ReviewRecord::default() }
}

/// The terms of one review.
struct ReviewTerms<S> {
    approves_first_sight: bool,
    accepts_changes: bool,
    scan: S,
    now: Moment,
}

impl<S: Fn(&Tool) -> Vec<Finding>> ReviewTerms<S> {
    fn decide(&self, tool: &Tool, remembered: &mut ReviewedTool, before: Option<&ApprovedDefinition>) {
        let definition = CanonicalDefinition::of(tool);
        match (&mut remembered.held, &remembered.approved) {
            (Some(held), _) => {
                held.see(definition);
                self.settle(tool, remembered);
            }
            // Approved only because a person had added the source, and that is no longer so.
            (None, Some(approved)) if approved.by == ApprovedBy::FirstSight && !self.approves_first_sight => {
                self.meet(tool, definition, remembered, None);
            }
            (None, Some(approved)) if approved.definition.digest == definition.digest => {}
            (None, Some(approved)) => {
                let changes = diff::changes(&approved.definition.value(), &definition.value());
                let reason = format!("changed since it was approved: {}", diff::fields(&changes).join(", "));
                match worst(&(self.scan)(tool)) {
                    Some(found) => {
                        self.hold(remembered, definition, QuarantineReason::Suspicious, format!("{reason}; {found}"))
                    }
                    None if self.accepts_changes => self.approve(remembered, definition, ApprovedBy::Rule),
                    None => self.hold(remembered, definition, QuarantineReason::Changed, reason),
                }
            }
            (None, None) => self.meet(tool, definition, remembered, before),
        }
    }

    /// A definition that nobody has seen before.
    fn meet(
        &self,
        tool: &Tool,
        definition: CanonicalDefinition,
        remembered: &mut ReviewedTool,
        before: Option<&ApprovedDefinition>,
    ) {
        if let Some(before) =
            before.filter(|it| it.by == ApprovedBy::Person && it.definition.digest == definition.digest)
        {
            remembered.approved = Some(before.clone());
            return;
        }
        match worst(&(self.scan)(tool)) {
            Some(found) => self.hold(remembered, definition, QuarantineReason::Suspicious, found),
            None if self.approves_first_sight => self.approve(remembered, definition, ApprovedBy::FirstSight),
            None => self.hold(remembered, definition, QuarantineReason::New, "new, and not approved yet".to_owned()),
        }
    }

    /// What is held stays held, unless a person has since said something about its source that covers it.
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

    fn approve(&self, remembered: &mut ReviewedTool, definition: CanonicalDefinition, by: ApprovedBy) {
        *remembered = ReviewedTool { approved: Some(ApprovedDefinition { definition, by, at: self.now }), held: None };
    }

    fn hold(
        &self,
        remembered: &mut ReviewedTool,
        definition: CanonicalDefinition,
        why: QuarantineReason,
        reason: String,
    ) {
        remembered.held = Some(QuarantinedDefinition { definition, first: None, why, reason, at: self.now });
    }
}

impl QuarantinedDefinition {
    /// It is another again: what an approval approves is what there is, but what was first seen is kept to be shown.
    fn see(&mut self, definition: CanonicalDefinition) {
        if definition.digest == self.definition.digest {
            return;
        }
        let before = std::mem::replace(&mut self.definition, definition);
        let first = self.first.take().unwrap_or(before);
        self.first = Some(first).filter(|it| it.digest != self.definition.digest);
    }
}

/// The worst of what was found, in words that say why the tool is held; none where nothing is that bad.
fn worst(findings: &[Finding]) -> Option<String> {
    let severe = findings.iter().find(|it| it.severity == Severity::Severe)?;
    Some(format!("{} at `{}`", severe.kind, severe.at))
}

/// A person's decisions.
impl ReviewRecord {
    /// Approves what is held of this tool, if that is still what the person has seen; says whether there was something.
    pub fn approve(&mut self, name: &str, seen: Option<Digest>, at: Moment) -> Result<(), DecisionError> {
        let remembered = self.tools.get_mut(name).ok_or(DecisionError::NotHeld)?;
        let held = remembered.held.as_ref().ok_or(DecisionError::NotHeld)?;
        if seen.is_some_and(|it| it != held.definition.digest) {
            return Err(DecisionError::ChangedAgain);
        }
        let definition = held.definition.clone();
        *remembered =
            ReviewedTool { approved: Some(ApprovedDefinition { definition, by: ApprovedBy::Person, at }), held: None };
        Ok(())
    }

    /// Says no to what is held of this tool, or to what was approved of it. It stays held until a person approves it.
    pub fn reject(&mut self, name: &str, at: Moment) -> Result<(), DecisionError> {
        let remembered = self.tools.get_mut(name).ok_or(DecisionError::NotHeld)?;
        let held = remembered.held.take().map(|it| (it.definition, it.first));
        let approved = || remembered.approved.as_ref().map(|it| (it.definition.clone(), None));
        let (definition, first) = held.or_else(approved).ok_or(DecisionError::NotHeld)?;
        let reason = "a person has rejected it".to_owned();
        remembered.held =
            Some(QuarantinedDefinition { definition, first, why: QuarantineReason::Rejected, reason, at });
        Ok(())
    }
}

/// Why a decision was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionError {
    /// There is nothing to decide about.
    NotHeld,
    /// It is no longer what the person has seen.
    ChangedAgain,
}
