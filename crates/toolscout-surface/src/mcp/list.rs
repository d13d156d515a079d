//! Lists, a page at a time.

#[cfg(test)]
mod tests;

use super::exchange::Exchange;
use super::face::Entry;
use super::fault::Fault;
use super::message::quoted;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;

/// For so long a list may be taken to be as it was. It is stable, and who listens is told when it is not.
pub(super) const TTL_MS: u64 = 300_000;
/// A page ends with the entry that makes it this long, in entries or in bytes.
const ENTRIES: usize = 500;
const BYTES: usize = 1 << 20;

#[derive(Deserialize)]
struct Params {
    cursor: Option<String>,
}

pub(super) async fn tools(exchange: &Exchange) -> Result<String, Fault> {
    let cx = exchange.cx(None);
    let (view, face) = exchange.server.face(&cx).await;
    let shows_all = exchange.client.identity.shows_all;
    // Who wants to see all wants to see what others search for themselves, too.
    let with_far = match shows_all && view.delegates().next().is_some() {
        true => Some(face.list_with(&exchange.server.gateway().list_remote(&view, &cx).await)),
        false => None,
    };
    let page = page(exchange, "tools", with_far.as_deref().unwrap_or_else(|| face.list(shows_all)))?;
    // All pages of a list are one list, and whoever begins it wants to see it.
    if exchange.read::<Params>()?.cursor.is_none() {
        let count = move || face.shown(with_far.as_deref().unwrap_or_else(|| face.list(shows_all)));
        exchange.server.meter().shown(&cx, count);
    }
    Ok(cacheable(exchange, page, view.is_private()))
}

/// One page of a list that is sorted by name.
pub(super) fn page(exchange: &Exchange, key: &str, entries: &[Entry]) -> Result<String, Fault> {
    let Params { cursor } = exchange.read()?;
    let from = match cursor {
        None => 0,
        Some(cursor) => {
            let last = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|it| String::from_utf8(it).ok());
            let last = last.ok_or_else(|| Fault::invalid_params("`cursor` is none of ours"))?;
            entries.partition_point(|it| it.name <= last)
        }
    };
    Ok(written(key, &entries[from..]))
}

fn written(key: &str, entries: &[Entry]) -> String {
    let mut text = format!("{{{}:[", quoted(key));
    let mut taken = 0;
    for entry in entries {
        if taken > 0 {
            text.push(',');
        }
        text.push_str(&entry.json);
        taken += 1;
        if taken == ENTRIES || text.len() >= BYTES {
            break;
        }
    }
    text.push(']');
    if taken < entries.len() {
        let cursor = URL_SAFE_NO_PAD.encode(&entries[taken - 1].name);
        text += &format!(r#","nextCursor":"{cursor}""#);
    }
    text.push('}');
    text
}

/// A result that may be kept for a while: by everybody, or by who it is for.
pub(super) fn cacheable(exchange: &Exchange, result: String, is_private: bool) -> String {
    if !exchange.is_modern() {
        return result;
    }
    let scope = if is_private { "private" } else { "public" };
    let rest = result.strip_suffix('}').unwrap_or(&result);
    let comma = if rest.ends_with('{') { "" } else { "," };
    format!(r#"{rest}{comma}"ttlMs":{TTL_MS},"cacheScope":"{scope}"}}"#)
}
