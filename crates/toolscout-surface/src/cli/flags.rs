//! Builds a command from a tool's JSON Schema: every property becomes a flag, nested ones are
//! flattened.
//!
//! Help shows the properties of the schema, and the typed values become exactly its arguments.
//! Each flag stores the path of its property, so joined names are never split again. Defaults
//! are shown, not inserted: the gateway applies them, the same for every surface. A property
//! spelled `dry_run` is shown as `--dry_run`, and `--dry-run` is accepted.
//!
//! Nested objects are flattened down to three levels, or `max_depth` of the hints; below that, and
//! if a schema is too complex for a flag, a flag takes JSON. The parent of flattened flags takes
//! JSON as well, hidden from help, and single flags override its members.
//!
//! Three extra flags exist, unless the schema has properties of these names: `--help`,
//! `--json`, and `--input`.

#[cfg(test)]
mod tests;

mod analysis;
mod arguments;
mod flatten;
mod hints;
mod names;
mod options;
mod schemas;
mod shape;

use super::words::{Locale, Word};
use super::{CommandSpec, Parsed};
pub use analysis::{FlagAnalysis, FlagClash, FlagInfo, analyze};
use flatten::{Flat, Leaf, Parent};
use schemas::Schemas;
use toolscout_core::{Diagnostic, DiagnosticKind, Tool};

/// The command line of one tool.
#[derive(Debug, Clone)]
pub struct ToolFlags {
    /// The command specification for parsing, help and completion.
    pub spec: CommandSpec,
    /// Diagnostics of the flags and of the hints for them; the other flags work.
    pub diagnostics: Vec<Diagnostic>,
    leaves: Vec<Leaf>,
    parents: Vec<Parent>,
    clashes: Vec<FlagClash>,
    extras: Extras,
}

impl ToolFlags {
    /// Builds the flags; cheap, however large or complex the schema is.
    pub fn new(tool: &Tool) -> Self {
        Self::in_locale(tool, Locale::English)
    }

    /// As [`ToolFlags::new`], with the help of our own flags in this language.
    pub fn in_locale(tool: &Tool, locale: Locale) -> Self {
        let mut collector = DiagnosticCollector { tool, diagnostics: Vec::new() };
        let layout = hints::Layout::from_hints(&tool.cli, &mut collector);
        let Flat { leaves, parents, clashes } =
            flatten::flatten(&Schemas::new(tool), &layout, &mut collector);
        let taken = |name: &str| {
            leaves.iter().any(|leaf| leaf.flag == name)
                || parents.iter().any(|parent| parent.flag == name)
        };
        let extras = Extras { help: !taken("help"), json: !taken("json"), input: !taken("input") };
        let mut spec = CommandSpec::new(tool.id.name.as_str(), about(tool, locale));
        spec.options = options::options(&leaves, &parents, extras);
        hints::apply(&tool.cli, &mut spec, &mut collector);
        let reported =
            collector.diagnostics.iter().filter(|it| it.kind == DiagnosticKind::Collision);
        spec.notes.extend(reported.map(|clash| match &clash.hint {
            Some(hint) => format!("{}. {hint}", clash.message),
            None => clash.message.clone(),
        }));
        options::add_extras(&mut spec, extras, locale);
        Self { spec, diagnostics: collector.diagnostics, leaves, parents, clashes, extras }
    }

    /// Whether the tool's help was requested.
    pub fn wants_help(&self, parsed: &Parsed) -> bool {
        self.extras.help && parsed.switch("help")
    }

    /// Whether the result was requested as JSON.
    pub fn wants_json(&self, parsed: &Parsed) -> bool {
        self.extras.json && parsed.switch("json")
    }

    /// The source of the whole arguments, if `--input` is given.
    pub fn input<'a>(&self, parsed: &'a Parsed) -> Option<InputFrom<'a>> {
        let text = parsed.text("input").filter(|_| self.extras.input)?;
        Some(match text.strip_prefix('@') {
            Some(path) => InputFrom::File(path),
            None if text == "-" => InputFrom::Stdin,
            None => InputFrom::Text(text),
        })
    }
}

/// The source that `--input` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputFrom<'a> {
    /// The JSON itself.
    Text(&'a str),
    /// `@FILE`
    File(&'a str),
    /// `-`
    Stdin,
}

/// Which of our own flags do not collide with the schema.
#[derive(Debug, Clone, Copy)]
struct Extras {
    help: bool,
    json: bool,
    input: bool,
}

/// Collects diagnostics and adds the tool to each.
struct DiagnosticCollector<'a> {
    tool: &'a Tool,
    diagnostics: Vec<Diagnostic>,
}

impl DiagnosticCollector<'_> {
    fn add(&mut self, diagnostic: Diagnostic) {
        let diagnostic = diagnostic.with_source(self.tool.id.source.clone());
        self.diagnostics.push(match &self.tool.provenance.path {
            Some(path) => diagnostic.with_path(path),
            None => diagnostic,
        });
    }
}

fn about(tool: &Tool, locale: Locale) -> String {
    let description = tool
        .description
        .as_deref()
        .or(tool.title.as_deref())
        .map(str::trim)
        .filter(|description| !description.is_empty());
    description.unwrap_or(Word::NoDescription.text(locale)).to_owned()
}
