use super::super::fixture::{ADA, terms, tokens};
use super::super::{Auth, Terms};
use super::{get_with, site};

/// The headers of a request, and whether it is accepted; `{port}` is the port of the listener.
const TABLE: &[(&[&str], bool)] = &[
    // Names for this machine that no attacker can register.
    (&["Host: localhost"], true),
    (&["Host: localhost:{port}"], true),
    (&["Host: LOCALHOST:{port}"], true),
    (&["Host: 127.0.0.1:{port}"], true),
    (&["Host: 127.0.0.1"], true),
    (&["Host: [::1]:{port}"], true),
    (&["Host: [0:0:0:0:0:0:0:1]:{port}"], true),
    // Foreign names that resolve to this machine, and ambiguous forms.
    (&[], false),
    (&["Host:"], false),
    (&["Host: evil.example.com"], false),
    (&["Host: evil.example.com:{port}"], false),
    (&["Host: localhost.evil.example.com"], false),
    (&["Host: evil.localhost:{port}"], false),
    (&["Host: 127.0.0.1.evil.example.com"], false),
    (&["Host: 127.0.0.1.nip.io:{port}"], false),
    (&["Host: localhost.:{port}"], false),
    (&["Host: localhost:"], false),
    (&["Host: localhost:+80"], false),
    (&["Host: localhost:99999"], false),
    (&["Host: localhost:80:80"], false),
    (&["Host: localhost@evil.example.com"], false),
    (&["Host: evil.example.com@localhost"], false),
    (&["Host: user:pass@localhost:{port}"], false),
    (&["Host: localhost/evil"], false),
    (&["Host: localhost evil"], false),
    (&["Host: localhost,evil.example.com"], false),
    (&["Host: 0.0.0.0:{port}"], false),
    (&["Host: 127.1:{port}"], false),
    (&["Host: 2130706433:{port}"], false),
    (&["Host: 0x7f000001"], false),
    (&["Host: 0177.0.0.1"], false),
    (&["Host: 127.0.0.2:{port}"], false),
    (&["Host: [::ffff:127.0.0.1]:{port}"], false),
    (&["Host: [::]:{port}"], false),
    (&["Host: ::1"], false),
    (&["Host: [::1"], false),
    (&["Host: [::1]x"], false),
    (&["Host: [::1%25lo]:{port}"], false),
    (&["Host: l\u{f6}calhost"], false),
    (&["Host: localhost", "Host: localhost"], false),
    (&["Host: localhost", "Host: evil.example.com"], false),
    (&["Host: evil.example.com", "X-Forwarded-Host: localhost"], false),
    // Our own origins.
    (&["Host: localhost:{port}", "Origin: http://localhost:{port}"], true),
    (&["Host: 127.0.0.1:{port}", "Origin: http://127.0.0.1:{port}"], true),
    (&["Host: [::1]:{port}", "Origin: http://[::1]:{port}"], true),
    (&["Host: localhost", "Origin: http://localhost"], true),
    (&["Host: localhost", "Origin: https://localhost"], true),
    (&["Host: localhost:443", "Origin: https://localhost"], true),
    (&["Host: LocalHost:{port}", "Origin: http://localhost:{port}"], true),
    // Foreign origins, and ambiguous ones.
    (&["Host: localhost:{port}", "Origin: null"], false),
    (&["Host: localhost:{port}", "Origin:"], false),
    (&["Host: localhost:{port}", "Origin: http://evil.example.com"], false),
    (&["Host: localhost:{port}", "Origin: http://evil.example.com:{port}"], false),
    (&["Host: evil.example.com:{port}", "Origin: http://evil.example.com:{port}"], false),
    (&["Host: localhost:{port}", "Origin: http://localhost"], false),
    (&["Host: localhost:{port}", "Origin: http://localhost:1"], false),
    (&["Host: localhost:{port}", "Origin: http://127.0.0.1:{port}"], false),
    (&["Host: localhost:80", "Origin: https://localhost"], false),
    (&["Host: localhost:{port}", "Origin: http://localhost:{port}/"], false),
    (&["Host: localhost:{port}", "Origin: http://localhost:{port}.evil.example.com"], false),
    (&["Host: localhost:{port}", "Origin: http://evil.example.com@localhost:{port}"], false),
    (&["Host: localhost:{port}", "Origin: http://localhost:{port}@evil.example.com"], false),
    (&["Host: localhost:{port}", "Origin: localhost:{port}"], false),
    (&["Host: localhost:{port}", "Origin: //localhost:{port}"], false),
    (&["Host: localhost:{port}", "Origin: file://localhost:{port}"], false),
    (&["Host: localhost:{port}", "Origin: ws://localhost:{port}"], false),
    (&["Host: localhost:{port}", "Origin: http://localhost.:{port}"], false),
    (&["Host: localhost:{port}", "Origin: *"], false),
    (
        &[
            "Host: localhost:{port}",
            "Origin: http://localhost:{port}",
            "Origin: http://localhost:{port}",
        ],
        false,
    ),
    (
        &[
            "Host: localhost:{port}",
            "Origin: http://localhost:{port}",
            "Origin: http://evil.example.com",
        ],
        false,
    ),
    (&["Host: localhost:{port}", "Origin: http://localhost:{port} http://evil.example.com"], false),
    // The headers that browsers send without `Origin`.
    (&["Host: localhost:{port}", "Sec-Fetch-Site: none"], true),
    (&["Host: localhost:{port}", "Sec-Fetch-Site: same-origin"], true),
    (&["Host: localhost:{port}", "Sec-Fetch-Site: cross-site"], false),
    (&["Host: localhost:{port}", "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"], false),
    (
        &[
            "Host: localhost:{port}",
            "Sec-Fetch-Site: cross-site",
            "Sec-Fetch-Mode: navigate",
            "Sec-Fetch-Dest: iframe",
        ],
        false,
    ),
    (
        &[
            "Host: localhost:{port}",
            "X-HTTP-Method-Override: GET",
            "Origin: http://evil.example.com",
        ],
        false,
    ),
];

