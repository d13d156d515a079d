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
const IN_USAGE: usize = 4;

/// The layout of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The width of the terminal in columns; at least 40 are used.
    pub width: usize,
    pub style: Style,
    pub locale: Locale,
}

impl Default for Look {
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
pub fn command(program: &str, spec: &CommandSpec, look: &Look) -> String {
    let mut page = Page::new(program, spec, *look);
    page.section(Word::Arguments, Columns::of(spec.positionals.iter().map(|it| page.place(it))));
    page.section(Word::Options, page.options(spec));
    page.end(spec)
}

/// The overview: every command and every tool on one line, then the global options.
pub fn overview(program: &str, spec: &CommandSpec, groups: &[Group<'_>], look: &Look) -> String {
    let mut page = Page::new(program, spec, *look);
    for group in groups.iter().filter(|it| !it.entries.is_empty()) {
        let heading = match group.source {
            Some(source) => Word::ToolsOf.fill(look.locale, &[&escape::line(source)]),
            None => Word::Commands.text(look.locale).to_owned(),
        };
        let entries = group.entries.iter().map(|(name, about)| (line(name), first_line(about)));
        page.titled(&heading, Columns::of(entries).cut());
    }
    page.section(Word::Options, page.options(spec));
    page.end(spec)
}

struct Page {
    look: Look,
    out: String,
}

impl Page {
    fn new(program: &str, spec: &CommandSpec, look: Look) -> Self {
        let look = Look { width: look.width.max(40), ..look };
        let mut page = Self { look, out: String::new() };
        let heading = format!("{}:", Word::Usage.text(look.locale));
        page.out = format!("{} {}\n", look.style.bold(&heading), usage(program, spec));
        page.paragraph(&spec.about);
        page
    }

    fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            self.out.push('\n');
            let text = escape::text(text);
            for line in text.lines().flat_map(|it| wrap::wrap(it, self.look.width)) {
                self.out.push_str(&line);
                self.out.push('\n');
            }
        }
    }

    fn section(&mut self, heading: Word, columns: Columns) {
        self.titled(heading.text(self.look.locale), columns);
    }

    fn titled(&mut self, heading: &str, columns: Columns) {
        if !columns.is_empty() {
            let heading = format!("{heading}:");
            self.out.push_str(&format!("\n{}\n", self.look.style.bold(&heading)));
            columns.write(&self.look, &mut self.out);
        }
    }

    fn end(mut self, spec: &CommandSpec) -> String {
        spec.notes.iter().for_each(|it| self.paragraph(it));
        if !spec.examples.is_empty() {
            let heading = format!("{}:", Word::Examples.text(self.look.locale));
            self.out.push_str(&format!("\n{}\n", self.look.style.bold(&heading)));
            spec.examples
                .iter()
                .for_each(|it| self.out.push_str(&format!("  {}\n", escape::line(it))));
        }
        self.out
    }

    fn options(&self, spec: &CommandSpec) -> Columns {
        let shown = spec.options.iter().filter(|it| !it.hidden);
        Columns::of(shown.map(|it| (option_left(it), self.option_right(it))))
    }

    fn option_right(&self, option: &OptionSpec) -> String {
        let locale = self.look.locale;
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

    fn place(&self, place: &PositionalSpec) -> (String, String) {
        let locale = self.look.locale;
        let choices = Word::Choices.fill(locale, &[&place.choices.join(", ")]);
        let required = Word::Required.text(locale).to_owned();
        let notes =
            [(!place.choices.is_empty()).then_some(choices), place.required.then_some(required)];
        let notes: Vec<_> = notes.into_iter().flatten().collect();
        (place_name(place), explain(&place.help, &notes))
    }
}

fn usage(program: &str, spec: &CommandSpec) -> String {
    let mut words = vec![program.to_owned()];
    if !spec.name.is_empty() && spec.name != program {
        words.push(line(&spec.name));
    }
    if spec.options.iter().any(|it| !it.hidden) {
        words.push("[OPTIONS]".to_owned());
    }
    let by_place = |it: &OptionSpec| {
        spec.positionals.iter().any(|place| place.option.as_ref() == Some(&it.long))
    };
    let required: Vec<_> =
        spec.options.iter().filter(|it| it.required && !it.hidden && !by_place(it)).collect();
    if required.len() <= IN_USAGE {
        words.extend(
            required.into_iter().map(|it| format!("{}{}", line(&it.shown()), value_part(it))),
        );
    }
    words.extend(spec.positionals.iter().map(|it| match it.required {
        true => place_name(it),
        false => format!("[{}]", place_name(it)),
    }));
    words.join(" ")
}

fn place_name(place: &PositionalSpec) -> String {
    line(&place.name) + if place.many { "..." } else { "" }
}

/// `-u, --url URL`; without a short option the long name stays in its column.
fn option_left(option: &OptionSpec) -> String {
    let short = option.short.map_or("    ".to_owned(), |it| format!("-{it}, "));
    let no = if option.negatable { "[no-]" } else { "" };
    format!("{short}--{no}{}{}", line(&option.long), value_part(option))
}

fn value_part(option: &OptionSpec) -> String {
    let dots = if option.many == Many::No { "" } else { "..." };
    match (&option.value_name, option.is_switch()) {
        (Some(name), _) => format!(" {}{dots}", line(name)),
        (None, true) => dots.to_owned(),
        (None, false) => format!(" {}{dots}", option.value.word()),
    }
}

/// The help text, followed by notes: `(default: json) (required)`.
fn explain(help: &str, notes: &[String]) -> String {
    let notes = notes.iter().map(|it| format!("({})", line(it)));
    let help = Some(escape::text(help.trim()).into_owned()).filter(|it| !it.is_empty());
    help.into_iter().chain(notes).collect::<Vec<_>>().join(" ")
}

fn line(text: &str) -> String {
    escape::line(text).into_owned()
}

fn first_line(text: &str) -> String {
    line(text.trim_start().lines().next().unwrap_or_default())
}
