//! Aligned columns for a terminal; the last one is cut at its width.

use super::Text;
use super::brief::{DEFAULT_WIDTH, brief};
use crate::cli::Style;
use std::borrow::Cow;
use unicode_width::UnicodeWidthStr;

const INDENT: usize = 2;
const GAP: usize = 2;
/// A cell that is wider than this share of the line does not widen its column.
const WIDEST_SHARE: usize = 2;
/// The minimum width of the last column.
const MIN_LAST: usize = 20;

/// A cell: its text, and how it is emphasized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    text: String,
    emphasis: Emphasis,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Emphasis {
    None,
    Id,
    State,
    Faint,
}

impl Cell {
    /// Plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), emphasis: Emphasis::None }
    }

    /// The id of something, to type.
    pub fn id(text: impl Into<String>) -> Self {
        Self { text: text.into(), emphasis: Emphasis::Id }
    }

    /// The state of a server or a tool.
    pub fn state(text: impl Into<String>) -> Self {
        Self { text: text.into(), emphasis: Emphasis::State }
    }

    /// A detail.
    pub fn faint(text: impl Into<String>) -> Self {
        Self { text: text.into(), emphasis: Emphasis::Faint }
    }

    fn paint<'a>(&self, padded: &'a str, style: Style) -> Cow<'a, str> {
        match self.emphasis {
            Emphasis::None => Cow::Borrowed(padded),
            Emphasis::Id => style.bold(padded),
            Emphasis::State => style.state(&self.text, padded),
            Emphasis::Faint => style.faint(padded),
        }
    }
}

/// The rows as lines. Cells without a neighbor on the right are cut at the end of the line.
pub fn table(rows: &[Vec<Cell>], text: &Text) -> String {
    let line_width = text.width.unwrap_or(DEFAULT_WIDTH);
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |column: usize| {
        let cells = rows.iter().filter(|row| row.len() > column + 1);
        let widths = cells.map(|row| row[column].text.width());
        widths.filter(|width| *width <= line_width / WIDEST_SHARE).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..count).map(widest).collect();
    rows.iter().map(|row| line(row, &widths, line_width, text.style)).collect()
}

fn line(row: &[Cell], widths: &[usize], line_width: usize, style: Style) -> String {
    let (mut line, mut used) = (" ".repeat(INDENT), INDENT);
    for (cell, width) in row.iter().zip(widths).take(row.len().saturating_sub(1)) {
        let pad = width.saturating_sub(cell.text.width()) + GAP;
        line += &cell.paint(&cell.text, style);
        line.extend(std::iter::repeat_n(' ', pad));
        used += cell.text.width() + pad;
    }
    if let Some(last) = row.last() {
        let shown = brief(&last.text, line_width.saturating_sub(used).max(MIN_LAST));
        line += &last.paint(&shown, style);
    }
    line.truncate(line.trim_end().len());
    line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Vec<Cell>> {
        vec![
            vec![Cell::id("files/read_file"), Cell::state("ready"), Cell::text("Reads a file")],
            vec![Cell::id("日本/x"), Cell::state("failed"), Cell::text("word ".repeat(30))],
        ]
    }

    #[test]
    fn columns_are_aligned_and_the_last_one_is_cut() {
        let text = Text { width: Some(50), ..Text::default() };
        let expected = [
            "  files/read_file  ready   Reads a file\n",
            "  日本/x           failed  word word word word…\n",
        ];
        assert_eq!(table(&rows(), &text), expected.concat());
    }

    #[test]
    fn colors_do_not_change_the_alignment() {
        let plain = Text { width: Some(50), ..Text::default() };
        let colored = Text { style: Style::Coloured, ..plain };
        let painted = table(&rows(), &colored);
        assert!(
            painted.contains("\u{1b}[1mfiles/read_file\u{1b}[0m  \u{1b}[32mready"),
            "{painted}"
        );
        let codes = ["\u{1b}[1m", "\u{1b}[0m", "\u{1b}[32m", "\u{1b}[31m"];
        let stripped = codes.iter().fold(painted, |text, code| text.replace(code, ""));
        assert_eq!(stripped, table(&rows(), &plain));
    }
}
