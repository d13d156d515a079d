//! Logins are stored for one server at one address, readable by their owner only.

use super::super::{LoginStatus, forget, status};
use super::*;
use std::fs;
use std::path::PathBuf;

fn files(home: &Home, extension: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(home.logins())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path());
    all.filter(|inner| inner.extension().is_some_and(|value| value == extension)).collect()
}

fn login_file(home: &Home) -> PathBuf {
    let named = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("login-"))
    };
    files(home, "json").into_iter().find(named).expect("a login")
}

/// T33: only the owner can read them.
#[cfg(unix)]
#[tokio::test]
async fn logins_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let (home, authority) = (Home::new(), Authority::start().await);
    fs::create_dir_all(home.logins()).expect("a folder");
    fs::set_permissions(home.logins(), fs::Permissions::from_mode(0o755)).expect("set the mode");
    home.log_in(&authority).await;
    let mode =
        |path: &Path| fs::metadata(path).expect("the path exists").permissions().mode() & 0o777;
    assert_eq!(mode(&home.logins()), 0o700);
    for path in [files(&home, "json"), files(&home, "lock")].concat() {
        assert_eq!(mode(&path), 0o600, "{path:?}");
    }
    assert_eq!(files(&home, "json").len(), 2);
    assert!(files(&home, "tmp").is_empty());
}

/// T30: a token is sent only to the server it was issued for.
#[tokio::test]
async fn another_address_under_the_same_id_gets_no_token() {
    let (mut home, authority) = (Home::new(), Authority::start().await);
    home.log_in(&authority).await;
    for url in [
        "https://evil.example/mcp".to_owned(),
        format!("{}/mcp2", authority.base),
        format!("{}?a", authority.mcp()),
    ] {
        assert_eq!(home.current(&url).await, Ok(None), "{url}");
    }
    // This holds even if the file is moved.
    let other = format!("{}/other", authority.base);
    let saved = login_file(&home);
    let name = super::super::record::TokenFile::new(
        &home.logins(),
        &home.id,
        &other.parse().expect("an address"),
    )
    .file
    .path();
    fs::copy(saved, name).expect("copied");
    assert_eq!(home.current(&other).await, Ok(None));
    home.id = SourceId::new("other").expect("an id");
    assert_eq!(home.current(&authority.mcp()).await, Ok(None));
}

#[tokio::test]
async fn the_login_status_is_reported() {
    let (home, authority) = (Home::new(), Authority::start().await);
    let url = authority.mcp();
    assert_eq!(status(&home.logins(), &home.id, &url), LoginStatus::LoggedOut);
    assert!(!forget(&home.logins(), &home.id, &url).expect("there is no login"));
    assert!(!home.logins().exists());
    home.log_in(&authority).await;
    let LoginStatus::LoggedIn { since, expires, renewable, issuer } =
        status(&home.logins(), &home.id, &url)
    else {
        panic!("logged in")
    };
    assert!(expires.is_some_and(|expires| expires > since) && renewable);
    assert_eq!(issuer, authority.base);
    let tokens = home.tokens(&url);
    assert!(forget(&home.logins(), &home.id, &url).expect("forgotten"));
    assert_eq!(status(&home.logins(), &home.id, &url), LoginStatus::LoggedOut);
    assert_eq!(tokens.current().await, Ok(None));
    assert!(files(&home, "json").is_empty());
}

#[tokio::test]
async fn an_unreadable_file_is_reported_without_its_content() {
    let (home, authority) = (Home::new(), Authority::start().await);
    home.log_in(&authority).await;
    let path = login_file(&home);
    let whole = fs::read_to_string(&path).expect("a login");
    for broken in [
        &whole[..whole.len() / 2],
        "",
        "access-1",
        "{\"version\":1}",
        &whole.replace("\"version\": 1", "\"version\": 2"),
    ] {
        fs::write(&path, broken).expect("written");
        let err = home.current(&authority.mcp()).await.expect_err("unreadable");
        let ClientError::Login { what, .. } = &err else { panic!("{err}") };
        assert!(what.ends_with("log in with `toolscout server login mail`"), "{what}");
        assert!(!what.contains("access-1"), "{what}");
    }
    home.log_in(&authority).await;
    assert_eq!(home.current(&authority.mcp()).await, Ok(Some("access-2".to_owned())));
}

/// T33: no output about a login, in any of its states, contains a secret.
#[tokio::test]
async fn debug_output_contains_no_secret() {
    let (home, authority) = (Home::new(), Authority::start().await);
    authority.state().client_secret = Some("hunter2".to_owned());
    let login = home.start(&authority.mcp()).await.expect("the login starts");
    finish(&login).await.expect("the login succeeds");
    let again = finish(&login).await;
    let tokens = home.tokens(&authority.mcp());
    let file = super::super::record::TokenFile::new(
        &home.logins(),
        &home.id,
        &authority.mcp().parse().expect("an address"),
    );
    let shown =
        format!("{login:?} {again:?} {tokens:?} {:?} {:?}", file, file.read().expect("readable"));
    for secret in ["hunter2", "access-1", "refresh-1", "the-code-1", "code_verifier"] {
        assert!(!shown.contains(secret), "{secret}: {shown}");
    }
}
