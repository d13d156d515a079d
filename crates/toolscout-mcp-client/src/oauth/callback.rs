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
    pub(super) announces_itself: bool,
}

impl ExpectedCallback {
    /// The code, or the reason why there is none; `None` if the callback does not belong to this
    /// login.
    pub(super) fn judge(&self, query: &str) -> Option<Result<OAuthSecret, ClientError>> {
        let answer = CallbackParams::parse(query)?;
        (answer.state.as_deref() == Some(self.state.reveal())).then(|| self.code(answer))
    }

    /// The same for pasted text: the whole address, or its query.
    pub(super) fn judge_pasted(&self, text: &str) -> Result<OAuthSecret, ClientError> {
        let text = text.trim().trim_matches(['"', '\'', '<', '>']);
        let query = text.split_once('?').map_or(text, |(_, query)| query);
        let query = query.split_once('#').map_or(query, |(query, _)| query);
        let foreign = "this is not the answer to this login; paste the whole address the browser ended at, from \
                       `http://127.0.0.1` to its end";
        let foreign = || ClientError::invalid(foreign.to_owned());
        self.judge(query).ok_or_else(foreign)?
    }

    fn code(&self, answer: CallbackParams) -> Result<OAuthSecret, ClientError> {
        match answer.iss {
            // The rest of a callback from another issuer is ignored, including its error.
            Some(iss) if iss != self.issuer => {
                return Err(broken(
                    "the answer comes from another authorization server than the one in use",
                ));
            }
            None if self.announces_itself => {
                return Err(broken(
                    "the answer does not say which authorization server it comes from, as it should",
                ));
            }
            _ => {}
        }
        if let Some(error) = answer.error {
            let why = answer.error_description.map(|it| format!(": {it}")).unwrap_or_default();
            let what = format!("the login was refused: {}", excerpt(&format!("{error}{why}")));
            return Err(ClientError::Login { what, challenge: None });
        }
        let code = answer.code.filter(|it| !it.is_empty()).map(OAuthSecret::new);
        code.ok_or_else(|| broken("the answer of the authorization server holds no code"))
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
