//! A host and perhaps a port, as `Host` and `Origin` name them; whatever could be read in two ways is none.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A host and perhaps a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Authority {
    pub(super) host: Host,
    pub(super) port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Host {
    /// In lower case.
    Name(String),
    Ip(IpAddr),
}

impl Authority {
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(rest) = text.strip_prefix('[') {
            let (address, port) = rest.split_once(']')?;
            let host = Host::Ip(IpAddr::V6(address.parse::<Ipv6Addr>().ok()?));
            return match port {
                "" => Some(Self { host, port: None }),
                port => Some(Self { host, port: Some(parse_port(port.strip_prefix(':')?)?) }),
            };
        }
        let (host, port) = match text.split_once(':') {
            Some((host, port)) => (host, Some(parse_port(port)?)),
            None => (text, None),
        };
        Some(Self { host: Host::parse(host)?, port })
    }
}

impl Host {
    fn parse(text: &str) -> Option<Self> {
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Some(Self::Ip(IpAddr::V4(address)));
        }
        let is_label = |label: &str| {
            !label.is_empty() && label.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-' || it == b'_')
        };
        // No end in a dot: it is the same host to a resolver, and another one to a browser.
        (text.len() <= 253 && text.split('.').all(is_label)).then(|| Self::Name(text.to_ascii_lowercase()))
    }

    /// The ways to name this very computer that no name server has a say in.
    pub(super) fn is_loopback(&self) -> bool {
        match self {
            Self::Name(name) => name == "localhost",
            Self::Ip(address) => [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)].contains(address),
        }
    }
}

/// Digits and nothing else: `+80` is a number to us, and to nobody else.
fn parse_port(text: &str) -> Option<u16> {
    let is_number = !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}
