//! Detects changes of a server's configuration.

use super::{
    ConfigText, HttpEndpoint, OAuthGrant, Program, ReferenceLookup, ServerConfig, ServerTransport,
};
use blake3::Hasher;
use std::path::Path;
use toolscout_process::sandbox::SandboxSettings;

/// The fingerprint of the settings that determine a server's tools: its program or address, with
/// the current values of its references. It is keyed, because a plain hash of a short password can
/// be reversed by guessing.
pub(crate) fn configuration_fingerprint(
    server: &ServerConfig,
    key: &[u8; 32],
    lookup: &ReferenceLookup,
) -> String {
    let mut hasher = Hasher::new_keyed(key);
    let value = |text: &ConfigText| text.fingerprint(key, lookup).to_vec();
    add_transport(&mut hasher, &server.transport, &value);
    short_hex(&hasher)
}

/// The fingerprint of the entry as written, with unresolved references. A changed entry is a
/// different server, also if it grants more; a changed value of a secret is not.
pub fn entry_fingerprint(server: &ServerConfig) -> String {
    let mut hasher = Hasher::new();
    add_transport(&mut hasher, &server.transport, &|text: &ConfigText| {
        text.written().as_bytes().to_vec()
    });
    add_sandbox(&mut hasher, &server.sandbox);
    short_hex(&hasher)
}

/// Identifies a project in keys: the hash of its canonical path, because the path may contain any
/// character.
pub fn partition(project: &Path) -> String {
    let canonical_path = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    blake3::hash(canonical_path.as_os_str().as_encoded_bytes()).to_hex()[..16].to_owned()
}

/// As [`partition`], for a project that has the same name on several machines.
pub fn fleet_partition(name: &str) -> String {
    blake3::derive_key("toolscout 2026 project of a fleet", name.as_bytes())[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn add_transport(
    hasher: &mut Hasher,
    transport: &ServerTransport,
    value: &dyn Fn(&ConfigText) -> Vec<u8>,
) {
    add(hasher, transport.word().as_bytes());
    match transport {
        ServerTransport::Stdio(program) => add_program(hasher, program, value),
        ServerTransport::Http(endpoint) => add_endpoint(hasher, endpoint, value),
    }
}

fn add_program(hasher: &mut Hasher, program: &Program, value: &dyn Fn(&ConfigText) -> Vec<u8>) {
    add(hasher, &value(&program.command));
    add(hasher, &program.args.len().to_le_bytes());
    program.args.iter().for_each(|arg| add(hasher, &value(arg)));
    add_named(hasher, &program.env, value);
    let cwd = program.cwd.as_ref().map_or(&b""[..], |cwd| cwd.as_os_str().as_encoded_bytes());
    add(hasher, cwd);
}

fn add_sandbox(hasher: &mut Hasher, sandbox: &SandboxSettings) {
    // Entries without these keys keep the fingerprint that they had before the keys existed.
    if *sandbox == SandboxSettings::default() {
        return;
    }
    add(hasher, sandbox.level.map_or("", |level| level.word()).as_bytes());
    add(hasher, sandbox.network.as_ref().map_or_else(String::new, |it| it.words()).as_bytes());
    for paths in [&sandbox.allow_read, &sandbox.allow_write] {
        add(hasher, &paths.len().to_le_bytes());
        paths.iter().for_each(|path| add(hasher, path.as_os_str().as_encoded_bytes()));
    }
}

fn add_endpoint(
    hasher: &mut Hasher,
    endpoint: &HttpEndpoint,
    value: &dyn Fn(&ConfigText) -> Vec<u8>,
) {
    add(hasher, &value(&endpoint.url));
    add_named(hasher, &endpoint.headers, value);
    endpoint.bearer.iter().for_each(|bearer| add(hasher, &value(bearer)));
    add_oauth(hasher, endpoint, value);
}

/// Adds what identifies toolscout to the authorization server that this server names. Each field
/// is added only if it is set: entries without it keep the fingerprint that they had before.
fn add_oauth(hasher: &mut Hasher, endpoint: &HttpEndpoint, value: &dyn Fn(&ConfigText) -> Vec<u8>) {
    let HttpEndpoint { client_id, client_secret, scopes, grant, .. } = endpoint;
    let grant = match grant {
        OAuthGrant::AuthorizationCode => None,
        OAuthGrant::ClientCredentials => Some(b"client_credentials".to_vec()),
    };
    let fields = [
        ("client_id", client_id.as_ref().map(value)),
        ("client_secret", client_secret.as_ref().map(value)),
        ("grant", grant),
        ("scopes", (!scopes.is_empty()).then(|| scopes.join(" ").into_bytes())),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            add(hasher, name.as_bytes());
            add(hasher, &value);
        }
    }
}

fn add_named(
    hasher: &mut Hasher,
    texts: &std::collections::BTreeMap<String, ConfigText>,
    value: &dyn Fn(&ConfigText) -> Vec<u8>,
) {
    add(hasher, &texts.len().to_le_bytes());
    for (name, text) in texts {
        add(hasher, name.as_bytes());
        add(hasher, &value(text));
    }
}

/// Adds the part after its length, so that different lists of parts hash differently.
fn add(hasher: &mut Hasher, part: &[u8]) {
    hasher.update(&part.len().to_le_bytes());
    hasher.update(part);
}

fn short_hex(hasher: &Hasher) -> String {
    hasher.finalize().to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolscout_core::SourceId;

    #[test]
    fn every_field_of_an_endpoint_changes_the_fingerprint() {
        let fingerprint = |change: &dyn Fn(&mut HttpEndpoint)| {
            let mut endpoint =
                HttpEndpoint { url: "https://example.com".into(), ..HttpEndpoint::default() };
            change(&mut endpoint);
            let id = SourceId::new("a").expect("an id");
            entry_fingerprint(&ServerConfig::new(id, ServerTransport::Http(endpoint)))
        };
        let changes: [&dyn Fn(&mut HttpEndpoint); 11] = [
            &|_| {},
            &|endpoint| endpoint.url = "https://example.org".into(),
            &|endpoint| endpoint.sse = true,
            &|endpoint| endpoint.bearer = Some("one".into()),
            &|endpoint| endpoint.headers = [("X-Key".to_owned(), "one".into())].into(),
            &|endpoint| endpoint.client_id = Some("one".into()),
            &|endpoint| endpoint.client_secret = Some("env:GOOD".into()),
            &|endpoint| endpoint.client_secret = Some("env:AWS_SECRET".into()),
            &|endpoint| endpoint.grant = OAuthGrant::ClientCredentials,
            &|endpoint| endpoint.scopes = vec!["one".to_owned()],
            &|endpoint| endpoint.scopes = vec!["one".to_owned(), "two".to_owned()],
        ];
        let mut seen: Vec<_> = changes.into_iter().map(fingerprint).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), changes.len());
    }
}
