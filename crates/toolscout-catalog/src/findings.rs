//! Looks through a definition for what may be there to deceive a model or a person.
//!
//! Everything a model would read is looked at: name, title, description, every string and key of the schemas,
//! annotations and whatever else a vendor adds. Nothing is fetched or run, the same definition always gives the same
//! findings, and no text costs more than its length. What is found is for a person to judge: [`Severity::Severe`] is
//! worth holding a tool for, [`Severity::Note`] is worth a line beside it.
//!
//! Start reading at [`scan`]; what a poisoned text sounds like is written down in `findings/phrases.txt`.

mod encoded;
mod fields;
mod fold;
mod hidden;
mod markup;
mod names;
mod phrases;
mod references;
mod stuffed;
mod words;

#[cfg(test)]
mod tests;

pub use names::ToolNameIndex;

use fields::{DefinitionText, DefinitionTexts};
use phrases::PhraseMatches;
use std::fmt;
use toolscout_core::{Tool, escape};
use words::WordSequence;

/// More text than this is not looked through; saying so is a finding of its own.
pub const MAX_BYTES: usize = 256 * 1024;

/// Who reads a review has seen enough by then.
const MAX_FINDINGS: usize = 24;

/// Something in a definition that a person should see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What sort of thing it is.
    pub kind: FindingKind,
    /// Whether it is worth holding the tool for.
    pub severity: Severity,
    /// Where: a JSON pointer into the definition.
    pub at: String,
    /// What stands there, cut to the place; not yet escaped.
    pub excerpt: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, excerpt) = (escape::line(&self.at), escape::line(&self.excerpt));
        write!(f, "{}: {} at `{at}`: \"{excerpt}\"", self.severity.word(), self.kind)
    }
}

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Worth holding the tool until a person has looked.
    Severe,
}

impl Severity {
    /// The word shown to people: `note`, `severe`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Severe => "severe",
        }
    }
}

/// What sort of thing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// Text that tells a model what to do, beyond what the tool does.
    Instructs,
    /// The same, encoded.
    Encoded,
    /// Characters that nobody sees, or that change the order others are seen in.
    Hidden,
    /// Characters that act on a terminal.
    Control,
    /// A name made to be taken for another.
    LookAlike,
    /// A name of toolscout's own.
    OwnName,
    /// A name that is a path, an option or a piece of shell.
    OddName,
    /// Text that says how a tool of another source is to be used.
    Reference,
    /// Markup that a page might run or load.
    Markup,
    /// Words repeated to be found by.
    Stuffed,
    /// More text than can be looked through.
    TooLarge,
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Instructs => "text that tries to instruct a model",
            Self::Encoded => "encoded text",
            Self::Hidden => "hidden characters",
            Self::Control => "control characters",
            Self::LookAlike => "a name made to look like another",
            Self::OwnName => "a name of toolscout's own",
            Self::OddName => "a name that is a path, an option or a piece of shell",
            Self::Reference => "text about how to use another source's tool",
            Self::Markup => "markup that a page might run",
            Self::Stuffed => "the same words over and over",
            Self::TooLarge => "more text than can be looked through",
        })
    }
}

/// Whether one of these is worth holding a tool for.
pub fn is_severe(findings: &[Finding]) -> bool {
    findings.iter().any(|it| it.severity == Severity::Severe)
}

/// Everything found in the definition, worst first. `others` are the names of all known tools; this one may be among
/// them.
pub fn scan(tool: &Tool, others: &ToolNameIndex) -> Vec<Finding> {
    let definition = tool.definition();
    let fields = DefinitionTexts::of(&definition);
    let mut found = names::findings(&tool.id, others);
    for field in fields.texts.iter().filter(|it| !it.is_keyword()) {
        let here = look_at(field).chain(references::findings(field.text, &tool.id, others));
        found.extend(here.map(|it| it.at(&fields.pointer(field))));
    }
    if fields.is_cut {
        let excerpt = format!("only the first {MAX_BYTES} bytes were looked through");
        found.push(Finding { kind: FindingKind::TooLarge, severity: Severity::Severe, at: "/".to_owned(), excerpt });
    }
    found.sort_by_key(|it| std::cmp::Reverse(it.severity));
    found.truncate(MAX_FINDINGS);
    found
}

fn look_at<'a>(field: &DefinitionText<'a>) -> impl Iterator<Item = Finding> + use<'a> {
    let text = field.text;
    let words = if field.is_key { WordSequence::of_key(text) } else { WordSequence::of(text) };
    let mut tally = PhraseMatches::of(text, &words, field.is_key);
    markup::weigh(text, &mut tally);
    let said = tally.findings().chain(encoded::findings(text)).chain(stuffed::finding(text, &words));
    hidden::findings(text).into_iter().chain(markup::finding(text)).chain(said)
}

impl Finding {
    fn new(kind: FindingKind, severity: Severity, excerpt: String) -> Self {
        Self { kind, severity, at: String::new(), excerpt }
    }

    fn at(self, pointer: &str) -> Self {
        Self { at: pointer.to_owned(), ..self }
    }
}
