//! 1. Each kind of reference resolves to its value, and plain text stays unchanged.
//! 2. An error names the unresolvable reference, and never contains a value.
//! 3. A fingerprint changes with the value, and does not query the keyring.

use super::*;

fn lookup() -> ReferenceLookup {
    ReferenceLookup::new(|name| match name {
        "TOKEN" => Some("s3cret".into()),
        "EMPTY" => Some("".into()),
        "HOME" => Some("/home/ada".into()),
        _ => None,
    })
    .with_keyring(|name| match name {
        "mail" => Ok("from the keyring".to_owned()),
        other => Err(format!("`keyring:{other}`: the keyring has no such entry")),
    })
}

fn resolved(text: &str) -> Result<String, String> {
    ConfigText::from(text).resolve(&lookup())
}

#[test]
fn each_kind_of_reference_resolves_to_its_value() {
    assert_eq!(resolved("env:TOKEN").as_deref(), Ok("s3cret"));
    assert_eq!(resolved("keyring:mail").as_deref(), Ok("from the keyring"));
    assert_eq!(resolved("Bearer ${TOKEN}").as_deref(), Ok("Bearer s3cret"));
    assert_eq!(resolved("${env:TOKEN}${TOKEN}!").as_deref(), Ok("s3crets3cret!"));
    assert_eq!(resolved("${PORT:-80}:${EMPTY:-}${env:PORT:-}").as_deref(), Ok("80:"));
    assert_eq!(resolved("[${EMPTY}]").as_deref(), Ok("[]"));
    assert_eq!(resolved("${EMPTY:-usual}").as_deref(), Ok("usual"));
}

#[test]
fn plain_text_stays_unchanged() {
    for text in [
        "",
        "plain",
        "$TOKEN",
        "${}",
        "${a.b}",
        "${TOKEN",
        "Bearer env:TOKEN",
        "file:///tmp/x",
        "a$$b",
        "ü${",
    ] {
        assert_eq!(resolved(text).as_deref(), Ok(text));
        assert!(!ConfigText::from(text).is_reference(), "{text}");
    }
    assert_eq!(resolved("$${TOKEN}").as_deref(), Ok("${TOKEN}"));
    assert_eq!(resolved("${a.b}${TOKEN}").as_deref(), Ok("${a.b}s3cret"));
}

#[test]
fn references_are_recognized_without_being_resolved() {
    for text in ["env:NO", "file:no", "keyring:no", "x ${NO} y", "${NO:-d}", "${input:key}"] {
        assert!(ConfigText::from(text).is_reference(), "{text}");
    }
}

#[test]
fn an_unresolvable_reference_is_named() {
    let error = |text: &str| resolved(text).expect_err(text);
    assert_eq!(
        error("env:GONE"),
        "needs GONE. Export it, or store it with `toolscout secret set GONE`"
    );
    assert_eq!(
        error("${TOKEN} ${GONE}"),
        "needs GONE. Export it, or store it with `toolscout secret set GONE`"
    );
    assert_eq!(error("${input:key}"), "`${input:key}` is not a valid reference; use `${NAME}`");
    assert_eq!(error("env:A=B"), "`A=B` is not a valid environment variable name");
    assert_eq!(error("env:"), "`` is not a valid environment variable name");
    assert_eq!(error("keyring:other"), "`keyring:other`: the keyring has no such entry");
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_utf8_is_named_and_not_shown() {
    use std::os::unix::ffi::OsStringExt;
    let lookup = ReferenceLookup::new(|_| Some(OsString::from_vec(vec![b's', 0xff])));
    let error = ConfigText::from("env:BYTES").resolve(&lookup).expect_err("not UTF-8");
    assert_eq!(error, "the environment variable `BYTES` is not UTF-8");
}

#[test]
fn a_file_is_relative_to_the_one_that_names_it_and_trimmed_at_its_end() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("token"), "  two\nlines \r\n\n").expect("written");
    let text = ConfigText::new("file:token", Some(dir.path()));
    assert_eq!(text.resolve(&lookup()).as_deref(), Ok("  two\nlines"));
    assert_eq!(text.written(), "file:token");
    let home = ConfigText::new("file:~/token", Some(Path::new("/nowhere")));
    assert!(
        home.resolve(&lookup()).expect_err("the file does not exist").contains("`/home/ada/token`")
    );
}

#[test]
fn an_invalid_secret_file_is_named_and_not_shown() {
    let dir = tempfile::tempdir().expect("a folder");
    let largest = MAX_FILE_BYTES as usize;
    std::fs::write(dir.path().join("full"), "x".repeat(largest)).expect("written");
    std::fs::write(dir.path().join("large"), "x".repeat(largest + 1)).expect("written");
    std::fs::write(dir.path().join("bytes"), b"s3cret\xff").expect("written");
    let resolve =
        |name: &str| ConfigText::new(format!("file:{name}"), Some(dir.path())).resolve(&lookup());
    assert_eq!(resolve("full").map(|value| value.len()), Ok(largest));
    for (name, why) in
        [("large", "64 KiB"), ("bytes", "not UTF-8"), ("gone", "No such file"), (".", "not a file")]
    {
        let error = resolve(name).expect_err(name);
        assert!(error.contains(why) && error.contains(&*dir.path().to_string_lossy()), "{error}");
        assert!(!error.contains("s3cret"));
    }
}

