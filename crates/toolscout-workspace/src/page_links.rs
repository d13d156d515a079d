//! Sign-in links to the web UI of this process, if it serves one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use toolscout_surface::http::SignIns;

/// Sign-in links to the web UI of this process. Clones share the sign-ins and the address.
#[derive(Clone, Default)]
pub struct PageLinks {
    sign_ins: Arc<SignIns>,
    /// The address of the UI; unset until it is served.
    addr: Arc<OnceLock<SocketAddr>>,
}

impl PageLinks {
    /// The sign-ins for which links are created.
    pub fn sign_ins(&self) -> &Arc<SignIns> {
        &self.sign_ins
    }

    /// Sets the address at which the UI is served.
    pub fn set_address(&self, addr: SocketAddr) {
        let _ = self.addr.set(addr);
    }

    /// A single-use link; `None` if no UI is served.
    pub fn link(&self) -> Option<String> {
        let addr = reachable(*self.addr.get()?);
        self.sign_ins.link().map(|path| format!("http://{addr}{path}"))
    }
}

/// The loopback address for a listener on all interfaces.
fn reachable(addr: SocketAddr) -> SocketAddr {
    let ip = match addr.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, addr.port())
}
