//! The manual page: all commands of a program in the roff format of `man`.

#[cfg(test)]
mod tests;

use super::help::{option_help, option_usage, positional_help, positional_usage, usage};
use super::{CommandSpec, Locale, OptionSpec, PositionalSpec};

/// The content of a manual page.
#[derive(Debug, Clone, Copy)]
pub struct ManualPage<'a> {
    pub program: &'a str,
    pub version: &'a str,
    /// The program itself: its summary, its global options.
    pub spec: &'a CommandSpec,
    pub commands: &'a [CommandSpec],
    /// Further sections: a heading in capital letters, and a text in which a line that is
    /// indented by two spaces is shown as it is.
    pub topics: &'a [(&'a str, &'a str)],
}

impl ManualPage<'_> {
    /// The page in roff, for section 1 of the manual.
    pub fn to_roff(&self) -> String {
        let Self { program, version, spec, .. } = *self;
        let mut page = Roff::default();
        page.request(&format!(
            ".TH {} 1 \"\" \"{} {}\" \"User Commands\"",
            program.to_uppercase(),
            escape(program),
            escape(version)
        ));
        page.section("NAME");
        page.line(&format!("{program} - {}", spec.about));
        page.section("SYNOPSIS");
        page.bold(&format!("{program} [OPTIONS] COMMAND"));
        page.section("OPTIONS");
        page.options(spec);
        page.section("COMMANDS");
        self.commands.iter().for_each(|command| page.command(program, command));
        for (heading, text) in self.topics {
            page.section(heading);
            page.text(text);
        }
        page.0
    }
}

/// The lines of a page so far.
#[derive(Default)]
struct Roff(String);

impl Roff {
    fn command(&mut self, program: &str, spec: &CommandSpec) {
        self.request(&format!(".SS {}", escape(&spec.name)));
        self.bold(&usage(program, spec));
        self.request(".PP");
        self.text(&spec.about);
        spec.positionals.iter().for_each(|positional| self.positional(positional));
        self.options(spec);
        for note in &spec.notes {
            self.request(".PP");
            self.text(note);
        }
        if !spec.examples.is_empty() {
            self.request(".PP");
            self.line("Examples:");
            self.verbatim(spec.examples.iter().map(String::as_str));
        }
    }

    fn options(&mut self, spec: &CommandSpec) {
        let is_shown = |option: &&OptionSpec| !option.hidden && option.long != "help";
        for option in spec.options.iter().filter(is_shown) {
            let help = option_help(option, Locale::English);
            self.entry(option_usage(option).trim_start(), &help);
        }
    }

    fn positional(&mut self, positional: &PositionalSpec) {
        let help = positional_help(positional, Locale::English);
        self.entry(&positional_usage(positional), &help);
    }

    fn entry(&mut self, name: &str, help: &str) {
        self.request(".TP");
        self.bold(name);
        self.text(help);
    }

    /// Paragraphs; lines that are indented by two spaces stay as they are.
    fn text(&mut self, text: &str) {
        let mut lines = text.trim().lines().peekable();
        while let Some(line) = lines.next() {
            if line.is_empty() {
                self.request(".PP");
            } else if line.starts_with("  ") {
                let rest = std::iter::from_fn(|| lines.next_if(|next| next.starts_with("  ")));
                let block: Vec<&str> = std::iter::once(line).chain(rest).collect();
                self.verbatim(block.into_iter().map(|line| &line[2..]));
            } else {
                self.line(line);
            }
        }
    }

    fn verbatim<'a>(&mut self, lines: impl Iterator<Item = &'a str>) {
        self.request(".nf\n.RS 4");
        lines.for_each(|line| self.line(line));
        self.request(".RE\n.fi");
    }

    fn section(&mut self, heading: &str) {
        self.request(&format!(".SH {}", escape(heading)));
    }

    fn bold(&mut self, text: &str) {
        self.request(&format!("\\fB{}\\fR", escape(text)));
    }

    fn line(&mut self, text: &str) {
        self.request(&escape(text));
    }

    fn request(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }
}

/// The text without characters that roff interprets: a backslash, a hyphen that would become a
/// dash, and a period or an apostrophe at the start of a line.
fn escape(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('`', "\\(ga");
    let line = |line: &str| {
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_owned() }
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}
