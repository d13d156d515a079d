//! `token list`, `token create`, `token rotate` and `token revoke`: access tokens for HTTP.

mod create;
mod revoke;
mod rotate;

pub(crate) use create::CreateToken;
pub(crate) use revoke::RevokeToken;
pub(crate) use rotate::RotateToken;

use super::shown_path;
use super::status::NoInput;
use crate::access_tokens::{BUILT_IN, TokenRecord, last_used, record, state_file};
use crate::error::failure;
use crate::fleet::ChangeReach;
use crate::{AppError, Workspace};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use std::time::UNIX_EPOCH;
use toolscout_core::cx::Role;
use toolscout_core::{Cx, Moment, Namespace, Store, StoreError, escape};
use toolscout_surface::operation::{
    Access, ErrorCode, Operation, OperationError, OperationSpec, Text,
};

/// List access tokens.
pub(crate) struct ListTokens;

#[derive(Serialize, JsonSchema)]
pub(crate) struct TokenList {
    /// The tokens: the built-in ones first, then the named ones.
    tokens: Vec<TokenInfo>,
}

/// An access token, without its value.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AccessToken")]
#[serde(rename_all = "camelCase")]
struct TokenInfo {
    /// The name. `agent` and `operator` are built in.
    name: String,
    /// The rights of clients with this token: `agent` or `operator`.
    role: &'static str,
    /// Whether the token exists. A built-in token is created when toolscout first serves over HTTP.
    present: bool,
    /// The file that contains a built-in token.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The only profile that its clients may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    /// The user of its clients; by default the name of the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    /// Approver of its calls: `operator`, or `client` if answers of its clients to elicitations do.
    approvals: &'static str,
    /// When its value was created; RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    /// When it expires; RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    /// Whether it has expired.
    expired: bool,
    /// When it was last used, to the minute; RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used: Option<String>,
}

/// A token with its new value.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IssuedToken {
    token: TokenInfo,
    /// The value, for `Authorization: Bearer VALUE`. It is not stored and not shown again.
    value: String,
    /// Problems that do not prevent the use of the token.
    warnings: Vec<String>,
    /// After a rotation in a fleet: the replicas that refuse the old value.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_force: Option<ChangeReach>,
}

impl Operation<Workspace> for ListTokens {
    type Input = NoInput;
    type Output = TokenList;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        notes: &["Shows no values. `toolscout token rotate NAME` replaces one."],
        examples: &["toolscout token list"],
        ..OperationSpec::read("token list", "List access tokens for HTTP", "/api/tokens")
    };

    async fn run(workspace: &Workspace, _: NoInput, _: &Cx) -> Result<TokenList, OperationError> {
        let store = workspace.environment.store();
        let mut tokens = Vec::new();
        for (name, file, role) in BUILT_IN {
            let file = state_file(&workspace.environment, file).map_err(failure)?;
            tokens.push(TokenInfo::built_in(name, &file, role, &*store));
        }
        let named = record::all(&*store).map_err(store_error)?;
        tokens.extend(named.iter().map(|(name, record)| TokenInfo::named(name, record, &*store)));
        Ok(TokenList { tokens })
    }

    fn text(output: &TokenList, _: &Text) -> String {
        let width = output.tokens.iter().map(|token| token.name.len()).max().unwrap_or_default();
        output.tokens.iter().map(|token| token.line(width)).collect()
    }
}

impl TokenInfo {
    fn built_in(name: &str, file: &Path, role: Role, store: &dyn Store) -> Self {
        let metadata = file.symlink_metadata().ok().filter(std::fs::Metadata::is_file);
        let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
        let age = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let moment = |age: std::time::Duration| u64::try_from(age.as_millis()).ok().map(Moment);
        Self {
            present: metadata.is_some(),
            file: Some(shown_path(file)),
            created: age.and_then(moment).map(|moment| moment.to_string()),
            ..Self::new(name, role == Role::Operator, store)
        }
    }

    fn named(name: &str, record: &TokenRecord, store: &dyn Store) -> Self {
        Self {
            profile: record.profile.clone(),
            user: record.user.clone(),
            approvals: if record.approves { "client" } else { "operator" },
            created: Some(record.created.to_string()),
            expires: record.expires.map(|expires| expires.to_string()),
            expired: record.is_expired(),
            ..Self::new(name, record.is_operator, store)
        }
    }

    fn new(name: &str, is_operator: bool, store: &dyn Store) -> Self {
        Self {
            name: name.to_owned(),
            role: if is_operator { "operator" } else { "agent" },
            present: true,
            file: None,
            profile: None,
            user: None,
            approvals: "operator",
            created: None,
            expires: None,
            expired: false,
            last_used: last_used(store, name).map(|moment| moment.to_string()),
        }
    }

    fn line(&self, width: usize) -> String {
        let mut facts = vec![self.role.to_owned()];
        if let Some(file) = &self.file {
            facts.push(if self.present { file.clone() } else { "not created yet".to_owned() });
        }
        facts.extend(self.profile.iter().map(|profile| format!("profile {profile}")));
        facts.extend(self.user.iter().map(|user| format!("user {user}")));
        if self.approvals == "client" {
            facts.push("approves calls".to_owned());
        }
        let until = if self.expired { "expired" } else { "expires" };
        facts.extend(self.expires.iter().map(|expires| format!("{until} {expires}")));
        facts.extend(self.last_used.iter().map(|last_used| format!("last used {last_used}")));
        let line = format!("{:<width$}  {}", self.name, facts.join(", "));
        escape::line(&line).into_owned() + "\n"
    }
}

impl IssuedToken {
    /// The value alone, so that a script can store it.
    fn line(&self) -> String {
        format!("{}\n", self.value)
    }
}

/// Whether this is the name of a built-in token.
fn is_built_in(name: &str) -> bool {
    BUILT_IN.iter().any(|(built_in, ..)| *built_in == name)
}

/// The named token, and its stored bytes.
fn find(store: &dyn Store, name: &str) -> Result<(TokenRecord, Vec<u8>), OperationError> {
    record::read(store, name).map_err(store_error)?.ok_or_else(|| {
        let message = format!("there is no token `{}`", escape::line(name));
        OperationError::new(ErrorCode::ResourceNotFound, message)
            .hint("run `toolscout token list` for all tokens")
    })
}

fn store_error(error: StoreError) -> OperationError {
    failure(AppError::not_stored(error))
}

/// The token was changed by another process in the meantime.
fn contended() -> OperationError {
    OperationError::new(ErrorCode::Conflict, "another process has changed the token")
        .hint("try again")
}

/// Removes the time of the last use.
fn forget_use(store: &dyn Store, name: &str) {
    // It is information only.
    let _ = store.remove(Namespace::TokenUse, name);
}
