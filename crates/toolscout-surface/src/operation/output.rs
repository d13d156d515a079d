//! What an operation returned, before a surface writes it.

use super::Operation;
use crate::cli::{Locale, Style};
use crate::exit::Exit;
use crate::output::json;
use serde::Serialize;
use serde_json::{Value, json};
use std::io;
use toolscout_core::change::PlannedChange;

/// How text for people is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct Text {
    /// Whether it may have colours.
    pub style: Style,
    /// Columns of the terminal; none if the text does not go to one.
    pub width: Option<usize>,
    /// The language.
    pub locale: Locale,
    /// Whether the reader asked for more (`--verbose`).
    pub verbose: bool,
    /// The command whose output it is; empty if it did not come from a command line.
    pub command: &'static str,
}

/// What an operation returned.
pub struct OperationOutput {
    value: Box<dyn Render>,
    /// What the caller should know besides.
    pub warnings: Vec<String>,
    /// What explains the output.
    pub notes: Vec<String>,
    /// The exit code of the command.
    pub exit: Exit,
    /// Whether its text is data, for stdout, or a confirmation.
    pub is_data: bool,
    /// Of a dry run: what would change, as an imperative.
    pub would: Option<String>,
}

impl OperationOutput {
    pub(super) fn of<W: 'static, T: Operation<W>>(output: T::Output) -> Self {
        let (exit, is_data) = (T::exit(&output), T::is_data(&output));
        let (warnings, notes) = (T::warnings(&output).to_vec(), T::notes(&output));
        let value = Box::new(Typed { output, text: T::text, write_json: T::write_json });
        Self { value, warnings, notes, exit, is_data, would: None }
    }

    /// The answer to a dry run: the change that would have been made.
    pub(super) fn dry_run(change: PlannedChange) -> Self {
        let would = Some(change.summary.clone());
        let value = Box::new(WouldChange(change));
        Self { value, warnings: Vec::new(), notes: Vec::new(), exit: Exit::Done, is_data: false, would }
    }

    /// As compact JSON.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        self.value.json()
    }

    /// Writes what a command prints with `--json`, indented.
    pub fn write_json(&self, writer: &mut dyn io::Write) -> io::Result<()> {
        self.value.write_json(writer)
    }

    /// For people.
    pub fn text(&self, text: &Text) -> String {
        self.value.text(text)
    }
}

pub(super) trait Render: Send {
    fn json(&self) -> serde_json::Result<Vec<u8>>;
    fn write_json(&self, writer: &mut dyn io::Write) -> io::Result<()>;
    fn text(&self, text: &Text) -> String;
}

/// An output with its rendering.
pub(super) struct Typed<T> {
    pub(super) output: T,
    pub(super) text: fn(&T, &Text) -> String,
    pub(super) write_json: WriteJson<T>,
}

type WriteJson<T> = fn(&T, &mut dyn io::Write) -> io::Result<()>;

impl<T: Serialize + Send> Render for Typed<T> {
    fn json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&self.output)
    }

    fn write_json(&self, writer: &mut dyn io::Write) -> io::Result<()> {
        (self.write_json)(&self.output, writer)
    }

    fn text(&self, text: &Text) -> String {
        (self.text)(&self.output, text)
    }
}

struct WouldChange(PlannedChange);

impl WouldChange {
    fn value(&self) -> Value {
        let PlannedChange { kind, subject, action, summary } = &self.0;
        json!({"dryRun": true, "kind": kind.word(), "subject": subject, "action": action, "would": summary})
    }
}

impl Render for WouldChange {
    fn json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&self.value())
    }

    fn write_json(&self, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, &self.value())
    }

    fn text(&self, _: &Text) -> String {
        format!("Would {}\n", self.0.summary)
    }
}
