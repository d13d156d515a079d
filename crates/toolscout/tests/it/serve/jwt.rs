//! `--auth jwt`: a token of the issuer is accepted. Without one, the response refers to the issuer.

use super::library;
use super::web::Web;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::time::{SystemTime, UNIX_EPOCH};

const AUDIENCE: &str = "https://tools.example.com/mcp";

/// Signs tokens, and says with which key, over HTTP on this machine.
struct Issuer {
    url: String,
    key: EcdsaKeyPair,
}

impl Issuer {
    fn start() -> Self {
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
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_secs();
        let claims = json!({"iss": self.url, "sub": "ada", "aud": audience, "exp": now + 300});
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
    let nobody =
        TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let world = library();
    let web = Web::start(
        &world,
        &["--auth", "jwt", "--issuer", &format!("http://{nobody}"), "--audience", AUDIENCE],
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
    world.run(&far).exits(2).says(&["must be an `https` address"]);
}
