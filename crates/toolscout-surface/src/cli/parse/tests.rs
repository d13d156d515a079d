//! 1. All spellings of an option are equivalent.
//! 2. Every mistake is reported at once, with the exact wording.
//! 3. `--help` and `--version` come before other mistakes, unknown options before both.
//! 4. Words after `--`, or after the first positional of a command that stops there, are
//!    unchanged.

use super::{Parsed, parse};
use crate::cli::{
    CommandSpec, Locale, OptionSpec, PositionalSpec, UsageError, UsageErrors, ValueKind, nearest,
};

fn spec() -> CommandSpec {
    CommandSpec::new("deploy", "Deploys")
        .option(OptionSpec::switch("all", "").short('a'))
        .option(OptionSpec::switch("brief", "").short('b'))
        .option(OptionSpec::switch("cache", "").short('c').negatable())
        .option(OptionSpec::text("file", "").short('f'))
        .option(OptionSpec::integer("count", "").short('n'))
        .option(OptionSpec::number("ratio", ""))
        .option(OptionSpec::new("data", ValueKind::Json, ""))
        .option(OptionSpec::text("mode", "").choices(["a", "b"]))
        .option(OptionSpec::text("tag", "").repeat_or_comma())
        .option(OptionSpec::text("root", "").repeat())
        .option(OptionSpec::switch("allow-reload", ""))
        .option(OptionSpec::switch("quiet", "").conflicts("loud"))
        .option(OptionSpec::switch("loud", "").conflicts("quiet"))
        .option(OptionSpec::help("").short('h'))
        .option(OptionSpec::version(""))
        .positional(PositionalSpec::new("TARGET", ""))
}

fn words(line: &[&str]) -> Vec<String> {
    line.iter().map(|line| (*line).to_owned()).collect()
}

fn read(line: &[&str]) -> Result<Parsed, UsageErrors> {
    parse(&spec(), &words(line))
}

fn error_text(line: &[&str]) -> String {
    read(line).expect_err("should be refused").to_string()
}

/// S-25: short groups, values with and without `=`.
#[test]
fn all_spellings_of_an_option_are_equivalent() {
    for line in [&["--file", "bar"][..], &["--file=bar"], &["-f", "bar"], &["-fbar"], &["-f=bar"]] {
        assert_eq!(read(line).unwrap().text("file"), Some("bar"), "{line:?}");
    }
    for line in [
        &["-abc"][..],
        &["-a", "-b", "-c"],
        &["--all", "--brief", "--cache"],
        &["-ab", "--cache=true"],
    ] {
        let parsed = read(line).unwrap();
        assert!(
            parsed.switch("all") && parsed.switch("brief") && parsed.switch("cache"),
            "{line:?}"
        );
    }
    let parsed = read(&["-abf", "x=y", "here"]).unwrap();
    assert_eq!((parsed.text("file"), &parsed.positionals), (Some("x=y"), &words(&["here"])));
    assert_eq!(read(&["-abf=x"]).unwrap().text("file"), Some("x"));
    assert_eq!(read(&["--file="]).unwrap().text("file"), Some(""));
    assert_eq!(read(&["-f="]).unwrap().text("file"), Some(""));
}

/// S-24: both ways to turn a switch off.
#[test]
fn a_switch_can_be_turned_off() {
    for line in [&["--no-cache"][..], &["--cache=false"], &["-c=false"]] {
        let parsed = read(line).unwrap();
        assert!(parsed.is_given("cache") && !parsed.switch("cache"), "{line:?}");
    }
    assert!(!read(&[]).unwrap().is_given("cache"));
    assert_eq!(error_text(&["--no-all"]), "Unknown option: --no-all");
    assert_eq!(error_text(&["--no-cache=true"]), "--no-cache takes no value");
    assert_eq!(
        error_text(&["--cache=maybe"]),
        r#"Invalid value for --cache: "maybe" (choose from: true, false)"#
    );
}

