//! A code is bound to the client that requested it, and only the expected redirect is accepted.

use super::*;
use serde_json::json;

#[tokio::test]
async fn a_person_logs_in_with_a_browser() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let login = home.start(&authority.mcp()).await.expect("the login starts");
    assert_eq!(login.issuer(), authority.base);
    let callback = consent(login.browser_url()).await;
    let (result, (status, head, page)) = tokio::join!(login.wait(soon()), get(&callback));
    result.expect("the login succeeds");
    assert_eq!(
        (status, page.as_str()),
        (200, "Done. You can close this page and go back to the terminal.\n")
    );
    assert!(head.contains("cache-control: no-store"), "{head}");
    assert_eq!(home.current(&authority.mcp()).await, Ok(Some("access-1".to_owned())));
    assert_eq!(
        authority.paths(),
        [
            "GET /.well-known/oauth-protected-resource/mcp",
            "GET /.well-known/oauth-authorization-server",
            "POST /register",
            "GET /authorize",
            "POST /token",
        ]
    );
    let params = authority.last("/authorize").pairs;
    assert_eq!(params["resource"], authority.mcp());
    assert_eq!(params["scope"], "read");
    assert_eq!((params["state"].len(), params["code_challenge"].len()), (43, 43));
    assert_eq!(authority.last("/token").pairs["resource"], authority.mcp());
}

#[tokio::test]
async fn we_register_as_a_program_on_a_persons_machine() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let login = home.start(&authority.mcp()).await.expect("the login starts");
    let registration: serde_json::Value =
        serde_json::from_str(&authority.last("/register").body).expect("JSON");
    assert_eq!(registration["application_type"], "native");
    assert_eq!(registration["token_endpoint_auth_method"], "none");
    assert_eq!(registration["grant_types"], json!(["authorization_code", "refresh_token"]));
    let redirect = registration["redirect_uris"][0].as_str().expect("an address");
    assert!(
        redirect.starts_with("http://127.0.0.1:") && redirect.ends_with("/callback"),
        "{redirect}"
    );
    drop(login);
}

#[tokio::test]
async fn a_callback_may_be_pasted() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let login = home.start(&authority.mcp()).await.expect("the login starts");
    let callback = consent(login.browser_url()).await;
    let foreign = callback.replace("state=", "state=x");
    let err = login.finish_with(&foreign).await.expect_err("the callback belongs to another login");
    assert!(matches!(err, ClientError::Invalid { .. }), "{err}");
    assert_eq!(authority.count("/token"), 0);
    login.finish_with(&format!("  {callback}\n")).await.expect("the login succeeds");
    assert_eq!(home.current(&authority.mcp()).await, Ok(Some("access-1".to_owned())));
}

#[tokio::test]
async fn other_requests_get_an_error_and_do_not_delay_the_callback() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let login = home.start(&authority.mcp()).await.expect("the login starts");
    let callback = consent(login.browser_url()).await;
    let at = |path: &str| {
        format!(
            "{}{path}",
            callback.split("/callback").next().expect("the base of the callback URL")
        )
    };
    let visits = async {
        let silent = tokio::net::TcpStream::connect(at("").trim_start_matches("http://"))
            .await
            .expect("open");
        let mut seen = Vec::new();
        for url in [
            at("/favicon.ico"),
            at("/callback"),
            at("/callback?code=evil&state=guess"),
            at("/callback?"),
            callback.clone(),
        ] {
            seen.push(get(&url).await.0);
        }
        drop(silent);
        seen
    };
    let (result, seen) = tokio::join!(login.wait(soon()), visits);
    result.expect("the right callback is accepted");
    assert_eq!(seen, [404, 404, 400, 400, 200]);
    assert_eq!(authority.last("/token").pairs["code"], "the-code-1");
}

/// RFC 9207: a code of another authorization server is never sent on.
#[tokio::test]
async fn a_callback_of_another_issuer_is_refused() {
    let (home, authority) = (Home::new(), Authority::start().await);
    authority.state().iss = Some("https://evil.example".to_owned());
    let login = home.start(&authority.mcp()).await.expect("the login starts");
    let err = finish(&login).await.expect_err("refused");
    assert!(err.to_string().contains("another authorization server"), "{err}");
    assert_eq!(authority.count("/token"), 0);

    authority.state().iss = None;
    authority
        .state()
        .described
        .insert("authorization_response_iss_parameter_supported".to_owned(), json!(true));
    let login = home.start(&authority.mcp()).await.expect("the login starts");
    finish(&login).await.expect_err("the callback names no issuer");
    assert_eq!(authority.count("/token"), 0);

    authority.state().iss = Some(authority.base.clone());
    home.log_in(&authority).await;
    assert_eq!(authority.count("/token"), 1);
}

#[tokio::test]
async fn a_code_is_valid_only_for_its_login() {
    let (home, attacker, authority) = (Home::new(), Home::new(), Authority::start().await);
    let login = home.start(&authority.mcp()).await.expect("the login starts");
    let other = attacker.start(&authority.mcp()).await.expect("the login starts");
    let callback = consent(login.browser_url()).await;
    let state = |url: &str| {
        url.split("state=").nth(1).map(|part| part.split('&').next().unwrap_or_default().to_owned())
    };
    let own = state(other.browser_url()).expect("a state");
    let stolen = callback.replace(&state(&callback).expect("a state"), &own);
    let err = other.finish_with(&stolen).await.expect_err("the verifier does not match");
    assert!(
        err.to_string().contains("invalid_grant") && !err.to_string().contains("the-code-1"),
        "{err}"
    );
}

