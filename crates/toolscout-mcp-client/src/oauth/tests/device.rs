//! A code typed on another device completes the login here, and the user is never sent to a
//! suspicious address.

use super::*;
use serde_json::json;

#[tokio::test]
async fn a_person_logs_in_on_another_device() {
    let (home, authority) = (Home::new(), Authority::start().await);
    authority.state().pending = 3;
    let login = home.start_device(&authority.mcp()).await.expect("the login starts");
    assert_eq!(login.user_code, "WDJB-MJHT");
    assert_eq!(login.verification_uri, format!("{}/activate", authority.base));
    login.wait(soon()).await.expect("the login succeeds");
    assert_eq!(authority.count("/token"), 4);
    assert_eq!(home.current(&authority.mcp()).await, Ok(Some("access-1".to_owned())));
    assert_eq!(authority.last("/device").pairs["resource"], authority.mcp());
    let registration: serde_json::Value =
        serde_json::from_str(&authority.last("/register").body).expect("JSON");
    assert_eq!(registration["grant_types"][0], "urn:ietf:params:oauth:grant-type:device_code");
}

#[tokio::test]
async fn a_denied_device_login_fails() {
    let (home, authority) = (Home::new(), Authority::start().await);
    authority.state().denied = true;
    let login = home.start_device(&authority.mcp()).await.expect("the login starts");
    let err = login.wait(soon()).await.expect_err("denied");
    assert!(
        matches!(&err, ClientError::Login { what, .. } if what.contains("access_denied")),
        "{err}"
    );
    assert!(!format!("{err:?} {login:?}").contains("device-code-1"));
}

#[tokio::test]
async fn an_expired_code_ends_the_wait() {
    let (home, authority) = (Home::new(), Authority::start().await);
    authority.state().pending = u32::MAX;
    let login = home.start_device(&authority.mcp()).await.expect("the login starts");
    let err = login
        .wait(Instant::now() + Duration::from_millis(100))
        .await
        .expect_err("the login times out");
    assert!(matches!(err, ClientError::TimedOut { .. }), "{err}");
}

#[tokio::test]
async fn a_server_without_device_login_is_reported() {
    let (home, authority) = (Home::new(), Authority::start().await);
    authority.state().described.insert("device_authorization_endpoint".to_owned(), json!(null));
    let err = home.start_device(&authority.mcp()).await.expect_err("device login is not offered");
    assert!(err.to_string().contains("does not support login with a device code"), "{err}");
}

#[tokio::test]
async fn the_verification_address_must_be_a_web_address() {
    let (home, authority) = (Home::new(), Authority::start().await);
    for address in ["javascript:alert(1)", "file:///etc/passwd", "http://evil.example/", "nowhere"]
    {
        let codes = json!({"device_code": "d", "user_code": "u", "verification_uri": address});
        authority.fix("/device", 200, "", codes);
        home.start_device(&authority.mcp()).await.expect_err(address);
    }
    let codes = json!({"device_code": "d", "user_code": "u".repeat(65), "verification_uri": authority.base});
    authority.fix("/device", 200, "", codes);
    home.start_device(&authority.mcp()).await.expect_err("the user code is too long");
}
