//! A tool's JSON Schema as a command: every property a flag, nested ones flattened.
//!
//! What is shown is what the schema says; what is typed becomes exactly the arguments the schema speaks of. Each flag
//! remembers the path it came from, so names are joined for people and never split again. Defaults are shown, not
//! inserted: the gateway applies them, for every surface alike. A property spelled `dry_run` is shown as `--dry_run`,
//! and `--dry-run` is understood.
//!
//! Nested objects are flattened down to three levels; below that, and wherever a schema is too clever for a flag, a flag
//! takes JSON. The parent of flattened flags takes JSON as well, unseen, and single flags override its members.
//!
//! Three extras, unless the schema has properties of these names: `--help`, `--json`, and `--input`.

#[cfg(test)]
mod tests;

mod arguments;
mod flatten;
mod hints;
mod names;
mod options;
mod schemas;
mod shape;

use super::words::{Locale, Word};
use super::{CommandSpec, Parsed};
use flatten::{Flat, Leaf, Parent};
use schemas::Schemas;
use toolscout_core::{Diagnostic, Tool};

/// The command line of one tool.
#[derive(Debug, Clone)]
pub struct ToolFlags {
    /// For parsing, help and completion.
    pub spec: CommandSpec,
    /// Diagnostics of the flags and of the hints for them; the rest works.
    pub problems: Vec<Diagnostic>,
    leaves: Vec<Leaf>,
    parents: Vec<Parent>,
    extras: Extras,
}

impl ToolFlags {
    /// Builds the flags; cheap, however large or twisted the schema.
    pub fn of(tool: &Tool) -> Self {
        Self::in_locale(tool, Locale::English)
    }

    /// As [`ToolFlags::of`], with our own flags explained in this language.
    pub fn in_locale(tool: &Tool, locale: Locale) -> Self {
        let mut news = News { tool, problems: Vec::new() };
        let layout = hints::Layout::of(&tool.cli, &mut news);
        let Flat { leaves, parents } = flatten::flatten(&Schemas::of(tool), &layout, &mut news);
        let taken = |name: &str| leaves.iter().any(|it| it.flag == name) || parents.iter().any(|it| it.flag == name);
        let extras = Extras { help: !taken("help"), json: !taken("json"), input: !taken("input") };
        let mut spec = CommandSpec::new(tool.id.name.as_str(), about(tool, locale));
        spec.options = options::options(&leaves, &parents, extras);
        hints::apply(&tool.cli, &mut spec, &mut news);
        options::add_extras(&mut spec, extras, locale);
        Self { spec, problems: news.problems, leaves, parents, extras }
    }

    /// Whether the tool's help was requested.
    pub fn wants_help(&self, parsed: &Parsed) -> bool {
        self.extras.help && parsed.switch("help")
    }

    /// Whether the result was requested as JSON.
    pub fn wants_json(&self, parsed: &Parsed) -> bool {
        self.extras.json && parsed.switch("json")
    }

    /// Where the whole arguments come from, if not from flags.
    pub fn input<'a>(&self, parsed: &'a Parsed) -> Option<InputFrom<'a>> {
        let text = parsed.text("input").filter(|_| self.extras.input)?;
        Some(match text.strip_prefix('@') {
            Some(path) => InputFrom::File(path),
            None if text == "-" => InputFrom::Stdin,
            None => InputFrom::Text(text),
        })
    }
}

/// What `--input` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputFrom<'a> {
    /// The JSON itself.
    Text(&'a str),
    /// `@FILE`
    File(&'a str),
    /// `-`
    Stdin,
}

/// Which of our own flags the schema leaves room for.
#[derive(Debug, Clone, Copy)]
struct Extras {
    help: bool,
    json: bool,
    input: bool,
}

/// Collects problems, each with whose it is.
struct News<'a> {
    tool: &'a Tool,
    problems: Vec<Diagnostic>,
}

impl News<'_> {
    fn add(&mut self, problem: Diagnostic) {
        let problem = problem.of(self.tool.id.source.clone());
        self.problems.push(match &self.tool.provenance.path {
            Some(path) => problem.at(path),
            None => problem,
        });
    }
}

fn about(tool: &Tool, locale: Locale) -> String {
    let said = tool.description.as_deref().or(tool.title.as_deref()).map(str::trim).filter(|it| !it.is_empty());
    said.unwrap_or(Word::NoDescription.text(locale)).to_owned()
}
