//! A code is bound to the client that requested it, and only the expected redirect is accepted.

use super::*;
use serde_json::json;

#[tokio::test]
async fn a_person_logs_in_with_a_browser() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let login = home.begin(&authority.mcp()).await.expect("it begins");
    assert_eq!(login.issuer(), authority.base);
    let back = agree(login.browser()).await;
    let (result, (status, head, page)) = tokio::join!(login.wait(soon()), visit(&back));
    result.expect("it ends well");
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
    let asked = authority.last("/authorize").pairs;
    assert_eq!(asked["resource"], authority.mcp());
    assert_eq!(asked["scope"], "read");
    assert_eq!((asked["state"].len(), asked["code_challenge"].len()), (43, 43));
    assert_eq!(authority.last("/token").pairs["resource"], authority.mcp());
}

#[tokio::test]
async fn we_register_as_a_program_on_a_persons_machine() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let login = home.begin(&authority.mcp()).await.expect("it begins");
    let wish: serde_json::Value =
        serde_json::from_str(&authority.last("/register").body).expect("JSON");
    assert_eq!(wish["application_type"], "native");
    assert_eq!(wish["token_endpoint_auth_method"], "none");
    assert_eq!(wish["grant_types"], json!(["authorization_code", "refresh_token"]));
    let redirect = wish["redirect_uris"][0].as_str().expect("an address");
    assert!(
        redirect.starts_with("http://127.0.0.1:") && redirect.ends_with("/callback"),
        "{redirect}"
    );
    drop(login);
}

#[tokio::test]
async fn an_answer_may_be_pasted_where_there_is_no_browser() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let login = home.begin(&authority.mcp()).await.expect("it begins");
    let back = agree(login.browser()).await;
    let foreign = back.replace("state=", "state=x");
    let err = login.finish_with(&foreign).await.expect_err("another login's answer");
    assert!(matches!(err, ClientError::Invalid { .. }), "{err}");
    assert_eq!(authority.count("/token"), 0);
    login.finish_with(&format!("  {back}\n")).await.expect("it ends well");
    assert_eq!(home.current(&authority.mcp()).await, Ok(Some("access-1".to_owned())));
}

#[tokio::test]
async fn visitors_with_anything_else_are_turned_away_and_hold_nobody_up() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let login = home.begin(&authority.mcp()).await.expect("it begins");
    let back = agree(login.browser()).await;
    let at = |path: &str| format!("{}{path}", back.split("/callback").next().expect("a beginning"));
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
            back.clone(),
        ] {
            seen.push(visit(&url).await.0);
        }
        drop(silent);
        seen
    };
    let (result, seen) = tokio::join!(login.wait(soon()), visits);
    result.expect("the right one counts");
    assert_eq!(seen, [404, 404, 400, 400, 200]);
    assert_eq!(authority.last("/token").pairs["code"], "the-code-1");
}

/// RFC 9207: a code of another authorization server is never sent on.
#[tokio::test]
async fn an_answer_of_another_issuer_is_refused() {
    let (home, authority) = (Home::new(), Authority::start().await);
    authority.state().iss = Some("https://evil.example".to_owned());
    let login = home.begin(&authority.mcp()).await.expect("it begins");
    let err = finish(&login).await.expect_err("refused");
    assert!(err.to_string().contains("another authorization server"), "{err}");
    assert_eq!(authority.count("/token"), 0);

    authority.state().iss = None;
    authority
        .state()
        .described
        .insert("authorization_response_iss_parameter_supported".to_owned(), json!(true));
    let login = home.begin(&authority.mcp()).await.expect("it begins");
    finish(&login).await.expect_err("it does not say who it is");
    assert_eq!(authority.count("/token"), 0);

    authority.state().iss = Some(authority.base.clone());
    home.log_in(&authority).await;
    assert_eq!(authority.count("/token"), 1);
}

#[tokio::test]
async fn a_code_is_good_for_who_asked_for_it_only() {
    let (home, thief, authority) = (Home::new(), Home::new(), Authority::start().await);
    let login = home.begin(&authority.mcp()).await.expect("it begins");
    let other = thief.begin(&authority.mcp()).await.expect("it begins");
    let back = agree(login.browser()).await;
    let state = |url: &str| {
        url.split("state=").nth(1).map(|it| it.split('&').next().unwrap_or_default().to_owned())
    };
    let own = state(other.browser()).expect("a state");
    let stolen = back.replace(&state(&back).expect("a state"), &own);
    let err = other.finish_with(&stolen).await.expect_err("the verifier is another one");
    assert!(
        err.to_string().contains("invalid_grant") && !err.to_string().contains("the-code-1"),
        "{err}"
    );
}

#[tokio::test]
async fn a_server_that_does_not_bind_codes_is_refused() {
    let (home, authority) = (Home::new(), Authority::start().await);
    authority
        .state()
        .described
        .insert("code_challenge_methods_supported".to_owned(), json!(["plain"]));
    let err = home.begin(&authority.mcp()).await.expect_err("refused");
    assert!(err.to_string().contains("PKCE"), "{err}");
    assert_eq!(authority.count("/register"), 0);
}

#[tokio::test]
async fn a_registration_is_kept_for_its_issuer() {
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
async fn a_registration_whose_port_is_taken_is_made_anew() {
    let (home, authority) = (Home::new(), Authority::start().await);
    home.log_in(&authority).await;
    let first = home.begin(&authority.mcp()).await.expect("it begins");
    let second = home.begin(&authority.mcp()).await.expect("it begins");
    assert_eq!(authority.count("/register"), 2);
    finish(&second).await.expect("it ends well");
    finish(&first).await.expect("it ends well");
}

#[tokio::test]
async fn a_configured_client_is_not_registered() {
    let (mut home, authority) = (Home::new(), Authority::start().await);
    home.endpoint.client_id = Some("${CLIENT}".into());
    home.lookup = ReferenceLookup::of(|name| (name == "CLIENT").then(|| "by-hand".into()));
    home.log_in(&authority).await;
    assert_eq!(authority.count("/register"), 0);
    assert_eq!(authority.last("/token").pairs["client_id"], "by-hand");

    authority.state().described.insert("registration_endpoint".to_owned(), json!(null));
    home.endpoint.client_id = None;
    let err = home.begin(&authority.mcp()).await.expect_err("nobody knows us");
    assert!(err.to_string().contains("set `client_id`"), "{err}");
}

#[tokio::test]
async fn a_configured_client_shows_its_secret_in_the_way_the_server_takes() {
    let (mut home, authority) = (Home::new(), Authority::start().await);
    home.endpoint.client_id = Some("client-1".into());
    home.endpoint.client_secret = Some("env:SECRET".into());
    home.lookup = ReferenceLookup::of(|name| (name == "SECRET").then(|| "hunter2".into()));
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
async fn a_client_with_a_secret_proves_who_it_is() {
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
        let login = home.begin_with(&authority.mcp(), challenge).await.expect("it begins");
        let url = reqwest::Url::parse(login.browser()).expect("an address");
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
async fn nobody_waits_for_a_browser_for_ever() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let login = home.begin(&authority.mcp()).await.expect("it begins");
    let err =
        login.wait(Instant::now() + Duration::from_millis(20)).await.expect_err("nobody came");
    assert!(
        err.to_string().starts_with("waiting for the browser to come back took longer than"),
        "{err}"
    );
}
