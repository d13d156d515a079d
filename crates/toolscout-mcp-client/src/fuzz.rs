//! Fuzz targets. Each panics if a property of the code does not hold for an input.

pub use crate::oauth::fuzz_metadata as oauth;

use crate::ToolDefinition;
use crate::http::events::{SseEventTooLarge, SseParser};
use crate::limits::Limits;
use crate::message::{self, ServerMessage};
use toolscout_core::{RawJson, SourceId, jsonrpc};

/// The largest event in the target [`sse`], in bytes.
const MAX_EVENT: usize = 256;

/// Reads a message of a server. A response to a reverse request has the id of the request.
pub fn message(bytes: &[u8]) {
    match message::read(bytes, &Limits::default()) {
        Ok(ServerMessage::Request { id, .. }) => {
            let Some(id) = message::reverse_request_id(id) else { return };
            let response = message::response(id, &Ok(RawJson::no_arguments()));
            match jsonrpc::read(response.as_bytes()) {
                Ok(jsonrpc::Message::Response { id: Some(echoed), .. }) => {
                    assert_eq!(echoed.get(), id.get());
                }
                other => panic!("the response cannot be read: {other:?}"),
            }
        }
        Ok(_) => {}
        Err(unreadable) => assert!(unreadable.request_ids.len() <= 64),
    }
}

/// Parses an event stream whole and in pieces; the first byte is the size of a piece. The events
/// are the same, and none is larger than the limit.
pub fn sse(bytes: &[u8]) {
    let Some((size, stream)) = bytes.split_first() else { return };
    let whole = events(stream, stream.len().max(1));
    let pieces = events(stream, usize::from(*size).max(1));
    assert_eq!(whole.0, pieces.0);
    assert_eq!(whole.1.is_err(), pieces.1.is_err());
}

type SseOutcome = (Vec<(String, Vec<u8>)>, Result<Option<String>, SseEventTooLarge>);

/// The events of the stream, and the last id.
fn events(stream: &[u8], size: usize) -> SseOutcome {
    let mut parser = SseParser::new(MAX_EVENT);
    let mut events = Vec::new();
    for mut piece in stream.chunks(size) {
        loop {
            match parser.next(&mut piece) {
                Err(error) => return (events, Err(error)),
                Ok(None) => break,
                Ok(Some(event)) => {
                    assert!(event.data.len() <= MAX_EVENT + 64);
                    events.push((event.name.to_owned(), event.data.to_vec()));
                }
            }
        }
    }
    let id = parser.last_id().map(str::to_owned);
    let resumed = parser.resumed();
    assert_eq!(resumed.last_id(), id.as_deref());
    (events, Ok(id))
}

/// Checks a tool definition. A valid one becomes the same tool each time, and keeps its text.
pub fn definition(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let limits = Limits { definition: 4 << 10, schema: 2 << 10, ..Limits::default() };
    let Ok(raw) = RawJson::parse(text) else { return };
    let Ok(definition) = ToolDefinition::parse(raw, &limits) else { return };
    let source = SourceId::new("fuzz").expect("a valid id");
    let tool = definition.tool(&source);
    assert_eq!(tool.digest(), definition.tool(&source).digest());
    assert_eq!(tool.id.name, definition.name);
    assert!(RawJson::parse(tool.listing("wire_name").as_str()).is_ok());
    assert!(ToolDefinition::parse(definition.raw.clone(), &limits).is_ok());
}

#[cfg(test)]
mod tests {
    use toolscout_test_support::corpus::replay;

    #[test]
    fn every_input_of_the_corpora_passes() {
        replay("message", super::message);
        replay("sse", super::sse);
        replay("definition", super::definition);
        replay("oauth", super::oauth);
    }
}
