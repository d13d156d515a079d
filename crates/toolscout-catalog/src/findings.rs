//! Scans a definition for text that may deceive a model or a person.
//!
//! The scan covers everything that a model would read: name, title, description, every string and
//! key of the schemas, annotations and vendor extensions. It fetches and runs nothing, it is
//! deterministic, and its cost is linear in the length of the text. The operator judges the
//! findings: [`Severity::Severe`] is a reason to quarantine a tool, [`Severity::Note`] is shown
//! next to it.
//!
//! Start reading at [`scan`]; the phrases of poisoned texts are in `findings/phrases.txt`.

mod encoded;
mod fields;
mod fold;
mod hidden;
mod markup;
mod names;
mod phrases;
mod references;
mod split;
mod stuffed;
mod words;

#[cfg(test)]
mod tests;

pub use names::ToolNameIndex;

use fields::{DefinitionText, DefinitionTexts, TextPlace};
use phrases::PhraseMatches;
use std::fmt;
use toolscout_core::{Tool, escape};
use words::WordSequence;

/// Maximum bytes scanned; a longer definition is a finding of its own.
pub const MAX_BYTES: usize = 256 * 1024;

/// Maximum number of findings; more would not help a reviewer.
const MAX_FINDINGS: usize = 24;

/// Something in a definition that the operator should see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The kind of finding.
    pub kind: FindingKind,
    /// Whether it is a reason to quarantine the tool.
    pub severity: Severity,
    /// The location: a JSON pointer into the definition.
    pub at: String,
    /// The text around the location; not yet escaped.
    pub excerpt: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, excerpt) = (escape::line(&self.at), escape::line(&self.excerpt));
        write!(f, "{}: {} at `{at}`: \"{excerpt}\"", self.severity.as_str(), self.kind)
    }
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// A reason to quarantine the tool until the operator has reviewed it.
    Severe,
}

impl Severity {
    /// The user-facing name: `note`, `severe`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Severe => "severe",
        }
    }
}

/// The kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// Text that instructs a model, beyond describing the tool.
    Instructs,
    /// The same, encoded.
    Encoded,
    /// Characters that are invisible, or that change the display order of others.
    Hidden,
    /// Characters that act on a terminal.
    Control,
    /// A name made to look like another.
    LookAlike,
    /// A name of toolscout's own.
    OwnName,
    /// A name that is a path, an option or a piece of shell.
    OddName,
    /// Text about how to use a tool of another source.
    Reference,
    /// Markup that a page might run or load.
    Markup,
    /// Words repeated to match many searches.
    Stuffed,
    /// More text than the scan covers.
    TooLarge,
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Instructs => "text that tries to instruct a model",
            Self::Encoded => "encoded text",
            Self::Hidden => "hidden characters",
            Self::Control => "control characters",
            Self::LookAlike => "a name that looks like another",
            Self::OwnName => "a name that toolscout reserves",
            Self::OddName => "a name that is a path, an option or shell syntax",
            Self::Reference => "text about how to use another source's tool",
            Self::Markup => "markup that a web page might run",
            Self::Stuffed => "the same words repeated many times",
            Self::TooLarge => "more text than can be checked",
        })
    }
}

/// Whether any of these is a reason to quarantine a tool.
pub fn is_severe(findings: &[Finding]) -> bool {
    worst_severe(findings).is_some()
}

/// The worst of these that is a reason to quarantine a tool.
pub fn worst_severe(findings: &[Finding]) -> Option<&Finding> {
    findings.iter().find(|finding| finding.severity == Severity::Severe)
}

/// All findings in the definition, worst first. `others` are the names of all known tools; this one
/// may be among them.
pub fn scan(tool: &Tool, others: &ToolNameIndex) -> Vec<Finding> {
    let definition = tool.definition();
    let fields = DefinitionTexts::collect(&definition);
    let mut found = names::findings(&tool.id, others);
    for field in fields.texts.iter().filter(|text| !text.is_keyword()) {
        let here = scan_text(field).chain(references::findings(field.text, &tool.id, others));
        found.extend(here.map(|finding| finding.with_pointer(&fields.pointer(field))));
    }
    found.extend(split::findings(&fields));
    if fields.is_cut {
        let excerpt = format!("only the first {MAX_BYTES} bytes were checked");
        found.push(Finding {
            kind: FindingKind::TooLarge,
            severity: Severity::Severe,
            at: "/".to_owned(),
            excerpt,
        });
    }
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    found.truncate(MAX_FINDINGS);
    found
}

fn scan_text<'a>(field: &DefinitionText<'a>) -> impl Iterator<Item = Finding> + use<'a> {
    let text = field.text;
    let is_key = field.place == TextPlace::Key;
    let words = if is_key { WordSequence::split_key(text) } else { WordSequence::split(text) };
    let mut tally = PhraseMatches::find(text, &words, field.place);
    markup::add_matches(text, &mut tally);
    let suspicious =
        tally.findings().chain(encoded::findings(text)).chain(stuffed::finding(text, &words));
    hidden::findings(text).into_iter().chain(markup::finding(text)).chain(suspicious)
}

impl Finding {
    fn new(kind: FindingKind, severity: Severity, excerpt: String) -> Self {
        Self { kind, severity, at: String::new(), excerpt }
    }

    fn with_pointer(self, pointer: &str) -> Self {
        Self { at: pointer.to_owned(), ..self }
    }
}
