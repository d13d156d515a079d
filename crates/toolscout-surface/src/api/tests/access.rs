use super::{open, request, routes, send, site};
use crate::http::Auth;
use crate::http::fixture::{ADA, BOB, terms, tokens};
use crate::operation::Access;

fn bearer(secret: &str) -> String {
    format!("Authorization: Bearer {secret}")
}

/// The result is the same for a valid body, an invalid one, or none.
#[tokio::test]
async fn routes_for_operators_refuse_agents() {
    let site = site(terms(tokens())).await;
    for (method, path, _) in routes().iter().filter(|(.., access)| *access == Access::Operator) {
        for body in [None, Some("{}"), Some("nonsense")] {
            let response =
                send(&site, method, path, &["Host: localhost", &bearer(ADA)], body).await;
            assert_eq!(response.status, 403, "{method} {path}: {response:?}");
            assert_eq!(response.json()["code"], "FORBIDDEN");
        }
    }
}

#[tokio::test]
async fn without_authentication_every_request_has_the_role_of_an_agent() {
    let site = site(terms(Auth::None)).await;
    for (method, path, access) in routes() {
        let (_wire, response) =
            open(&site, request(method, &path, &["Host: localhost"], None)).await;
        assert_eq!(
            response.status == 403,
            access == Access::Operator,
            "{method} {path}: {response:?}"
        );
    }
}

#[tokio::test]
async fn unauthenticated_requests_reach_only_the_open_routes() {
    let site = site(terms(tokens())).await;
    for (method, path, access) in routes() {
        let response = send(&site, method, &path, &["Host: localhost"], None).await;
        let expected = if access == Access::Open { 200 } else { 401 };
        assert_eq!(response.status, expected, "{method} {path}: {response:?}");
        if expected == 401 {
            assert_eq!(response.json()["code"], "UNAUTHORIZED");
            assert!(
                response
                    .header("www-authenticate")
                    .is_some_and(|header| header.starts_with("Bearer"))
            );
        }
    }
}

/// Host names for this machine that any attacker can register, foreign origins, and ambiguous
/// headers; `{port}` is the port of the listener.
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
    &[
        "Host: localhost:{port}",
        "Origin: http://localhost:{port}",
        "Origin: http://evil.example.com",
    ],
    &["Host: localhost:{port}", "Sec-Fetch-Site: cross-site"],
    &["Host: localhost:{port}", "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"],
    &[
        "Host: localhost:{port}",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Mode: navigate",
        "Sec-Fetch-Dest: iframe",
    ],
    &["Host: localhost:{port}", "X-HTTP-Method-Override: GET", "Origin: http://evil.example.com"],
];

/// H-07, on every route; a token stolen by a web page is of no use to it.
#[tokio::test]
async fn no_foreign_host_name_and_no_foreign_origin_reaches_any_route() {
    let site = site(terms(tokens())).await;
    let (port, token) = (site.addr.port().to_string(), bearer(BOB));
    for (method, path, _) in routes() {
        for headers in FOREIGN {
            let mut headers: Vec<String> =
                headers.iter().map(|header| header.replace("{port}", &port)).collect();
            headers.push(token.clone());
            let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
            let response = send(&site, method, &path, &headers, Some("{}")).await;
            assert_eq!(response.status, 403, "{method} {path} with {headers:?}: {response:?}");
            assert_eq!(response.json()["code"], "FORBIDDEN", "{response:?}");
            assert!(
                !response.header_names().any(|name| name.starts_with("access-control")),
                "{response:?}"
            );
        }
    }
}

/// The counterpart: requests with our own host names and our own origin succeed.
#[tokio::test]
async fn our_own_host_names_and_our_own_origin_reach_every_route() {
    let site = site(terms(tokens())).await;
    let (port, token) = (site.addr.port(), bearer(BOB));
    let own = [
        vec!["Host: localhost".to_owned()],
        vec![format!("Host: 127.0.0.1:{port}"), format!("Origin: http://127.0.0.1:{port}")],
    ];
    for (method, path, _) in routes() {
        for headers in &own {
            let headers: Vec<&str> =
                headers.iter().map(String::as_str).chain([token.as_str()]).collect();
            let (_wire, response) = open(&site, request(method, &path, &headers, None)).await;
            assert!(![401, 403].contains(&response.status), "{method} {path}: {response:?}");
        }
    }
}
