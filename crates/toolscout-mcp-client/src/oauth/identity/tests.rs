use super::*;

fn identity(method: ClientAuthMethod) -> ClientIdentity {
    ClientIdentity {
        client_id: "a:b".to_owned(),
        client_secret: Some(OAuthSecret::new("s&=")),
        method,
    }
}

#[test]
fn each_method_sends_the_secret_only_where_specified() {
    let (header, post, none) = (
        identity(ClientAuthMethod::Header),
        identity(ClientAuthMethod::Form),
        identity(ClientAuthMethod::Unproven),
    );
    let mut pairs = Vec::new();
    let value = header.sign(&mut pairs).expect("a header");
    assert_eq!(value.to_str().ok(), Some("Basic YSUzQWI6cyUyNiUzRA=="));
    assert!(value.is_sensitive() && pairs.is_empty());
    assert!(post.sign(&mut pairs).is_none());
    assert_eq!(pairs, [("client_secret", "s&="), ("client_id", "a:b")]);
    pairs.clear();
    assert!(none.sign(&mut pairs).is_none());
    assert_eq!(pairs, [("client_id", "a:b")]);
}
