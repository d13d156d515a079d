//! 1. `messages`: messages go out as the era wants them, and what comes back is heard once.
//! 2. `refusals`: every other answer is an error that says what to do, and costs only its own request.
//! 3. `sessions`: the legacy era has sessions, and a stream of its own.
//! 4. `credentials`: secrets go to the server and nowhere else.
//! 5. `limits`: size, time and number are bounded, whatever a server does.

mod credentials;
mod limits;
mod messages;
mod refusals;
mod sessions;

use super::HttpWire;
use super::fixture::{Hearing, Site, dial, soon};
use crate::{ConnectContext, HttpEndpoint};

/// A wire to the site, and what is heard on it.
async fn wire(site: &Site) -> (HttpWire, Hearing) {
    wire_with(&site.endpoint(), &dial()).await
}

async fn wire_with(endpoint: &HttpEndpoint, dial: &ConnectContext) -> (HttpWire, Hearing) {
    let (ear, hearing) = Hearing::new();
    (HttpWire::open(endpoint, dial, ear, soon()).await.expect("nothing is asked yet"), hearing)
}
