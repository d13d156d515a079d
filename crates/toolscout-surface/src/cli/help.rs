//! Help pages: for one command, and the overview of all commands.

#[cfg(test)]
mod tests;

mod columns;
mod wrap;

use super::words::{Locale, Word};
use super::{CommandSpec, Many, OptionSpec, PositionalSpec, Style};
use columns::Columns;
use toolscout_core::escape;

/// The maximum number of required options in the usage line.
const MAX_OPTIONS_IN_USAGE: usize = 4;

/// The layout of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HelpLayout {
    /// The width of the terminal in columns; at least 40 are used.
    pub width: usize,
    pub style: Style,
    pub locale: Locale,
}

impl Default for HelpLayout {
    fn default() -> Self {
        Self { width: 100, style: Style::Plain, locale: Locale::English }
    }
}

/// Commands or tools under one heading.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    /// The source of the tools; `None` for built-in commands.
    pub source: Option<&'a str>,
    /// Name and summary.
    pub entries: Vec<(&'a str, &'a str)>,
}

/// The help page of one command.
pub fn command(program: &str, spec: &CommandSpec, layout: &HelpLayout) -> String {
    let mut page = Page::new(program, spec, *layout);
    let subcommands = spec.subcommands.iter();
    let subcommands = subcommands.map(|(name, about)| (line(name), first_line(about)));
    page.section(Word::Commands, Columns::new(subcommands).truncate());
    page.section(
        Word::Arguments,
        Columns::new(spec.positionals.iter().map(|positional| page.positional(positional))),
    );
    page.section(Word::Options, page.options(spec));
    page.finish(spec)
}

/// The overview: every command and every tool on one line, then the global options.
pub fn overview(
    program: &str,
    spec: &CommandSpec,
    groups: &[Group<'_>],
    layout: &HelpLayout,
) -> String {
    let mut page = Page::new(program, spec, *layout);
    for group in groups.iter().filter(|group| !group.entries.is_empty()) {
        let heading = match group.source {
            Some(source) => Word::ToolsOf.fill(layout.locale, &[&escape::line(source)]),
            None => Word::Commands.text(layout.locale).to_owned(),
        };
        let entries = group.entries.iter().map(|(name, about)| (line(name), first_line(about)));
        page.titled_section(&heading, Columns::new(entries).truncate());
    }
    page.section(Word::Options, page.options(spec));
    page.finish(spec)
}

struct Page {
    layout: HelpLayout,
    out: String,
}

impl Page {
    fn new(program: &str, spec: &CommandSpec, layout: HelpLayout) -> Self {
        let layout = HelpLayout { width: layout.width.max(40), ..layout };
        let mut page = Self { layout, out: String::new() };
        let heading = format!("{}:", Word::Usage.text(layout.locale));
        page.out = format!("{} {}\n", layout.style.bold(&heading), usage(program, spec));
        page.paragraph(&spec.about);
        page
    }

    fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            self.out.push('\n');
            let text = escape::text(text);
            for line in text.lines().flat_map(|line| wrap::wrap(line, self.layout.width)) {
                self.out.push_str(&line);
                self.out.push('\n');
            }
        }
    }

    fn section(&mut self, heading: Word, columns: Columns) {
        self.titled_section(heading.text(self.layout.locale), columns);
    }

    fn titled_section(&mut self, heading: &str, columns: Columns) {
        if !columns.is_empty() {
            let heading = format!("{heading}:");
            self.out.push_str(&format!("\n{}\n", self.layout.style.bold(&heading)));
            columns.write(&self.layout, &mut self.out);
        }
    }

    fn finish(mut self, spec: &CommandSpec) -> String {
        spec.notes.iter().for_each(|note| self.paragraph(note));
        if !spec.examples.is_empty() {
            let heading = format!("{}:", Word::Examples.text(self.layout.locale));
            self.out.push_str(&format!("\n{}\n", self.layout.style.bold(&heading)));
            spec.examples
                .iter()
                .for_each(|example| self.out.push_str(&format!("  {}\n", escape::line(example))));
        }
        self.out
    }

    fn options(&self, spec: &CommandSpec) -> Columns {
        let locale = self.layout.locale;
        let shown = spec.options.iter().filter(|option| !option.hidden);
        Columns::new(shown.map(|option| (option_usage(option), option_help(option, locale))))
    }

    fn positional(&self, positional: &PositionalSpec) -> (String, String) {
        (positional_name(positional), positional_help(positional, self.layout.locale))
    }
}

