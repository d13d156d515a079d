use super::*;

fn expected(announces_itself: bool) -> ExpectedCallback {
    ExpectedCallback {
        state: OAuthSecret::new("s1"),
        issuer: "https://as".to_owned(),
        announces_itself,
    }
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
fn an_answer_of_another_issuer_is_not_believed_even_its_error() {
    let foreign = "the answer comes from another authorization server than the one in use";
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
