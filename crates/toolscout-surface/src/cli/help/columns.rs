//! Two columns: names on the left, descriptions on the right.

use super::HelpLayout;
use super::wrap::{truncate, wrap};
use unicode_width::UnicodeWidthStr;

/// The maximum width of the left column; wider names get a line of their own.
const MAX_LEFT_WIDTH: usize = 32;

const INDENT: usize = 2;
const GAP: usize = 2;

pub(super) struct Columns {
    rows: Vec<(String, String)>,
    one_line_each: bool,
}

impl Columns {
    pub(super) fn new(rows: impl Iterator<Item = (String, String)>) -> Self {
        Self { rows: rows.collect(), one_line_each: false }
    }

    /// Truncates text that does not fit on the line, instead of wrapping it.
    pub(super) fn truncate(self) -> Self {
        Self { one_line_each: true, ..self }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn write(&self, layout: &HelpLayout, out: &mut String) {
        let widths: Vec<_> = self.rows.iter().map(|(left, _)| left.width()).collect();
        // The right column gets at least half of a narrow terminal.
        let max_width = MAX_LEFT_WIDTH.min(layout.width / 2);
        let column = widths.iter().copied().filter(|width| *width <= max_width).max().unwrap_or(0);
        let right_column = INDENT + column + GAP;
        for ((left, right), width) in self.rows.iter().zip(widths) {
            out.extend([' '; INDENT]);
            out.push_str(left);
            let lines = self.lines(right, layout.width - right_column);
            for (index, line) in lines.iter().enumerate() {
                let fits = index == 0 && width <= column;
                if fits {
                    out.extend(std::iter::repeat_n(' ', column - width + GAP));
                } else {
                    out.push('\n');
                    out.extend(std::iter::repeat_n(' ', right_column));
                }
                out.push_str(line);
            }
            out.push('\n');
        }
    }

    fn lines(&self, right: &str, width: usize) -> Vec<String> {
        if self.one_line_each {
            Some(truncate(right, width)).filter(|value| !value.is_empty()).into_iter().collect()
        } else {
            right
                .lines()
                .flat_map(|line| wrap(line, width))
                .filter(|wrap| !wrap.is_empty())
                .collect()
        }
    }
}
