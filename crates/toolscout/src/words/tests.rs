//! 1. Every text of the built-in commands is in the table.
//! 2. It contains nothing else, no duplicates, and every translation is present.

use super::{pairs, say};
use std::collections::HashSet;
use toolscout_surface::cli::{CommandSpec, Locale};

/// The texts of the program besides its commands and options.
const PROGRAM: [&str; 3] =
    ["Find the right tool and run it safely", "The command", "Its arguments"];

/// All texts of the program that `main.rs` composes.
fn texts() -> Vec<String> {
    let (options, commands) = crate::tests::program();
    let options = options.into_iter().map(|option| option.help);
    let program = PROGRAM.map(str::to_owned).into_iter().chain(options);
    program.chain(commands.iter().flat_map(|command| texts_of(command.spec()))).collect()
}

fn texts_of(spec: CommandSpec) -> Vec<String> {
    let options =
        spec.options.into_iter().filter(|option| !option.hidden).map(|option| option.help);
    let positionals = spec.positionals.into_iter().map(|positional| positional.help);
    [spec.about].into_iter().chain(options).chain(positionals).chain(spec.notes).collect()
}

fn table() -> Vec<(&'static str, &'static str)> {
    pairs(include_str!("ja.txt")).collect()
}

#[test]
fn everything_said_is_in_the_table_and_nothing_else() {
    let said: HashSet<String> = texts().into_iter().collect();
    let keys: HashSet<String> = table().iter().map(|(english, _)| (*english).to_owned()).collect();
    let missing: Vec<_> = said.difference(&keys).collect();
    let idle: Vec<_> = keys.difference(&said).collect();
    assert!(
        missing.is_empty() && idle.is_empty(),
        "not in the table: {missing:#?}\nsaid by nobody: {idle:#?}"
    );
    assert_eq!(keys.len(), table().len(), "a text is there twice");
}

#[test]
fn every_text_is_really_translated() {
    for (english, japanese) in table() {
        assert!(
            japanese
                .chars()
                .any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}')),
            "{english}"
        );
        let codes =
            |text: &str| text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(codes(english), codes(japanese), "what is to be typed stays the same");
    }
}

#[test]
fn a_text_that_is_not_there_stays_as_it_is() {
    assert_eq!(say(Locale::Japanese, "of an application"), "of an application");
    assert_eq!(say(Locale::English, "List tools"), "List tools");
    assert_eq!(say(Locale::Japanese, "List tools"), "ツールを一覧する");
}
