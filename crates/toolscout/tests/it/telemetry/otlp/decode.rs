//! Reads OTLP's requests in their JSON form, by the names the specification gives. Shares nothing with what writes them.

use serde_json::{Map, Value, json};

#[derive(Debug)]
pub(in super::super) struct Span {
    pub(in super::super) trace: String,
    pub(in super::super) id: String,
    pub(in super::super) parent: Option<String>,
    pub(in super::super) name: String,
    pub(in super::super) kind: u64,
    pub(in super::super) start: u64,
    pub(in super::super) end: u64,
    pub(in super::super) attributes: Map<String, Value>,
    pub(in super::super) status: u64,
}

/// `ExportTraceServiceRequest.resourceSpans[].scopeSpans[].spans[]`.
pub(in super::super) fn spans(request: &[u8]) -> Vec<Span> {
    let request: Value = serde_json::from_slice(request).expect("JSON");
    let of_scope =
        items(&request["resourceSpans"]).iter().flat_map(|item| items(&item["scopeSpans"]));
    of_scope.flat_map(|of_scope| items(&of_scope["spans"])).map(span).collect()
}

/// The attributes of the first resource.
pub(in super::super) fn resource(request: &[u8]) -> Map<String, Value> {
    let request: Value = serde_json::from_slice(request).expect("JSON");
    attributes(&request["resourceSpans"][0]["resource"]["attributes"])
}

fn span(span: &Value) -> Span {
    let text = |name: &str| {
        span[name].as_str().unwrap_or_else(|| panic!("no text `{name}` in {span}")).to_owned()
    };
    let time = |name: &str| text(name).parse().expect("nanoseconds, as a text");
    Span {
        trace: text("traceId"),
        id: text("spanId"),
        parent: span["parentSpanId"].as_str().map(str::to_owned),
        name: text("name"),
        kind: span["kind"].as_u64().expect("a number"),
        start: time("startTimeUnixNano"),
        end: time("endTimeUnixNano"),
        attributes: attributes(&span["attributes"]),
        status: span["status"]["code"].as_u64().unwrap_or_default(),
    }
}

fn attributes(list: &Value) -> Map<String, Value> {
    let pair =
        |inner: &Value| (inner["key"].as_str().expect("a key").to_owned(), value(&inner["value"]));
    items(list).iter().map(pair).collect()
}

fn value(any: &Value) -> Value {
    let fields: Vec<_> = any.as_object().expect("an object").iter().collect();
    let [(name, inner)] = fields[..] else { panic!("not one value in {any}") };
    match name.as_str() {
        "stringValue" | "boolValue" | "doubleValue" => inner.clone(),
        "intValue" => json!(inner.as_str().expect("a text").parse::<i64>().expect("a number")),
        "arrayValue" => items(&inner["values"]).iter().map(value).collect(),
        other => panic!("not a value: {other}"),
    }
}

fn items(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}
