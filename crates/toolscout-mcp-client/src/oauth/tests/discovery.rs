//! The authorization server is found, even for old servers, and a server cannot misuse the
//! discovery.

use super::*;
use serde_json::json;

const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
const ROOT: &str = "/.well-known/oauth-protected-resource";
const ISSUER: &str = "/.well-known/oauth-authorization-server";

async fn refused(home: &Home, authority: &Authority, challenge: Option<&str>) -> String {
    home.start_with(&authority.mcp(), challenge).await.expect_err("refused").to_string()
}

#[tokio::test]
async fn the_server_names_its_own_login_metadata() {
    let (home, authority) = (Home::new(), Authority::start().await);
    authority.fix(RESOURCE, 404, "", "");
    authority.fix(
        "/here",
        200,
        "",
        json!({"resource": authority.mcp(), "authorization_servers": [authority.base]}),
    );
    let challenge = format!("Bearer resource_metadata=\"{}/here\"", authority.base);
    home.start_with(&authority.mcp(), Some(&challenge)).await.expect("found");
    assert_eq!(authority.paths()[..2], ["GET /here".to_owned(), format!("GET {ISSUER}")]);
}

#[tokio::test]
async fn a_description_for_the_whole_host_is_found() {
    let (home, authority) = (Home::new(), Authority::start().await);
    // An HTML page, with which many sites answer unknown paths.
    authority.fix(RESOURCE, 200, "content-type: text/html\r\n", "<!doctype html>");
    authority.fix(
        ROOT,
        200,
        "",
        json!({"resource": authority.base, "authorization_servers": [authority.base]}),
    );
    home.log_in(&authority).await;
    assert_eq!(authority.last("/authorize").pairs["resource"], authority.base);
}

/// T31: an address on another origin is not contacted.
#[tokio::test]
async fn login_metadata_on_another_origin_is_not_requested() {
    let (home, authority, canary) =
        (Home::new(), Authority::start().await, Authority::start().await);
    let addresses = [
        format!("{}{ROOT}", canary.base),
        canary.base.replace("127.0.0.1", "localhost"),
        canary.base.replace("http://", "http://127.0.0.1@"),
        "javascript:alert(1)".to_owned(),
        "file:///etc/passwd".to_owned(),
        "data:application/json,{}".to_owned(),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "/relative".to_owned(),
        String::new(),
    ];
    for address in addresses {
        let error =
            refused(&home, &authority, Some(&format!("Bearer resource_metadata=\"{address}\"")))
                .await;
        assert!(error.contains("the server refers to login metadata at"), "{error}");
    }
    assert_eq!(canary.paths(), [""; 0]);
    assert_eq!(authority.paths(), [""; 0]);
}

/// T31: no redirect is followed, neither for metadata nor with a code or a token.
#[tokio::test]
async fn redirects_are_not_followed() {
    let (home, authority, canary) =
        (Home::new(), Authority::start().await, Authority::start().await);
    let there = |path: &str| format!("location: {}{path}\r\n", canary.base);
    let challenge = format!("Bearer resource_metadata=\"{}{RESOURCE}\"", authority.base);
    authority.fix(RESOURCE, 302, &there(RESOURCE), "");
    let error = refused(&home, &authority, Some(&challenge)).await;
    assert!(
        error.contains("answered 302") && error.contains("redirects are not followed"),
        "{error}"
    );
    authority.state().fixed.clear();
    authority.fix("/token", 307, &there("/token"), "");
    let login = home.start(&authority.mcp()).await.expect("the login starts");
    let error = finish(&login).await.expect_err("refused").to_string();
    assert!(error.contains("redirects are not followed"), "{error}");
    authority.fix("/register", 308, &there("/register"), "");
    refused(&home, &authority, None).await;
    assert_eq!(canary.paths(), [""; 0]);
}

/// T30: metadata of another server or another issuer is refused.
#[tokio::test]
async fn descriptions_of_others_are_refused() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let base = &authority.base;
    let foreign = [
        "https://bank.example/mcp".to_owned(),
        format!("{base}/mcp/deeper"),
        format!("{base}/mc"),
        "mcp".into(),
    ];
    for resource in foreign {
        authority.fix(
            RESOURCE,
            200,
            "",
            json!({"resource": resource, "authorization_servers": [base]}),
        );
        let error = refused(&home, &authority, None).await;
        assert!(error.contains(&format!("is for `{resource}`, not for this server")), "{error}");
    }
    assert_eq!(authority.count(ISSUER), 0);
    authority.state().fixed.clear();
    for issuer in [format!("{base}/"), "https://evil.example".to_owned()] {
        authority.state().described.insert("issuer".to_owned(), json!(issuer));
        let error = refused(&home, &authority, None).await;
        assert!(
            error.contains(&format!("has the metadata of `{issuer}`, not of `{base}`")),
            "{error}"
        );
    }
    assert_eq!(authority.count("/register"), 0);
}

