use super::{ask, begun, filled, request, site};
use crate::api::{Access, Events, table};
use crate::http::Auth;
use crate::http::fixture::{ADA, BOB, terms, tokens};

fn bearer(secret: &str) -> String {
    format!("Authorization: Bearer {secret}")
}

/// All operator routes there are, from the table itself; with a body that would do, and without.
#[tokio::test]
async fn no_operator_route_opens_to_an_agent() {
    let site = site(terms(tokens()), Events::default()).await;
    let mut seen = 0;
    for route in table().iter().filter(|it| it.access == Access::Operator) {
        for body in [None, Some("{}"), Some("nonsense")] {
            let headers = ["Host: localhost", &bearer(ADA)];
            let answer = ask(&site, route.method, &filled(route.path), &headers, body).await;
            assert_eq!(answer.status, 403, "{} {}: {answer:?}", route.method, route.path);
            assert_eq!(answer.json()["code"], "FORBIDDEN");
        }
        seen += 1;
    }
    assert!(seen >= 4, "only {seen} operator routes");
}

/// Whoever reaches an open port may find tools and run them, and nothing else.
#[tokio::test]
async fn who_comes_without_being_asked_has_the_rights_of_an_agent() {
    let site = site(terms(Auth::None), Events::default()).await;
    let me = ask(&site, "GET", "/api/me", &["Host: localhost"], None).await;
    assert_eq!(me.json(), serde_json::json!({"role": "agent"}));
    for route in table().iter().filter(|it| it.access == Access::Operator) {
        let answer = ask(&site, route.method, &filled(route.path), &["Host: localhost"], Some("{}")).await;
        assert_eq!(answer.status, 403, "{} {}", route.method, route.path);
    }
}

#[tokio::test]
async fn who_is_not_known_sees_that_we_are_there_and_nothing_else() {
    let site = site(terms(tokens()), Events::default()).await;
    for route in table() {
        let answer = ask(&site, route.method, &filled(route.path), &["Host: localhost"], Some("{}")).await;
        let expected = if route.access == Access::Open { 200 } else { 401 };
        assert_eq!(answer.status, expected, "{} {}: {answer:?}", route.method, route.path);
        if expected == 401 {
            assert_eq!(answer.json()["code"], "UNAUTHORIZED");
            assert!(answer.header("www-authenticate").is_some_and(|it| it.starts_with("Bearer")));
        }
    }
}

/// Names for this computer that anybody can make, pages from elsewhere, and what could be read in two ways; `{port}` is the
/// one that is listened on.
const FOREIGN: [&[&str]; 40] = [
    &[],
    &["Host:"],
    &["Host: evil.example.com"],
    &["Host: evil.example.com:{port}"],
    &["Host: localhost.evil.example.com"],
    &["Host: evil.localhost:{port}"],
    &["Host: 127.0.0.1.evil.example.com"],
    &["Host: 127.0.0.1.nip.io:{port}"],
    &["Host: localhost.:{port}"],
    &["Host: localhost:"],
    &["Host: localhost:99999"],
    &["Host: localhost@evil.example.com"],
    &["Host: evil.example.com@localhost"],
    &["Host: localhost,evil.example.com"],
    &["Host: 0.0.0.0:{port}"],
    &["Host: 127.1:{port}"],
    &["Host: 2130706433:{port}"],
    &["Host: 127.0.0.2:{port}"],
    &["Host: [::ffff:127.0.0.1]:{port}"],
    &["Host: [::]:{port}"],
    &["Host: localhost", "Host: evil.example.com"],
    &["Host: evil.example.com", "X-Forwarded-Host: localhost"],
    &["Host: localhost:{port}", "Origin: null"],
    &["Host: localhost:{port}", "Origin:"],
    &["Host: localhost:{port}", "Origin: http://evil.example.com"],
    &["Host: localhost:{port}", "Origin: http://evil.example.com:{port}"],
    &["Host: evil.example.com:{port}", "Origin: http://evil.example.com:{port}"],
    &["Host: localhost:{port}", "Origin: http://localhost"],
    &["Host: localhost:{port}", "Origin: http://localhost:1"],
    &["Host: localhost:{port}", "Origin: http://127.0.0.1:{port}"],
    &["Host: localhost:{port}", "Origin: http://localhost:{port}.evil.example.com"],
    &["Host: localhost:{port}", "Origin: http://evil.example.com@localhost:{port}"],
    &["Host: localhost:{port}", "Origin: http://localhost:{port}@evil.example.com"],
    &["Host: localhost:{port}", "Origin: file://localhost:{port}"],
    &["Host: localhost:{port}", "Origin: *"],
    &["Host: localhost:{port}", "Origin: http://localhost:{port}", "Origin: http://evil.example.com"],
    &["Host: localhost:{port}", "Sec-Fetch-Site: cross-site"],
    &["Host: localhost:{port}", "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"],
    &["Host: localhost:{port}", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"],
    &["Host: localhost:{port}", "X-HTTP-Method-Override: GET", "Origin: http://evil.example.com"],
];

/// H-07, on every route of the table; a token that was stolen by a page is of no use to it.
#[tokio::test]
async fn no_foreign_name_and_no_foreign_page_reaches_any_route() {
    let site = site(terms(tokens()), Events::default()).await;
    let (port, token) = (site.addr.port().to_string(), bearer(BOB));
    for route in table() {
        for headers in FOREIGN {
            let mut headers: Vec<String> = headers.iter().map(|it| it.replace("{port}", &port)).collect();
            headers.push(token.clone());
            let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
            let answer = ask(&site, route.method, &filled(route.path), &headers, Some("{}")).await;
            assert_eq!(answer.status, 403, "{} {} with {headers:?}: {answer:?}", route.method, route.path);
            assert_eq!(answer.json()["code"], "FORBIDDEN", "{answer:?}");
            assert!(!answer.names().any(|it| it.starts_with("access-control")), "{answer:?}");
        }
    }
}

/// The other side of it: our own names and our own page get in.
#[tokio::test]
async fn our_own_names_and_our_own_page_reach_every_route() {
    let site = site(terms(tokens()), Events::default()).await;
    let (port, token) = (site.addr.port(), bearer(BOB));
    let own = [
        vec!["Host: localhost".to_owned()],
        vec![format!("Host: 127.0.0.1:{port}"), format!("Origin: http://127.0.0.1:{port}")],
    ];
    for route in table() {
        for headers in &own {
            let headers: Vec<&str> = headers.iter().map(String::as_str).chain([token.as_str()]).collect();
            let asked = request(route.method, &filled(route.path), &headers, Some("{}"));
            let (_wire, answer) = begun(&site, asked).await;
            assert!(![401, 403].contains(&answer.status), "{} {}: {answer:?}", route.method, route.path);
        }
    }
}