/// The help of an option, followed by its choices and its default.
pub(super) fn option_help(option: &OptionSpec, locale: Locale) -> String {
    let mut notes = Vec::new();
    if !option.choices.is_empty() {
        notes.push(Word::Choices.fill(locale, &[&option.choices.join(", ")]));
    }
    if let Some(default) = &option.default {
        notes.push(Word::Default.fill(locale, &[default]));
    }
    if option.required {
        notes.push(Word::Required.text(locale).to_owned());
    }
    explain(&option.help, &notes)
}

/// The help of an argument, followed by its choices.
pub(super) fn positional_help(positional: &PositionalSpec, locale: Locale) -> String {
    let choices = Word::Choices.fill(locale, &[&positional.choices.join(", ")]);
    let required = Word::Required.text(locale).to_owned();
    let notes = [
        (!positional.choices.is_empty()).then_some(choices),
        positional.required.then_some(required),
    ];
    let notes: Vec<_> = notes.into_iter().flatten().collect();
    explain(&positional.help, &notes)
}

/// `toolscout run [OPTIONS] TOOL [ARG...]`.
pub(super) fn usage(program: &str, spec: &CommandSpec) -> String {
    let mut words = vec![program.to_owned()];
    if !spec.name.is_empty() && spec.name != program {
        words.push(line(&spec.name));
    }
    if spec.options.iter().any(|option| !option.hidden) {
        words.push("[OPTIONS]".to_owned());
    }
    let has_positional = |option_spec: &OptionSpec| {
        spec.positionals
            .iter()
            .any(|positional| positional.option.as_ref() == Some(&option_spec.long))
    };
    let required: Vec<_> = spec
        .options
        .iter()
        .filter(|option| option.required && !option.hidden && !has_positional(option))
        .collect();
    if required.len() <= MAX_OPTIONS_IN_USAGE {
        words.extend(
            required
                .into_iter()
                .map(|required| format!("{}{}", line(&required.shown()), value_part(required))),
        );
    }
    words.extend(spec.positionals.iter().map(positional_usage));
    if !spec.subcommands.is_empty() && spec.positionals.is_empty() {
        words.push("[COMMAND]".to_owned());
    }
    words.join(" ")
}

/// `TOOL`, or `[ARG...]` if it may be missing.
pub(super) fn positional_usage(positional: &PositionalSpec) -> String {
    let name = positional_name(positional);
    if positional.required { name } else { format!("[{name}]") }
}

fn positional_name(positional: &PositionalSpec) -> String {
    line(&positional.name) + if positional.many { "..." } else { "" }
}

/// `-u, --url URL`; without a short option the long name stays in its column.
pub(super) fn option_usage(option: &OptionSpec) -> String {
    let short = option.short.map_or("    ".to_owned(), |value| format!("-{value}, "));
    let no = if option.negatable { "[no-]" } else { "" };
    format!("{short}--{no}{}{}", line(&option.long), value_part(option))
}

fn value_part(option: &OptionSpec) -> String {
    let dots = if option.many == Many::No { "" } else { "..." };
    match (&option.value_name, option.is_switch()) {
        (Some(name), _) => format!(" {}{dots}", line(name)),
        (None, true) => dots.to_owned(),
        (None, false) => format!(" {}{dots}", option.value.default_value_name()),
    }
}

/// The help text, followed by notes: `(default: json) (required)`.
fn explain(help: &str, notes: &[String]) -> String {
    let notes = notes.iter().map(|note| format!("({})", line(note)));
    let help = Some(escape::text(help.trim()).into_owned()).filter(|value| !value.is_empty());
    help.into_iter().chain(notes).collect::<Vec<_>>().join(" ")
}

fn line(text: &str) -> String {
    escape::line(text).into_owned()
}

fn first_line(text: &str) -> String {
    line(text.trim_start().lines().next().unwrap_or_default())
}
