//! Tokens are renewed once and never lost, and a final failure names the command to type.

use super::*;
use futures_util::FutureExt as _;
use serde_json::json;

const REFRESHED: &str = "refresh_token";

/// The tokens of a login whose first token expires at once, and whose next ones are valid.
async fn expired(home: &Home, authority: &Authority) -> SavedTokens {
    authority.state().expires_in = json!(0);
    home.log_in(authority).await;
    authority.state().expires_in = json!("3600");
    home.tokens(&authority.mcp())
}

fn renewals(authority: &Authority) -> usize {
    authority
        .state()
        .requests
        .iter()
        .filter(|item| {
            item.pairs.get("grant_type").is_some_and(|grant_type| grant_type == REFRESHED)
        })
        .count()
}

#[tokio::test]
async fn a_valid_token_is_used_without_renewal() {
    let (home, authority) = (Home::new(), Authority::start().await);
    home.log_in(&authority).await;
    let tokens = home.tokens(&authority.mcp());
    for _ in 0..3 {
        assert_eq!(tokens.current().await, Ok(Some("access-1".to_owned())));
    }
    assert_eq!(renewals(&authority), 0);
}

#[tokio::test]
async fn an_expiring_token_and_its_refresh_token_are_renewed() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let tokens = expired(&home, &authority).await;
    authority.state().expires_in = json!(1);
    for wanted in ["access-2", "access-3", "access-4"] {
        assert_eq!(tokens.current().await, Ok(Some(wanted.to_owned())));
    }
    let params = authority.last("/token").pairs;
    assert_eq!((&*params[REFRESHED], &*params["resource"]), ("refresh-3", &*authority.mcp()));
}

#[tokio::test]
async fn the_refresh_token_stays_if_no_new_one_is_issued() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let tokens = expired(&home, &authority).await;
    authority.state().expires_in = json!(1);
    authority.state().rotates = false;
    for wanted in ["access-2", "access-3"] {
        assert_eq!(tokens.current().await, Ok(Some(wanted.to_owned())));
    }
    assert_eq!(authority.last("/token").pairs[REFRESHED], "refresh-1");
}

/// T33: the server repeats the token it was sent; the error does not show it.
#[tokio::test]
async fn an_ended_login_names_the_command_and_is_renewed_only_once() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let tokens = expired(&home, &authority).await;
    authority.state().revoke();
    authority.state().requests.clear();
    for _ in 0..3 {
        let err = tokens.current().await.expect_err("the login has expired");
        let ClientError::Login { what, .. } = &err else { panic!("{err}") };
        assert!(what.starts_with("the login is no longer valid"), "{what}");
        assert!(what.ends_with("; log in with `toolscout server login mail`"), "{what}");
        let all = format!("{err:?} {what} {tokens:?}");
        assert!(!all.contains("refresh-1") && !all.contains("access-1"), "{all}");
        assert!(!tokens.refused("access-1").await);
    }
    assert_eq!(renewals(&authority), 1);
    home.log_in(&authority).await;
    assert_eq!(tokens.current().await, Ok(Some("access-2".to_owned())));
}

#[tokio::test]
async fn concurrent_requests_renew_a_token_once() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let tokens = expired(&home, &authority).await;
    let all = futures_util::future::join_all((0..20).map(|_| tokens.current())).await;
    assert!(all.iter().all(|item| *item == Ok(Some("access-2".to_owned()))), "{all:?}");
    assert_eq!(renewals(&authority), 1);
}

#[tokio::test]
async fn concurrent_requests_share_a_failed_renewal() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let tokens = expired(&home, &authority).await;
    authority.fix("/token", 503, "", "");
    let all = futures_util::future::join_all((0..20).map(|_| tokens.current())).await;
    assert!(all.iter().all(|item| matches!(item, Err(ClientError::Busy { .. }))), "{all:?}");
    assert_eq!(renewals(&authority), 1);
}

/// Each has its own view of the file, as separate processes have.
#[tokio::test]
async fn several_processes_renew_a_token_once() {
    let (home, authority) = (Home::new(), Authority::start().await);
    expired(&home, &authority).await;
    let all: Vec<_> = (0..8).map(|_| home.tokens(&authority.mcp())).collect();
    let all = futures_util::future::join_all(all.iter().map(|item| item.current())).await;
    assert!(all.iter().all(|item| *item == Ok(Some("access-2".to_owned()))), "{all:?}");
    assert_eq!(renewals(&authority), 1);
}

#[tokio::test]
async fn a_rejected_token_is_renewed_once() {
    let (home, authority) = (Home::new(), Authority::start().await);
    home.log_in(&authority).await;
    let tokens = home.tokens(&authority.mcp());
    let all = futures_util::future::join_all((0..5).map(|_| tokens.refused("access-1"))).await;
    assert_eq!(all, [true; 5]);
    assert_eq!(renewals(&authority), 1);
    assert_eq!(tokens.current().await, Ok(Some("access-2".to_owned())));
    // A slow request used the old token; a newer one already exists.
    assert!(tokens.refused("access-1").await);
    // The server rejects a token that was just renewed.
    assert!(!tokens.refused("access-2").await);
    assert_eq!(renewals(&authority), 1);
}

#[tokio::test]
async fn an_abandoned_renewal_is_still_stored() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let tokens = expired(&home, &authority).await;
    assert_eq!(tokens.current().now_or_never(), None, "a renewal needs a request");
    assert_eq!(tokens.current().await, Ok(Some("access-2".to_owned())));
    assert_eq!(renewals(&authority), 1);
}

#[tokio::test]
async fn a_token_about_to_end_is_better_than_none() {
    let (home, authority) = (Home::new(), Authority::start().await);
    authority.state().expires_in = json!(20);
    home.log_in(&authority).await;
    authority.fix("/token", 503, "retry-after: 7\r\n", "");
    assert_eq!(home.current(&authority.mcp()).await, Ok(Some("access-1".to_owned())));
    authority.state().fixed.clear();
    let tokens = expired(&home, &authority).await;
    authority.fix("/token", 503, "retry-after: 7\r\n", "");
    let err = tokens.current().await.expect_err("the token has expired");
    assert!(
        matches!(err, ClientError::Busy { after: Some(it), .. } if it == Duration::from_secs(7)),
        "{err}"
    );
    authority.state().fixed.clear();
    assert_eq!(tokens.current().await, Ok(Some("access-3".to_owned())));
}

#[tokio::test]
async fn an_unknown_client_is_registered_again() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let tokens = expired(&home, &authority).await;
    authority.fix("/token", 401, "", json!({"error": "invalid_client"}));
    tokens.current().await.expect_err("the client is unknown");
    authority.state().fixed.clear();
    home.log_in(&authority).await;
    assert_eq!(authority.count("/register"), 2);
}

#[tokio::test]
async fn a_login_without_renewal_ends_without_a_question() {
    let (home, authority) = (Home::new(), Authority::start().await);
    authority.fix("/token", 200, "", json!({"access_token": "only", "expires_in": 0}));
    home.log_in(&authority).await;
    let requests = authority.count("/token");
    let err = home.current(&authority.mcp()).await.expect_err("the login has expired");
    assert_eq!(
        err.to_string(),
        "the login is no longer valid; log in with `toolscout server login mail`"
    );
    assert_eq!(authority.count("/token"), requests);
}
