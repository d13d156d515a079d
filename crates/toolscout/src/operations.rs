//! Every operation of toolscout, one file each; commands, HTTP routes and socket requests are derived from this list.

mod cli_command;
mod journal;
mod policy;
mod server;
mod sign_in;
mod tool;

pub(crate) use cli_command::OperationCliCommand;

pub(crate) use sign_in::CreateSignInLink;
pub(crate) use tool::CallTool;

use crate::Setup;

/// Adds an operation to a program.
pub(crate) type AddOperation = fn(&mut Setup);

/// Every operation, with the plugin that it belongs to: a program without the plugin is without the operation.
pub(crate) const OPERATIONS: &[(&str, AddOperation)] = &[
    ("review", Setup::add_operation::<policy::ListPolicies>),
    ("review", Setup::add_operation::<policy::ShowPolicy>),
    ("review", Setup::add_operation::<policy::SetPolicy>),
    ("servers", Setup::add_operation::<server::ListServers>),
    ("servers", Setup::add_operation::<server::ShowServer>),
    ("servers", Setup::add_operation::<server::AddServer>),
    ("servers", Setup::add_operation::<server::UpdateServer>),
    ("servers", Setup::add_operation::<server::RemoveServer>),
    ("servers", Setup::add_operation::<server::ControlServer>),
    ("servers", Setup::add_operation::<server::RefreshServers>),
    ("servers", Setup::add_operation::<server::TestServer>),
    ("servers", Setup::add_operation::<server::ShowServerLogs>),
    ("journal", Setup::add_operation::<journal::ShowAudit>),
    ("journal", Setup::add_operation::<journal::ShowTimeline>),
    ("journal", Setup::add_operation::<journal::VerifyAudit>),
    ("journal", Setup::add_operation::<journal::ShowStats>),
    ("journal", Setup::add_operation::<journal::SuggestPins>),
    ("cli", Setup::add_operation::<CallTool>),
    ("ui", Setup::add_operation::<CreateSignInLink>),
];
