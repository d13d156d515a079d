//! Writes log events, sanitized: some contain text from servers.

use serde_json::{Map, Value};
use std::borrow::Cow;
use std::io::{self, Write};
use toolscout_core::{escape, redact};
use tracing_subscriber::fmt::MakeWriter;

/// The format of an event.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// A single line, even if the event contains line breaks.
    Line,
    Json,
}

impl Shape {
    fn safe(self, event: &str) -> String {
        let event = &*redact::known_secrets(event);
        let (event, end) = event.strip_suffix('\n').map_or((event, ""), |rest| (rest, "\n"));
        let safe = match self {
            Self::Line => escape::line(event),
            Self::Json => escape::json(&nested(event)).into_owned().into(),
        };
        format!("{safe}{end}")
    }
}

/// Fields whose text is JSON, embedded unchanged in a JSON line.
const NESTED: [&str; 3] = ["byServer", "servers", "names"];

fn nested(event: &str) -> Cow<'_, str> {
    if !NESTED.iter().any(|nested| event.contains(&format!("\"{nested}\":\""))) {
        return Cow::Borrowed(event);
    }
    let Ok(mut fields) = serde_json::from_str::<Map<String, Value>>(event) else {
        return Cow::Borrowed(event);
    };
    for name in NESTED {
        let inner = fields
            .get(name)
            .and_then(Value::as_str)
            .and_then(|text| serde_json::from_str(text).ok());
        if let Some(inner @ (Value::Object(_) | Value::Array(_))) = inner {
            fields.insert(name.to_owned(), inner);
        }
    }
    Cow::Owned(Value::Object(fields).to_string())
}

impl MakeWriter<'_> for Shape {
    type Writer = Safe<io::Stderr>;

    fn make_writer(&self) -> Self::Writer {
        Safe { shape: *self, out: io::stderr() }
    }
}

/// Receives each event in a single write.
pub(super) struct Safe<W> {
    shape: Shape,
    out: W,
}

impl<W: Write> Write for Safe<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        self.out.write_all(self.shape.safe(&String::from_utf8_lossy(event)).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line_and_steers_no_terminal() {
        assert_eq!(
            Shape::Line.safe("stderr: \u{1b}[8m\nerror: \u{202e}x\n"),
            "stderr: \\u{1b}[8m\\u{a}error: \\u{202e}x\n"
        );
        assert_eq!(Shape::Json.safe("{\"a\":\"\u{9b}\"}\n"), "{\"a\":\"\\u009b\"}\n");
        let event = "{\"event\":\"x\",\"byServer\":\"{\\\"a\\\":2}\",\"servers\":\"[oops\"}";
        assert_eq!(
            Shape::Json.safe(event),
            "{\"event\":\"x\",\"byServer\":{\"a\":2},\"servers\":\"[oops\"}"
        );
        let mut log = Safe { shape: Shape::Line, out: Vec::new() };
        log.write_all(b"\xff\x07").expect("written");
        assert_eq!(log.out, "\u{fffd}\\u{7}".as_bytes());
    }
}
