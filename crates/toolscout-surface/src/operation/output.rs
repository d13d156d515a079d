//! What an operation returned, before a surface writes it.

use super::{Effect, Operation};
use crate::cli::{Locale, Style};
use crate::codes::Exit;
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
}

/// What an operation returned.
pub struct OperationOutput {
    value: Box<dyn Render>,
    /// What the caller should know besides.
    pub warnings: Vec<String>,
    /// The exit code of the command.
    pub exit: Exit,
    /// What the operation does: confirmations go to stderr, data to stdout.
    pub effect: Effect,
}

impl OperationOutput {
    pub(super) fn of<W: 'static, T: Operation<W>>(output: T::Output) -> Self {
        let exit = T::exit(&output);
        let warnings = T::warnings(&output).to_vec();
        Self { value: Box::new(Typed { output, text: T::text }), warnings, exit, effect: T::SPEC.effect }
    }

    /// The answer to a dry run: the change that would have been made.
    pub(super) fn dry_run(change: PlannedChange) -> Self {
        Self { value: Box::new(WouldChange(change)), warnings: Vec::new(), exit: Exit::Done, effect: Effect::Change }
    }

    /// As compact JSON.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        self.value.json()
    }

    /// Writes it as indented JSON.
    pub fn write_pretty(&self, writer: &mut dyn io::Write) -> io::Result<()> {
        self.value.write_pretty(writer)
    }

    /// For people.
    pub fn text(&self, text: &Text) -> String {
        self.value.text(text)
    }
}

trait Render: Send {
    fn json(&self) -> serde_json::Result<Vec<u8>>;
    fn write_pretty(&self, writer: &mut dyn io::Write) -> io::Result<()>;
    fn text(&self, text: &Text) -> String;
}

struct Typed<T> {
    output: T,
    text: fn(&T, &Text) -> String,
}

impl<T: Serialize + Send> Render for Typed<T> {
    fn json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&self.output)
    }

    fn write_pretty(&self, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, &self.output)
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

    fn write_pretty(&self, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, &self.value())
    }

    fn text(&self, _: &Text) -> String {
        format!("Would {}\n", self.0.summary)
    }
}
