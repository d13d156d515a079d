//! Spans of W3C trace context.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

const TRACEPARENT: &str = "traceparent";

/// A span: one step of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Trace id, shared by all spans of one request.
    pub trace: [u8; 16],
    /// Span id.
    pub id: [u8; 8],
    /// Parent span id; none if the trace starts here.
    pub parent: Option<[u8; 8]>,
    /// The sampled flag set by the origin of the trace.
    pub is_sampled: bool,
}

/// The trace context among these headers: `traceparent`, `tracestate` and `baggage`; empty without
/// `traceparent`.
pub fn trace_context(headers: &[(String, String)]) -> Arc<[(String, String)]> {
    let is_trace_header = |name: &str| {
        [TRACEPARENT, "tracestate", "baggage"]
            .iter()
            .any(|header| name.eq_ignore_ascii_case(header))
    };
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(TRACEPARENT)) {
        return Arc::new([]);
    }
    let trace_headers = headers.iter().filter(|(name, _)| is_trace_header(name));
    trace_headers.map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect()
}

impl Span {
    /// A new span in the trace these headers name, or in a new trace.
    pub fn child_of(headers: &[(String, String)]) -> Self {
        let parent = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(TRACEPARENT));
        let (trace, parent, is_sampled) =
            match parent.and_then(|(_, value)| parse_traceparent(value)) {
                Some((trace, id, is_sampled)) => (trace, Some(id), is_sampled),
                None => (random(), None, true),
            };
        Self { trace, id: random(), parent, is_sampled }
    }

    /// The headers for outgoing requests, with this span as the parent.
    pub fn propagate(&self, headers: &[(String, String)]) -> Arc<[(String, String)]> {
        let others =
            headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case(TRACEPARENT)).cloned();
        std::iter::once((TRACEPARENT.to_owned(), self.to_header())).chain(others).collect()
    }

    fn to_header(self) -> String {
        let flags = u8::from(self.is_sampled);
        format!("00-{}-{}-{flags:02x}", hex(&self.trace), hex(&self.id))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads `00-<trace>-<span>-<flags>`; fields added by later versions are ignored.
fn parse_traceparent(value: &str) -> Option<([u8; 16], [u8; 8], bool)> {
    let mut parts = value.trim().split('-');
    let (version, trace, id, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_complete = version != "00" || parts.next().is_none();
    let [version] = parse_hex::<1>(version)?;
    let [flags] = parse_hex::<1>(flags)?;
    let (trace, id) = (parse_hex::<16>(trace)?, parse_hex::<8>(id)?);
    let is_valid = is_complete && version != 0xff && trace != [0; 16] && id != [0; 8];
    is_valid.then_some((trace, id, flags & 1 == 1))
}

fn parse_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let is_hex =
        text.len() == 2 * N && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let mut bytes = [0; N];
    for (at, byte) in bytes.iter_mut().enumerate().filter(|_| is_hex) {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    is_hex.then_some(bytes)
}

/// Random enough to be unique, but no secret. Never all zeros, which is not a valid id.
fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    for chunk in bytes.chunks_mut(8) {
        let number = RandomState::new().hash_one(chunk.len()).max(1);
        chunk.copy_from_slice(&number.to_be_bytes()[..chunk.len()]);
    }
    bytes
}
