//! Where a page came from that makes a request.

use super::authority::Authority;

/// Where a page came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// A web page. The port is what the scheme implies where none is said.
    Web { is_secure: bool, authority: Authority },
    /// Something else that shows pages, such as an editor; in lower case.
    Other(String),
}

impl Origin {
    /// `null`, which every page can pretend to be, is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let (scheme, rest) = text.split_once("://")?;
        let is_secure = match scheme {
            "http" => false,
            "https" => true,
            _ => return Self::other(scheme, rest).then_some(Self::Other(text)),
        };
        let mut authority = Authority::parse(rest)?;
        authority.port.get_or_insert(if is_secure { 443 } else { 80 });
        Some(Self::Web { is_secure, authority })
    }

    fn other(scheme: &str, rest: &str) -> bool {
        let is_scheme = scheme.starts_with(|it: char| it.is_ascii_alphabetic())
            && scheme.bytes().all(|it| it.is_ascii_alphanumeric() || b"+-.".contains(&it));
        is_scheme && !rest.is_empty() && rest.bytes().all(|it| it.is_ascii_alphanumeric() || b"-._:[]".contains(&it))
    }

    /// Whether a page from there that asks this host asks where it came from.
    pub(super) fn is_same(&self, host: &Authority) -> bool {
        let Self::Web { is_secure, authority } = self else { return false };
        let implied = if *is_secure { 443 } else { 80 };
        authority.host == host.host && authority.port == Some(host.port.unwrap_or(implied))
    }
}
