//! The principal of a token of an issuer: which claims name the user, the tenant, the profile and
//! the role.

use super::{ClientApprovals, Principal, Role};
use serde_json::{Map, Value};

/// The claim of scopes (RFC 9068).
const SCOPE: &str = "scope";

/// The names of claims. A name that starts with `/` is a JSON pointer: `/realm_access/roles`.
#[derive(Debug, Clone)]
pub struct ClaimNames {
    /// The user.
    pub user: String,
    /// The tenant. Users of different tenants are different users, whatever their names.
    pub tenant: Option<String>,
    /// The profile that the token is limited to. A token without this claim is refused.
    pub profile: Option<String>,
    /// The roles: a text with words, or a list.
    pub role: String,
    /// The role of operators; without it no token has operator rights.
    pub operator: Option<String>,
}

impl Default for ClaimNames {
    fn default() -> Self {
        let (user, role) = ("sub".to_owned(), SCOPE.to_owned());
        Self { user, tenant: None, profile: None, role, operator: None }
    }
}

impl ClaimNames {
    /// The principal of a token with these claims. The error says which claim is missing.
    pub(super) fn principal(
        &self,
        claims: &Map<String, Value>,
        approvals: ClientApprovals,
    ) -> Result<Principal, &'static str> {
        let user = text(claims, &self.user).ok_or("the token has no claim for the user")?;
        let tenant = self.tenant.as_ref().map(|name| {
            // The slash separates the tenant from the user.
            let tenant = text(claims, name).filter(|tenant| !tenant.contains('/'));
            tenant.ok_or("the token has no valid claim for the tenant")
        });
        let name = match tenant.transpose()? {
            Some(tenant) => format!("{tenant}/{user}"),
            None => user.to_owned(),
        };
        let profile = self
            .profile
            .as_ref()
            .map(|name| text(claims, name).ok_or("the token has no claim for the profile"));
        let profile = profile.transpose()?.map(Into::into);
        // No operator is limited to a profile.
        let is_operator = profile.is_none() && self.is_operator(claims);
        let role = if is_operator { Role::Operator } else { Role::Agent };
        Ok(Principal { profile, approvals, ..Principal::new(Some(name.into()), role) })
    }

    fn is_operator(&self, claims: &Map<String, Value>) -> bool {
        let Some(operator) = &self.operator else { return false };
        let has = |value: &Value| {
            value.as_str().is_some_and(|text| text.split(' ').any(|word| word == operator))
        };
        // Some issuers have the scopes in `scp`.
        let other = (self.role == SCOPE).then_some("scp");
        [Some(self.role.as_str()), other].into_iter().flatten().any(|name| {
            match claim(claims, name) {
                Some(Value::Array(roles)) => roles.iter().any(has),
                Some(value) => has(value),
                None => false,
            }
        })
    }
}

fn text<'a>(claims: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    claim(claims, name)?.as_str().filter(|text| !text.is_empty())
}

/// The claim of this name, or at this JSON pointer.
fn claim<'a>(claims: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let Some(pointer) = name.strip_prefix('/') else { return claims.get(name) };
    let (first, rest) = pointer.split_once('/').unwrap_or((pointer, ""));
    let value = claims.get(first)?;
    if rest.is_empty() { Some(value) } else { value.pointer(&format!("/{rest}")) }
}
