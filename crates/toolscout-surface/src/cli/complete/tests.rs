//! 1. Commands, tools, flags and values are offered if they fit.
//! 2. Only typed commands are looked up.
//! 3. The scripts are valid, and bash shows our candidates.

use super::{Candidate, Shell, candidates, print};
use crate::cli::{CommandSpec, OptionSpec, PositionalSpec};
use std::cell::RefCell;
use std::io::Write;
use std::process::{Command, Stdio};

fn names(path: &[String]) -> Vec<Candidate> {
    let path: Vec<_> = path.iter().map(String::as_str).collect();
    let names: &[&str] = match path.as_slice() {
        [] => &["search", "server", "run", "completion", "fetch-data"],
        ["server"] => &["add", "list"],
        ["run"] => &["fetch-data"],
        _ => &[],
    };
    names.iter().map(|name| Candidate::new(*name, "")).collect()
}

fn spec(path: &[String]) -> Option<CommandSpec> {
    let spec = CommandSpec::default();
    Some(match path.last().map(String::as_str) {
        None => spec
            .option(
                OptionSpec::text("output", "How to write")
                    .short('o')
                    .choices(["text", "json", "toon"]),
            )
            .option(OptionSpec::switch("quiet", "Say less").short('q'))
            .stop_at_positional(),
        Some("run") => spec.stop_at_positional(),
        Some("completion") => spec
            .positional(PositionalSpec::new("SHELL", "").choices(Shell::ALL.map(|(name, _)| name))),
        Some("fetch-data") => spec
            .option(OptionSpec::text("url", "Where from"))
            .option(OptionSpec::text("mode", "").choices(["fast", "far", "slow"]))
            .option(OptionSpec::switch("cache", "").negatable())
            .option(OptionSpec::text("tag", "").repeat())
            .option(OptionSpec { hidden: true, ..OptionSpec::text("secret", "") }),
        _ => spec,
    })
}

fn candidate_lines(line: &[&str]) -> String {
    let words: Vec<_> = line.iter().map(|line| (*line).to_owned()).collect();
    let all: Vec<_> =
        candidates(&words, names, spec).into_iter().map(|candidate| candidate.value).collect();
    all.join(" ")
}

/// S-28: `toolscout se` offers `search` and `server`.
#[test]
fn commands_and_tools_are_offered_first() {
    assert_eq!(candidate_lines(&["se"]), "search server");
    assert_eq!(candidate_lines(&[""]), "search server run completion fetch-data");
    assert_eq!(candidate_lines(&["-q", "-o", "json", "fe"]), "fetch-data");
    assert_eq!(candidate_lines(&["server", ""]), "add list");
    assert_eq!(candidate_lines(&["run", "f"]), "fetch-data");
    assert_eq!(candidate_lines(&[]), candidate_lines(&[""]));
}

#[test]
fn global_options_and_their_values_are_offered() {
    assert_eq!(candidate_lines(&["--"]), "--output --quiet");
    assert_eq!(candidate_lines(&["-q", "--"]), "--output");
    assert_eq!(candidate_lines(&["--output", ""]), "text json toon");
    assert_eq!(candidate_lines(&["-o", "t"]), "text toon");
    assert_eq!(candidate_lines(&["--output=t"]), "--output=text --output=toon");
}

#[test]
fn the_flags_of_the_tool_and_their_choices_are_offered() {
    for start in [&["fetch-data"][..], &["run", "fetch-data"], &["-q", "run", "fetch-data"]] {
        let after = |tail: &[&str]| candidate_lines(&[start, tail].concat());
        assert_eq!(after(&["--"]), "--url --mode --cache --tag");
        assert_eq!(after(&[""]), "--url --mode --cache --tag");
        assert_eq!(after(&["--mode", "fa"]), "fast far");
        assert_eq!(after(&["--mode=s"]), "--mode=slow");
        assert_eq!(after(&["--mode", "=", "s"]), "slow");
        assert_eq!(after(&["--mode", "="]), "fast far slow");
        assert_eq!(after(&["--url", "x", "--tag", "a", "--"]), "--mode --cache --tag");
        assert_eq!(after(&["--no"]), "--no-cache");
        assert_eq!(after(&["--url", ""]), "");
        assert_eq!(after(&["--", "--"]), "");
    }
}

