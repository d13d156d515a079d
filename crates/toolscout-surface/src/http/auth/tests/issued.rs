use super::super::issuer::Fetch;
use super::super::*;
use super::challenge_for;
use crate::http::fixture::{Site, terms};
use crate::http::{Listener, Routes};
use axum::http::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use ring::rand::SystemRandom;
use ring::signature::{self, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const NOW: u64 = 1_900_000_000;
const ISSUER: &str = "https://login.example.com";
const RESOURCE: &str = "https://tools.example.com/mcp";

/// Signed once with a key that was deleted; valid until 2033.
const RSA_KEY: &str = "qi5JQIZuhbFzIYU-l_8-dsWTLj5VGn4aXS6LhZPLL7dJIkJ_dFaAvgmwH5udOFIpCfNo-cvRpUHOYoT6G2-SQHxXfJsANviGZjwaUM5K88-lhYYpHrkMd8dIBQzakfX_2HKtcAviD4SPEjXp4op8VOjQPXR1JQVx5rCkCycL9rvnIBN35wtQd-rIFfPSFYfWKnt8omemmH3zjdTJ4Rk_M-pVPGCQ0XhdFd8b42JbQi4LDKDNxIZh9waYqrzureyx8irGpzJyiwl34qnzNZZx4I_qYRPjg_q1r-MmgGoXA5GUjSbhUNUrv5qmLClwkROOJ_9c-pgfwsP40C8eYiUtUw";
const RSA_TOKEN: &str = "eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYSIsInR5cCI6ImF0K2p3dCJ9.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUuY29tIiwic3ViIjoiYWRhIiwiYXVkIjoiaHR0cHM6Ly90b29scy5leGFtcGxlLmNvbS9tY3AiLCJleHAiOjIwMDAwMDAwMDAsInNjb3BlIjoidG9vbHMifQ.YRjMIiQkToElW7Ch5XP_Q-SWTvxg4aX52UGIHbwqtFbngqptOGoKo-Q6ISlctoqVbbgkG22yuXwvcxBd5V5YvWSUo6VVwcWH7VnkTsbzj_jGmP8FcEzdgSi6Bb9pmrDFB3L9k24XFOGzUuIznSIjYjllas_EpEq1mfpLwbMS7YE9VUPn0zjS8_zz2e662VvOgBh3yJVIhbku1rOeqlALUuCS4aXFHTt3XGcWlkIzacbOTWZrf22QQjlwnqNG1GqncGFuGfMv5sVdGqLm8VAgjwYg1l4DRaILdK_3jSmqvq5XEs-3fCclcAY0SOvTRHEYagWvJKXY7UQ4reo4-Z2vMA";

/// An issuer that counts how often its documents are fetched.
struct Login {
    ed: Ed25519KeyPair,
    ec: EcdsaKeyPair,
    keys: Mutex<Value>,
    fetched: AtomicUsize,
}

impl Login {
    fn new() -> Arc<Self> {
        let random = SystemRandom::new();
        let ed = Ed25519KeyPair::generate_pkcs8(&random).expect("a key");
        let ed = Ed25519KeyPair::from_pkcs8(ed.as_ref()).expect("a key");
        let kind = &signature::ECDSA_P256_SHA256_FIXED_SIGNING;
        let ec = EcdsaKeyPair::generate_pkcs8(kind, &random).expect("a key");
        let ec = EcdsaKeyPair::from_pkcs8(kind, ec.as_ref(), &random).expect("a key");
        let point = ec.public_key().as_ref();
        let keys = json!({"keys": [
            {"kty": "RSA", "kid": "rsa", "n": RSA_KEY, "e": "AQAB", "alg": "RS256", "use": "sig"},
            {"kty": "EC", "kid": "ec", "crv": "P-256", "x": encode(&point[1..33]), "y": encode(&point[33..])},
            {"kty": "OKP", "kid": "ed", "crv": "Ed25519", "x": encode(ed.public_key().as_ref())},
            {"kty": "oct", "kid": "shared", "k": "c2VjcmV0"},
            {"kty": "OKP", "kid": "enc", "crv": "Ed25519", "x": encode(ed.public_key().as_ref()), "use": "enc"},
            "nonsense",
        ]});
        Arc::new(Self { ed, ec, keys: Mutex::new(keys), fetched: AtomicUsize::new(0) })
    }

    fn fetch(self: &Arc<Self>) -> Fetch {
        let login = self.clone();
        Arc::new(move |url| {
            login.fetched.fetch_add(1, Ordering::Relaxed);
            let document = match url.as_str() {
                "https://login.example.com/.well-known/openid-configuration" => {
                    Ok(json!({"issuer": ISSUER, "jwks_uri": "https://login.example.com/keys"}))
                }
                "https://login.example.com/keys" => Ok(login.keys.lock().clone()),
                other => Err(format!("{other} is not there")),
            };
            Box::pin(async move { document.map(|document| document.to_string().into_bytes()) })
        })
    }

    fn auth(self: &Arc<Self>, change: impl FnOnce(&mut JwtTerms)) -> Auth {
        let mut terms = JwtTerms {
            issuer: ISSUER.to_owned(),
            resource: RESOURCE.to_owned(),
            audiences: Vec::new(),
            scopes: vec!["tools".to_owned()],
            claims: ClaimNames {
                operator: Some("tools:admin".to_owned()),
                ..ClaimNames::default()
            },
            approvals: ClientApprovals::Never,
            fetch: self.fetch(),
        };
        change(&mut terms);
        Auth::Jwt(Box::new(Jwt::new(terms).expect("the settings are valid").with_clock(|| NOW)))
    }

    fn sign(&self, header: &Value, claims: &Value) -> String {
        let signed = format!(
            "{}.{}",
            encode(header.to_string().as_bytes()),
            encode(claims.to_string().as_bytes())
        );
        let signature = match header["alg"].as_str() {
            Some("ES256") => self
                .ec
                .sign(&SystemRandom::new(), signed.as_bytes())
                .expect("signed")
                .as_ref()
                .to_vec(),
            _ => self.ed.sign(signed.as_bytes()).as_ref().to_vec(),
        };
        format!("{signed}.{}", encode(&signature))
    }

    /// A valid token, except for these changes.
    fn token(&self, changes: Value) -> String {
        self.sign(&json!({"alg": "EdDSA", "kid": "ed", "typ": "at+jwt"}), &claims(changes))
    }
}

fn claims(changes: Value) -> Value {
    let mut claims = json!({"iss": ISSUER, "sub": "ada", "aud": RESOURCE, "exp": NOW + 60, "scope": "other tools"});
    for (key, value) in changes.as_object().expect("changes") {
        match value {
            Value::Null => {
                claims.as_object_mut().expect("claims").remove(key);
            }
            value => claims[key] = value.clone(),
        }
    }
    claims
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

async fn authenticate(auth: &Auth, token: &str, path: &str) -> Result<Principal, HttpRejection> {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, format!("Bearer {token}").parse().expect("a header"));
    auth.authenticate(&headers, path).await
}

#[tokio::test]
async fn valid_tokens_of_each_algorithm_are_accepted() {
    let login = Login::new();
    let auth = login.auth(|_| {});
    let ec = login.sign(&json!({"alg": "ES256", "kid": "ec"}), &claims(json!({})));
    for token in [RSA_TOKEN, &ec, &login.token(json!({}))] {
        for _ in 0..2 {
            let principal =
                authenticate(&auth, token, "/mcp").await.expect("authentication succeeds");
            assert_eq!((principal.name.as_deref(), principal.role), (Some("ada"), Role::Agent));
        }
    }
    assert_eq!(
        login.fetched.load(Ordering::Relaxed),
        3,
        "two metadata URLs and the keys, once each"
    );
    let admin = login.token(json!({"scope": null, "scp": ["tools", "tools:admin"]}));
    assert_eq!(
        authenticate(&auth, &admin, "/mcp").await.expect("authentication succeeds").role,
        Role::Operator
    );
}

/// Sessions of the UI and open streams check this again and again.
#[tokio::test]
async fn a_principal_is_current_until_its_token_expires() {
    let login = Login::new();
    let auth = login.auth(|_| {});
    let principal =
        authenticate(&auth, &login.token(json!({})), "/mcp").await.expect("a valid token");
    assert_eq!(principal.expires_at, Some(NOW + 60 + 30));
    assert!(auth.is_current(&principal));
    assert!(!auth.is_current(&Principal { expires_at: Some(NOW), ..principal }));
}

#[tokio::test]
async fn a_token_with_an_invalid_claim_is_rejected() {
    let login = Login::new();
    let auth = login.auth(|_| {});
    let good = login.token(json!({}));
    authenticate(&auth, &good, "/mcp").await.expect("authentication succeeds");
    let wrong = [
        json!({"iss": "https://login.example.com/"}),
        json!({"iss": "https://evil.example.com"}),
        json!({"iss": null}),
        json!({"sub": null}),
        json!({"sub": ""}),
        json!({"sub": 7}),
        json!({"aud": null}),
        json!({"aud": "https://tools.example.com"}),
        json!({"aud": "https://tools.example.com/mcp2"}),
        json!({"aud": ["https://elsewhere.example.com"]}),
        json!({"aud": []}),
        json!({"exp": null}),
        json!({"exp": NOW - 31}),
        json!({"exp": "never"}),
        json!({"nbf": NOW + 31}),
    ];
    for changes in wrong {
        let (status, challenge) =
            challenge_for(&auth, &[&format!("Bearer {}", login.token(changes.clone()))]).await;
        assert_eq!(status, 401, "{changes}");
        assert!(challenge.contains(r#"error="invalid_token""#), "{changes}: {challenge}");
    }
    for changes in [
        json!({"exp": NOW - 29}),
        json!({"nbf": NOW + 29}),
        json!({"aud": ["x", RESOURCE]}),
        json!({"aud": format!("{RESOURCE}/")}),
    ] {
        authenticate(&auth, &login.token(changes.clone()), "/mcp")
            .await
            .unwrap_or_else(|_| panic!("{changes} should be accepted"));
    }
}

#[tokio::test]
async fn a_signature_is_valid_only_with_the_named_key_and_algorithm() {
    let login = Login::new();
    let auth = login.auth(|_| {});
    let good = login.token(json!({}));
    let (signed, signature) = good.rsplit_once('.').expect("three parts");
    let header = |header: Value| login.sign(&header, &claims(json!({})));
    let other = Login::new().token(json!({}));
    let mut cases = vec![
        other,
        format!("{signed}."),
        signed.to_owned(),
        format!("{signed}.{signature}.{signature}"),
        format!("{signed}.{}", encode(&[0; 64])),
        format!("{}.{signature}", encode(b"{}")),
        "a.b.c".to_owned(),
        "...".to_owned(),
        format!("{}.{}", "x".repeat(20 << 10), "y.z"),
        header(json!({"alg": "none"})),
        header(json!({"alg": "None", "kid": "ed"})),
        header(json!({"alg": "HS256", "kid": "shared"})),
        header(json!({"alg": "HS256", "kid": "rsa"})),
        header(json!({"alg": "RS256", "kid": "ed"})),
        header(json!({"alg": "ES256", "kid": "ed"})),
        header(json!({"alg": "EdDSA", "kid": "ec"})),
        header(json!({"alg": "EdDSA", "kid": "enc"})),
        header(json!({"alg": "EdDSA", "kid": "unknown"})),
        header(json!({"alg": "EdDSA", "kid": "ed", "crit": ["b64"]})),
        header(json!({"alg": "EdDSA", "kid": "ed", "typ": "dpop+jwt"})),
    ];
    // The claims of one token with the signature of another.
    let ours = login.token(json!({"sub": "bob"}));
    let body = ours.split('.').nth(1).expect("claims");
    cases.push(format!("{}.{body}.{signature}", signed.split('.').next().expect("a header")));
    for case in cases {
        let (status, challenge) = challenge_for(&auth, &[&format!("Bearer {case}")]).await;
        assert_eq!(status, 401, "{case}");
        assert!(challenge.starts_with("Bearer resource_metadata="), "{challenge}");
    }
    authenticate(&auth, &header(json!({"alg": "EdDSA"})), "/mcp")
        .await
        .expect("the only key of its type needs no `kid`");
}

#[tokio::test]
async fn the_challenge_for_a_missing_scope_names_the_required_scopes() {
    let login = Login::new();
    let auth = login.auth(|_| {});
    for scope in
        [json!({"scope": null}), json!({"scope": "toolsx"}), json!({"scope": "tools:read"})]
    {
        let (status, challenge) =
            challenge_for(&auth, &[&format!("Bearer {}", login.token(scope))]).await;
        assert_eq!(status, 403);
        let url = "https://tools.example.com/.well-known/oauth-protected-resource/mcp";
        assert_eq!(
            challenge,
            format!(
                r#"Bearer resource_metadata="{url}", scope="tools", error="insufficient_scope""#
            )
        );
    }
}

/// A profile is a resource of its own: a token for it is not valid for anything else.
#[tokio::test]
async fn a_token_for_a_profile_is_valid_for_that_profile_only() {
    let login = Login::new();
    let auth = login.auth(|_| {});
    let narrow = login.token(json!({"aud": format!("{RESOURCE}/read")}));
    assert!(authenticate(&auth, &narrow, "/mcp/read").await.is_ok());
    for path in ["/mcp", "/mcp/write", "/api/servers", "/mcp/read/x"] {
        assert!(authenticate(&auth, &narrow, path).await.is_err(), "{path}");
    }
    assert!(authenticate(&auth, &login.token(json!({})), "/mcp/read").await.is_ok());
}

/// M-15m
#[tokio::test]
async fn a_token_for_a_project_is_valid_for_that_project_only() {
    let login = Login::new();
    let auth = login.auth(|_| {});
    let narrow = login.token(json!({"aud": "https://tools.example.com/projects/beta/mcp"}));
    assert!(authenticate(&auth, &narrow, "/projects/beta/mcp").await.is_ok());
    for path in ["/mcp", "/projects/other/mcp", "/projects/beta/mcp/read", "/api/projects/beta"] {
        assert!(authenticate(&auth, &narrow, path).await.is_err(), "{path}");
    }
    let whole = login.token(json!({}));
    for path in ["/projects/beta/mcp", "/projects/beta/mcp/read"] {
        assert!(authenticate(&auth, &whole, path).await.is_ok(), "{path}");
    }
}

/// Forged tokens do not make us query the issuer repeatedly; a new key is found all the same.
#[tokio::test(start_paused = true)]
async fn keys_are_fetched_again_for_an_unknown_key_but_not_too_often() {
    let login = Login::new();
    let auth = login.auth(|_| {});
    let unknown = login.sign(&json!({"alg": "EdDSA", "kid": "next"}), &claims(json!({})));
    for _ in 0..50 {
        assert!(authenticate(&auth, &unknown, "/mcp").await.is_err());
    }
    assert_eq!(login.fetched.load(Ordering::Relaxed), 3);
    login.keys.lock()["keys"][2]["kid"] = "next".into();
    assert!(authenticate(&auth, &unknown, "/mcp").await.is_err());
    tokio::time::advance(std::time::Duration::from_secs(31)).await;
    authenticate(&auth, &unknown, "/mcp").await.expect("found");
    assert_eq!(login.fetched.load(Ordering::Relaxed), 6);
}

#[tokio::test]
async fn tokens_get_503_while_the_keys_of_the_issuer_are_unavailable() {
    let login = Login::new();
    let documents = [
        Err("no such host".to_owned()),
        Ok(json!({"issuer": "https://evil.example.com", "jwks_uri": "https://login.example.com/keys"}).to_string()),
        Ok(json!({"issuer": ISSUER, "jwks_uri": "http://login.example.com/keys"}).to_string()),
        Ok("not json".to_owned()),
        Ok(" ".repeat(1 << 20)),
    ];
    for document in documents {
        let auth = login.auth(|login| {
            login.fetch = Arc::new(move |_| {
                let document = document.clone();
                Box::pin(async move { document.map(String::into_bytes) })
            });
        });
        let (status, _) =
            challenge_for(&auth, &[&format!("Bearer {}", login.token(json!({})))]).await;
        assert_eq!(status, 503);
    }
}

#[test]
fn insecure_terms_are_rejected() {
    let login = Login::new();
    let with = |issuer: &str, resource: &str, scope: &str| {
        let (issuer, resource, scopes) =
            (issuer.to_owned(), resource.to_owned(), vec![scope.to_owned()]);
        let (audiences, claims) = (Vec::new(), ClaimNames::default());
        Jwt::new(JwtTerms {
            issuer,
            resource,
            audiences,
            scopes,
            claims,
            approvals: ClientApprovals::Never,
            fetch: login.fetch(),
        })
        .is_ok()
    };
    assert!(with(ISSUER, RESOURCE, "tools"));
    assert!(with("http://127.0.0.1:9000", "http://localhost:8080/mcp", "tools"));
    for url in [
        "http://login.example.com",
        "login.example.com",
        "",
        "https://",
        "http://127.0.0.1.evil.example.com",
        "https://a@b",
    ] {
        assert!(!with(url, RESOURCE, "tools"), "{url}");
        assert!(!with(ISSUER, url, "tools"), "{url}");
    }
    assert!(!with(ISSUER, RESOURCE, "to\"ols"));
}

/// RFC 9728: at the well-known path itself, and with the path of the resource appended.
#[tokio::test]
async fn the_protected_resource_metadata_is_public() {
    let listener = Listener::bind(terms(Login::new().auth(|_| {}))).await.expect("bound");
    let site = Site::serve(listener, Routes::new());
    let send = async |path: &str| {
        site.send(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")).await
    };
    let url = "/.well-known/oauth-protected-resource";
    for (path, resource) in [
        ("", RESOURCE),
        ("/mcp", RESOURCE),
        ("/mcp/read", "https://tools.example.com/mcp/read"),
        ("/projects/beta/mcp", "https://tools.example.com/projects/beta/mcp"),
    ] {
        let response = send(&format!("{url}{path}")).await;
        let expected = json!({
            "resource": resource,
            "authorization_servers": [ISSUER],
            "bearer_methods_supported": ["header"],
            "resource_name": "toolscout",
            "scopes_supported": ["tools"],
        });
        assert_eq!((response.status, response.json()), (200, expected));
    }
    for path in ["/other", "/mcp/a/b", "/mcp/a%20b", "/projects/beta", "/projects/a/b/mcp"] {
        assert_eq!(send(&format!("{url}{path}")).await.status, 404, "{path}");
    }
    let response = send("/mcp").await;
    let challenge = response.header("www-authenticate").expect("a challenge");
    assert_eq!(response.status, 401);
    assert!(
        challenge.contains("https://tools.example.com/.well-known/oauth-protected-resource/mcp\""),
        "{challenge}"
    );
}

/// Some issuers pad the numbers of their keys, or use the algorithm name of RFC 9864. Keys of a
/// wrong size or purpose are ignored.
#[tokio::test]
async fn padded_and_renamed_keys_are_accepted_and_unusable_ones_ignored() {
    for (field, value, is_usable) in [
        ("alg", json!("Ed25519"), true),
        ("alg", json!("EdDSA"), true),
        ("alg", json!("ES256"), false),
        ("alg", json!("ECDH-ES"), false),
        ("use", json!("enc"), false),
        ("x", json!("c2hvcnQ"), false),
        ("crv", json!("X25519"), false),
    ] {
        let login = Login::new();
        login.keys.lock()["keys"][2][field] = value.clone();
        let outcome = authenticate(&login.auth(|_| {}), &login.token(json!({})), "/mcp").await;
        assert_eq!(outcome.is_ok(), is_usable, "{field}: {value}");
    }
    let login = Login::new();
    let padded = format!("{}=", login.keys.lock()["keys"][2]["x"].as_str().expect("a text"));
    login.keys.lock()["keys"][2]["x"] = padded.into();
    authenticate(&login.auth(|_| {}), &login.token(json!({})), "/mcp")
        .await
        .expect("authentication succeeds");
}
