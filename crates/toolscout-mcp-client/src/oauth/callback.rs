//! Checks the parameters with which a browser returns from an authorization server.

#[cfg(test)]
mod tests;

use super::super::ClientError;
use super::secret::OAuthSecret;
use super::{broken, excerpt};
use reqwest::Url;

/// The values that identify the callback of a login.
#[derive(Debug)]
pub(super) struct ExpectedCallback {
    /// A secret shared with the browser and the authorization server.
    pub(super) state: OAuthSecret,
    /// The expected `iss` parameter (RFC 9207), if there is one.
    pub(super) issuer: String,
    /// Whether the parameter is required.
    pub(super) requires_iss: bool,
}

impl ExpectedCallback {
    /// The code, or the reason why there is none; `None` if the callback does not belong to this
    /// login.
    pub(super) fn check(&self, query: &str) -> Option<Result<OAuthSecret, ClientError>> {
        let params = CallbackParams::parse(query)?;
        (params.state.as_deref() == Some(self.state.reveal())).then(|| self.code(params))
    }

    /// The same for pasted text: the whole address, or its query.
    pub(super) fn check_pasted(&self, text: &str) -> Result<OAuthSecret, ClientError> {
        let text = text.trim().trim_matches(['"', '\'', '<', '>']);
        let query = text.split_once('?').map_or(text, |(_, query)| query);
        let query = query.split_once('#').map_or(query, |(query, _)| query);
        let not_this_login = "this does not belong to this login; paste the whole URL that the browser ended at, starting with `http://127.0.0.1`";
        let not_this_login = || ClientError::invalid(not_this_login.to_owned());
        self.check(query).ok_or_else(not_this_login)?
    }

    fn code(&self, params: CallbackParams) -> Result<OAuthSecret, ClientError> {
        match params.iss {
            // The rest of a callback from another issuer is ignored, including its error.
            Some(iss) if iss != self.issuer => {
                return Err(broken("the response comes from another authorization server"));
            }
            None if self.requires_iss => {
                return Err(broken(
                    "the response does not name its authorization server, although that is required",
                ));
            }
            _ => {}
        }
        if let Some(error) = params.error {
            let why = params
                .error_description
                .map(|error_description| format!(": {error_description}"))
                .unwrap_or_default();
            let what = format!("the login was refused: {}", excerpt(&format!("{error}{why}")));
            return Err(ClientError::Login { what, challenge: None });
        }
        let code = params.code.filter(|code| !code.is_empty()).map(OAuthSecret::new);
        code.ok_or_else(|| broken("the response of the authorization server has no code"))
    }
}

#[derive(Default)]
struct CallbackParams {
    code: Option<String>,
    state: Option<String>,
    iss: Option<String>,
    error: Option<String>,
    error_description: Option<String>,
}

impl CallbackParams {
    /// `None` if a parameter is repeated: some parsers use the first value and some the last.
    fn parse(query: &str) -> Option<Self> {
        let url = Url::parse(&format!("http://localhost/?{query}")).ok()?;
        let mut out = Self::default();
        for (name, value) in url.query_pairs() {
            let slot = match &*name {
                "code" => &mut out.code,
                "state" => &mut out.state,
                "iss" => &mut out.iss,
                "error" => &mut out.error,
                "error_description" => &mut out.error_description,
                _ => continue,
            };
            if slot.replace(value.into_owned()).is_some() {
                return None;
            }
        }
        Some(out)
    }
}
