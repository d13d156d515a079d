//! Takes messages of clients and answers them: the one road from a transport to the gateway and back.

use super::client::{Client, Identity, Outlet};
use super::exchange::Exchange;
use super::face::{Face, Faces};
use super::fault::Fault;
use super::large::Large;
use super::message::{self, Incoming, Request};
use super::meter::Meter;
use super::sealed::Seal;
use super::terms::Terms;
use super::waiting::Waiting;
use super::{call, hello, library, list, listen};
use serde_json::Value;
use std::sync::Arc;
use toolscout_core::{Cx, RawJson};
use toolscout_gateway::{CatalogView, Gateway};

/// Offers the tools of a gateway to MCP clients. One for all connections; opens nothing by itself.
pub struct Server {
    gateway: Arc<Gateway>,
    terms: Terms,
    faces: Faces,
    seal: Seal,
    waiting: Waiting,
    large: Large,
    meter: Meter,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The whole message, in one line.
    pub text: String,
    /// The number of the fault, where it is one.
    pub code: Option<i64>,
}

impl Server {
    /// A server on these terms. `names` remembers which names tools have on the wire.
    pub fn new(gateway: Arc<Gateway>, terms: Terms, names: super::names::Remembered) -> Arc<Self> {
        let (faces, seal) = (Faces::new(names), Seal::new(&terms.key));
        let (waiting, large, meter) = (Waiting::default(), Large::default(), Meter::default());
        Arc::new(Self { gateway, terms, faces, seal, waiting, large, meter })
    }

    /// Takes one message. What is said on the way to the answer goes to `out`, the answer is returned; there is none to
    /// notifications, to responses, and to what the client cancelled. Cancel-safe: dropping the future cancels the request.
    pub async fn take(
        self: &Arc<Self>,
        client: &Arc<Client>,
        incoming: Incoming,
        out: Arc<dyn Outlet>,
    ) -> Option<Reply> {
        match incoming {
            Incoming::Request(request) => self.answer(client, request, out).await,
            Incoming::Notification { method, params } => {
                if method == "notifications/cancelled"
                    && let Some(id) = cancelled(params.as_ref())
                {
                    client.cancel(&id);
                }
                None
            }
            Incoming::Response { id, outcome } => {
                client.settle(&id, outcome);
                None
            }
        }
    }

    /// Tells a client of the old era what has changed, through its own way out, for as long as it is polled.
    pub async fn keep_informed(self: &Arc<Self>, client: Arc<Client>) {
        listen::keep_informed(self, &client).await;
    }

    /// Lets go of what clients could have come back for, and did not. For who runs for long to call now and then.
    pub fn tidy(&self) {
        self.waiting.tidy();
        self.large.tidy();
    }

    async fn answer(self: &Arc<Self>, client: &Arc<Client>, request: Request, out: Arc<dyn Outlet>) -> Option<Reply> {
        let (_in_flight, mut cancelled) = match client.begin(&request.id) {
            Ok(begun) => begun,
            Err(why) => return Some(Reply::of(&request.id, Err(Fault::busy(why)))),
        };
        let answering = async {
            let exchange = Exchange::begin(self, client, out, &request)?;
            answer(&exchange, &request.method).await
        };
        tokio::select! {
            biased;
            result = answering => Some(Reply::of(&request.id, result)),
            _ = &mut cancelled => None,
        }
    }

    pub(super) fn gateway(&self) -> &Arc<Gateway> {
        &self.gateway
    }

    pub(super) fn terms(&self) -> &Terms {
        &self.terms
    }

    pub(super) fn seal(&self) -> &Seal {
        &self.seal
    }

    pub(super) fn waiting(&self) -> &Waiting {
        &self.waiting
    }

    pub(super) fn meter(&self) -> &Meter {
        &self.meter
    }

    pub(super) fn large(&self) -> &Large {
        &self.large
    }

    /// Whom something is kept for: the user, and whatever else makes a request somebody's own. To nobody else it is there.
    pub fn owner(&self, identity: &Identity) -> Option<Arc<str>> {
        match self.gateway.whose(&identity.cx(&self.terms.request)) {
            None => identity.user.clone(),
            Some(whose) => Some(serde_json::json!([identity.user.as_deref(), whose]).to_string().into()),
        }
    }

    /// What a request sees, and how that looks on the wire.
    pub(super) async fn face(&self, cx: &Cx) -> (CatalogView, Arc<Face>) {
        let view = self.gateway.view(cx).await;
        let face = self.faces.of(&view, &self.terms);
        (view, face)
    }
}

/// What only makes sense between two who know each other for longer than a request; the modern era has none of it.
pub(super) const OF_SESSIONS: [&str; 4] = ["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// The methods. A result is the text of an object.
async fn answer(exchange: &Exchange, method: &str) -> Result<String, Fault> {
    if exchange.is_modern() && OF_SESSIONS.contains(&method) {
        return Err(Fault::unknown_method(method));
    }
    let result = match method {
        "initialize" => hello::initialize(exchange).await,
        "server/discover" => hello::discover(exchange).await,
        "ping" => Ok("{}".to_owned()),
        "tools/list" => list::tools(exchange).await,
        "tools/call" => call::call(exchange).await,
        "resources/list" => library::resources(exchange).await,
        "resources/templates/list" => library::templates(exchange).await,
        "resources/read" => library::read(exchange).await,
        "resources/subscribe" => library::subscribe(exchange, true).await,
        "resources/unsubscribe" => library::subscribe(exchange, false).await,
        "prompts/list" => library::prompts(exchange).await,
        "prompts/get" => library::prompt(exchange).await,
        "completion/complete" => library::complete(exchange).await,
        "logging/setLevel" => library::set_level(exchange).await,
        "subscriptions/listen" => listen::listen(exchange).await,
        _ => Err(Fault::unknown_method(method)),
    }?;
    Ok(exchange.complete(result))
}

impl Reply {
    fn of(id: &RawJson, result: Result<String, Fault>) -> Self {
        match result {
            Ok(result) => Self { text: message::result(id, &result), code: None },
            Err(fault) => Self::fault(Some(id), &fault),
        }
    }

    /// The answer to what could not be taken.
    pub fn fault(id: Option<&RawJson>, fault: &Fault) -> Self {
        Self { text: message::fault(id, fault), code: Some(fault.code) }
    }
}

fn cancelled(params: Option<&RawJson>) -> Option<RawJson> {
    match params?.to_value().get("requestId")? {
        id @ (Value::String(_) | Value::Number(_)) => Some(RawJson::from_value(id)),
        _ => None,
    }
}
