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
use super::fixture::{TestServer, WireEvents, connect_context, soon};
use crate::{ConnectContext, HttpEndpoint};

/// A wire to the site, and the receiver of its events.
async fn wire(site: &TestServer) -> (HttpWire, WireEvents) {
    wire_with(&site.endpoint(), &connect_context()).await
}

async fn wire_with(endpoint: &HttpEndpoint, context: &ConnectContext) -> (HttpWire, WireEvents) {
    let (observer, wire_events) = WireEvents::new();
    (
        HttpWire::open(endpoint, context, observer, soon())
            .await
            .expect("opening sends no request"),
        wire_events,
    )
}
