//! The parts of a help text: introduction, usage, and sections with headings.

use super::clean::HelpLine;
use super::{CommandHelp, HelpPositional};

/// A help text in parts.
#[derive(Debug, Default)]
pub(super) struct Sections<'a> {
    /// The usage of the command, as one text. Alternative usages are left out.
    pub(super) usage: String,
    /// The lines that are neither usage nor in a section.
    pub(super) intro: Vec<&'a HelpLine>,
    sections: Vec<Section<'a>>,
}

#[derive(Debug)]
struct Section<'a> {
    title: String,
    lines: Vec<&'a HelpLine>,
}

/// What a section is about.
#[derive(PartialEq, Eq)]
enum Topic {
    Subcommands,
    Arguments,
    Examples,
    Other,
}

impl Section<'_> {
    fn topic(&self) -> Topic {
        let title = self.title.to_lowercase();
        let has = |part: &str| title.contains(part);
        if has("example") || has("environment") || has("see also") || has("exit status") {
            Topic::Examples
        } else if (has("command") && !has("option") && !has("flag")) || has("tasks") {
            Topic::Subcommands
        } else if has("positional") || title == "arguments" || title == "args" {
            Topic::Arguments
        } else {
            Topic::Other
        }
    }
}

impl<'a> Sections<'a> {
    pub(super) fn split(lines: &'a [HelpLine]) -> Self {
        let mut sections = Self::default();
        let mut at = 0;
        while at < lines.len() {
            let line = &lines[at];
            if sections.usage.is_empty()
                && let Some(first) = line.after_label("usage:").or_else(|| bare_usage(line))
            {
                at = sections.take_usage(lines, at, first);
                continue;
            }
            at += 1;
            if line.after_label("usage:").is_some() {
                continue;
            }
            match (line.heading(), sections.sections.last_mut()) {
                (Some(title), _) => {
                    sections.sections.push(Section { title: title.to_owned(), lines: Vec::new() });
                }
                (None, Some(section)) => section.lines.push(line),
                (None, None) => sections.intro.push(line),
            }
        }
        sections
    }

    /// Reads the usage; returns the index of the line after it.
    fn take_usage(&mut self, lines: &[HelpLine], mut at: usize, first: &str) -> usize {
        self.usage = first.to_owned();
        let own_indent = lines[at].indent;
        at += 1;
        // `Usage:` on a line of its own: the next line has the first form.
        while self.usage.is_empty() && lines.get(at).is_some_and(|line| line.heading().is_none()) {
            self.usage.clone_from(&lines[at].text);
            at += 1;
        }
        let program = self.usage.split(' ').next().unwrap_or_default().to_owned();
        let mut is_alternative = false;
        while let Some(line) = lines.get(at) {
            if line.is_blank() || line.heading().is_some() || line.indent <= own_indent {
                break;
            }
            let is_next_form = line.text.starts_with("or:")
                || line.text == "or"
                || line.text.split(' ').next() == Some(&*program);
            is_alternative |= is_next_form;
            // A script may list its options right below its usage.
            if line.text.starts_with('-') && line.text.contains("  ") {
                break;
            }
            if !is_alternative {
                self.usage = format!("{} {}", self.usage, line.text);
            }
            at += 1;
        }
        at
    }

    /// The lines that may contain options.
    pub(super) fn options(&self) -> Vec<&'a HelpLine> {
        let sections = self.sections.iter().filter(|section| section.topic() != Topic::Examples);
        let lines = sections.flat_map(|section| section.lines.iter().copied());
        self.intro.iter().copied().chain(lines).collect()
    }

    /// The text before and after the usage, for the summary.
    pub(super) fn description(&self) -> impl Iterator<Item = &'a HelpLine> {
        let is_description =
            |section: &&Section<'_>| section.title.eq_ignore_ascii_case("description");
        let lines = self.sections.iter().filter(is_description).flat_map(|found| &found.lines);
        self.intro.iter().chain(lines).copied()
    }

    /// The subcommands: name and summary.
    pub(super) fn subcommands(&self) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        for section in &self.sections {
            let choices = section.lines.iter().position(|line| line.text.starts_with('{'));
            let lines = match (section.topic(), choices) {
                (Topic::Subcommands, _) => &section.lines[..],
                // argparse lists subcommands below their choices.
                (Topic::Arguments, Some(at)) => &section.lines[at + 1..],
                _ => continue,
            };
            let named = lines.iter().filter_map(|line| subcommand(line));
            found.extend(named.filter(|(_, about)| !about.is_empty()));
        }
        found
    }

    /// Adds descriptions of positional arguments; those that the usage does not show are added.
    pub(super) fn describe_positionals(&self, help: &mut CommandHelp) {
        let is_arguments = |section: &&Section<'_>| section.topic() == Topic::Arguments;
        for section in self.sections.iter().filter(is_arguments) {
            let mut current = None;
            for line in &section.lines {
                // argparse lists subcommands below their choices.
                if line.text.starts_with('{') && !help.subcommands.is_empty() {
                    break;
                }
                if line.indent <= 4 && !line.is_blank() && !line.text.starts_with('{') {
                    current = describe(&line.text, help);
                } else if let Some(at) = current.filter(|_| !line.is_blank()) {
                    let text: &mut String = &mut help.positionals[at].description;
                    *text = format!("{text} {}", line.text).trim().to_owned();
                }
            }
        }
    }
}

/// A first line that shows the usage without the word: `deploy.sh [-v] TARGET`.
fn bare_usage(line: &HelpLine) -> Option<&str> {
    let first = line.text.split(' ').next()?;
    let is_script = [".sh", ".py", ".js", ".mjs"].iter().any(|end| first.ends_with(end));
    (is_script && line.text.contains(['[', '<'])).then_some(&*line.text)
}

fn subcommand(line: &HelpLine) -> Option<(String, String)> {
    if !(1..=8).contains(&line.indent) {
        return None;
    }
    let (names, about) = line.text.split_once("  ").unwrap_or((&line.text, ""));
    let name = names.split([',', ' ']).next()?.trim_end_matches([':', '*']);
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_:.".contains(c));
    let is_alone = !names.contains(' ') || names.contains(',');
    (is_name && is_alone).then(|| (name.to_owned(), about.trim().to_owned()))
}

/// The index of the positional argument that a line describes.
fn describe(text: &str, help: &mut CommandHelp) -> Option<usize> {
    let (shown, about) = text.split_once("  ").unwrap_or((text, ""));
    let name = super::usage::parameter_name(shown);
    if name.is_empty() {
        return None;
    }
    let is_same = |positional: &HelpPositional| {
        let (one, other) = (positional.name.trim_end_matches('s'), name.trim_end_matches('s'));
        one == other || one.ends_with(other) || other.starts_with(one)
    };
    let at = help.positionals.iter().position(is_same).unwrap_or_else(|| {
        help.positionals.push(HelpPositional {
            name: name.clone(),
            required: !shown.starts_with('['),
            repeated: shown.contains("..."),
            ..HelpPositional::default()
        });
        help.positionals.len() - 1
    });
    about.trim().clone_into(&mut help.positionals[at].description);
    Some(at)
}
