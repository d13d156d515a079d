//! 1. Tokens of well-known shapes are redacted anywhere.
//! 2. So are values after an authentication scheme or after a secret name.
//! 3. Text that only mentions secrets stays readable.
//! 4. Any input is accepted, in linear time.

use crate::redact::text;
use proptest::prelude::*;
use std::time::{Duration, Instant};

const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.SflKxwRJSMeKKF2QT4fwpM";

#[test]
fn tokens_of_known_shapes_are_redacted_anywhere() {
    for token in [
        "sk-proj-Ab12Cd34Ef56Gh78",
        "sk-ant-api03-abcdefghij",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "github_pat_11ABCDEFG0abcdefghij",
        "glpat-abcdEFGH12345678",
        "xoxb-1234567890-abcdef",
        "xoxp-12345678-secret",
        "AKIAIOSFODNN7EXAMPLE",
        "AIzaSyA1234567890abcdefghij",
        "npm_abcdefghijklmnop1234",
        "hf_abcdefghijklmnopqrst",
        JWT,
    ] {
        for (before, after) in [
            ("", ""),
            ("used ", " twice"),
            ("(", ")"),
            ("x=", "&y=1"),
            ("\"", "\","),
            ("at ", ".\n"),
            ("ü", "ü"),
        ] {
            assert_eq!(
                text(&format!("{before}{token}{after}")),
                format!("{before}[REDACTED]{after}")
            );
        }
    }
}

#[test]
fn values_of_secret_names_are_redacted() {
    for (input, redacted) in [
        ("api_key=abc", "api_key=[REDACTED]"),
        ("API_KEY=abc PATH=/bin", "API_KEY=[REDACTED] PATH=/bin"),
        ("?access_token=abc&page=2", "?access_token=[REDACTED]&page=2"),
        ("password:hunter", "password:[REDACTED]"),
        ("password: hunter2", "password: [REDACTED]"),
        ("password = \"two words\"", "password = \"[REDACTED]\""),
        ("db.password='it''s'", "db.password='[REDACTED]''s'"),
        (r#"{"client_secret": "a\"b", "x": 1}"#, r#"{"client_secret": "[REDACTED]", "x": 1}"#),
        (r#""{\"token\":\"abc\",\"x\":1}""#, r#""{\"token\":\"[REDACTED]\",\"x\":1}""#),
        ("{'apiKey': 'abc'}", "{'apiKey': '[REDACTED]'}"),
        ("--token s3cret --verbose", "--token [REDACTED] --verbose"),
        ("--api-key=abc", "--api-key=[REDACTED]"),
        ("token=\"never closed\nnext line", "token=\"[REDACTED]\nnext line"),
        ("Cookie: session=abc; theme=dark\r\nHost: x", "Cookie: [REDACTED]\r\nHost: x"),
        ("secret=пароль next", "secret=[REDACTED] next"),
    ] {
        assert_eq!(text(input), redacted, "{input}");
    }
}

#[test]
fn credentials_are_redacted_with_and_without_their_header() {
    for (input, redacted) in [
        ("Authorization: Bearer abc", "Authorization: Bearer [REDACTED]"),
        ("authorization=Bearer abc", "authorization=Bearer [REDACTED]"),
        (r#""Authorization":"Bearer abc""#, r#""Authorization":"[REDACTED]""#),
        ("sent bearer AbCdEfGh+/=", "sent bearer [REDACTED]"),
        ("Basic dXNlcjpwYXNz", "Basic [REDACTED]"),
        ("https://ann:sesame@example.com/x", "https://[REDACTED]@example.com/x"),
        ("postgres://ann:p@ss@db:5432/x?y=a@b", "postgres://[REDACTED]@db:5432/x?y=a@b"),
    ] {
        assert_eq!(text(input), redacted, "{input}");
    }
}

#[test]
fn a_private_key_is_redacted_with_all_its_lines() {
    let pem =
        "read -----BEGIN RSA PRIVATE KEY-----\nMIIEow\nAAAA\n-----END RSA PRIVATE KEY-----\nthen";
    assert_eq!(text(pem), "read [REDACTED]\nthen");
    assert_eq!(text("-----BEGIN PRIVATE KEY-----\nMIIEow"), "[REDACTED]");
    let certificate = "-----BEGIN CERTIFICATE-----\nMIIEow\n-----END CERTIFICATE-----";
    assert_eq!(text(certificate), certificate);
    let cut = format!("-----BEGIN {}é", "A".repeat(62));
    assert_eq!(text(&cut), cut);
}

#[test]
fn text_that_only_mentions_secrets_stays_readable() {
    for plain in [
        "",
        "error: invalid token: unexpected end of input",
        "SyntaxError: Unexpected token } in JSON at position 5",
        "password: not set; run `login` first",
        "Bearer authentication required",
        "Bearer realm=\"https://example.com\", error=\"invalid_token\"",
        "option --token is required",
        "max_tokens=4096, total_tokens: 123456",
        "token=${GITHUB_TOKEN}",
        "token = \"env:FS_TOKEN\"",
        "pip install scikit-learn sk-learn",
        "Authorization: required",
        "see https://example.com/secrets?page=2#token and ann@example.com",
        "author=ann x=1",
        "password=",
        "cookies are disabled",
        "secret://store/name",
    ] {
        assert_eq!(text(plain), plain);
    }
}

/// Redaction is idempotent, since a text may be redacted in two places.
#[test]
fn redaction_is_idempotent() {
    let once = text(&format!("token=abc {JWT} Authorization: Bearer x https://a:b@c/"));
    assert_eq!(text(&once), once);
}

#[test]
fn redaction_takes_linear_time() {
    let start = Instant::now();
    for piece in [
        "a",
        "-",
        "=",
        "token=\\",
        "token:",
        "Bearer ",
        "eyJ.",
        "://",
        "-----BEGIN PRIVATE KEY",
        "-----BEGIN ",
        "token=env:",
        "token=${",
        "cookie: ",
        "\"",
        "token=\"\\\\",
    ] {
        text(&piece.repeat(1_000_000 / piece.len()));
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

proptest! {
    #[test]
    fn any_text_is_accepted(input in any::<String>()) {
        text(&input);
    }

    #[test]
    fn no_token_is_left_in_any_mix_of_secret_words(
        words in prop::collection::vec(
            prop::sample::select(vec!["token", "=", ":", " ", "\"", "'", "\\", "Bearer", "é", "--", "ghp_abcdefgh12345678", "\n", "://", "@", "x", "-----BEGIN", "PRIVATE KEY-----"]),
            0..24,
        )
    ) {
        let input = words.concat();
        let redacted = text(&input);
        let is_glued = |at: usize| input[..at].ends_with(|it: char| it.is_ascii_alphanumeric() || it == '-');
        let is_separate = input.match_indices("ghp_").all(|(at, _)| !is_glued(at));
        prop_assert!(!is_separate || !redacted.contains("ghp_"), "{:?} became {:?}", input, redacted);
    }
}
