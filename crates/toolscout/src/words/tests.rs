//! 1. Every text of the built-in commands is in the table.
//! 2. It contains nothing else, no duplicates, and every translation is present.

use super::{pairs, say};
use crate::topics;
use std::collections::HashSet;
use toolscout_surface::cli::{CommandSpec, Locale};

/// The texts of the program besides its commands and options.
const PROGRAM: [&str; 4] =
    ["Find the right tool and run it safely", "The command", "Its arguments", topics::NOTE];

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
fn the_table_has_exactly_the_texts_of_all_commands() {
    let used: HashSet<String> = texts().into_iter().collect();
    let keys: HashSet<String> = table().iter().map(|(english, _)| (*english).to_owned()).collect();
    let missing: Vec<_> = used.difference(&keys).collect();
    let unused: Vec<_> = keys.difference(&used).collect();
    assert!(
        missing.is_empty() && unused.is_empty(),
        "not in the table: {missing:#?}\nnot used: {unused:#?}"
    );
    assert_eq!(keys.len(), table().len(), "a text occurs twice");
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
        assert_eq!(codes(english), codes(japanese), "code is not translated");
    }
}

#[test]
fn a_text_without_a_translation_stays_english() {
    assert_eq!(say(Locale::Japanese, "of an application"), "of an application");
    assert_eq!(say(Locale::English, "List tools"), "List tools");
    assert_eq!(say(Locale::Japanese, "List tools"), "ツールを一覧する");
}
