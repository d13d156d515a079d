//! 1. `messages`: messages are sent in the form of the era, and each response is received once.
//! 2. `refusals`: every other response is an error that states the remedy, and affects only its own
//!    request.
//! 3. `sessions`: the legacy era has sessions, and a separate event stream.
//! 4. `credentials`: secrets are sent to the server and nowhere else.
//! 5. `limits`: size, time and number are limited for every server.

mod credentials;
mod limits;
mod messages;
mod refusals;
mod sessions;

use super::HttpWire;
use super::fixture::{Hearing, Site, dial, soon};
use crate::{ConnectContext, HttpEndpoint};

/// A wire to the site, and the receiver of its events.
async fn wire(site: &Site) -> (HttpWire, Hearing) {
    wire_with(&site.endpoint(), &dial()).await
}

async fn wire_with(endpoint: &HttpEndpoint, dial: &ConnectContext) -> (HttpWire, Hearing) {
    let (ear, hearing) = Hearing::new();
    (HttpWire::open(endpoint, dial, ear, soon()).await.expect("nothing is asked yet"), hearing)
}