#[test]
fn shells_complete_and_unknown_commands_do_not() {
    assert_eq!(candidate_lines(&["completion", ""]), "bash zsh fish powershell");
    assert_eq!(candidate_lines(&["completion", "z"]), "zsh");
    assert_eq!(candidate_lines(&["nonsense", "--"]), "");
}

/// S-28: only the typed command is looked up.
#[test]
fn only_the_tool_that_was_typed_is_looked_up() {
    let looked_up = RefCell::new(Vec::new());
    let spec = |path: &[String]| {
        looked_up.borrow_mut().push(path.join(" "));
        spec(path)
    };
    candidates(&["se".to_owned()], names, spec);
    candidates(&["fetch-data".to_owned(), "--".to_owned()], names, spec);
    assert_eq!(*looked_up.borrow(), ["", "", "fetch-data"]);
}

#[test]
fn candidates_are_printed_a_line_each() {
    let all = [
        Candidate::new("a", "first\nsecond"),
        Candidate::new("b\nc", ""),
        Candidate::new("d", "\u{1b}[1m"),
    ];
    assert_eq!(print(&all), "a\tfirst\nd\t\\u{1b}[1m\n");
}

#[test]
fn every_script_runs_the_completion_command() {
    for (name, shell) in Shell::ALL {
        assert_eq!(name.parse(), Ok(shell));
        assert!(shell.script().contains("__complete --"), "{name}");
        assert!(shell.script().contains(&format!("toolscout completion {name}")), "{name}");
    }
}

/// Runs a shell on a script; `None` if the shell is not installed. Only bash is mandatory if
/// `TOOLSCOUT_TESTS` is `all`.
fn run(shell: &str, args: &[&str], script: &str) -> Option<(bool, String)> {
    let child = Command::new(shell)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        let all = std::env::var_os("TOOLSCOUT_TESTS").is_some_and(|value| value == "all");
        assert!(!all || shell != "bash", "needs bash");
        writeln!(std::io::stderr(), "skipped: needs {shell}").unwrap();
        return None;
    };
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    Some((output.status.success(), text))
}

#[test]
fn the_scripts_have_valid_syntax() {
    for (shell, script) in [("bash", Shell::Bash), ("zsh", Shell::Zsh), ("fish", Shell::Fish)] {
        if let Some((fine, text)) = run(shell, &["-n"], script.script()) {
            assert!(fine && text.is_empty(), "{shell}: {text}");
        }
    }
}

/// S-28: bash shows the printed candidates, whole words with their spaces, and passes on the
/// typed words.
#[test]
fn bash_shows_the_printed_candidates() {
    let script = format!(
        r#"
toolscout() {{ printf '%s|' "$@" >&2; printf 'search\tFind\nserver\t\ntwo words\t\n'; }}
{}
exec 3>&2
COMP_WORDS=(toolscout -q "" extra) COMP_CWORD=2
_toolscout
printf '<%s>' "${{COMPREPLY[@]}}"
COMP_WORDS=(toolscout se) COMP_CWORD=1
eval "$(declare -f _toolscout | sed 's#2> */dev/null#2>\&3#')"
_toolscout
complete -p toolscout
"#,
        Shell::Bash.script()
    );
    let Some((fine, text)) = run("bash", &["--norc", "-s"], &script) else { return };
    assert!(fine, "{text}");
    assert!(text.contains(r"<search><server><two\ words>"), "{text}");
    assert!(text.contains("__complete|--|se|"), "{text}");
    assert!(text.contains("-F _toolscout toolscout"), "{text}");
}
