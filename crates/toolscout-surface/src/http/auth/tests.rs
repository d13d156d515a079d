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

async fn refused(auth: &Auth, values: &[&str]) -> (u16, String) {
    let refusal = auth.recognise(&headers(values), "/mcp").await.expect_err("not let in");
    let response = refusal.into_response();
    let challenge =
        response.headers().get("www-authenticate").map(|it| it.to_str().expect("text").to_owned());
    (response.status().as_u16(), challenge.unwrap_or_default())
}

#[tokio::test]
async fn a_token_lets_in_whom_it_was_given_to() {
    let auth = tokens();
    for (secret, name, role) in [(ADA, "ada", Role::Agent), (BOB, "bob", Role::Operator)] {
        for scheme in ["Bearer", "bearer", "BEARER"] {
            let principal = auth
                .recognise(&headers(&[&format!("{scheme} {secret}")]), "/mcp")
                .await
                .expect("let in");
            assert_eq!((principal.name.as_deref(), principal.role), (Some(name), role));
        }
    }
}

#[tokio::test]
async fn nothing_else_does() {
    let auth = tokens();
    let (good, basic) = (format!("Bearer {ADA}"), format!("Basic {ADA}"));
    let near = format!("Bearer {}", &ADA[..ADA.len() - 1]);
    let far = format!("Bearer {ADA}x");
    let both = format!("Bearer {ADA} {BOB}");
    let cases: [&[&str]; 12] = [
        &[],
        &[""],
        &["Bearer"],
        &["Bearer "],
        &["Bearer \t"],
        &[ADA],
        &[&basic],
        &[&near],
        &[&far],
        &[&both],
        &[&good, &good],
        &[&good, "Bearer other"],
    ];
    for case in cases {
        let (status, challenge) = refused(&auth, case).await;
        assert_eq!((status, challenge.as_str()), (401, r#"Bearer realm="toolscout""#), "{case:?}");
    }
}

/// T26: a text that could be guessed is not a token.
#[test]
fn a_token_has_some_length() {
    for short in [
        "",
        "    ",
        "token",
        "changeme",
        "123456789012345",
        &format!("   {}   ", "x".repeat(SHORTEST - 1)),
    ] {
        assert!(matches!(Token::new("ada", short, Role::Agent), Err(Error::Token(_))), "{short:?}");
    }
    assert!(Token::new("ada", &"x".repeat(SHORTEST), Role::Agent).is_ok());
}
