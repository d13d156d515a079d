//! One listener for everything that is asked over HTTP: who may, from where, and how much at once.
//!
//! Nothing gets past [`Listener`] that names a foreign host or comes from a foreign page, whatever route it is for, known or
//! not. What is behind is [`Routes`]; a route that is not explicitly open wants somebody whom [`Auth`] recognises, and finds
//! the [`Principal`] among the extensions of the request.

pub mod auth;

mod authority;
mod body;
mod cors;
mod door;
mod ending;
mod error;
pub(crate) mod event_stream;
mod gate;
mod guard;
mod limits;
mod listener;
mod origin;
mod refusal;
mod routes;
mod signin;
pub mod socket;
mod stall;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub use auth::{Auth, Principal, Role, SignIns};
pub use ending::Ending;
pub use error::Error;
pub use limits::Limits;
pub use listener::{Listener, Terms};
pub use routes::Routes;

pub(crate) use body::{Budget, Held, drain, read};
pub(crate) use ending::End;
pub(crate) use gate::{Gate, Pass};
pub(crate) use refusal::Refusal;
