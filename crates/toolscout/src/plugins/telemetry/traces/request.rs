//! The request that carries spans: OTLP's `ExportTraceServiceRequest`, field by field.

use super::attributes::{Attributes, Value};
use super::protobuf::Message;
use std::borrow::Cow;
use toolscout_core::redact;

/// Something that was done on our side of the wire.
const INTERNAL: u64 = 1;
const STATUS_ERROR: u64 = 2;

/// One span, ready to be written.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Span {
    pub(super) trace: [u8; 16],
    pub(super) id: [u8; 8],
    pub(super) parent: Option<[u8; 8]>,
    pub(super) name: &'static str,
    /// Nanoseconds since 1970.
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) attributes: Attributes,
    /// Why it failed, where it did.
    pub(super) error: Option<String>,
}

/// The request with these spans, of a process that is described by `resource`.
pub(super) fn request(resource: &Attributes, spans: &[Span]) -> Vec<u8> {
    let resource = Message::default().messages(1, pairs(resource));
    let scope = Message::default().text(1, "toolscout").text(2, env!("CARGO_PKG_VERSION"));
    let of_scope = Message::default().message(1, scope).messages(2, spans.iter().map(span));
    let of_resource = Message::default().message(1, resource).message(2, of_scope);
    Message::default().message(1, of_resource).into_bytes()
}

fn span(span: &Span) -> Message {
    let message = Message::default()
        .bytes(1, &span.trace)
        .bytes(2, &span.id)
        .bytes(4, span.parent.as_ref().map_or(&[], |it| it.as_slice()))
        .text(5, span.name)
        .number(6, INTERNAL)
        .fixed(7, span.start)
        .fixed(8, span.end)
        .messages(9, pairs(&span.attributes));
    match &span.error {
        Some(error) => message.message(15, Message::default().text(2, error).number(3, STATUS_ERROR)),
        None => message,
    }
}

fn pairs(attributes: &Attributes) -> impl Iterator<Item = Message> {
    attributes.iter().map(|(key, it)| Message::default().text(1, key).message(2, value(it)))
}

/// Looked at again now: what is a secret may have been found out since, as when our own headers were looked up.
fn known_to_all(text: &str) -> Cow<'_, str> {
    redact::values(text)
}

fn value(it: &Value) -> Message {
    let message = Message::default();
    match it {
        Value::Text(text) => message.piece(1, known_to_all(text).as_bytes()),
        Value::Flag(flag) => message.choice(2, u64::from(*flag)),
        Value::Whole(number) => message.choice(3, *number as u64),
        Value::Number(number) => message.fixed(4, number.to_bits()),
        Value::Texts(texts) => {
            let all = texts.iter().map(|it| Message::default().piece(1, known_to_all(it).as_bytes()));
            message.message(5, Message::default().messages(1, all))
        }
    }
}