/// V-86.
#[tokio::test]
async fn a_server_without_pkce_is_refused() {
    let (home, authority) = (Home::new(), Authority::start().await);
    for methods in [json!(["plain"]), json!([]), json!(null)] {
        authority
            .state()
            .described
            .insert("code_challenge_methods_supported".to_owned(), methods.clone());
        let err = home.start(&authority.mcp()).await.expect_err("refused");
        assert!(err.to_string().contains("PKCE"), "{methods}: {err}");
    }
    assert_eq!(authority.count("/register"), 0);
}

#[tokio::test]
async fn a_registration_is_stored_per_issuer() {
    let (home, authority, other) =
        (Home::new(), Authority::start().await, Authority::start().await);
    home.log_in(&authority).await;
    home.log_in(&authority).await;
    assert_eq!(authority.count("/register"), 1);
    home.log_in(&other).await;
    assert_eq!(other.count("/register"), 1);
    crate::oauth::forget(&home.logins(), &home.id, &authority.mcp()).expect("logged out");
    home.log_in(&authority).await;
    assert_eq!(authority.count("/register"), 2);
}

/// Many servers require the registered port; if it is taken, the client registers again.
#[tokio::test]
async fn a_registration_with_an_occupied_port_is_replaced() {
    let (home, authority) = (Home::new(), Authority::start().await);
    home.log_in(&authority).await;
    let first = home.start(&authority.mcp()).await.expect("the login starts");
    let second = home.start(&authority.mcp()).await.expect("the login starts");
    assert_eq!(authority.count("/register"), 2);
    finish(&second).await.expect("the login succeeds");
    finish(&first).await.expect("the login succeeds");
}

#[tokio::test]
async fn a_configured_client_is_not_registered() {
    let (mut home, authority) = (Home::new(), Authority::start().await);
    home.endpoint.client_id = Some("${CLIENT}".into());
    home.lookup = ReferenceLookup::new(|name| (name == "CLIENT").then(|| "by-hand".into()));
    home.log_in(&authority).await;
    assert_eq!(authority.count("/register"), 0);
    assert_eq!(authority.last("/token").pairs["client_id"], "by-hand");

    authority.state().described.insert("registration_endpoint".to_owned(), json!(null));
    home.endpoint.client_id = None;
    let err = home.start(&authority.mcp()).await.expect_err("the client is not registered");
    assert!(err.to_string().contains("set `client_id`"), "{err}");
}

#[tokio::test]
async fn a_configured_client_shows_its_secret_in_the_way_the_server_takes() {
    let (mut home, authority) = (Home::new(), Authority::start().await);
    home.endpoint.client_id = Some("client-1".into());
    home.endpoint.client_secret = Some("env:SECRET".into());
    home.lookup = ReferenceLookup::new(|name| (name == "SECRET").then(|| "hunter2".into()));
    for (method, is_in_form) in [("client_secret_basic", false), ("client_secret_post", true)] {
        authority.state().client_secret = Some("hunter2".to_owned()).filter(|_| !is_in_form);
        authority
            .state()
            .described
            .insert("token_endpoint_auth_methods_supported".to_owned(), json!([method]));
        home.log_in(&authority).await;
        assert_eq!(
            authority.last("/token").body.contains("client_secret=hunter2"),
            is_in_form,
            "{method}"
        );
    }
    assert_eq!(authority.count("/register"), 0);
}

#[tokio::test]
async fn a_client_with_a_secret_authenticates() {
    let (home, authority) = (Home::new(), Authority::start().await);
    authority.state().client_secret = Some("hunter2".to_owned());
    home.log_in(&authority).await;
    assert!(!authority.last("/token").body.contains("hunter2"));
}

#[tokio::test]
async fn scopes_are_those_configured_else_demanded_else_suggested() {
    let (mut home, authority) = (Home::new(), Authority::start().await);
    authority.state().described.insert("scopes_supported".to_owned(), json!(["offline_access"]));
    let scopes = async |home: &Home, challenge| {
        let login = home.start_with(&authority.mcp(), challenge).await.expect("the login starts");
        let url = reqwest::Url::parse(login.browser_url()).expect("an address");
        url.query_pairs()
            .find(|(name, _)| name == "scope")
            .map(|(_, value)| value.into_owned())
            .unwrap_or_default()
    };
    assert_eq!(scopes(&home, None).await, "read offline_access");
    assert_eq!(scopes(&home, Some("Bearer scope=\"a b\"")).await, "a b offline_access");
    home.log_in(&authority).await;
    let more = "Bearer error=\"insufficient_scope\", scope=\"write\"";
    assert_eq!(scopes(&home, Some(more)).await, "write read offline_access");
    home.endpoint.scopes = vec!["mine".to_owned()];
    assert_eq!(scopes(&home, Some("Bearer scope=\"a b\"")).await, "mine");
}

#[tokio::test]
async fn waiting_for_the_browser_ends_at_the_deadline() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let login = home.start(&authority.mcp()).await.expect("the login starts");
    let err = login
        .wait(Instant::now() + Duration::from_millis(20))
        .await
        .expect_err("the login times out");
    assert!(
        err.to_string().starts_with("waiting for the login in the browser timed out after"),
        "{err}"
    );
}
