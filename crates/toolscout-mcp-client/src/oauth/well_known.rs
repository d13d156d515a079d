//! Where descriptions of logins are by agreement.

use reqwest::Url;

/// Where a server may describe its login (RFC 9728), in the order to try: for its own path, then for the whole host.
pub(super) fn of_resource(server: &Url) -> Vec<Url> {
    let path = server.path().trim_end_matches('/');
    let mut own = with_path(server, &format!("/.well-known/oauth-protected-resource{path}"));
    own.set_query(server.query());
    let mut out = vec![own, with_path(server, "/.well-known/oauth-protected-resource")];
    out.dedup();
    out
}

/// Where an authorization server may describe itself (RFC 8414, then OpenID), in the order to try.
pub(super) fn of_issuer(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/');
    let mut out = vec![
        with_path(issuer, &format!("/.well-known/oauth-authorization-server{path}")),
        with_path(issuer, &format!("/.well-known/openid-configuration{path}")),
        with_path(issuer, &format!("{path}/.well-known/openid-configuration")),
    ];
    out.dedup();
    out
}

/// The same origin with another path and nothing behind it.
pub(super) fn with_path(url: &Url, path: &str) -> Url {
    let mut url = url.clone();
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(urls: Vec<Url>) -> Vec<String> {
        urls.iter().map(Url::to_string).collect()
    }

    fn url(text: &str) -> Url {
        text.parse().expect("an address")
    }

    #[test]
    fn a_path_goes_behind_the_agreed_one() {
        assert_eq!(
            texts(of_resource(&url("https://h:8/a/mcp/?t=1"))),
            [
                "https://h:8/.well-known/oauth-protected-resource/a/mcp?t=1",
                "https://h:8/.well-known/oauth-protected-resource",
            ]
        );
        assert_eq!(
            texts(of_issuer(&url("https://h/tenant"))),
            [
                "https://h/.well-known/oauth-authorization-server/tenant",
                "https://h/.well-known/openid-configuration/tenant",
                "https://h/tenant/.well-known/openid-configuration",
            ]
        );
    }

    #[test]
    fn without_a_path_nothing_is_asked_twice() {
        assert_eq!(texts(of_resource(&url("https://h"))), ["https://h/.well-known/oauth-protected-resource"]);
        assert_eq!(
            texts(of_issuer(&url("https://h/"))),
            ["https://h/.well-known/oauth-authorization-server", "https://h/.well-known/openid-configuration"]
        );
    }
}
