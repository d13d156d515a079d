//! The catalogue over HTTP, for programs and for the page: JSON under `/api`, on the listener that agents use, too.
//!
//! One [table](table) has every route: its method, path, role, words, and the types it takes and gives. The router, the role
//! check, what is said about a wrong request and the OpenAPI document are all made of it. What a gateway can answer is answered
//! here; what only the app can do (files, processes, settings) it does behind a [`Desk`]. Reading starts no process.

pub mod approvals;
pub mod catalog;
pub mod reviews;
pub mod sessions;
pub mod tools;

mod answer;
mod asked;
mod desk;
mod dispatch;
mod events;
mod health;
mod input;
mod openapi;
mod operations;
mod query;
mod route;
mod schema;
mod search;
mod stream;
mod table;

#[cfg(test)]
mod tests;

pub use crate::operation::{Access, ErrorCode, OperationError};
pub use desk::{Desk, Discovery, Done};
pub use events::Events;
pub use operations::{OperationRouter, SocketRouter};
pub use route::Route;
pub use table::table;

use crate::http::{Budget, Ending, Gate, Limits, Routes};
use axum::body::Bytes;
use catalog::Rendered;
use sessions::{Conversations, Sessions};
use std::sync::{Arc, OnceLock};

/// Answers under `/api`.
pub struct Api {
    desk: Arc<dyn Desk>,
    operations: Arc<OperationRouter>,
    events: Events,
    sessions: Sessions,
    conversations: Conversations,
    rendered: Rendered,
    document: OnceLock<Bytes>,
    requests: Arc<Gate>,
    streams: Arc<Gate>,
    bodies: Arc<Budget>,
    limits: Limits,
    ending: Ending,
}

impl Api {
    /// An API at this desk. Streams that would go on for ever end with `ending`, which is the listener's.
    pub fn new(
        desk: Arc<dyn Desk>,
        operations: Arc<OperationRouter>,
        events: Events,
        limits: Limits,
        ending: Ending,
    ) -> Self {
        Self {
            desk,
            events,
            sessions: Sessions::default(),
            conversations: Arc::new(Vec::new),
            rendered: Rendered::default(),
            document: OnceLock::new(),
            requests: operations.requests.clone(),
            streams: Gate::new(limits.streams, limits.streams_each),
            bodies: operations.bodies.clone(),
            limits: operations.limits.clone(),
            operations,
            ending,
        }
    }

    /// The same, which knows who else is there: conversations that somebody else keeps.
    pub fn with_conversations(self, conversations: Conversations) -> Self {
        Self { conversations, ..self }
    }

    /// These routes, and those of the table; each behind the door that it says.
    pub fn add_to(self, routes: Routes) -> Routes {
        let (open, guarded) = dispatch::routers(Arc::new(self));
        routes.open(open).guarded(guarded)
    }
}
