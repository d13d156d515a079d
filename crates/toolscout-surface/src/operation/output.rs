//! The output of an operation, before a surface writes it.

use super::{Effect, Operation};
use crate::exit::Exit;
use crate::output::{Text, json};
use serde::Serialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::io;
use toolscout_core::change::PlannedChange;
use toolscout_core::redact;

/// The output of an operation, with its renderings.
pub struct OperationOutput {
    /// `None` for a dry run that has only its summary to show.
    value: Option<Box<dyn Render>>,
    /// Warnings about the result.
    pub warnings: Vec<String>,
    /// Notes that explain the output.
    pub notes: Vec<String>,
    /// The exit code of the command.
    pub exit: Exit,
    /// Whether its text is data (stdout) or a confirmation (stderr).
    pub is_data: bool,
    /// The change that a dry run would have made.
    pub planned: Option<PlannedChange>,
    /// Whether known secrets are hidden. The result of a tool is not redacted.
    is_redacted: bool,
}

impl OperationOutput {
    pub(super) fn from_output<W: 'static, T: Operation<W>>(output: T::Output) -> Self {
        let (exit, is_data, planned) =
            (T::exit(&output), T::is_data(&output), T::planned(&output).cloned());
        let (warnings, notes) = (T::warnings(&output).to_vec(), T::notes(&output));
        let is_redacted = !matches!(T::SPEC.effect, Effect::Call);
        let value: Box<dyn Render> = Box::new(Typed {
            output,
            text: T::text,
            message: T::message,
            write_json: T::write_json,
        });
        Self { value: Some(value), warnings, notes, exit, is_data, planned, is_redacted }
    }

    /// The output of a dry run that has only its summary to show.
    pub(super) fn dry_run(change: PlannedChange) -> Self {
        let (warnings, notes, planned) = (Vec::new(), Vec::new(), Some(change));
        Self {
            value: None,
            warnings,
            notes,
            exit: Exit::Done,
            is_data: false,
            planned,
            is_redacted: true,
        }
    }

    /// Whether there is more than the summary of a dry run.
    pub fn has_value(&self) -> bool {
        self.value.is_some()
    }

    /// As compact JSON.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let json = match (&self.planned, &self.value) {
            (None, Some(value)) => value.json()?,
            _ => serde_json::to_vec(&self.dry_run_json()?)?,
        };
        if self.is_redacted { redacted(json) } else { Ok(json) }
    }

    /// Writes the `--json` output of a command, indented.
    pub fn write_json(&self, writer: &mut dyn io::Write) -> io::Result<()> {
        let write = |writer: &mut dyn io::Write| match (&self.planned, &self.value) {
            (None, Some(value)) => value.write_json(writer),
            _ => json::write(writer, &self.dry_run_json()?),
        };
        if !self.is_redacted || !redact::has_known_secrets() {
            return write(writer);
        }
        let mut text = Vec::new();
        write(&mut text)?;
        match redacted_value(&text)? {
            Some(value) => json::write(writer, &value),
            None => writer.write_all(&text),
        }
    }

    /// The data and the message, as text for people.
    pub fn text(&self, text: &Text) -> String {
        self.data(text) + &self.message(text)
    }

    /// The data as text, without the message.
    pub fn data(&self, text: &Text) -> String {
        let text = self.value.as_ref().map(|value| value.text(text)).unwrap_or_default();
        if self.is_redacted { redact::known_secrets(&text).into_owned() } else { text }
    }

    /// The confirmation that follows the text, and the summary of a dry run.
    pub fn message(&self, text: &Text) -> String {
        let message = self.value.as_ref().map(|value| value.message(text)).unwrap_or_default();
        let planned = self.planned.as_ref().map(|change| format!("Would {}\n", change.summary));
        redact::known_secrets(&(message + &planned.unwrap_or_default())).into_owned()
    }

    /// The planned change, merged with the operation's own output for it.
    fn dry_run_json(&self) -> serde_json::Result<Map<String, Value>> {
        let mut all = Map::new();
        if let Some(PlannedChange { kind, subject, action, summary }) = &self.planned {
            let fields = [
                ("kind", kind.as_str()),
                ("subject", subject),
                ("action", action),
                ("would", summary),
            ];
            all.insert("dryRun".to_owned(), true.into());
            all.extend(fields.map(|(name, value)| (name.to_owned(), value.into())));
        }
        if let Some(value) = &self.value {
            all.extend(serde_json::from_slice::<Map<String, Value>>(&value.json()?)?);
        }
        Ok(all)
    }
}

/// Replaces known secrets in JSON.
pub(super) fn redacted(json: Vec<u8>) -> serde_json::Result<Vec<u8>> {
    match redacted_value(&json)? {
        Some(value) => serde_json::to_vec(&value),
        None => Ok(json),
    }
}

/// The value with known secrets replaced; `None` if it contains none. Only strings change, so
/// that the result stays valid JSON.
fn redacted_value(json: &[u8]) -> serde_json::Result<Option<Value>> {
    if !redact::has_known_secrets() {
        return Ok(None);
    }
    match redact::known_secrets(&String::from_utf8_lossy(json)) {
        Cow::Borrowed(_) => Ok(None),
        Cow::Owned(_) => Ok(Some(without_secrets(serde_json::from_slice(json)?))),
    }
}

fn without_secrets(value: Value) -> Value {
    match value {
        Value::String(text) => redact::known_secrets(&text).into_owned().into(),
        Value::Array(items) => items.into_iter().map(without_secrets).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (String, Value)| {
                (redact::known_secrets(&name).into_owned(), without_secrets(value))
            };
            fields.into_iter().map(field).collect()
        }
        other => other,
    }
}

pub(super) trait Render: Send {
    fn json(&self) -> serde_json::Result<Vec<u8>>;
    fn write_json(&self, writer: &mut dyn io::Write) -> io::Result<()>;
    fn text(&self, text: &Text) -> String;
    fn message(&self, text: &Text) -> String;
}

/// An output with its rendering functions.
pub(super) struct Typed<T> {
    pub(super) output: T,
    pub(super) text: fn(&T, &Text) -> String,
    pub(super) message: fn(&T, &Text) -> String,
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

    fn message(&self, text: &Text) -> String {
        (self.message)(&self.output, text)
    }
}
