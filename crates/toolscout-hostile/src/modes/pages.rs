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
        "Every page has the same tools and the next cursor `again`.",
        "Sees the circle after 2 requests, has each tool once, and says why it stopped.",
        Acts { list: |it| it.reply(it.page(it.server.tools(), "again")), ..HONEST },
    ),
    both(
        "cursor_endless",
        "Every page has ten new tools and a new cursor.",
        "Stops at a limit; never publishes the part it has as the whole.",
        Acts { list: cursor_endless, ..HONEST },
    ),
    both(
        "cursor_empty_ok",
        "The next cursor of page one is the empty string, and leads to page two.",
        "Finds `page1` and `page2`: an empty cursor is a cursor.",
        Acts {
            list: |it| match it.cursor() {
                None => it.reply(it.page([plain("page1", "x")].to_vec(), "")),
                Some(_) => it.reply(it.tool_list([plain("page2", "x")].to_vec())),
            },
            ..HONEST
        },
    ),
    both(
        "cursor_empty_loop",
        "Every page has the same tools and an empty next cursor, as old servers have it.",
        "Stops at the first repetition; the tools are usable.",
        Acts { list: |it| it.reply(it.page(it.server.tools(), "")), ..HONEST },
    ),
    both(
        "cursor_huge",
        "The next cursor has 8 MiB; page two is the last.",
        "Has a limit for cursors, and never logs one whole.",
        Acts { list: |it| two_pages(it, &"c".repeat(8 * MIB)), ..HONEST },
    ),
    both(
        "cursor_type",
        "The next cursor is 7, {}, [], false, null, in turn.",
        "Takes all but null for an error; null is the end.",
        Acts { list: cursor_type, ..HONEST },
    ),
    both(
        "page_error",
        "Page one is fine, page two is an error.",
        "Publishes all or nothing: `page1` alone is not the list.",
        Acts {
            list: |it| match it.cursor() {
                Some(cursor) if !cursor.is_empty() => it.error(-32603, "the database is locked"),
                _ => it.reply(it.page([plain("page1", "x")].to_vec(), "2")),
            },
            ..HONEST
        },
    ),
    both(
        "ttl_extreme",
        "`ttlMs` is 1e300, -1, the largest signed and more than the largest unsigned integer, 0.5, a string, true, in turn.",
        "Brings it into bounds; no arithmetic overflows.",
        Acts { list: ttl_extreme, ..HONEST },
    ),
];

fn cursor_endless(request: &ClientRequest) -> Sent {
    let page: usize = request.cursor().and_then(|it| it.get(1..)?.parse().ok()).unwrap_or(0);
    let tools: Vec<Value> = (0..10).map(|it| plain(&format!("p{page}_{it}"), "x")).collect();
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
