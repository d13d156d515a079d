//! Proves that
//! 1. one of our tokens authenticates its principal, and no other text does,
//! 2. a token of an issuer is accepted only if all its claims are valid, and its keys are
//!    fetched with care.

mod issued;

use super::super::fixture::{ADA, BOB, tokens};
use super::*;
use axum::http::HeaderValue;
use axum::response::IntoResponse;

fn headers(values: &[&str]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(AUTHORIZATION, HeaderValue::from_str(value).expect("a header"));
    }
    headers
}

async fn challenge_for(auth: &Auth, values: &[&str]) -> (u16, String) {
    let rejection =
        auth.authenticate(&headers(values), "/mcp").await.expect_err("authentication fails");
    let response = rejection.into_response();
    let challenge = response
        .headers()
        .get("www-authenticate")
        .map(|www_authenticate| www_authenticate.to_str().expect("text").to_owned());
    (response.status().as_u16(), challenge.unwrap_or_default())
}

#[tokio::test]
async fn a_token_authenticates_its_principal() {
    let auth = tokens();
    for (secret, name, role) in [(ADA, "ada", Role::Agent), (BOB, "bob", Role::Operator)] {
        for scheme in ["Bearer", "bearer", "BEARER"] {
            let principal = auth
                .authenticate(&headers(&[&format!("{scheme} {secret}")]), "/mcp")
                .await
                .expect("authentication succeeds");
            assert_eq!((principal.name.as_deref(), principal.role), (Some(name), role));
        }
    }
}

#[tokio::test]
async fn any_other_authorization_header_is_rejected() {
    let auth = tokens();
    let (good, basic) = (format!("Bearer {ADA}"), format!("Basic {ADA}"));
    let too_short = format!("Bearer {}", &ADA[..ADA.len() - 1]);
    let too_long = format!("Bearer {ADA}x");
    let both = format!("Bearer {ADA} {BOB}");
    let cases: [&[&str]; 12] = [
        &[],
        &[""],
        &["Bearer"],
        &["Bearer "],
        &["Bearer \t"],
        &[ADA],
        &[&basic],
        &[&too_short],
        &[&too_long],
        &[&both],
        &[&good, &good],
        &[&good, "Bearer other"],
    ];
    for case in cases {
        let (status, challenge) = challenge_for(&auth, case).await;
        assert_eq!((status, challenge.as_str()), (401, r#"Bearer realm="toolscout""#), "{case:?}");
    }
}

/// T26: a text that could be guessed is not a token.
#[test]
fn short_tokens_are_rejected() {
    for short in [
        "",
        "    ",
        "token",
        "changeme",
        "123456789012345",
        &format!("   {}   ", "x".repeat(MIN_TOKEN_LENGTH - 1)),
    ] {
        assert!(matches!(Token::new("ada", short, Role::Agent), Err(Error::Token(_))), "{short:?}");
    }
    assert!(Token::new("ada", &"x".repeat(MIN_TOKEN_LENGTH), Role::Agent).is_ok());
}
