//! The HTTP listener: authentication, host and origin check, limits.
//!
//! Every request passes the host and origin check of [`Listener`], for known routes and unknown
//! ones. Behind it are [`Routes`]: a route that is not explicitly open requires authentication
//! by [`Auth`], and gets the [`Principal`] from the extensions of the request.

pub mod auth;

mod authority;
mod body;
mod cancellation;
mod connections;
mod cors;
mod error;
pub(crate) mod event_stream;
mod host_check;
mod limits;
mod listener;
mod rejection;
mod routes;
mod shares;
mod signin;
pub mod socket;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub use auth::{Auth, Principal, Role, SignIns};
pub use cancellation::CancelToken;
pub use error::Error;
pub use limits::Limits;
#[cfg(any(test, fuzzing))]
pub(crate) use listener::fuzz;
pub use listener::{Listener, Terms};
pub use routes::Routes;

pub(crate) use body::{drain, read};
pub(crate) use cancellation::{CancelSource, cancelled};
pub(crate) use host_check::is_json;
pub(crate) use rejection::HttpRejection;
pub(crate) use shares::{ClientAddress, RequestShares, share_key};
