use super::*;

#[test]
fn the_challenge_matches_the_rfc_example() {
    let verifier = OAuthSecret::new("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
    assert_eq!(verifier.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

#[test]
fn secrets_are_long_never_alike_and_never_shown() {
    let (one, two) =
        (OAuthSecret::random().expect("random"), OAuthSecret::random().expect("random"));
    assert_ne!(one, two);
    assert_eq!(one.reveal().len(), 43);
    assert_eq!(format!("{one:?}"), REDACTED);
}
