use super::*;

fn expected(requires_iss: bool) -> ExpectedCallback {
    ExpectedCallback {
        state: OAuthSecret::new("s1"),
        issuer: "https://as".to_owned(),
        requires_iss,
    }
}

fn said(query: &str, requires_iss: bool) -> String {
    match expected(requires_iss).check(query) {
        None => "not ours".to_owned(),
        Some(Ok(code)) => code.reveal().to_owned(),
        Some(Err(err)) => err.to_string(),
    }
}

#[test]
fn only_a_callback_with_the_right_state_is_accepted() {
    assert_eq!(said("code=c&state=s1", false), "c");
    for query in [
        "",
        "code=c",
        "code=c&state=",
        "code=c&state=s2",
        "code=c&state=s1&state=s1",
        "code=a&code=b&state=s1",
    ] {
        assert_eq!(said(query, false), "not ours", "{query}");
    }
}

#[test]
fn a_callback_of_another_issuer_is_refused_including_its_error() {
    let foreign = "the response comes from another authorization server";
    assert_eq!(said("code=c&state=s1&iss=https%3A%2F%2Fas", true), "c");
    assert_eq!(said("code=c&state=s1&iss=https://evil", false), foreign);
    assert_eq!(said("code=c&state=s1&iss=https://as/", true), foreign);
    assert_eq!(said("error=pay_here&state=s1&iss=https://evil", true), foreign);
    assert_eq!(
        said("code=c&state=s1", true),
        "the response does not name its authorization server, although that is required"
    );
}

#[test]
fn refusals_are_reported_and_truncated() {
    assert_eq!(
        said("error=access_denied&error_description=not+today&state=s1", false),
        "the login was refused: access_denied: not today"
    );
    let long = said(&format!("error=x&error_description={}&state=s1", "a".repeat(9_000)), false);
    assert!(long.len() < 300, "{long}");
    assert_eq!(said("state=s1", false), "the response of the authorization server has no code");
}

#[test]
fn pasted_callbacks_may_be_quoted() {
    let pasted =
        |text| expected(false).check_pasted(text).map(|value| value.reveal().to_owned()).ok();
    assert_eq!(pasted(" 'http://127.0.0.1:1/callback?code=c&state=s1#x'\n").as_deref(), Some("c"));
    assert_eq!(pasted("code=c&state=s1").as_deref(), Some("c"));
    assert_eq!(pasted("c"), None);
    assert_eq!(pasted("http://127.0.0.1:1/callback?code=c&state=other"), None);
}