/// T25, H-07.
#[tokio::test]
async fn only_own_hosts_and_same_origin_requests_are_allowed() {
    let site = site(terms(Auth::None)).await;
    let port = site.addr.port().to_string();
    for (headers, is_allowed) in TABLE {
        let headers: Vec<String> =
            headers.iter().map(|header| header.replace("{port}", &port)).collect();
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        for path in ["/known", "/unknown", "/only-get", "/.well-known/anything", "/mcp"] {
            let response = get_with(&site, path, &headers).await;
            assert_eq!(response.status != 403, *is_allowed, "{headers:?} for {path}: {response:?}");
            assert!(
                !response.header_names().any(|name| name.starts_with("access-control")),
                "{response:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_request_target_that_differs_from_the_host_header_is_rejected() {
    let site = site(terms(Auth::None)).await;
    let target = |text: &str| format!("GET {text} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(site.send(target("http://evil.example.com/known")).await.status, 403);
    assert_eq!(site.send(target("http://localhost@evil.example.com/known")).await.status, 403);
    assert_eq!(site.send(target("http://localhost/known")).await.status, 200);
}

/// Browsers may follow a link to our page; foreign pages cannot load anything else.
#[tokio::test]
async fn cross_site_navigation_is_allowed() {
    let site = site(terms(Auth::None)).await;
    let visit = [
        "Host: localhost",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Mode: navigate",
        "Sec-Fetch-Dest: document",
    ];
    assert_eq!(get_with(&site, "/known", &visit).await.status, 200);
    let form =
        format!("POST /known HTTP/1.1\r\n{}\r\nContent-Length: 0\r\n\r\n", visit.join("\r\n"));
    assert_eq!(site.send(form).await.status, 403);
}

#[tokio::test]
async fn only_configured_hosts_and_origins_are_allowed() {
    let allowed = Terms {
        allowed_hosts: vec!["Tools.Example.com".into(), "other.example.com:8443".into()],
        allowed_origins: vec!["https://app.example.com".into(), "vscode-webview://abc".into()],
        ..terms(Auth::None)
    };
    let site = site(allowed).await;
    let status = async |headers: &[&str]| get_with(&site, "/known", headers).await.status;
    assert_eq!(status(&["Host: tools.example.com"]).await, 200);
    assert_eq!(status(&["Host: tools.example.com:1"]).await, 200);
    assert_eq!(status(&["Host: other.example.com:8443"]).await, 200);
    assert_eq!(status(&["Host: other.example.com"]).await, 403);
    assert_eq!(status(&["Host: x.tools.example.com"]).await, 403);
    assert_eq!(status(&["Host: localhost", "Origin: vscode-webview://abc"]).await, 200);
    assert_eq!(status(&["Host: localhost", "Origin: vscode-webview://abcd"]).await, 403);
    assert_eq!(status(&["Host: localhost", "Origin: http://app.example.com"]).await, 403);
    assert_eq!(status(&["Host: localhost", "Origin: https://app.example.com:444"]).await, 403);
    let response =
        get_with(&site, "/known", &["Host: localhost", "Origin: https://app.example.com:443"])
            .await;
    assert_eq!(response.header("access-control-allow-origin"), Some("https://app.example.com:443"));
    assert_eq!(response.header("vary"), Some("origin"));
}

#[tokio::test]
async fn preflight_requests_of_allowed_origins_need_no_token() {
    let allowed =
        Terms { allowed_origins: vec!["https://app.example.com".into()], ..terms(tokens()) };
    let site = site(allowed).await;
    let request = |origin: &str| {
        format!(
            "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\nAccess-Control-Request-Method: POST\r\n\r\n"
        )
    };
    let response = site.send(request("https://app.example.com")).await;
    assert_eq!((response.status, response.header("access-control-allow-credentials")), (204, None));
    assert!(
        response
            .header("access-control-allow-headers")
            .is_some_and(|header| header.contains("mcp-session-id"))
    );
    assert_eq!(site.send(request("https://evil.example.com")).await.status, 403);
    let response =
        get_with(&site, "/known", &["Host: localhost", "Origin: https://app.example.com"]).await;
    assert_eq!(
        (response.status, response.header("access-control-allow-origin")),
        (401, Some("https://app.example.com"))
    );
}

/// T25: every route, also unknown ones and errors, requires authentication and responds with
/// JSON.
#[tokio::test]
async fn unauthenticated_requests_get_only_a_challenge() {
    let site = site(terms(tokens())).await;
    for path in ["/known", "/unknown", "/only-get", "/mcp", "/mcp/x", "/"] {
        let response = get_with(&site, path, &["Host: localhost"]).await;
        assert_eq!(response.status, 401, "{path}");
        assert!(
            response.header("www-authenticate").is_some_and(|header| header.starts_with("Bearer"))
        );
        assert_eq!(response.code(), -32000);
    }
    assert_eq!(
        get_with(&site, "/.well-known/oauth-protected-resource", &["Host: localhost"]).await.status,
        404
    );
    let bearer = format!("Authorization: Bearer {ADA}");
    for (path, status) in [("/known", 200), ("/unknown", 404)] {
        let response = get_with(&site, path, &["Host: localhost", &bearer]).await;
        assert_eq!((response.status, response.header("cache-control")), (status, Some("no-store")));
    }
    let response = site
        .send(format!(
            "PUT /only-get HTTP/1.1\r\nHost: localhost\r\n{bearer}\r\nContent-Length: 0\r\n\r\n"
        ))
        .await;
    assert_eq!(
        (response.status, response.header("allow"), response.code()),
        (405, Some("GET,HEAD"), -32000)
    );
}
