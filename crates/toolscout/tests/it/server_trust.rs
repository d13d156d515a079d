//! Servers can cause no effect that the operator has not approved.
//!
//! The servers count the executed calls. A definition that was not reviewed is neither called nor
//! shown, whichever name or command is used.

mod authorization;
mod call_approvals;
mod damaged_state;
mod definition_changes;
mod findings;
mod fixture;
mod kept_quarantine;
mod lock_file;
mod policies;
mod running_servers;
mod untrusted;
