//! Keys, positions and messages of sections.

use super::*;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Sample {
    call_limit: Option<u64>,
    names: Vec<String>,
    env: BTreeMap<String, String>,
    inner: Option<Inner>,
    #[serde(deserialize_with = "path")]
    file: Option<PathBuf>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Inner {
    on: bool,
}

fn sample(value: Value) -> Result<ParsedSection<Sample>, String> {
    read_value(value, Path::new("/there")).map_err(|error| error.to_string())
}

#[test]
fn camel_case_keys_are_accepted_and_snake_case_wins() {
    let limit = |value| sample(value).map(|sample| sample.value.call_limit);
    assert_eq!(limit(json!({"callLimit": 1})), Ok(Some(1)));
    assert_eq!(limit(json!({"callLimit": 1, "call_limit": 2})), Ok(Some(2)));
    assert_eq!(limit(json!({"call-limit": 3, "names": null})), Ok(Some(3)));
}

#[test]
fn scalars_are_accepted_as_strings_only_in_lists_and_tables() {
    let read =
        sample(json!({"names": ["a", 1, true], "env": {"PORT": 80, "X": null}, "file": "x"}))
            .expect("valid");
    assert_eq!(read.value.names, ["a", "1", "true"]);
    assert_eq!(read.value.env, BTreeMap::from([("PORT".to_owned(), "80".to_owned())]));
    assert_eq!(read.value.file, Some(PathBuf::from("/there/x")));
    assert_eq!(
        sample(json!({"file": 1})).map(|_| ()),
        Err("`file` is `1`; it must be a string".to_owned())
    );
}

#[test]
fn errors_name_the_key_and_never_quote_the_value() {
    for (value, message) in [
        (json!({"call_limit": "s3cret"}), "`call_limit` is a string; it must be a whole number"),
        (json!({"names": "s3cret"}), "`names` is a string; it must be a list"),
        (json!({"env": {"A": ["s3cret"]}}), "`env.A` is a list; it must be a string"),
        (json!({"inner": {"on": 1}}), "`inner.on` is `1`; it must be true or false"),
        (json!({"inner": {}}), "`inner.on` is missing"),
        (json!({"inner": true}), "`inner` is true or false; it must be a table"),
        (json!([]), "it is a list; it must be a table"),
    ] {
        assert_eq!(sample(value).map(|_| ()), Err(message.to_owned()));
    }
}

#[test]
fn unknown_keys_are_collected_with_suggestions() {
    let read = sample(json!({"nams": [], "inner": {"on": true, "off": 1}})).expect("valid");
    let keys: Vec<_> =
        read.unknown.iter().map(|unknown| (unknown.path.join("."), unknown.nearest)).collect();
    assert_eq!(keys, [("nams".to_owned(), Some("names")), ("inner.off".to_owned(), None)]);
    assert_eq!(
        read.strict().map_err(|error| error.to_string()),
        Err("`nams` is an unknown key; did you mean `names`?".to_owned())
    );
}