/// S-19: the exact words for an unknown option.
#[test]
fn an_unknown_option_is_named_with_the_nearest_one() {
    assert_eq!(
        error_text(&["--alow-reload"]),
        "Unknown option: --alow-reload\nDid you mean --allow-reload?"
    );
    assert_eq!(error_text(&["--no-cashe"]), "Unknown option: --no-cashe\nDid you mean --no-cache?");
    assert_eq!(error_text(&["--frobnicate", "x", "y", "z"]), "Unknown option: --frobnicate");
}

/// S-20: the exact words for an unknown command.
#[test]
fn an_unknown_command_is_named_with_the_nearest_one() {
    let error = UsageError::UnknownCommand {
        command: "rn".to_owned(),
        nearest: nearest("rn", ["search", "run"]).map(str::to_owned),
    };
    assert_eq!(error.text(Locale::English), "Command not found: rn\nDid you mean run?");
    assert_eq!(error.text(Locale::Japanese), "コマンドが見つかりません: rn\nもしかして: run");
}

/// S-21: there is no suggestion for a short option.
#[test]
fn an_unknown_short_option_has_no_suggestion() {
    assert_eq!(error_text(&["-x"]), "Unknown option: -x");
    assert_eq!(error_text(&["-axb"]), "Unknown option: -x");
}

/// S-11: choices are listed; S-16: a value that is not a number is an error.
#[test]
fn all_errors_are_reported_at_once() {
    let line = [
        "--mode", "c", "-n", "1.5", "--ratio", "abc", "--data", "{", "--file", "x", "--file=y",
        "t", "u",
    ];
    assert_eq!(
        error_text(&line),
        r#"Invalid value for --mode: "c" (choose from: a, b)
Invalid value for --count: "1.5" is not an integer
Invalid value for --ratio: "abc" is not a number
Invalid value for --data: "{" is not JSON (EOF while parsing an object at line 1 column 1)
--file was given more than once
Unexpected argument: u"#
    );
}

/// S-16: NaN and infinity are not numbers in any spelling.
#[test]
fn a_number_is_finite() {
    for text in ["NaN", "nan", "inf", "-inf", "infinity", "1e999", "0x10", "1,5", ""] {
        let text = format!("--ratio={text}");
        assert!(error_text(&[&text]).ends_with("is not a number"), "{text}");
    }
}

#[test]
fn a_negative_number_is_a_value_and_other_dashes_need_an_equals_sign() {
    assert_eq!(read(&["-n", "-5"]).unwrap().text("count"), Some("-5"));
    assert_eq!(read(&["--ratio", "-.5"]).unwrap().text("ratio"), Some("-.5"));
    assert_eq!(read(&["--file", "-"]).unwrap().text("file"), Some("-"));
    assert_eq!(read(&["--file=-x"]).unwrap().text("file"), Some("-x"));
    assert_eq!(read(&["-5"]).unwrap().positionals, words(&["-5"]));
    assert_eq!(
        error_text(&["--file", "-x"]),
        "Missing value for --file (a value that starts with \"-\" needs \"=\": --file=-x)"
    );
    assert_eq!(error_text(&["--file", "--all"]), "Missing value for --file");
    assert_eq!(error_text(&["--file", "--", "x"]), "Missing value for --file");
    assert_eq!(error_text(&["--file"]), "Missing value for --file");
}

#[test]
fn several_missing_options_have_a_line_each() {
    let spec = CommandSpec::new("fetch", "")
        .option(OptionSpec::text("url", "").required())
        .option(OptionSpec::text("to", "").required())
        .option(OptionSpec::help(""))
        .positional(PositionalSpec::new("WHAT", "").required());
    let error = parse(&spec, &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Missing required argument: WHAT\nMissing required option: --url\nMissing required option: --to"
    );
    assert_eq!(
        error.text(Locale::Japanese),
        "必須引数がありません: WHAT\n必須オプションがありません: --url\n必須オプションがありません: --to"
    );
    assert!(parse(&spec, &words(&["--help"])).unwrap().switch("help"));
    assert_eq!(parse(&spec, &words(&["--url"])).unwrap_err().iter().count(), 3);
}

