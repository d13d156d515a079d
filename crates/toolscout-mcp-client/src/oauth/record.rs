//! What is kept of a login.

use super::exchange::TokenGrant;
use super::identity::ClientIdentity;
use super::secret::OAuthSecret;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use toolscout_core::Moment;

/// The form of the file; a later one is not touched.
pub(super) const VERSION: u32 = 1;
/// A token that ends sooner than this is renewed before it is used: a request takes a while.
const MARGIN: Duration = Duration::from_secs(30);

/// A login to one server: whose it is, and all it takes to stay logged in. Written to disk as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct LoginRecord {
    pub(super) version: u32,
    /// The server's id and address; a token is good for nobody else.
    pub(super) server: String,
    pub(super) url: String,
    /// Who gave the tokens, as what, and where it renews them.
    pub(super) issuer: String,
    pub(super) identity: ClientIdentity,
    pub(super) token_endpoint: String,
    pub(super) resource: String,
    /// What was asked for.
    pub(super) scopes: Vec<String>,
    pub(super) access_token: OAuthSecret,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh_token: Option<OAuthSecret>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) expires: Option<Moment>,
    /// When a person logged in.
    pub(super) since: Moment,
}

impl LoginRecord {
    /// Whether the token can be used without a second thought.
    pub(super) fn is_fresh(&self, now: Moment) -> bool {
        self.expires.is_none_or(|it| it > now.after(MARGIN))
    }

    /// Whether the token may still be good.
    pub(super) fn is_alive(&self, now: Moment) -> bool {
        self.expires.is_none_or(|it| it > now)
    }

    /// Takes what was given; the old refresh token stays where no new one came.
    pub(super) fn renew(&mut self, grant: TokenGrant) {
        self.access_token = grant.access;
        self.expires = grant.expires;
        if grant.refresh.is_some() {
            self.refresh_token = grant.refresh;
        }
    }
}
