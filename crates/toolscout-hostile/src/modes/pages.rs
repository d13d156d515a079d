//! Paginated lists that do not end, repeat, or break off; and invalid lifetimes of lists.

use super::{MIB, Mode, both};
use crate::honest::HONEST;
use crate::protocol::plain;
use crate::server::acts::Acts;
use crate::server::request::{ClientRequest, Sent};
use serde_json::{Value, json};

pub(super) const MODES: &[Mode] = &[
    both(
        "cursor_same",
        "Returns the same tools and the cursor `again` on every page.",
        "Detect the loop after 2 requests, list each tool once, and report the reason.",
        Acts {
            list: |request| request.reply(request.page(request.server.tools(), "again")),
            ..HONEST
        },
    ),
    both(
        "cursor_endless",
        "Returns ten new tools and a new cursor on every page.",
        "Stop at a limit; never publish a partial list.",
        Acts { list: cursor_endless, ..HONEST },
    ),
    both(
        "cursor_empty_ok",
        "Returns an empty string as the cursor of page one; it leads to page two.",
        "List `page1` and `page2`: an empty cursor is a cursor.",
        Acts {
            list: |request| match request.cursor() {
                None => request.reply(request.page([plain("page1", "x")].to_vec(), "")),
                Some(_) => request.reply(request.tool_list([plain("page2", "x")].to_vec())),
            },
            ..HONEST
        },
    ),
    both(
        "cursor_empty_loop",
        "Returns the same tools and an empty cursor on every page, like some old servers.",
        "Stop at the first repetition; the tools are usable.",
        Acts { list: |request| request.reply(request.page(request.server.tools(), "")), ..HONEST },
    ),
    both(
        "cursor_huge",
        "Returns a cursor of 8 MiB; page two is the last.",
        "Limit the size of cursors, and never log a whole one.",
        Acts { list: |request| two_pages(request, &"c".repeat(8 * MIB)), ..HONEST },
    ),
    both(
        "cursor_type",
        "Returns the cursors 7, {}, [], false and null, in turn.",
        "Treat all but null as errors; null is the end.",
        Acts { list: cursor_type, ..HONEST },
    ),
    both(
        "page_error",
        "Returns page one, and an error for page two.",
        "Publish all pages or none: `page1` alone is not the list.",
        Acts {
            list: |request| match request.cursor() {
                Some(cursor) if !cursor.is_empty() => {
                    request.error(-32603, "the database is locked")
                }
                _ => request.reply(request.page([plain("page1", "x")].to_vec(), "2")),
            },
            ..HONEST
        },
    ),
    both(
        "ttl_extreme",
        "Sends `ttlMs` as 1e300, -1, huge integers, 0.5, a string and true, in turn.",
        "Clamp it; no arithmetic overflows.",
        Acts { list: ttl_extreme, ..HONEST },
    ),
];

fn cursor_endless(request: &ClientRequest) -> Sent {
    let page: usize =
        request.cursor().and_then(|cursor| cursor.get(1..)?.parse().ok()).unwrap_or(0);
    let tools: Vec<Value> = (0..10).map(|index| plain(&format!("p{page}_{index}"), "x")).collect();
    request.reply(request.page(tools, format!("c{}", page + 1)))
}

fn two_pages(request: &ClientRequest, next: &str) -> Sent {
    match request.cursor() {
        Some(cursor) if !cursor.is_empty() => {
            request.reply(request.tool_list([plain("page2", "x")].to_vec()))
        }
        _ => request.reply(request.page([plain("page1", "x")].to_vec(), next)),
    }
}

fn cursor_type(request: &ClientRequest) -> Sent {
    let cursors = [json!(7), json!({}), json!([]), json!(false), json!(null)];
    let next = cursors[request.server.memory.turn.up() % cursors.len()].clone();
    request.reply(request.page(request.server.tools(), next))
}

fn ttl_extreme(request: &ClientRequest) -> Sent {
    // As text, because not all of them are numbers that a `Value` can represent.
    const TIMES: [&str; 7] =
        ["1e300", "-1", "9223372036854775807", "18446744073709551616", "0.5", "\"60000\"", "true"];
    let time = TIMES[request.server.memory.turn.up() % TIMES.len()];
    let (id, tools) = (request.id(), Value::from(request.server.tools()));
    request.line(format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","tools":{tools},"ttlMs":{time},"cacheScope":"public"}}}}"#
    ))
}
