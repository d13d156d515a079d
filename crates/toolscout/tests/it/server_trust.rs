//! Servers can cause no effect that the operator has not approved.
//!
//! The servers count the executed calls. A definition that was not reviewed is neither called nor
//! shown, whichever name or command is used.

mod asking;
mod changing;
mod damaged;
mod doors;
mod live;
mod locking;
mod policies;
mod running_servers;
mod untrusted;
