//! Links that sign a person in at the page of this very process, if it has one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use toolscout_surface::http::SignIns;

/// Links to the page of this process.
#[derive(Default)]
pub struct PageLinks {
    sign_ins: Arc<SignIns>,
    /// Where it listens; nowhere, for as long as it does not.
    addr: OnceLock<SocketAddr>,
}

impl PageLinks {
    /// The sign-ins that links are made for.
    pub fn sign_ins(&self) -> &Arc<SignIns> {
        &self.sign_ins
    }

    /// The page is there from now on.
    pub fn listens(&self, addr: SocketAddr) {
        let _ = self.addr.set(addr);
    }

    /// A link that works once; none where there is no page.
    pub fn link(&self) -> Option<String> {
        let addr = reachable(*self.addr.get()?);
        self.sign_ins.link().map(|path| format!("http://{addr}{path}"))
    }
}

/// Who listens everywhere is reached here, too.
fn reachable(addr: SocketAddr) -> SocketAddr {
    let here = match addr.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(here, addr.port())
}
