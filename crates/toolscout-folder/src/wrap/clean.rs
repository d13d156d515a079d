//! Help texts as lines without terminal codes and tabs.

/// The number of columns of a tab.
const TAB: usize = 8;

/// One line of a help text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HelpLine {
    /// The number of spaces before the text.
    pub(super) indent: usize,
    /// The text without the spaces around it.
    pub(super) text: String,
}

impl HelpLine {
    pub(super) fn is_blank(&self) -> bool {
        self.text.is_empty()
    }

    /// The text if it starts with a label such as `usage:`, in any case.
    pub(super) fn after_label(&self, label: &str) -> Option<&str> {
        let start = self.text.get(..label.len())?;
        start.eq_ignore_ascii_case(label).then(|| self.text[label.len()..].trim())
    }

    /// The text of a heading: `Options:`, or a line in capitals.
    pub(super) fn heading(&self) -> Option<&str> {
        if self.indent > 2 || self.text.starts_with('-') || self.text.len() > 60 {
            return None;
        }
        if let Some(title) = self.text.strip_suffix(':') {
            return Some(title);
        }
        let is_title = self.indent == 0
            && self.text.len() > 3
            && self.text.chars().all(|c| c.is_ascii_uppercase() || " ()/".contains(c));
        is_title.then_some(&*self.text)
    }
}

/// The lines of a text.
pub(super) fn lines(text: &str) -> Vec<HelpLine> {
    let plain = without_codes(text);
    plain.lines().map(line).collect()
}

fn line(text: &str) -> HelpLine {
    let mut expanded = String::new();
    for c in text.trim_end().chars() {
        if c == '\t' {
            let columns = TAB - expanded.chars().count() % TAB;
            expanded.extend(std::iter::repeat_n(' ', columns.max(2)));
        } else {
            expanded.push(c);
        }
    }
    let text = expanded.trim_start();
    HelpLine { indent: expanded.len() - text.len(), text: text.to_owned() }
}

/// Removes colors, and the backspaces with which manual pages print bold letters.
fn without_codes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' if rest.peek() == Some(&'[') => {
                rest.next();
                let _ = rest.find(|c| c.is_ascii_alphabetic());
            }
            '\u{8}' => drop(out.pop()),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
