//! Marks what a client sends back with the replica that it belongs to: ids of reverse requests and
//! events, handles of results, states of suspended requests.

/// The length of a replica id, in hexadecimal digits.
const ID_LENGTH: usize = 32;

/// The text, marked with this replica; unchanged outside a fleet.
pub(super) fn tagged(replica: Option<&str>, text: &str) -> String {
    match replica {
        Some(replica) => format!("{replica}.{text}"),
        None => text.to_owned(),
    }
}

/// The replica of a marked text, and the text without the mark.
pub(super) fn split(tagged: &str) -> (Option<&str>, &str) {
    let is_id = |id: &str| id.len() == ID_LENGTH && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    match tagged.split_once('.') {
        Some((replica, text)) if is_id(replica) => (Some(replica), text),
        _ => (None, tagged),
    }
}
