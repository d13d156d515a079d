//! Hosts and origins from the headers `Host` and `Origin`. An ambiguous text is rejected.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A host, with a port or without.
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
            !label.is_empty()
                && label
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        };
        // No dot at the end: resolvers ignore it, but browsers do not.
        (text.len() <= 253 && text.split('.').all(is_label))
            .then(|| Self::Name(text.to_ascii_lowercase()))
    }

    /// Whether it names this machine without a DNS lookup.
    pub(super) fn is_loopback(&self) -> bool {
        match self {
            Self::Name(name) => name == "localhost",
            Self::Ip(address) => {
                [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)].contains(address)
            }
        }
    }
}

/// Digits only: Rust parses `+80` as a number, but other programs do not.
fn parse_port(text: &str) -> Option<u16> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// The origin of a web page that makes a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// A web page. Without a port, the default port of the scheme applies.
    Web { is_secure: bool, authority: Authority },
    /// Another program that shows pages, such as an editor; in lower case.
    Other(String),
}

impl Origin {
    /// Parses an origin. `null` is not an origin: every page can claim it.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let (scheme, rest) = text.split_once("://")?;
        let is_secure = match scheme {
            "http" => false,
            "https" => true,
            _ => return is_other_origin(scheme, rest).then_some(Self::Other(text)),
        };
        let mut authority = Authority::parse(rest)?;
        authority.port.get_or_insert(if is_secure { 443 } else { 80 });
        Some(Self::Web { is_secure, authority })
    }

    /// Whether a page of this origin that sends a request to this host is on the same origin.
    pub(super) fn is_same(&self, host: &Authority) -> bool {
        let Self::Web { is_secure, authority } = self else { return false };
        let default_port = if *is_secure { 443 } else { 80 };
        authority.host == host.host && authority.port == Some(host.port.unwrap_or(default_port))
    }
}

fn is_other_origin(scheme: &str, rest: &str) -> bool {
    let has_only = |text: &str, extra: &[u8]| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || extra.contains(&byte))
    };
    let is_scheme =
        scheme.starts_with(|first: char| first.is_ascii_alphabetic()) && has_only(scheme, b"+-.");
    is_scheme && !rest.is_empty() && has_only(rest, b"-._:[]")
}
