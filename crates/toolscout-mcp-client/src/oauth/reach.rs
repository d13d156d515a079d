//! Decides which addresses may be contacted for the login to one server.
//!
//! A server names other addresses: those of its metadata and of the token endpoint. A hostile
//! server names the router, the cloud metadata service, or a program that listens on loopback.
//! Therefore no address nearer to this machine than the server itself is contacted. This is checked
//! after names are resolved, at the moment of connecting. The server's own name is resolved once
//! and pinned, so that DNS rebinding cannot make the server look near first and be remote
//! afterwards.

use super::nearness::Nearness;
use super::shown;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::BoxFuture;

/// The time limit for resolving the server's name.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) type ResolveName =
    Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// Resolves names with the system resolver.
pub(super) fn system_names() -> ResolveName {
    Arc::new(|name| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

/// The addresses that may be contacted. Cloning is cheap.
#[derive(Clone)]
pub(super) struct Reach {
    nearest: Nearness,
    /// The server's own name and its addresses.
    pinned: Option<(String, Vec<IpAddr>)>,
    /// Names of the configured proxies, which are trusted.
    proxies: Arc<BTreeSet<String>>,
    names: ResolveName,
}

impl Reach {
    /// The addresses that may be contacted for this server.
    pub(super) async fn for_server(
        server: &Url,
        names: ResolveName,
        proxies: BTreeSet<String>,
    ) -> Self {
        let mut reach =
            Self { nearest: Nearness::Public, pinned: None, proxies: Arc::new(proxies), names };
        match literal(server) {
            Literal::Near(nearness) => reach.nearest = nearness,
            // A name that cannot be resolved here may still be known to a proxy.
            Literal::Name(name) => {
                let found =
                    tokio::time::timeout(RESOLVE_TIMEOUT, (reach.names)(name.clone())).await;
                let found = found.ok().and_then(Result::ok).unwrap_or_default();
                // The farthest address counts, so that an additional near address does not make the
                // server near.
                reach.nearest = found
                    .iter()
                    .map(|item| Nearness::from_ip(*item))
                    .min()
                    .unwrap_or(Nearness::Public);
                reach.pinned = (!found.is_empty()).then_some((name, found));
            }
        }
        reach
    }

    /// Whether no proxy is used.
    pub(super) fn is_direct(&self) -> bool {
        self.proxies.is_empty()
    }

    /// Checks an address that a server named, as far as possible before its name is resolved.
    pub(super) fn check(&self, url: &Url) -> Result<(), String> {
        let address = shown(url);
        if !is_secure(url) {
            return Err(format!("`{address}` is not `https`"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(format!("`{address}` contains a user name or password"));
        }
        match literal(url) {
            Literal::Near(nearness) if nearness > self.nearest => {
                Err(format!("`{address}` is {}", too_near(nearness)))
            }
            _ => Ok(()),
        }
    }

    fn allowed(&self, name: &str, found: Vec<IpAddr>) -> Result<Vec<IpAddr>, String> {
        if self.proxies.contains(name) {
            return Ok(found);
        }
        let nearest = found.iter().map(|item| Nearness::from_ip(*item)).max();
        let allowed: Vec<_> =
            found.into_iter().filter(|item| Nearness::from_ip(*item) <= self.nearest).collect();
        match nearest {
            Some(nearest) if allowed.is_empty() => {
                Err(format!("`{name}` resolves to {}", too_near(nearest)))
            }
            _ => Ok(allowed),
        }
    }
}

impl Resolve for Reach {
    fn resolve(&self, name: Name) -> Resolving {
        let (reach, name) = (self.clone(), normalize_host(name.as_str()));
        Box::pin(async move {
            let found = match &reach.pinned {
                Some((own, found)) if *own == name => found.clone(),
                _ => (reach.names)(name.clone()).await?,
            };
            let allowed = reach.allowed(&name, found)?;
            Ok(Box::new(allowed.into_iter().map(|item| SocketAddr::new(item, 0))) as Addrs)
        })
    }
}

fn too_near(nearness: Nearness) -> String {
    format!("{}, less public than the server's own, so it is not contacted", nearness.word())
}

/// Whether tokens may be sent to this address: over `https`, or within this machine.
pub(super) fn is_secure(url: &Url) -> bool {
    match url.scheme() {
        "https" => url.host_str().is_some(),
        "http" => is_loopback(url),
        _ => false,
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = normalize_host(url.host_str().unwrap_or_default());
    is_localhost(&host) || host.parse::<IpAddr>().is_ok_and(|host| host.is_loopback())
}

enum Literal {
    /// The address reveals its nearness without resolution.
    Near(Nearness),
    /// The name must be resolved first.
    Name(String),
}

fn literal(url: &Url) -> Literal {
    let host = normalize_host(url.host_str().unwrap_or_default());
    match host.parse::<IpAddr>() {
        Ok(address) => Literal::Near(Nearness::from_ip(address)),
        Err(_) if is_localhost(&host) => Literal::Near(Nearness::Here),
        Err(_) => Literal::Name(host),
    }
}

fn is_localhost(host: &str) -> bool {
    host == "localhost" || host.ends_with(".localhost")
}

/// A normalized host: no brackets, lower case, no trailing dot.
fn normalize_host(host: &str) -> String {
    host.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase()
}

/// The proxies of the environment. A proxy resolves the names of servers; only the proxy's own name
/// is resolved here.
pub(super) fn proxies() -> BTreeSet<String> {
    let variables =
        ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
    let values = variables.into_iter().filter_map(|variable| std::env::var(variable).ok());
    values.filter_map(|value| proxy_host(&value)).collect()
}

fn proxy_host(value: &str) -> Option<String> {
    let url = Url::parse(value)
        .ok()
        .filter(Url::has_host)
        .or_else(|| Url::parse(&format!("http://{value}")).ok())?;
    url.host_str().map(normalize_host)
}
