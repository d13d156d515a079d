//! An HTTP request, read from its connection.

use serde_json::{Map, Value, json};
use std::io::{self, BufRead, BufReader, Read};
use std::net::TcpStream;

/// Limits far above the lines and bodies that our clients send, in bytes.
const LONGEST_LINE: u64 = 64 << 10;
const LARGEST_BODY: u64 = 256 << 20;

/// Whether a mode has written the response itself; the connection then ends.
pub(crate) enum Answered {
    Wholly,
    NotYet,
}

/// An HTTP request as received.
pub(crate) struct PostedRequest {
    pub(crate) line: String,
    headers: Map<String, Value>,
    pub(crate) body: Vec<u8>,
    /// Headers of the response, to which a mode may add.
    pub(crate) extra: Vec<(&'static str, String)>,
}

impl PostedRequest {
    /// The next request; `None` if the client has closed the connection.
    pub(crate) fn read(input: &mut BufReader<TcpStream>) -> io::Result<Option<Self>> {
        let line = line(input)?;
        if line.is_empty() {
            return Ok(None);
        }
        let mut headers = Map::new();
        loop {
            let header = self::line(input)?;
            let Some((name, value)) = header.split_once(':') else { break };
            headers.insert(name.trim().to_lowercase(), value.trim().into());
        }
        let body = body(input, &headers)?;
        Ok(Some(Self { line, headers, body, extra: Vec::new() }))
    }

    /// The id of the request, if it is a number.
    pub(crate) fn id(&self) -> Option<u64> {
        serde_json::from_slice::<Value>(&self.body).ok()?["id"].as_u64()
    }

    pub(crate) fn method(&self) -> Option<String> {
        serde_json::from_slice::<Value>(&self.body).ok()?["method"].as_str().map(str::to_owned)
    }

    pub(crate) fn may_take_long(&self) -> bool {
        matches!(
            self.method().as_deref(),
            Some("tools/call" | "prompts/get" | "subscriptions/listen")
        )
    }

    pub(crate) fn wants_an_answer(&self) -> bool {
        // A response of the client has an id, too.
        serde_json::from_slice(&self.body)
            .map_or(true, |value: Value| value.get("id").is_some() && value.get("method").is_some())
    }

    /// The request as a log event. Credentials are removed; only their presence is logged.
    pub(crate) fn as_event(&self) -> Value {
        let mut headers = self.headers.clone();
        let has_auth = headers.remove("authorization").is_some();
        json!({ "line": self.line, "headers": headers, "has_auth": has_auth, "bytes": self.body.len() })
    }
}

/// One line without its line break; empty at the end of the headers, and of the input.
fn line(input: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = Vec::new();
    input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    Ok(String::from_utf8_lossy(&line).trim().to_owned())
}

fn body(input: &mut BufReader<TcpStream>, headers: &Map<String, Value>) -> io::Result<Vec<u8>> {
    let header = |name| headers.get(name).and_then(Value::as_str).unwrap_or("");
    let mut body = Vec::new();
    if !header("transfer-encoding").eq_ignore_ascii_case("chunked") {
        let length = header("content-length").parse().unwrap_or(0).min(LARGEST_BODY);
        input.take(length).read_to_end(&mut body)?;
        return Ok(body);
    }
    loop {
        let size = line(input)?;
        let size =
            size.split(';').next().and_then(|part| u64::from_str_radix(part.trim(), 16).ok());
        let size =
            size.ok_or_else(|| io::Error::other("a chunk without a size"))?.min(LARGEST_BODY);
        input.by_ref().take(size).read_to_end(&mut body)?;
        line(input)?;
        if size == 0 {
            return Ok(body);
        }
    }
}
