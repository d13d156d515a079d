//! `token create`: a token with a name, for one client or user.

use super::{IssuedToken, TokenInfo, is_built_in, store_error};
use crate::Workspace;
use crate::access_tokens::{TokenRecord, file, record};
use crate::error::failure;
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::{Cx, Moment, escape};
use toolscout_surface::operation::{ErrorCode, Operation, OperationError, OperationSpec, Text};
use toolscout_telemetry::since;

/// The maximum length of the name of a token or a user in bytes.
const MAX_NAME: usize = 64;
/// The maximum number of named tokens: every request compares all of them.
const MAX_TOKENS: usize = 1_000;

/// Create an access token.
pub(crate) struct CreateToken;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateTokenInput {
    /// Name of the token, for lists, metrics and the audit log
    #[schemars(extend("x-cli" = {"value": "NAME"}))]
    name: String,
    /// Rights of its clients
    #[serde(default)]
    role: TokenRole,
    /// The only profile that its clients may use
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "PROFILE"}))]
    profile: Option<String>,
    /// User of its clients, who has their private data; by default the name of the token
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "USER"}))]
    user: Option<String>,
    /// When it expires: a time from now (12h, 30d) or a date (2026-12-31)
    #[serde(default)]
    #[schemars(extend("x-cli" = {"value": "TIME"}))]
    expires: Option<String>,
    /// Approver of its calls
    #[serde(default)]
    approvals: TokenApprovals,
}

#[derive(Deserialize, JsonSchema, Default, PartialEq)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum TokenRole {
    /// Search and call tools.
    #[default]
    Agent,
    /// Also decide and change the configuration.
    Operator,
}

#[derive(Deserialize, JsonSchema, Default, PartialEq)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum TokenApprovals {
    /// An operator.
    #[default]
    Operator,
    /// The client, which shows each question to a person.
    Client,
}

impl Operation<Workspace> for CreateToken {
    type Input = CreateTokenInput;
    type Output = IssuedToken;

    const SPEC: OperationSpec = OperationSpec {
        notes: &[
            "Prints the value to standard output, and never again: only its hash is stored. A running `toolscout serve` accepts it at once.",
            "With --approvals client, answers of the client to elicitations approve calls of tools with the policy `ask`. Use it only for a client that shows them to a person.",
        ],
        examples: &["toolscout token create --name ada-laptop --user ada --expires 90d"],
        ..OperationSpec::change("token create", "Create an access token", "POST", "/api/tokens")
    };

    async fn run(
        workspace: &Workspace,
        input: CreateTokenInput,
        cx: &Cx,
    ) -> Result<IssuedToken, OperationError> {
        let name = input.name.clone();
        check(&input)?;
        let expires = input.expires.as_deref().map(expiry).transpose()?;
        let store = workspace.environment.store();
        let existing = record::all(&*store).map_err(store_error)?;
        if existing.iter().any(|(other, _)| *other == name) {
            return Err(exists(&name));
        }
        if existing.len() >= MAX_TOKENS {
            let message = format!("there are {MAX_TOKENS} tokens already");
            return Err(OperationError::new(ErrorCode::Conflict, message)
                .hint("remove one with `toolscout token revoke NAME`"));
        }
        let change = cx.change(PlannedChange {
            kind: ChangeKind::Token,
            subject: name.clone(),
            action: "created",
            summary: format!("create the token `{name}`"),
        })?;
        let value = file::generate().map_err(failure)?;
        let record = TokenRecord {
            profile: input.profile,
            user: input.user,
            expires,
            approves: input.approvals == TokenApprovals::Client,
            ..TokenRecord::new(&value, input.role == TokenRole::Operator)
        };
        if !record::swap(&*store, &name, None, Some(&record), &cx.decider()).map_err(store_error)? {
            return Err(exists(&name));
        }
        change.commit();
        let warnings = unknown_profile(workspace, record.profile.as_deref()).into_iter().collect();
        let token = TokenInfo::named(&name, &record, &*store);
        Ok(IssuedToken { token, value, warnings, in_force: None })
    }

    fn text(output: &IssuedToken, _: &Text) -> String {
        output.line()
    }

    fn is_data(_: &IssuedToken) -> bool {
        true
    }

    fn message(output: &IssuedToken, _: &Text) -> String {
        format!("Created the token {}. Its value is shown only now.\n", output.token.name)
    }

    fn warnings(output: &IssuedToken) -> &[String] {
        &output.warnings
    }
}

fn check(input: &CreateTokenInput) -> Result<(), OperationError> {
    let is_plain = |text: &str| {
        (1..=MAX_NAME).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    if !is_plain(&input.name) {
        let message = format!("`{}` is not a name for a token", escape::line(&input.name));
        let hint = format!("use 1 to {MAX_NAME} letters, digits, `-`, `_` and `.`");
        return Err(OperationError::invalid(message).hint(hint));
    }
    if is_built_in(&input.name) {
        let message = format!("`{}` is a built-in token", input.name);
        return Err(OperationError::invalid(message)
            .hint(format!("use another name, or `toolscout token rotate {}`", input.name)));
    }
    let is_user = |user: &String| {
        (1..=MAX_NAME).contains(&user.len()) && !user.chars().any(escape::is_dangerous)
    };
    if !input.user.as_ref().is_none_or(is_user) {
        let message =
            format!("the user must have 1 to {MAX_NAME} bytes, without control characters");
        return Err(OperationError::invalid(message));
    }
    if input.role == TokenRole::Operator && input.profile.is_some() {
        return Err(OperationError::invalid("an operator is not limited to a profile")
            .hint("leave out --role or --profile"));
    }
    Ok(())
}

/// A time in the future.
fn expiry(text: &str) -> Result<Moment, OperationError> {
    let now = Moment::now();
    let expires = since::age(text)
        .map(|seconds| now.after(Duration::from_secs(seconds)))
        .or_else(|| since::date(text));
    expires.filter(|expires| *expires > now).ok_or_else(|| {
        let message = format!("`{}` is not a time in the future", escape::line(text));
        OperationError::invalid(message)
            .hint("use a time from now (12h, 30d) or a date (2026-12-31)")
    })
}

fn exists(name: &str) -> OperationError {
    OperationError::new(ErrorCode::Conflict, format!("there is a token `{name}` already"))
        .hint(format!("replace its value with `toolscout token rotate {name}`"))
}

/// The warning about a profile that this project does not have.
fn unknown_profile(workspace: &Workspace, profile: Option<&str>) -> Option<String> {
    let profile = profile?;
    let is_known = workspace.config().profiles.iter().any(|known| known.name == profile);
    let message = "has no such profile yet: clients with this token see nothing";
    (!is_known).then(|| format!("`{}`: this project {message}", escape::line(profile)))
}
