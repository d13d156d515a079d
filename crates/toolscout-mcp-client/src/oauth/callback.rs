//! Judges what a browser brings back from an authorization server.

use super::super::ClientError;
use super::secret::OAuthSecret;
use super::{broken, excerpt};
use reqwest::Url;

/// What makes an answer the one that was waited for.
#[derive(Debug)]
pub(super) struct ExpectedCallback {
    /// Known to nobody but us, the browser and the authorization server.
    pub(super) state: OAuthSecret,
    /// Who has to say that it answered (RFC 9207), if it says anything.
    pub(super) issuer: String,
    /// Whether it always says so.
    pub(super) announces_itself: bool,
}

impl ExpectedCallback {
    /// The code, or why there is none; nothing at all where this is no answer to what we asked.
    pub(super) fn judge(&self, query: &str) -> Option<Result<OAuthSecret, ClientError>> {
        let answer = CallbackParams::parse(query)?;
        (answer.state.as_deref() == Some(self.state.reveal())).then(|| self.code(answer))
    }

    /// The same of what a person pasted: the whole address, or what is behind its question mark.
    pub(super) fn judge_pasted(&self, text: &str) -> Result<OAuthSecret, ClientError> {
        let text = text.trim().trim_matches(['"', '\'', '<', '>']);
        let query = text.split_once('?').map_or(text, |(_, query)| query);
        let query = query.split_once('#').map_or(query, |(query, _)| query);
        let foreign = "this is not the answer to this login; paste the whole address the browser ended at, from \
                       `http://127.0.0.1` to its end";
        let foreign = || ClientError::Invalid { reason: foreign.to_owned() };
        self.judge(query).ok_or_else(foreign)?
    }

    fn code(&self, answer: CallbackParams) -> Result<OAuthSecret, ClientError> {
        match answer.iss {
            // Nothing else in it is believed, not even the error.
            Some(iss) if iss != self.issuer => {
                return Err(broken("the answer comes from another authorization server than the one that was asked"));
            }
            None if self.announces_itself => {
                return Err(broken("the answer does not say which authorization server it comes from, as it should"));
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
    /// Nothing where a parameter comes twice: who reads the first and who reads the last would not agree.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(announces_itself: bool) -> ExpectedCallback {
        ExpectedCallback { state: OAuthSecret::new("s1"), issuer: "https://as".to_owned(), announces_itself }
    }

    fn said(query: &str, announces_itself: bool) -> String {
        match expected(announces_itself).judge(query) {
            None => "not ours".to_owned(),
            Some(Ok(code)) => code.reveal().to_owned(),
            Some(Err(err)) => err.to_string(),
        }
    }

    #[test]
    fn only_an_answer_with_our_state_is_one() {
        assert_eq!(said("code=c&state=s1", false), "c");
        for query in
            ["", "code=c", "code=c&state=", "code=c&state=s2", "code=c&state=s1&state=s1", "code=a&code=b&state=s1"]
        {
            assert_eq!(said(query, false), "not ours", "{query}");
        }
    }

    #[test]
    fn an_answer_of_another_issuer_is_not_believed_even_its_error() {
        let foreign = "the answer comes from another authorization server than the one that was asked";
        assert_eq!(said("code=c&state=s1&iss=https%3A%2F%2Fas", true), "c");
        assert_eq!(said("code=c&state=s1&iss=https://evil", false), foreign);
        assert_eq!(said("code=c&state=s1&iss=https://as/", true), foreign);
        assert_eq!(said("error=pay_here&state=s1&iss=https://evil", true), foreign);
        assert_eq!(
            said("code=c&state=s1", true),
            "the answer does not say which authorization server it comes from, as it should"
        );
    }

    #[test]
    fn refusals_are_told_and_cut_short() {
        assert_eq!(
            said("error=access_denied&error_description=not+today&state=s1", false),
            "the login was refused: access_denied: not today"
        );
        let long = said(&format!("error=x&error_description={}&state=s1", "a".repeat(9_000)), false);
        assert!(long.len() < 300, "{long}");
        assert_eq!(said("state=s1", false), "the answer of the authorization server holds no code");
    }

    #[test]
    fn pasted_answers_may_be_wrapped() {
        let pasted = |text| expected(false).judge_pasted(text).map(|it| it.reveal().to_owned()).ok();
        assert_eq!(pasted(" 'http://127.0.0.1:1/callback?code=c&state=s1#x'\n").as_deref(), Some("c"));
        assert_eq!(pasted("code=c&state=s1").as_deref(), Some("c"));
        assert_eq!(pasted("c"), None);
        assert_eq!(pasted("http://127.0.0.1:1/callback?code=c&state=other"), None);
    }
}
