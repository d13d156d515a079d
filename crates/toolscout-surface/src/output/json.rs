//! JSON that is safe to look at: characters that steer a terminal or hide themselves are written as `\uXXXX`.
//!
//! That means the same to every program that reads it, so there is one JSON for pipes and for people.

#[cfg(test)]
mod tests;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use std::io::{self, Write};
use toolscout_core::escape;

/// Writes the value, indented. Schemas and results that are kept as their authors wrote them stay in that writing.
pub fn write(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, Safe(PrettyFormatter::new()));
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// The value, indented.
pub fn pretty(value: &impl Serialize) -> String {
    text(|out| write(out, value))
}

/// The value in one line.
pub fn compact(value: &impl Serialize) -> String {
    text(|out| value.serialize(&mut Serializer::with_formatter(out, Safe(CompactFormatter))).map_err(io::Error::from))
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    // Only a map whose keys are no texts cannot be written, and nobody has one.
    let _ = write(&mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// The formatter inside decides about lines and spaces; texts go through our hands.
struct Safe<F>(F);

impl<F: Formatter> Formatter for Safe<F> {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        out.write_all(escape::json(fragment).as_bytes())
    }

    fn write_raw_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        out.write_all(escape::json(fragment).as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}
