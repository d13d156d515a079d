//! Hints: short options, descriptions, positional arguments, conflicts.

use super::{call, diagnostics, hinted, names, page};
use crate::cli::analyze;
use serde_json::{Value, json};

fn properties() -> Value {
    json!({
        "config": {"type": "object", "properties": {"timeout": {"type": "number", "description": "Seconds"}}},
        "url": {"type": "string"},
        "secret": {"type": "string"},
        "files": {"type": "array", "items": {"type": "string"}}
    })
}

/// S-13: a short option and a description; a hint for an unknown flag is reported and adds no
/// flag.
#[test]
fn hints_change_the_presentation_of_a_flag() {
    let hint = json!({"short": "t", "description": "How long to wait", "value_name": "SECONDS"});
    let tool = hinted(
        &properties(),
        &json!({"flags": {"config-timeout": hint, "config-timeuot": {"short": "x"}}}),
    );
    assert_eq!(call(&tool, &["-t", "5"]), r#"{"config":{"timeout":5}}"#);
    assert!(page(&tool).contains("  -t, --config-timeout SECONDS  How long to wait\n"));
    assert_eq!(names(&tool), ["config-timeout", "url", "secret", "files"]);
    assert_eq!(
        diagnostics(&tool),
        [
            "Setting: `local/demo` has a hint for `--config-timeuot`, which is not one of its flags | did you mean `config-timeout`?"
        ]
    );
}

/// M-08f
#[test]
fn the_analysis_has_flags_clashes_depth_and_json() {
    let mut all = properties();
    all["config-timeout"] = json!({"type": "number"});
    all["any"] = json!({"type": "object"});
    let analysis = analyze(&hinted(&all, &json!({"separator": "-"})));
    let clash = &analysis.clashes[0];
    assert_eq!(
        (clash.flag.as_str(), clash.properties.join(" ")),
        ("config-timeout", "config-timeout config.timeout".to_owned())
    );
    assert_eq!((analysis.clashes.len(), analysis.depth), (1, 1));
    let flags: Vec<String> = analysis
        .flags
        .iter()
        .map(|flag| {
            format!("{}={} {} {}", flag.flag, flag.path.join("."), flag.required, flag.takes_json)
        })
        .collect();
    assert_eq!(
        flags,
        [
            "url=url false false",
            "secret=secret false false",
            "files=files false false",
            "config-timeout=config-timeout false false",
            "any=any false true",
        ]
    );
    let apart = analyze(&hinted(&all, &json!({"separator": "/"})));
    assert_eq!((apart.clashes.len(), apart.depth), (0, 2));
    assert_eq!(apart.flags[0].flag, "config/timeout");
}

#[test]
fn hidden_flags_work_but_are_not_shown() {
    let tool = hinted(&properties(), &json!({"flags": {"secret": {"hidden": true}}}));
    assert_eq!(call(&tool, &["--secret", "s"]), r#"{"secret":"s"}"#);
    assert!(!page(&tool).contains("--secret"));
}

/// S-26: flags that exclude each other are both named.
#[test]
fn flags_may_exclude_each_other() {
    let tool =
        hinted(&properties(), &json!({"flags": {"url": {"conflicts": ["files", "nothing"]}}}));
    assert_eq!(
        call(&tool, &["--files", "a", "--url", "u"]),
        "--url cannot be used together with --files"
    );
    assert_eq!(diagnostics(&tool).len(), 1);
    assert!(diagnostics(&tool)[0].contains("a conflict of `--url` with `--nothing`"));
}

#[test]
fn a_flag_may_be_positional() {
    let tool = hinted(
        &properties(),
        &json!({"flags": {"url": {"positional": true}, "files": {"positional": true}}}),
    );
    assert_eq!(call(&tool, &["u", "a", "b,c"]), r#"{"url":"u","files":["a","b","c"]}"#);
    assert_eq!(call(&tool, &["--url", "u", "a"]), r#"{"url":"u","files":["a"]}"#);
    assert_eq!(call(&tool, &[]), "{}");
    assert!(page(&tool).starts_with("Usage: toolscout demo [OPTIONS] [URL] [FILES...]\n"));
}

#[test]
fn short_options_are_unique() {
    let tool = hinted(
        &properties(),
        &json!({"flags": {"files": {"short": "u"}, "url": {"short": "u"}, "secret": {"short": "-"}}}),
    );
    assert_eq!(call(&tool, &["-u", "x"]), r#"{"files":["x"]}"#);
    assert_eq!(diagnostics(&tool).len(), 2);
    let help = hinted(&properties(), &json!({"flags": {"url": {"short": "h"}}}));
    assert_eq!(call(&help, &["-h", "x"]), r#"{"url":"x"}"#);
    assert!(page(&help).contains("      --help"));
}
