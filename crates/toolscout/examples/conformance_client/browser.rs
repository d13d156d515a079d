//! A browser whose person agrees to everything: asks for an address, and says where it is sent on to.

use std::io::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Where this address leads. The suite's login pages are on this machine, and ask nobody anything.
pub(crate) async fn follow(address: &str) -> Result<String, Error> {
    let rest =
        address.strip_prefix("http://").ok_or_else(|| Error::other("not a page of the suite"))?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(host).await?;
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let lines = answer.lines().take_while(|it| !it.is_empty());
    let place = lines
        .filter_map(|it| it.split_once(": "))
        .find(|(name, _)| name.eq_ignore_ascii_case("location"));
    place
        .map(|(_, value)| value.to_owned())
        .ok_or_else(|| Error::other(format!("sent nowhere: {answer}")))
}
