//! Paginated lists.

#[cfg(test)]
mod tests;

use super::client_view::ListEntry;
use super::exchange::Exchange;
use super::first_requests::FirstRequest;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use toolscout_core::jsonrpc::RpcError;
use toolscout_core::jsonrpc::quoted;

/// How long a client may cache a list, in milliseconds. Clients that listen are notified when it
/// changes.
pub(super) const TTL_MS: u64 = 300_000;
/// A page ends with the entry that reaches this number of bytes, or the page size.
const MAX_BYTES: usize = 1 << 20;

#[derive(Deserialize)]
struct Params {
    cursor: Option<String>,
}

pub(super) async fn tools(exchange: &Exchange) -> Result<String, RpcError> {
    let cx = exchange.cx(None);
    exchange.wait_for_loading(FirstRequest::List).await;
    let (view, client_view) = exchange.server.client_view(&cx).await;
    let shows_all = exchange.client.identity.shows_all;
    // A client that wants to see all also sees the tools of remote gateways.
    let with_remote = if shows_all && view.remote_gateways().next().is_some() {
        Some(client_view.list_with_remote(&exchange.server.gateway.list_remote(&view, &cx).await))
    } else {
        None
    };
    let page = page(
        exchange,
        "tools",
        with_remote.as_deref().unwrap_or_else(|| client_view.list(shows_all)),
    )?;
    // The first page counts for all pages of a list.
    if exchange.parse_params::<Params>()?.cursor.is_none() {
        let count = move || {
            client_view
                .context_use(with_remote.as_deref().unwrap_or_else(|| client_view.list(shows_all)))
        };
        exchange.server.meter.record(&cx, count);
    }
    Ok(cacheable(exchange, page).await)
}

/// Renders one page of a list that is sorted by name.
pub(super) fn page(
    exchange: &Exchange,
    key: &str,
    entries: &[ListEntry],
) -> Result<String, RpcError> {
    let Params { cursor } = exchange.parse_params()?;
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let last =
                URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|value| String::from_utf8(value).ok());
            let last = last.ok_or_else(|| RpcError::invalid_params("`cursor` is invalid"))?;
            entries.partition_point(|entry| entry.name <= last)
        }
    };
    Ok(render_page(key, &entries[start..], exchange.server.options.page_size))
}

fn render_page(key: &str, entries: &[ListEntry], page_size: usize) -> String {
    let mut text = format!("{{{}:[", quoted(key));
    let mut count = 0;
    for entry in entries {
        if count > 0 {
            text.push(',');
        }
        text.push_str(&entry.json);
        count += 1;
        if count >= page_size || text.len() >= MAX_BYTES {
            break;
        }
    }
    text.push(']');
    if count < entries.len() {
        let cursor = URL_SAFE_NO_PAD.encode(&entries[count - 1].name);
        text += &format!(r#","nextCursor":"{cursor}""#);
    }
    text.push('}');
    text
}

/// Adds how long a result may be cached, and whether it is private to this client.
pub(super) async fn cacheable(exchange: &Exchange, result: String) -> String {
    if !exchange.is_modern() {
        return result;
    }
    let view = exchange.server.gateway.view(&exchange.cx(None)).await;
    let scope = if view.is_private() { "private" } else { "public" };
    let rest = result.strip_suffix('}').unwrap_or(&result);
    let comma = if rest.ends_with('{') { "" } else { "," };
    format!(r#"{rest}{comma}"ttlMs":{TTL_MS},"cacheScope":"{scope}"}}"#)
}