/// `security -i` reads one command per line.
#[test]
fn a_secret_with_a_line_break_is_no_second_command_for_the_keyring() {
    assert_eq!(
        keyring::security_command("a b", r#"x"\y"#).expect("a command"),
        "add-generic-password -U -s toolscout -a \"a b\" -w \"x\\\"\\\\y\"\n"
    );
    for (name, value) in [("a", "x\ndelete-keychain"), ("a", "x\r"), ("a\n", "x"), ("a", "\0")] {
        let error = keyring::security_command(name, value).expect_err("refused");
        assert!(error.ends_with("it contains a line break or control character"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_missing_hanging_or_empty_keyring_is_reported() {
    let run = |program: &str, args: &[&str]| {
        keyring::run_program(program, args, std::time::Duration::from_millis(300))
    };
    let printed = run("sh", &["-c", "printf 's3cret\\n'; exit 1"]);
    assert_eq!(printed, Ok(Some("s3cret".to_owned())));
    assert_eq!(run("sh", &["-c", "exit 1"]), Ok(None));
    assert_eq!(run("sh", &["-c", "exec sleep 60"]), Err("`sh` timed out after 300 ms".to_owned()));
    let missing = run("no-such-keyring", &[]).expect_err("the program does not exist");
    assert_eq!(
        missing,
        "the program `no-such-keyring`, which manages the keyring, is not installed"
    );
}

#[test]
fn a_variable_that_is_not_set_is_looked_up_in_the_stored_secrets() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("GONE"), "stored\n").expect("written");
    std::fs::write(dir.path().join("TOKEN"), "shadowed").expect("written");
    let lookup = lookup().with_secrets(dir.path());
    let resolved = |text: &str| ConfigText::from(text).resolve(&lookup);
    assert_eq!(resolved("env:GONE").as_deref(), Ok("stored"));
    assert_eq!(resolved("a ${GONE} ${OTHER:-c}").as_deref(), Ok("a stored c"));
    assert_ne!(resolved("env:TOKEN").as_deref(), Ok("shadowed"), "the environment comes first");
    let text = ConfigText::from("${GONE} ${OTHER} ${OPTIONAL:-x}");
    assert_eq!(text.missing_variables(&lookup), ["OTHER"]);
}

#[test]
fn a_fingerprint_changes_with_the_value_and_with_the_key() {
    let with = |value: &'static str| {
        ReferenceLookup::new(move |name| (name == "TOKEN").then(|| value.into()))
    };
    let text = ConfigText::from("env:TOKEN");
    let print = text.fingerprint(&[1; 32], &with("a"));
    assert_eq!(print, text.fingerprint(&[1; 32], &with("a")));
    assert_ne!(print, text.fingerprint(&[1; 32], &with("b")));
    assert_ne!(print, text.fingerprint(&[2; 32], &with("a")));
    assert_eq!(
        print,
        ConfigText::from("a").fingerprint(&[1; 32], &with("a")),
        "the fingerprint depends on the value"
    );
}

#[test]
fn a_fingerprint_neither_fails_nor_reads_the_keyring() {
    let lookup =
        ReferenceLookup::new(|_| None).with_keyring(|_| panic!("the keyring must not be read"));
    let print = |text: &str| ConfigText::from(text).fingerprint(&[1; 32], &lookup);
    assert_ne!(print("keyring:a"), print("keyring:b"));
    assert_ne!(print("env:A"), print("env:B"));
    assert_ne!(
        print("env:A"),
        ConfigText::from("env:A")
            .fingerprint(&[1; 32], &ReferenceLookup::new(|_| Some("env:A".into())))
    );
}

#[test]
fn resolved_values_are_redacted_from_then_on() {
    let values = [
        ("WORD", "quietvalueone"),
        ("PART", "quietvaluetwo"),
        ("ROOT", "/srv/quietplace"),
        ("HOME", "/home/ada"),
    ];
    let lookup = ReferenceLookup::new(move |name| {
        values.iter().find(|(value, _)| *value == name).map(|(_, value)| value.into())
    })
    .with_keyring(|_| Ok("quietvaluethree".to_owned()));
    for text in ["env:WORD", "x ${PART} y", "keyring:any", "${ROOT}/files", "env:HOME"] {
        ConfigText::from(text).resolve(&lookup).expect("resolved");
    }
    let output = "quietvalueone quietvaluetwo quietvaluethree /srv/quietplace /home/ada";
    // Paths, and variables that every program gets, help to understand an error.
    assert_eq!(redact::text(output), "[REDACTED] [REDACTED] [REDACTED] /srv/quietplace /home/ada");
}

#[test]
fn nothing_prints_a_value() {
    let shown = format!(
        "{:?} {:?} {:?}",
        ConfigText::from("env:TOKEN"),
        ConfigText::from("Bearer s3cret"),
        lookup()
    );
    assert_eq!(shown, "\"env:TOKEN\" (13 bytes) Lookup");
}
