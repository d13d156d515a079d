use super::*;

fn texts(urls: Vec<Url>) -> Vec<String> {
    urls.iter().map(Url::to_string).collect()
}

fn url(text: &str) -> Url {
    text.parse().expect("an address")
}

#[test]
fn the_path_follows_the_well_known_path() {
    assert_eq!(
        texts(resource_urls(&url("https://h:8/a/mcp/?t=1"))),
        [
            "https://h:8/.well-known/oauth-protected-resource/a/mcp?t=1",
            "https://h:8/.well-known/oauth-protected-resource",
        ]
    );
    assert_eq!(
        texts(issuer_urls(&url("https://h/tenant"))),
        [
            "https://h/.well-known/oauth-authorization-server/tenant",
            "https://h/.well-known/openid-configuration/tenant",
            "https://h/tenant/.well-known/openid-configuration",
        ]
    );
}

#[test]
fn without_a_path_no_address_is_requested_twice() {
    assert_eq!(
        texts(resource_urls(&url("https://h"))),
        ["https://h/.well-known/oauth-protected-resource"]
    );
    assert_eq!(
        texts(issuer_urls(&url("https://h/"))),
        [
            "https://h/.well-known/oauth-authorization-server",
            "https://h/.well-known/openid-configuration"
        ]
    );
}
