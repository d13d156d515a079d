//! 1. Values of references are redacted even if they match no pattern, and so are values with the
//!    name of a secret.
//! 2. Variables that every server gets, and values that are too short, are not redacted.
//! 3. Errors of every kind are redacted, and keep their kind.

use super::*;
use crate::{HttpEndpoint, Program};
use std::time::Duration;
use toolscout_core::SourceId;

fn lookup() -> ReferenceLookup {
    let vars =
        [("HOME", "/home/ada"), ("LOGIN", "orange boat"), ("PART", "orange"), ("PIN", "1234")];
    ReferenceLookup::new(move |name| {
        vars.iter().find(|(var, _)| *var == name).map(|(_, value)| value.into())
    })
    .with_keyring(|name| Ok(format!("{name}-of-the-ring")))
}

fn texts(pairs: &[(&str, &str)]) -> BTreeMap<String, ConfigText> {
    pairs.iter().map(|(name, text)| ((*name).to_owned(), ConfigText::from(*text))).collect()
}

fn server(transport: ServerTransport) -> SecretValues {
    SecretValues::from_config(
        &ServerConfig::new(SourceId::new("it").expect("an id"), transport),
        &lookup(),
    )
}

fn program(env: &[(&str, &str)]) -> SecretValues {
    let args = vec![
        ConfigText::from("--as=${LOGIN}"),
        ConfigText::from("${HOME}/files"),
        ConfigText::from("plain"),
    ];
    server(ServerTransport::Stdio(Program { args, env: texts(env), ..Program::default() }))
}

#[test]
fn values_of_references_are_redacted() {
    let secrets = program(&[
        ("A", "env:PART"),
        ("B", "keyring:key"),
        ("PASSWORD", "in the file"),
        ("MODE", "verbose"),
    ]);
    let text = "orange boat, orange, key-of-the-ring, in the file, plain, verbose".to_owned();
    assert_eq!(
        secrets.redact(text),
        "[REDACTED], [REDACTED], [REDACTED], [REDACTED], plain, verbose"
    );
}

#[test]
fn common_variables_and_short_values_are_not_redacted() {
    let secrets = program(&[
        ("A", "env:HOME"),
        ("B", "env:PIN"),
        ("C", "${NONE:-a default}"),
        ("D", "env:NONE"),
    ]);
    let text = "/home/ada/files has 1234 lines, a default";
    assert_eq!(secrets.redact(text.to_owned()), text);
}

#[test]
fn headers_and_tokens_are_hidden_with_and_without_their_scheme() {
    let secrets = server(ServerTransport::Http(HttpEndpoint {
        url: ConfigText::from("https://example.com/${LOGIN}"),
        headers: texts(&[("Authorization", "Bearer walnut-tree"), ("X-Team", "platform")]),
        bearer: Some(ConfigText::from("cherry-tree")),
        client_secret: Some(ConfigText::from("apple-tree")),
        ..HttpEndpoint::default()
    }));
    let text =
        "no Bearer walnut-tree, walnut-tree, cherry-tree, apple-tree, orange boat of platform"
            .to_owned();
    assert_eq!(
        secrets.redact(text),
        "no [REDACTED], [REDACTED], [REDACTED], [REDACTED], [REDACTED] of platform"
    );
}

#[test]
fn errors_of_every_kind_are_redacted_and_keep_their_kind() {
    let secrets = program(&[("A", "env:PART")]);
    let (text, shown) = ("an orange one".to_owned(), "an [REDACTED] one".to_owned());
    let data = |text: &str| RawJson::parse(&format!("{{\"why\":\"{text}\"}}")).ok();
    use ClientError as E;
    let second = Duration::from_secs(1);
    let all = |text: &String| {
        [
            E::Spawn { program: "p".to_owned(), reason: text.clone() },
            E::TimedOut { what: text.clone(), limit: second },
            E::Lost { what: text.clone() },
            E::Protocol { reason: text.clone() },
            E::Status { status: 404, what: text.clone() },
            E::Answered { code: 1, message: text.clone(), data: data(text) },
            E::Login { what: text.clone(), challenge: None },
            E::Busy { what: text.clone(), after: Some(second) },
            E::Invalid { reason: text.clone() },
        ]
    };
    assert_eq!(all(&text).map(|value| secrets.redact_error(value)), all(&shown));
}