/// S-26: both are named, once.
#[test]
fn options_that_exclude_each_other_are_both_named() {
    assert_eq!(error_text(&["--loud", "--quiet"]), "--quiet cannot be used together with --loud");
}

/// S-27: unknown options first, then help, then version; other mistakes last.
#[test]
fn unknown_options_come_before_help_and_help_before_other_errors() {
    assert_eq!(
        error_text(&["--version", "--nonsense", "--mode", "c"]),
        "Unknown option: --nonsense"
    );
    assert_eq!(error_text(&["--nonsense", "--help"]), "Unknown option: --nonsense");
    let parsed = read(&["--version", "--mode", "c", "--count", "x", "-h"]).unwrap();
    assert!(parsed.switch("help") && parsed.switch("version"));
}

/// S-23: words after `--` are not parsed.
#[test]
fn words_after_two_dashes_are_not_parsed() {
    let parsed = read(&["here", "--", "--nonsense", "--mode=c", "--", "-x", ""]).unwrap();
    assert_eq!(parsed.positionals, words(&["here"]));
    assert_eq!(parsed.rest, words(&["--nonsense", "--mode=c", "--", "-x", ""]));
}

#[test]
fn global_options_stop_at_the_first_positional() {
    let global = CommandSpec::new("toolscout", "")
        .option(OptionSpec::switch("quiet", "").short('q'))
        .option(OptionSpec::text("root", "").repeat())
        .stop_at_positional();
    let parsed =
        parse(&global, &words(&["-q", "--root", "r", "fetch", "--url", "x", "--", "y"])).unwrap();
    assert!(parsed.switch("quiet"));
    assert_eq!(parsed.positionals, words(&["fetch", "--url", "x", "--", "y"]));
    assert!(parsed.rest.is_empty());
}

/// S-08: repeated, with commas, or both; a JSON array may contain commas.
#[test]
fn lists_are_repeated_or_separated_by_commas() {
    for line in [
        &["--tag", "a", "--tag", "b"][..],
        &["--tag=a,b"],
        &["--tag", "a,", "--tag", "b"],
        &[r#"--tag=["a","b"]"#],
    ] {
        assert_eq!(read(line).unwrap().texts("tag"), words(&["a", "b"]), "{line:?}");
    }
    assert_eq!(read(&[r#"--tag=["a,b",""]"#]).unwrap().texts("tag"), words(&["a,b", ""]));
    assert_eq!(read(&["--tag=[a"]).unwrap().texts("tag"), words(&["[a"]));
    let empty = read(&["--tag=[]"]).unwrap();
    assert!(empty.is_given("tag") && empty.texts("tag").is_empty());
    assert_eq!(
        read(&["--root", "a,b", "--root", "c"]).unwrap().texts("root"),
        words(&["a,b", "c"])
    );
}

#[test]
fn a_repeated_switch_is_an_error_only_if_values_differ() {
    assert!(read(&["--all", "-a"]).unwrap().switch("all"));
    assert_eq!(error_text(&["--cache", "--no-cache"]), "--cache was given more than once");
}

#[test]
fn positionals_can_have_choices() {
    let spec = CommandSpec::new("completion", "")
        .positional(PositionalSpec::new("SHELL", "").choices(["bash", "zsh"]));
    assert_eq!(parse(&spec, &words(&["zsh"])).unwrap().positionals, words(&["zsh"]));
    let error = parse(&spec, &words(&["csh"])).unwrap_err().to_string();
    assert_eq!(error, r#"Invalid value for SHELL: "csh" (choose from: bash, zsh)"#);
}

#[test]
fn error_texts_are_escaped_and_bounded() {
    let text = error_text(&["--\u{1b}[31mred"]);
    assert_eq!(text, "Unknown option: --\\u{1b}[31mred");
    let long = format!("--mode={}", "x".repeat(1_000_000));
    assert!(error_text(&[&long]).len() < 2000);
}
