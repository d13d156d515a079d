//! Writes toolscout into the configuration of other MCP clients, and removes it again without a
//! trace.
//!
//! Start reading at [`ConnectPlan::new`].

mod connection;
mod launch;
mod plan;
mod setup;
mod site;
#[cfg(test)]
mod tests;

pub use connection::DisconnectOutcome;
pub use launch::{launch_command, launch_command_for};
pub use plan::{ClientStatus, ClientTarget, ConnectPlan, DisconnectPlan, client_status};
pub use setup::{ConnectAction, PlannedClient, SetupPlan, SetupRequest};
