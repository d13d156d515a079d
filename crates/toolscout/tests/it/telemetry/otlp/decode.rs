//! Reads protocol buffers by their wire format alone, and OTLP's messages by the numbers of their fields, as the specification
//! has them. Shares nothing with what writes them.

use serde_json::{Map, Value, json};

/// A field of any message.
enum Field<'a> {
    Number(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    Fixed32,
}

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

/// `ExportTraceServiceRequest.resource_spans[].scope_spans[].spans[]`.
pub(in super::super) fn spans(request: &[u8]) -> Vec<Span> {
    let of_resource = inner(request, 1);
    let of_scope: Vec<_> = of_resource.iter().flat_map(|it| inner(it, 2)).collect();
    of_scope.iter().flat_map(|it| inner(it, 2)).map(span).collect()
}

/// The attributes of the first resource.
pub(in super::super) fn resource(request: &[u8]) -> Map<String, Value> {
    let of_resource = inner(request, 1);
    attributes(inner(of_resource[0], 1)[0], 1)
}

fn span(bytes: &[u8]) -> Span {
    let status = inner(bytes, 15).first().and_then(|it| number(it, 3)).unwrap_or_default();
    Span {
        trace: hex(inner(bytes, 1)[0]),
        id: hex(inner(bytes, 2)[0]),
        parent: inner(bytes, 4).first().map(|it| hex(it)),
        name: text(inner(bytes, 5)[0]),
        kind: number(bytes, 6).unwrap_or_default(),
        start: fixed(bytes, 7),
        end: fixed(bytes, 8),
        attributes: attributes(bytes, 9),
        status,
    }
}

fn attributes(bytes: &[u8], field: u64) -> Map<String, Value> {
    let pairs = inner(bytes, field);
    pairs.iter().map(|it| (text(inner(it, 1)[0]), value(inner(it, 2)[0]))).collect()
}

fn value(bytes: &[u8]) -> Value {
    let fields = fields(bytes);
    let [(number, field)] = &fields[..] else { panic!("not one value in {bytes:?}") };
    match (number, field) {
        (1, Field::Bytes(it)) => json!(text(it)),
        (2, Field::Number(it)) => json!(*it == 1),
        (3, Field::Number(it)) => json!(*it as i64),
        (4, Field::Fixed64(it)) => json!(f64::from_bits(*it)),
        (5, Field::Bytes(it)) => inner(it, 1).into_iter().map(value).collect(),
        _ => panic!("no value of field {number}"),
    }
}

fn inner(bytes: &[u8], wanted: u64) -> Vec<&[u8]> {
    let of = |(number, field)| match field {
        Field::Bytes(it) if number == wanted => Some(it),
        _ => None,
    };
    fields(bytes).into_iter().filter_map(of).collect()
}

fn number(bytes: &[u8], wanted: u64) -> Option<u64> {
    fields(bytes).into_iter().find_map(|it| match it {
        (number, Field::Number(value)) if number == wanted => Some(value),
        _ => None,
    })
}

fn fixed(bytes: &[u8], wanted: u64) -> u64 {
    let found = fields(bytes).into_iter().find_map(|it| match it {
        (number, Field::Fixed64(value)) if number == wanted => Some(value),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no field {wanted} in {bytes:?}"))
}

fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Number(varint(&mut bytes)),
            1 => Field::Fixed64(u64::from_le_bytes(take(&mut bytes, 8).try_into().expect("eight bytes"))),
            2 => {
                let length = usize::try_from(varint(&mut bytes)).expect("a length");
                Field::Bytes(take(&mut bytes, length))
            }
            5 => {
                take(&mut bytes, 4);
                Field::Fixed32
            }
            other => panic!("no wire type: {other}"),
        };
        all.push((key >> 3, field));
    }
    all
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(count);
    *bytes = rest;
    taken
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(bytes, 1)[0];
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("texts are UTF-8")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}
