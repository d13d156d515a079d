//! Every operation of toolscout, one file each; commands, HTTP routes and socket requests are
//! derived from this list.

mod author;
mod client;
mod connect;
mod context;
mod discover;
mod doctor;
mod events;
mod export;
mod feedback;
mod fleet;
mod import;
mod index;
mod journal;
mod lock;
mod manifest;
mod policy;
mod profile;
mod project;
mod registration;
mod review;
mod secret;
mod server;
mod session;
mod setup;
mod sign_in;
mod status;
mod token;
mod tool;
mod trust;
mod undo;

pub use setup::available_setup;
pub use sign_in::sign_in_link_of_host;
pub use tool::resolve_cached;

use crate::Workspace;
use sign_in::CreateSignInLink;
use std::path::Path;
use tool::CallTool;
use toolscout_core::{Tool, escape};
use toolscout_surface::operation::{BoundOperation, ErrorCode, OperationError, WorkspaceSlot};

/// Binds an operation to the workspace in a slot.
pub type BindOperation = fn(&WorkspaceSlot<Workspace>) -> BoundOperation;

/// Every operation, with the plugins that provide it: a program without any of them does not
/// have the operation. Its commands belong to the first plugin.
pub const OPERATIONS: &[(&[&str], BindOperation)] = &[
    (&["review"], BoundOperation::new::<Workspace, policy::ListPolicies>),
    (&["review"], BoundOperation::new::<Workspace, policy::ShowPolicy>),
    (&["review"], BoundOperation::new::<Workspace, policy::SetPolicy>),
    (&["servers"], BoundOperation::new::<Workspace, server::ListServers>),
    (&["servers"], BoundOperation::new::<Workspace, server::ShowServer>),
    (&["servers"], BoundOperation::new::<Workspace, server::AddServer>),
    (&["servers"], BoundOperation::new::<Workspace, server::UpdateServer>),
    (&["servers"], BoundOperation::new::<Workspace, server::RemoveServer>),
    (&["servers"], BoundOperation::new::<Workspace, server::ControlServer>),
    (&["servers"], BoundOperation::new::<Workspace, server::RefreshServers>),
    (&["servers"], BoundOperation::new::<Workspace, server::TestServer>),
    (&["servers"], BoundOperation::new::<Workspace, server::ShowServerLogs>),
    (&["servers"], BoundOperation::new::<Workspace, server::LogIn>),
    (&["servers"], BoundOperation::new::<Workspace, server::LogOut>),
    (&["review"], BoundOperation::new::<Workspace, lock::WriteLock>),
    (&["review"], BoundOperation::new::<Workspace, lock::VerifyLock>),
    (&["discovery"], BoundOperation::new::<Workspace, trust::SetTrust>),
    (&["discovery"], BoundOperation::new::<Workspace, trust::ShowTrust>),
    (&["discovery"], BoundOperation::new::<Workspace, trust::AcceptTrust>),
    (&["discovery"], BoundOperation::new::<Workspace, trust::ListTrust>),
    (&["discovery"], BoundOperation::new::<Workspace, trust::ResetTrust>),
    (&["discovery"], BoundOperation::new::<Workspace, doctor::Diagnose>),
    (&["discovery"], BoundOperation::new::<Workspace, discover::DiscoverTools>),
    (&["search"], BoundOperation::new::<Workspace, index::IndexTools>),
    (&["discovery"], BoundOperation::new::<Workspace, manifest::BuildManifest>),
    (&["discovery"], BoundOperation::new::<Workspace, manifest::CheckManifest>),
    (&["discovery"], BoundOperation::new::<Workspace, manifest::WriteTypes>),
    (&["discovery"], BoundOperation::new::<Workspace, author::NewTool>),
    (&["discovery"], BoundOperation::new::<Workspace, author::WrapProgram>),
    (&["context"], BoundOperation::new::<Workspace, context::ShowContext>),
    (&["import"], BoundOperation::new::<Workspace, import::ImportServers>),
    (&["connect"], BoundOperation::new::<Workspace, connect::ConnectClient>),
    (&["connect"], BoundOperation::new::<Workspace, connect::ListClients>),
    (&["connect"], BoundOperation::new::<Workspace, connect::DisconnectClient>),
    (&["connect"], BoundOperation::new::<Workspace, setup::Init>),
    (&["connect"], BoundOperation::new::<Workspace, setup::ShowSetup>),
    (&["servers"], BoundOperation::new::<Workspace, undo::Undo>),
    (&["servers"], BoundOperation::new::<Workspace, undo::ListChanges>),
    (&["servers"], BoundOperation::new::<Workspace, secret::SetSecret>),
    (&["servers"], BoundOperation::new::<Workspace, secret::ListSecrets>),
    (&["servers"], BoundOperation::new::<Workspace, secret::RemoveSecret>),
    (&["cli"], BoundOperation::new::<Workspace, export::ExportTools>),
    (&["journal"], BoundOperation::new::<Workspace, journal::ShowAudit>),
    (&["journal"], BoundOperation::new::<Workspace, journal::ShowTimeline>),
    (&["journal"], BoundOperation::new::<Workspace, journal::VerifyAudit>),
    (&["journal"], BoundOperation::new::<Workspace, journal::ShowStats>),
    (&["journal"], BoundOperation::new::<Workspace, journal::ShowSeries>),
    (&["journal"], BoundOperation::new::<Workspace, journal::SuggestPins>),
    (&["review"], BoundOperation::new::<Workspace, review::ListReviews>),
    (&["review"], BoundOperation::new::<Workspace, review::DecideReview>),
    (&["review"], BoundOperation::new::<Workspace, review::ListApprovals>),
    (&["review"], BoundOperation::new::<Workspace, review::DecideApproval>),
    (&["cli", "serve"], BoundOperation::new::<Workspace, tool::ListTools>),
    (&["cli", "serve"], BoundOperation::stream::<Workspace, tool::StreamTools>),
    (&["cli", "serve"], BoundOperation::new::<Workspace, tool::ShowTool>),
    (&["cli", "serve"], BoundOperation::new::<Workspace, tool::SearchTools>),
    (&["cli"], BoundOperation::new::<Workspace, feedback::ShowFeedback>),
    (&["cli"], BoundOperation::new::<Workspace, feedback::ForgetFeedback>),
    (&["cli", "serve"], BoundOperation::new::<Workspace, CallTool>),
    (&["serve"], BoundOperation::new::<Workspace, registration::RegisterTools>),
    (&["serve"], BoundOperation::new::<Workspace, registration::ListRegistrations>),
    (&["serve"], BoundOperation::new::<Workspace, registration::RenewRegistration>),
    (&["serve"], BoundOperation::new::<Workspace, registration::RemoveRegistration>),
    (&["serve"], BoundOperation::stream::<Workspace, registration::ReceiveCalls>),
    (&["serve"], BoundOperation::new::<Workspace, registration::SendResult>),
    (&["serve"], BoundOperation::new::<Workspace, profile::ListProfiles>),
    (&["serve"], BoundOperation::new::<Workspace, token::ListTokens>),
    (&["serve"], BoundOperation::new::<Workspace, token::CreateToken>),
    (&["serve"], BoundOperation::new::<Workspace, token::RotateToken>),
    (&["serve"], BoundOperation::new::<Workspace, token::RevokeToken>),
    (&["serve"], BoundOperation::new::<Workspace, fleet::CreateFleetKey>),
    (&["serve"], BoundOperation::new::<Workspace, fleet::MigrateFleet>),
    (&["serve"], BoundOperation::new::<Workspace, fleet::ShowFleet>),
    (&["serve"], BoundOperation::new::<Workspace, fleet::RotateFleetKey>),
    (&["serve"], BoundOperation::new::<Workspace, fleet::DrainReplica>),
    (&["serve"], BoundOperation::new::<Workspace, project::ListProjects>),
    (&["serve"], BoundOperation::new::<Workspace, project::ShowProject>),
    (&["serve"], BoundOperation::new::<Workspace, project::ShowProjectConfiguration>),
    (&["serve"], BoundOperation::new::<Workspace, project::UpdateProjectConfiguration>),
    (&["serve"], BoundOperation::new::<Workspace, session::ListSessions>),
    (&["serve"], BoundOperation::new::<Workspace, session::StartSession>),
    (&["serve"], BoundOperation::new::<Workspace, session::EndSession>),
    (&["serve"], BoundOperation::new::<Workspace, session::ShowSessionConfiguration>),
    (&["serve"], BoundOperation::new::<Workspace, session::ListSessionServers>),
    (&["serve"], BoundOperation::new::<Workspace, session::ControlSessionServer>),
    (&["serve"], BoundOperation::stream::<Workspace, events::FollowEvents>),
    (&["serve"], BoundOperation::new::<Workspace, status::ShowHealth>),
    (&["serve"], BoundOperation::new::<Workspace, status::ShowReadiness>),
    (&["serve"], BoundOperation::new::<Workspace, status::ShowCaller>),
    (&["serve"], BoundOperation::new::<Workspace, status::ShowMetrics>),
    (&["ui"], BoundOperation::new::<Workspace, CreateSignInLink>),
];

/// A path as text, on one line.
fn shown_path(path: &Path) -> String {
    escape::line(&path.display().to_string()).into_owned()
}

/// The description of a server's tool; `SERVER tool: NAME` if it has none.
fn server_tool_description(tool: &Tool) -> String {
    let description = tool.description.clone().filter(|text| !text.is_empty());
    description.unwrap_or_else(|| format!("{} tool: {}", tool.id.source, tool.id.name))
}

/// Runs work that blocks on files or the store.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, OperationError> + Send + 'static,
) -> Result<T, OperationError> {
    let stopped = |_| Err(OperationError::new(ErrorCode::Cancelled, "toolscout is stopping"));
    tokio::task::spawn_blocking(work).await.unwrap_or_else(stopped)
}
