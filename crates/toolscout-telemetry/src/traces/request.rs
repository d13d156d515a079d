//! The request that contains spans: OTLP's `ExportTraceServiceRequest` in its JSON form.

use super::attributes::Attributes;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// `SPAN_KIND_INTERNAL`.
const INTERNAL: u8 = 1;
/// `STATUS_CODE_ERROR`.
const STATUS_ERROR: u8 = 2;

/// One span, ready to be sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ExportedSpan {
    pub(super) trace: [u8; 16],
    pub(super) id: [u8; 8],
    pub(super) parent: Option<[u8; 8]>,
    pub(super) name: &'static str,
    /// Nanoseconds since 1970.
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) attributes: Attributes,
    /// Why it failed, if it did.
    pub(super) error: Option<String>,
}

/// The body of a request with these spans. `resource` describes this process.
pub(super) fn request(resource: &Attributes, spans: &[ExportedSpan]) -> Vec<u8> {
    let scope = json!({"name": "toolscout", "version": env!("CARGO_PKG_VERSION")});
    let spans: Vec<Value> = spans.iter().map(ExportedSpan::to_json).collect();
    let of_resource = json!({
        "resource": {"attributes": resource.to_json()},
        "scopeSpans": [{"scope": scope, "spans": spans}],
    });
    json!({"resourceSpans": [of_resource]}).to_string().into_bytes()
}

impl ExportedSpan {
    fn to_json(&self) -> Value {
        let mut span = json!({
            "traceId": hex(&self.trace),
            "spanId": hex(&self.id),
            "name": self.name,
            "kind": INTERNAL,
            "startTimeUnixNano": self.start.to_string(),
            "endTimeUnixNano": self.end.to_string(),
            "attributes": self.attributes.to_json(),
        });
        if let Some(parent) = &self.parent {
            span["parentSpanId"] = hex(parent).into();
        }
        if let Some(error) = &self.error {
            span["status"] = json!({"message": error, "code": STATUS_ERROR});
        }
        span
    }
}

/// Encodes an id. OTLP's JSON form uses hexadecimal ids, not base64.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
