//! `--auth jwt`: a token of the issuer is accepted. Without one, the response refers to the issuer.

use super::library;
use super::web::Web;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::time::{SystemTime, UNIX_EPOCH};

pub(super) const AUDIENCE: &str = "https://tools.example.com/mcp";

/// An issuer on loopback that signs tokens and publishes its key over HTTP.
pub(super) struct Issuer {
    pub(super) url: String,
    key: EcdsaKeyPair,
}

impl Issuer {
    pub(super) fn start() -> Self {
        let random = SystemRandom::new();
        let made =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
        let key =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, made.as_ref(), &random)
                .expect("a key");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let point = &key.public_key().as_ref()[1..];
        let keys = json!({"keys": [{
            "kty": "EC", "crv": "P-256", "kid": "k1", "alg": "ES256", "use": "sig",
            "x": base64(&point[..32]), "y": base64(&point[32..]),
        }]});
        let metadata = json!({"issuer": url, "jwks_uri": format!("{url}/keys")});
        std::thread::spawn(move || {
            listener.incoming().flatten().for_each(|incoming| answer(incoming, &metadata, &keys))
        });
        Self { url, key }
    }

    fn token(&self, audience: &str) -> String {
        self.token_with(audience, &json!({}))
    }

    pub(super) fn token_of(&self, subject: &str, audience: &str) -> String {
        self.token_with(audience, &json!({"sub": subject}))
    }

    /// A token with more claims.
    fn token_with(&self, audience: &str, more: &Value) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_secs();
        let mut claims = json!({"iss": self.url, "sub": "ada", "aud": audience, "exp": now + 300});
        for (name, value) in more.as_object().into_iter().flatten() {
            claims[name] = value.clone();
        }
        let head = json!({"alg": "ES256", "kid": "k1", "typ": "at+jwt"});
        let signed = format!(
            "{}.{}",
            base64(head.to_string().as_bytes()),
            base64(claims.to_string().as_bytes())
        );
        let by = self.key.sign(&SystemRandom::new(), signed.as_bytes()).expect("a signature");
        format!("{signed}.{}", base64(by.as_ref()))
    }
}

fn answer(mut stream: std::net::TcpStream, metadata: &Value, keys: &Value) {
    let mut line = String::new();
    let _ = BufReader::new(&stream).read_line(&mut line);
    let body = match line.split(' ').nth(1) {
        Some("/.well-known/oauth-authorization-server") => metadata.to_string(),
        Some("/keys") => keys.to_string(),
        _ => String::new(),
    };
    let status = if body.is_empty() { "404 Not Found" } else { "200 OK" };
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

/// URL-safe base64 without padding.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |sum, chunk| sum << 8 | u32::from(*chunk))
            << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            text.push(char::from(ALPHABET[(group >> (18 - 6 * at)) as usize & 63]));
        }
    }
    text
}

/// toolscout is the protected resource in the sense of OAuth.
#[test]
fn a_valid_jwt_of_the_issuer_is_accepted() {
    let issuer = Issuer::start();
    let world = library();
    let web =
        Web::start(&world, &["--auth", "jwt", "--issuer", &issuer.url, "--audience", AUDIENCE]);
    let host = "Host: tools.example.com";
    let good = format!("Authorization: Bearer {}", issuer.token(AUDIENCE));
    assert_eq!(web.session("/mcp", &[host, &good]).listed(), ["execute_tool", "tool_search"]);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let metadata_url = "https://tools.example.com/.well-known/oauth-protected-resource/mcp";
    for bearer in
        [None, Some(issuer.token("https://other.example.com/mcp")), Some("a.b.c".to_owned())]
    {
        let bearer = bearer.map(|bearer| format!("Authorization: Bearer {bearer}"));
        let headers: Vec<&str> = [host].into_iter().chain(bearer.as_deref()).collect();
        let answer = web.post("/mcp", &headers, &ping);
        assert_eq!(answer.status, 401, "{answer:?}");
        assert!(
            answer.header("www-authenticate").is_some_and(|header| header.contains(metadata_url)),
            "{answer:?}"
        );
    }
    let metadata =
        web.send("GET", "/.well-known/oauth-protected-resource/mcp", &[host], "").message();
    assert_eq!(
        (&metadata["resource"], &metadata["authorization_servers"]),
        (&json!(AUDIENCE), &json!([issuer.url]))
    );
}

