//! 1. The list of modes is complete, and equal in text and in JSON.
//! 2. Mistakes are reported with the fix.

use crate::talk::program;
use serde_json::Value;
use std::collections::BTreeSet;
use toolscout_hostile::{Transports, modes};

fn printed(words: &[&str]) -> String {
    let output = program().args(words).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_list_names_every_mode_once() {
    let names: BTreeSet<&str> = modes().iter().map(|mode| mode.name).collect();
    assert_eq!((modes().len(), names.len()), (117, 117));
    assert_eq!(printed(&["--list", "--names"]).lines().collect::<BTreeSet<_>>(), names);
    assert!(printed(&["--list"]).ends_with("# 117 modes\n"));
    let json: Value = serde_json::from_str(&printed(&["--list", "--json"])).unwrap();
    assert_eq!(
        json.as_array()
            .unwrap()
            .iter()
            .map(|item| item["name"].as_str().unwrap())
            .collect::<BTreeSet<_>>(),
        names
    );
}

#[test]
fn every_mode_says_where_it_belongs_and_what_is_to_be_done_about_it() {
    for mode in modes() {
        assert!(
            !mode.category.is_empty() && mode.does.ends_with('.') && mode.must.ends_with('.'),
            "{}",
            mode.name
        );
        assert_eq!(mode.transports == Transports::Http, mode.category == "http", "{}", mode.name);
    }
}

#[test]
fn a_mode_is_described() {
    let text = printed(&["--describe", "cursor_same"]);
    assert!(
        text.starts_with("cursor_same [pages, stdio+http]\n  does: ")
            && text.contains("\n  must: "),
        "{text}"
    );
}

#[test]
fn mistakes_are_said() {
    for (words, message) in [
        (&["--mode", "nonsense"][..], "`nonsense` is not a mode; see --list"),
        (&["--size", "big"], "`--size` needs a number, not `big`"),
        (&["--era", "stone"], "`stone` is not an era; say dual, legacy or modern"),
        (&["--frobnicate", "1"], "`--frobnicate` is not an option"),
        (&["--mode"], "`--mode` needs a value"),
    ] {
        let output = program().args(words).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && text.contains(message), "{words:?}: {text}");
    }
}
