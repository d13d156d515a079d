//! Classifies how near to this machine an address is, in every notation.

#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How near to this machine an address is; nearer ones are more sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Nearness {
    /// Reachable from everywhere.
    Public,
    /// Reachable only from this network.
    Private,
    /// Reachable only from this machine or its link: loopback, link-local neighbours, the cloud
    /// metadata service.
    Here,
}

impl Nearness {
    pub(super) fn from_ip(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(v4) => from_ipv4(v4),
            IpAddr::V6(v6) => from_ipv6(v6),
        }
    }

    /// A description for error messages.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Public => "a public address",
            Self::Private => "a private address",
            Self::Here => "a loopback or link-local address",
        }
    }
}

/// Cloud metadata services, which expose secrets, besides 169.254.169.254: Azure, Oracle, Alibaba.
const METADATA_V4: [Ipv4Addr; 3] = [
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
    Ipv4Addr::new(100, 100, 100, 200),
];
/// The metadata service of AWS over IPv6.
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

fn from_ipv4(address: Ipv4Addr) -> Nearness {
    let [a, b, c, _] = address.octets();
    let here = a == 0
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || a >= 240
        || (a, b, c) == (192, 0, 0)
        || METADATA_V4.contains(&address);
    // 100.64/10 is carrier-grade NAT, 198.18/15 is for network benchmarks.
    let private =
        address.is_private() || (a == 100 && b & 0xc0 == 64) || (a == 198 && b & 0xfe == 18);
    match (here, private) {
        (true, _) => Nearness::Here,
        (_, true) => Nearness::Private,
        _ => Nearness::Public,
    }
}

fn from_ipv6(address: Ipv6Addr) -> Nearness {
    let inner = embedded_ipv4(address).map_or(Nearness::Public, from_ipv4);
    let first = address.segments()[0];
    let teredo = address.segments()[..2] == [0x2001, 0];
    // fec0::/10 is the old form of fe80::/10 and fc00::/7.
    let here = address.is_loopback()
        || address.is_multicast()
        || first & 0xff80 == 0xfe80
        || teredo
        || address == METADATA_V6;
    match (here, first & 0xfe00 == 0xfc00) {
        (true, _) => Nearness::Here,
        (_, true) => inner.max(Nearness::Private),
        _ => inner,
    }
}

/// The IPv4 address embedded in an IPv6 address, in every known scheme.
fn embedded_ipv4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = address.segments();
    let four = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    let last = four(s[6], s[7]);
    match s {
        [0, 0, 0, 0, 0, 0, 0, 1] => None,
        // Compatible, mapped, translated.
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => Some(last),
        // NAT64, well-known and local.
        [0x64, 0xff9b, 0, 0, 0, 0, ..] | [0x64, 0xff9b, 1, ..] => Some(last),
        // 6to4, ISATAP.
        [0x2002, high, low, ..] => Some(four(high, low)),
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] => Some(last),
        _ => None,
    }
}