/// A token that cannot be verified is refused.
#[test]
fn an_unreachable_issuer_rejects_all_requests() {
    let issuer = Issuer::start();
    let unreachable =
        TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let world = library();
    let web = Web::start(
        &world,
        &["--auth", "jwt", "--issuer", &format!("http://{unreachable}"), "--audience", AUDIENCE],
    );
    let bearer = format!("Authorization: Bearer {}", issuer.token(AUDIENCE));
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(web.post("/mcp", &["Host: tools.example.com", &bearer], &ping).status, 503);
    let remote_args = [
        "serve",
        "--http",
        "127.0.0.1:0",
        "--auth",
        "jwt",
        "--audience",
        AUDIENCE,
        "--issuer",
        "http://login.example.com",
    ];
    world.run(&remote_args).exits(2).stderr_contains(&["must be an `https` URL"]);
}

/// V-32: claims name the user, the tenant, the profile and the role. By default no token is an
/// operator's, and a token without a named claim is refused.
#[test]
fn claims_name_the_user_the_profile_and_the_role() {
    const CLAIMS: &str =
        "user = \"email\"\ntenant = \"org\"\nrole = \"/realm/roles\"\noperator = \"admin\"\n";
    let issuer = Issuer::start();
    let host = "Host: tools.example.com";
    let args = ["--auth", "jwt", "--issuer", &issuer.url, "--audience", AUDIENCE];
    let bearer =
        |more: Value| format!("Authorization: Bearer {}", issuer.token_with(AUDIENCE, &more));
    let plain = library();
    let web = Web::start(&plain, &args);
    let me = |web: &Web, more: Value| web.send("GET", "/api/me", &[host, &bearer(more)], "");
    let scope = json!({"scope": "toolscout:operator admin", "role": "operator"});
    assert_eq!(me(&web, scope).message(), json!({"role": "agent", "name": "ada"}));
    drop(web);
    let profiles = "[profiles.mail]\ninclude = [\"local/*email*\"]\nlisted = [\"*\"]\n";
    let world = library()
        .append_config(profiles)
        .file("../config/config.toml", &format!("[serve.jwt]\n{CLAIMS}"));
    let web = Web::start(&world, &args);
    let person = json!({"email": "ada@example.com", "org": "lab", "realm": {"roles": ["admin"]}});
    let expected = json!({"role": "operator", "name": "lab/ada@example.com"});
    assert_eq!(me(&web, person).message(), expected);
    let agent = json!({"email": "ada@example.com", "org": "lab", "realm": {"roles": ["dev"]}});
    assert_eq!(me(&web, agent).message()["role"], "agent");
    for lacking in [
        json!({}),
        json!({"email": "a"}),
        json!({"org": "lab"}),
        json!({"email": "a", "org": "x/y"}),
    ] {
        assert_eq!(me(&web, lacking.clone()).status, 403, "{lacking}");
    }
    drop(web);
    let world = world.file("../config/config.toml", "[serve.jwt]\nprofile = \"team\"\n");
    let web = Web::start(&world, &args);
    let mail = bearer(json!({"team": "mail"}));
    let mut session = web.session("/mcp", &[host, &mail]);
    assert_eq!(session.listed(), ["local__list_emails", "local__send_email"]);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for more in [json!({}), json!({"team": "other"}), json!({"team": 7})] {
        assert_eq!(web.post("/mcp", &[host, &bearer(more.clone())], &ping).status, 403, "{more}");
    }
    assert_eq!(web.send("GET", "/api/servers", &[host, &mail], "").status, 403);
}
