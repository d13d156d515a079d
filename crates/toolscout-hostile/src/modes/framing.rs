//! Bytes that are not lines, lines that are not messages, and messages that are too large or too
//! deep.

use super::{MIB, Mode, both, stdio};
use crate::honest;
use crate::honest::HONEST;
use crate::protocol::plain;
use crate::server::acts::Acts;
use crate::server::request::{ClientRequest, Sent};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

pub(super) const MODES: &[Mode] = &[
    stdio(
        "noise",
        "A banner, empty lines, log lines, and JSON that is no message, before and between proper messages.",
        "Skips and counts them, with one warning at most; everything works.",
        Acts {
            start: |server| server.write(NOISE),
            list: |request| {
                request.raw(NOISE)?;
                honest::list(request)?;
                request.raw(NOISE)
            },
            call: |request| {
                request.raw(NOISE)?;
                honest::call(request)
            },
            ..HONEST
        },
    ),
    stdio(
        "noise_same_line",
        "Log text right before the answer to `tools/list`, on the same line.",
        "Loses that answer and no other; never looks for a `{` to mend the line.",
        Acts {
            list: |request| {
                request.raw("INFO now listing ")?;
                honest::list(request)
            },
            ..HONEST
        },
    ),
    both(
        "invalid_json",
        "Cuts the answer to `tools/list` in the middle, and ends the line properly.",
        "Blames this server; does not crash; the last good list stays.",
        Acts {
            list: |it| {
                it.line(format!(
                    r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[{{"name":"ec"#,
                    it.id()
                ))
            },
            ..HONEST
        },
    ),
    both(
        "invalid_utf8",
        "Bytes FF FE C0 AF in a description.",
        "Refuses the message or replaces the bytes, always the same way; never hands them on.",
        Acts { list: invalid_utf8, ..HONEST },
    ),
    stdio(
        "bom_crlf",
        "A byte order mark before the first message; lines end with CR LF.",
        "Does not mind.",
        Acts { frame: bom_crlf, ..HONEST },
    ),
    stdio(
        "pretty_json",
        "Spreads the answer to `tools/list` over many lines.",
        "Fails that request; is not out of step afterwards: the next call works.",
        Acts {
            list: |it| it.line(format!("{:#}", it.answer(it.tool_list(it.server.tools())))),
            ..HONEST
        },
    ),
    stdio(
        "no_newline",
        "Answers `tools/list` with --size bytes (1 GiB) without a newline.",
        "Closes the server at the limit for a line, and never holds twice that.",
        Acts {
            list: |it| it.flood(&[b'A'; MIB], it.server.options.size.unwrap_or(1024 * MIB)),
            ..HONEST
        },
    ),
    both(
        "huge_line",
        "A proper answer to `tools/list` of --size bytes (256 MiB), nearly all of it one description.",
        "As for no_newline; gives the memory back.",
        Acts { list: huge_line, ..HONEST },
    ),
    both(
        "many_tools",
        "--count (200 000) tools on one page.",
        "Takes as many as the limit says, with a warning; search stays fast.",
        Acts { list: many_tools, ..HONEST },
    ),
    both(
        "deep_json",
        "An input schema --count (100 000) arrays and as many objects deep.",
        "Has a limit for depth, and no recursion that overflows the stack.",
        Acts { list: deep_json, ..HONEST },
    ),
    both(
        "deep_edge",
        "A message 125 levels deep, which parses on arrival but not once it is wrapped a few times more.",
        "Refuses it on arrival, or can still read it everywhere later: from a cache, in an answer of ours.",
        Acts { list: deep_edge, ..HONEST },
    ),
    both(
        "batch",
        "Answers `tools/list` with an array of one message.",
        "Takes or refuses it, always the same way, and does not wait longer than the deadline.",
        Acts {
            list: |it| it.line(json!([it.answer(it.tool_list(it.server.tools()))]).to_string()),
            ..HONEST
        },
    ),
    stdio(
        "two_on_line",
        "Two answers on one line; the second has a tool `smuggled`.",
        "Refuses the line as a whole.",
        Acts { list: two_on_line, ..HONEST },
    ),
];

const NOISE: &[u8] =
    b"Welcome to server 1.0\n\n\r\n[INFO] listening since noon\n42\n\"text\"\nnull\n\
    {\"level\":\"info\",\"msg\":\"hello\"}\n[1,2]\n";

fn invalid_utf8(request: &ClientRequest) -> Sent {
    let line = request
        .tool_list_text(r#"[{"name":"echo","description":"@","inputSchema":{"type":"object"}}]"#);
    let (before, after) = line.split_once('@').unwrap_or_default();
    request.line([before.as_bytes(), b"\xff\xfe \xc0\xaf", after.as_bytes()].concat())
}

fn bom_crlf(server: &crate::server::HostileServer, message: &[u8]) -> Vec<u8> {
    let is_first = !server.memory.flag.swap(true, Ordering::SeqCst);
    let mark: &[u8] = if is_first { b"\xef\xbb\xbf" } else { b"" };
    [mark, message, b"\r\n"].concat()
}

fn huge_line(request: &ClientRequest) -> Sent {
    let line = request
        .tool_list_text(r#"[{"name":"big","inputSchema":{"type":"object"},"description":"@"}]"#);
    let (before, after) = line.split_once('@').unwrap_or_default();
    request.raw(before)?;
    request.flood(&[b'A'; MIB], request.server.options.size.unwrap_or(256 * MIB))?;
    request.line(after)
}

fn many_tools(request: &ClientRequest) -> Sent {
    let count = request.server.options.count.unwrap_or(200_000);
    let tools: Vec<Value> =
        (0..count).map(|it| plain(&format!("t{it:06}"), &format!("tool number {it}"))).collect();
    request.reply(request.tool_list(tools))
}

fn deep_json(request: &ClientRequest) -> Sent {
    let depth = request.server.options.count.unwrap_or(100_000);
    let (open, close) = (r#"[{"a":"#.repeat(depth), "}]".repeat(depth));
    let tools =
        format!(r#"[{{"name":"deep","inputSchema":{{"type":"object","x":{open}1{close}}}}}]"#);
    request.line(request.tool_list_text(&tools))
}

fn deep_edge(request: &ClientRequest) -> Sent {
    let (open, close) = ("[".repeat(120), "]".repeat(120));
    let fine = plain("ok", "x");
    let deep = format!(
        r#"{{"name":"deep120","inputSchema":{{"type":"object","default":{open}{close}}}}}"#
    );
    request.line(request.tool_list_text(&format!("[{fine},{deep}]")))
}

fn two_on_line(request: &ClientRequest) -> Sent {
    let mut tools = request.server.tools();
    let first = request.answer(request.tool_list(tools.clone()));
    tools.push(plain("smuggled", "x"));
    let second = request.answer(request.tool_list(tools));
    request.line(format!("{first}{second}"))
}
