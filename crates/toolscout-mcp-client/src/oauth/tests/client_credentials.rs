//! A server is used with the client credentials of its entry: no user logs in, nothing is stored,
//! and a token is requested again when it expires.

use super::*;
use crate::oauth::ClientCredentials;
use serde_json::json;

fn home() -> Home {
    let mut home = Home::new();
    home.endpoint.client_id = Some("client-1".into());
    home.endpoint.client_secret = Some("s3cret-of-the-client".into());
    home.endpoint.scopes = vec!["mail.read".to_owned(), "mail.send".to_owned()];
    home
}

fn tokens(home: &Home, authority: &Authority) -> ClientCredentials {
    let (url, folder) = (authority.mcp(), home.logins());
    ClientCredentials::new(&home.id, &url, &home.endpoint, &home.lookup, &folder)
        .expect("an address")
}

/// M-12f
#[tokio::test]
async fn a_token_is_requested_once_and_reused() {
    let (home, authority) = (home(), Authority::start().await);
    authority.state().client_secret = Some("s3cret-of-the-client".to_owned());
    let tokens = tokens(&home, &authority);
    let (one, other) = tokio::join!(tokens.current(), tokens.current());
    assert_eq!((one, other), (Ok(Some("access-1".to_owned())), Ok(Some("access-1".to_owned()))));
    assert_eq!(authority.count("/token"), 1);
    let request = authority.last("/token");
    assert_eq!(request.pairs["grant_type"], "client_credentials");
    assert_eq!(request.pairs["scope"], "mail.read mail.send");
    assert_eq!(request.pairs["resource"], authority.mcp());
    assert_eq!(authority.count("/register"), 0, "the client is the configured one");
    assert!(!home.logins().exists(), "nothing is stored");
}

/// M-12f: an expired token is replaced; a token that is refused at once is not.
#[tokio::test]
async fn an_expired_token_is_replaced() {
    let (home, authority) = (home(), Authority::start().await);
    authority.state().expires_in = json!(1);
    let tokens = tokens(&home, &authority);
    assert_eq!(tokens.current().await, Ok(Some("access-1".to_owned())));
    assert_eq!(tokens.current().await, Ok(Some("access-2".to_owned())));
    assert!(!tokens.refused("access-2").await, "another token would not help");
    assert!(tokens.refused("access-1").await, "it was replaced in the meantime");
}

/// M-12f: the error says what to check, and does not repeat the secret.
#[tokio::test]
async fn refused_credentials_are_reported() {
    let (home, authority) = (home(), Authority::start().await);
    authority.state().client_secret = Some("another".to_owned());
    let error = tokens(&home, &authority).current().await.expect_err("wrong secret");
    let text = format!("{error} {error:?}");
    assert!(text.contains("invalid_client") && text.contains("check `client_id`"), "{text}");
    assert!(!text.contains("s3cret"), "{text}");
}
