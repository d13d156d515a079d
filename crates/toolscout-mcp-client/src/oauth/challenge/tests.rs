use super::*;

#[test]
fn only_the_bearer_challenge_counts() {
    let header = r#"Basic realm="a, Bearer scope=\"x\"", scope=basic, bearer Error=insufficient_scope,
        Resource_Metadata = "https://h/.well-known/oauth-protected-resource", scope="files:read  files:write""#;
    let challenge = Challenge::parse(header);
    let place = "https://h/.well-known/oauth-protected-resource";
    assert_eq!(challenge.resource_metadata.as_deref(), Some(place));
    assert_eq!(challenge.scopes, ["files:read", "files:write"]);
    assert!(challenge.insufficient_scope);
}

#[test]
fn any_header_parses_without_a_panic() {
    for text in [
        "",
        "Bearer",
        "=",
        "==",
        ",,=,\"",
        "Bearer scope",
        "Bearer scope=",
        "Bearer a=\"\\",
        "é=\"ü",
        "Bearer abc==",
    ] {
        let challenge = Challenge::parse(text);
        assert!(
            challenge.scopes.is_empty() && challenge.resource_metadata.is_none(),
            "{text}: {challenge:?}"
        );
    }
}

#[test]
fn the_first_of_two_places_is_taken() {
    let challenge =
        Challenge::parse("Bearer resource_metadata=https://a/, resource_metadata=https://b/");
    assert_eq!(challenge.resource_metadata.as_deref(), Some("https://a/"));
}
