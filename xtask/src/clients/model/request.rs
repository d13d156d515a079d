//! An HTTP request, as agents send them.

use anyhow::{Context, ensure};
use std::io::{BufRead, Read};

/// The maximum size of a body in bytes; agents send the whole conversation.
const LARGEST: usize = 64 << 20;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct ModelHttpRequest {
    pub(super) path: String,
    pub(super) body: Vec<u8>,
    /// False for a `HEAD` request.
    pub(super) wants_body: bool,
}

impl ModelHttpRequest {
    /// The next request; `None` at the end of the connection.
    pub(super) fn read(stream: &mut impl BufRead) -> anyhow::Result<Option<Self>> {
        let first = line(stream)?;
        if first.is_empty() {
            return Ok(None);
        }
        let mut arguments = first.split(' ');
        let (method, path) = (
            arguments.next().unwrap_or_default(),
            arguments.next().context("a request without a path")?,
        );
        let (mut length, mut is_chunked) = (0, false);
        while let Some((name, value)) = line(stream)?.split_once(':') {
            match (name.to_ascii_lowercase().as_str(), value.trim()) {
                ("content-length", value) => length = value.parse().context("a length")?,
                ("transfer-encoding", value) => is_chunked = value.eq_ignore_ascii_case("chunked"),
                ("content-encoding", value) => {
                    ensure!(value == "identity", "a body in `{value}` is not understood")
                }
                _ => {}
            }
        }
        let mut body = Vec::new();
        if is_chunked {
            while chunk(stream, &mut body)? {}
        } else {
            take(stream, length, &mut body)?
        }
        Ok(Some(Self { path: path.to_owned(), body, wants_body: method != "HEAD" }))
    }
}

/// Reads one chunk of a body; returns whether another may follow.
fn chunk(stream: &mut impl BufRead, body: &mut Vec<u8>) -> anyhow::Result<bool> {
    let head = line(stream)?;
    let size = usize::from_str_radix(head.split(';').next().unwrap_or_default().trim(), 16)
        .context("a chunk size")?;
    take(stream, size, body)?;
    line(stream)?;
    Ok(size > 0)
}

fn take(stream: &mut impl BufRead, size: usize, body: &mut Vec<u8>) -> anyhow::Result<()> {
    let before = body.len();
    ensure!(before.saturating_add(size) <= LARGEST, "a body of more than {LARGEST} bytes");
    body.resize(before + size, 0);
    stream.read_exact(&mut body[before..]).context("read a body")
}

fn line(stream: &mut impl BufRead) -> anyhow::Result<String> {
    let mut line = String::new();
    stream.take(1 << 16).read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}