/// T31: metadata may name only `http` and `https` addresses.
#[tokio::test]
async fn places_to_log_in_are_on_the_web() {
    let (home, authority) = (Home::new(), Authority::start().await);
    for field in ["authorization_endpoint", "token_endpoint", "registration_endpoint"] {
        for address in
            ["javascript:alert(1)", "http://10.1.2.3/x", "ftp://h/x", "https://a:b@h/x", "x"]
        {
            authority.state().described.insert(field.to_owned(), json!(address));
            home.start(&authority.mcp()).await.expect_err(address);
        }
        authority.state().described.clear();
    }
    assert_eq!(authority.count("/register"), 0);
}

#[tokio::test]
async fn the_first_issuer_that_can_be_used_is_used() {
    let (home, authority, issuer) =
        (Home::new(), Authority::start().await, Authority::start().await);
    let named = json!({"resource": authority.mcp(), "authorization_servers": ["javascript:1", authority.mcp(), issuer.base]});
    authority.fix(RESOURCE, 200, "", named);
    home.log_in_elsewhere(&authority, &issuer).await;
    assert_eq!(authority.count("/token"), 0);
    assert_eq!(issuer.count("/token"), 1);
}

impl Home {
    async fn log_in_elsewhere(&self, server: &Authority, issuer: &Authority) {
        let login = self.start(&server.mcp()).await.expect("the login starts");
        assert_eq!(login.issuer(), issuer.base);
        finish(&login).await.expect("the login succeeds");
    }
}

#[tokio::test]
async fn an_issuer_with_a_path_is_found_at_each_well_known_address() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let issuer = format!("{}/tenant", authority.base);
    authority.fix(
        RESOURCE,
        200,
        "",
        json!({"resource": authority.mcp(), "authorization_servers": [issuer]}),
    );
    let described = json!({
        "issuer": issuer, "authorization_endpoint": format!("{}/authorize", authority.base),
        "token_endpoint": format!("{}/token", authority.base), "registration_endpoint": format!("{}/register", authority.base),
        "code_challenge_methods_supported": ["S256"],
    });
    let addresses = [
        "/.well-known/oauth-authorization-server/tenant",
        "/.well-known/openid-configuration/tenant",
        "/tenant/.well-known/openid-configuration",
    ];
    for (at, address) in addresses.iter().enumerate() {
        authority.fix(address, 200, "", &described);
        home.start(&authority.mcp()).await.expect("found");
        let requests: Vec<_> =
            authority.paths().into_iter().filter(|path| path.contains("/tenant")).collect();
        assert_eq!(
            requests,
            addresses[..=at].iter().map(|address| format!("GET {address}")).collect::<Vec<_>>()
        );
        authority.fix(address, 404, "", "");
        authority.state().requests.clear();
    }
}

/// Servers of 2025-03-26 are their own issuer, with metadata or at fixed paths.
#[tokio::test]
async fn old_servers_give_their_tokens_themselves() {
    let (home, authority) = (Home::new(), Authority::start().await);
    authority.fix(RESOURCE, 404, "", "");
    let issuer = format!("{}/", authority.base);
    authority.state().described.insert("issuer".to_owned(), json!(issuer));
    home.log_in(&authority).await;
    assert_eq!(authority.last("/token").pairs["resource"], authority.mcp());

    let older = Authority::start().await;
    older.fix(RESOURCE, 404, "", "");
    older.fix(ISSUER, 404, "", "");
    home.log_in(&older).await;
    assert_eq!(home.current(&older.mcp()).await, Ok(Some("access-1".to_owned())));
}

#[tokio::test]
async fn a_server_without_login_metadata_is_reported() {
    let (home, authority) = (Home::new(), Authority::start().await);
    for path in [RESOURCE, ISSUER, "/register"] {
        authority.fix(path, 404, "", "");
    }
    let error = refused(&home, &authority, None).await;
    assert!(
        error.contains("/register` answered 404 Not Found and did not register toolscout"),
        "{error}"
    );
}

#[tokio::test]
async fn oversized_and_invalid_responses_end_the_login() {
    let (home, authority) = (Home::new(), Authority::start().await);
    authority.fix(RESOURCE, 200, "", "x".repeat((1 << 20) + 1));
    assert!(refused(&home, &authority, None).await.contains("more than 1 MiB"));
    authority.fix(RESOURCE, 503, "", "");
    assert!(refused(&home, &authority, None).await.contains("answered 503"));
    authority.state().fixed.clear();
    for (status, body) in [
        (200, "[".repeat(500_000)),
        (200, String::new()),
        (404, "{}".to_owned()),
        (200, "{}".to_owned()),
    ] {
        authority.fix("/token", status, "", body);
        let login = home.start(&authority.mcp()).await.expect("the login starts");
        let err = finish(&login).await.expect_err("no token was issued");
        assert!(matches!(err, ClientError::Protocol { .. }), "{err}");
    }
}

/// T33: a login without encryption is refused.
#[tokio::test]
async fn a_plain_http_server_is_refused_before_any_request() {
    let home = Home::new();
    for url in ["http://192.0.2.1/mcp", "http://mcp.example/mcp", "ftp://127.0.0.1/", "mcp"] {
        let err = home.start(url).await.expect_err(url);
        assert!(matches!(err, ClientError::Invalid { .. }), "{err}");
    }
}
