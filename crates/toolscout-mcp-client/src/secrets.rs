//! The secrets of a server's configuration, redacted in its messages.
//!
//! A failing server often includes its credentials in the error: `cannot log in as …`. Pattern
//! rules find most of them (`toolscout_core::redact`). Values that the configuration refers to are
//! redacted even if they match no pattern.

#[cfg(test)]
mod tests;

use super::{ClientError, ConfigText, ReferenceLookup, ServerConfig, ServerTransport};
use std::collections::BTreeMap;
use toolscout_core::RawJson;
use toolscout_core::redact::{self, REDACTED, names_a_secret};

/// The shortest value to redact, in bytes. Shorter values occur in ordinary words, and redacting
/// those would protect nothing.
const MIN_SECRET_LENGTH: usize = 6;

/// Values to redact in a server's messages. The type has no `Debug`, which would show them.
#[derive(Default)]
pub(super) struct SecretValues(Vec<String>);

impl SecretValues {
    /// The secrets of this server: the values of all references, and values in its entry whose name
    /// denotes a secret. Reads files and the keyring, so it may take a while.
    pub(super) fn from_config(server: &ServerConfig, lookup: &ReferenceLookup) -> Self {
        let mut found = match &server.transport {
            ServerTransport::Stdio(program) => {
                let words = std::iter::once(&program.command).chain(&program.args);
                words
                    .flat_map(|word| word.referenced_secrets(lookup))
                    .chain(named_secrets(&program.env, lookup))
                    .collect()
            }
            ServerTransport::Http(endpoint) => {
                let mut all = endpoint.url.referenced_secrets(lookup);
                let own = endpoint.bearer.iter().chain(&endpoint.client_secret);
                all.extend(own.filter_map(|item| item.resolve(lookup).ok()));
                all.extend(named_secrets(&endpoint.headers, lookup));
                all
            }
        };
        found.retain(|item| item.len() >= MIN_SECRET_LENGTH);
        // The longest comes first, because one secret may be a part of another.
        found.sort_by_key(|item| std::cmp::Reverse(item.len()));
        found.dedup();
        Self(found)
    }

    /// Redacts the secrets in a text.
    pub(super) fn redact(&self, mut text: String) -> String {
        for secret in self.0.iter() {
            if text.contains(secret) {
                text = text.replace(secret, REDACTED);
            }
        }
        text
    }

    /// Redacts the secrets in an error.
    pub(super) fn redact_error(&self, error: ClientError) -> ClientError {
        use ClientError as E;
        match error {
            E::Spawn { program, reason } => E::Spawn { program, reason: self.redact(reason) },
            E::TimedOut { what, limit } => E::TimedOut { what: self.redact(what), limit },
            E::Lost { what } => E::Lost { what: self.redact(what) },
            E::Protocol { reason } => E::Protocol { reason: self.redact(reason) },
            E::Status { status, what } => E::Status { status, what: self.redact(what) },
            E::Answered { code, message, data } => {
                let data = data
                    .and_then(|data| RawJson::parse(&self.redact(data.as_str().to_owned())).ok());
                E::Answered { code, message: self.redact(message), data }
            }
            E::Login { what, challenge } => E::Login { what: self.redact(what), challenge },
            E::Busy { what, after } => E::Busy { what: self.redact(what), after },
            error @ E::Elsewhere { .. } => error,
            E::Invalid { reason } => E::Invalid { reason: self.redact(reason) },
        }
    }
}

fn named_secrets(texts: &BTreeMap<String, ConfigText>, lookup: &ReferenceLookup) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in texts {
        found.extend(text.referenced_secrets(lookup));
        if let (true, Ok(value)) = (names_a_secret(name), text.resolve(lookup)) {
            // The token in `Bearer …` is a secret on its own.
            let word = value.split_once(' ').map(|(_, rest)| rest.trim().to_owned());
            // A secret in plain text in the configuration must not be in a log either.
            word.iter().chain([&value]).for_each(|word| redact::add_secret(word));
            found.extend(word);
            found.push(value);
        }
    }
    found
}
