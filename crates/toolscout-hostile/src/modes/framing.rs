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
        "Prints a banner, empty lines, log lines and unrelated JSON between messages.",
        "Skip and count them, with at most one warning; everything works.",
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
        "Prints log text before the response to `tools/list`, on the same line.",
        "Lose only that response; never search the line for a `{`.",
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
        "Truncates the response to `tools/list`, with a proper end of line.",
        "Report an error of this server; do not crash; keep the previous list.",
        Acts {
            list: |request| {
                request.line(format!(
                    r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[{{"name":"ec"#,
                    request.id()
                ))
            },
            ..HONEST
        },
    ),
    both(
        "invalid_utf8",
        "Sends the bytes FF FE C0 AF in a description.",
        "Refuse the message or replace the bytes, consistently; never forward them.",
        Acts { list: invalid_utf8, ..HONEST },
    ),
    stdio(
        "bom_crlf",
        "Sends a byte order mark before the first message, and CR LF line ends.",
        "Accept both.",
        Acts { frame: bom_crlf, ..HONEST },
    ),
    stdio(
        "pretty_json",
        "Spreads the response to `tools/list` over many lines.",
        "Fail that request; the next call works.",
        Acts {
            list: |request| {
                request.line(format!(
                    "{:#}",
                    request.answer(request.tool_list(request.server.tools()))
                ))
            },
            ..HONEST
        },
    ),
    stdio(
        "no_newline",
        "Answers `tools/list` with --size bytes (1 GiB) without a newline.",
        "Close the connection at the size limit; never buffer twice that.",
        Acts {
            list: |request| {
                request.flood(&[b'A'; MIB], request.server.options.size.unwrap_or(1024 * MIB))
            },
            ..HONEST
        },
    ),
    both(
        "huge_line",
        "Answers `tools/list` with a valid response of --size bytes (256 MiB).",
        "Close the connection at the size limit; release the memory.",
        Acts { list: huge_line, ..HONEST },
    ),
    both(
        "many_tools",
        "Lists --count tools (200 000) on one page.",
        "Apply the limits, with a warning; search stays fast.",
        Acts { list: many_tools, ..HONEST },
    ),
    both(
        "deep_json",
        "Sends an input schema of --count (100 000) nested arrays and objects.",
        "Limit the depth; no recursion overflows the stack.",
        Acts { list: deep_json, ..HONEST },
    ),
    both(
        "deep_edge",
        "Sends a message of 125 levels, too deep for a parser once it is wrapped.",
        "Refuse it on arrival, or be able to parse it in every later step.",
        Acts { list: deep_edge, ..HONEST },
    ),
    both(
        "batch",
        "Answers `tools/list` with an array of one message.",
        "Accept or refuse it, consistently; do not wait beyond the deadline.",
        Acts {
            list: |request| {
                request.line(
                    json!([request.answer(request.tool_list(request.server.tools()))]).to_string(),
                )
            },
            ..HONEST
        },
    ),
    stdio(
        "two_on_line",
        "Sends two responses on one line; the second has a tool `smuggled`.",
        "Refuse the whole line.",
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
    let tools: Vec<Value> = (0..count)
        .map(|index| plain(&format!("t{index:06}"), &format!("tool number {index}")))
        .collect();
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
