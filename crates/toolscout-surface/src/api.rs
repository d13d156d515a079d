//! Operations over HTTP: JSON under `/api`, on the listener that agents use as well, and on the
//! control socket.
//!
//! Every route is derived from an operation; so are the role check, the errors of an invalid
//! request and the OpenAPI document.

mod openapi;
mod projects;
mod query;
mod response;
mod router;

#[cfg(test)]
mod tests;

pub use projects::unknown_project_routes;
pub use router::OperationRouter;
