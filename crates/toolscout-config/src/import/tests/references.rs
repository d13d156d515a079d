//! 1. The variable syntax of every client is converted to ours.
//! 2. Text that is not a variable there is not a variable here.

use super::super::references::{TextContext, VariableSyntax, ours, variable};
use std::path::Path;

fn said(syntax: VariableSyntax, text: &str) -> (String, usize) {
    let place = TextContext {
        syntax,
        folder: Path::new("/there"),
        home: Some(Path::new("/srv/ana")),
        project: Path::new("/src/shop"),
    };
    let mut notes = Vec::new();
    let text = ours(text, &place, &mut notes);
    (text, notes.len())
}

fn check(syntax: VariableSyntax, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(said(syntax, text), ((*expected).to_owned(), 0), "{syntax:?} {text:?}");
    }
}

#[test]
fn braces_become_ours() {
    check(
        VariableSyntax::Braces,
        &[
            ("plain", "plain"),
            ("", ""),
            ("${A}", "env:A"),
            ("${env:A}", "env:A"),
            ("${A:-b}", "${A:-b}"),
            ("${env:A:-b}", "${A:-b}"),
            ("x${A}y${env:B}", "x${A}y${B}"),
            ("${workspaceFolder}/x", "./x"),
            ("${workspaceFolderBasename}", "shop"),
            ("${userHome}${pathSeparator}x", "${HOME}/x"),
            ("$A {env:B}", "$A {env:B}"),
            ("${unclosed", "$${unclosed"),
            ("${}", "${}"),
            ("${a.b}", "${a.b}"),
        ],
    );
}

#[test]
fn other_writings_become_ours() {
    check(
        VariableSyntax::Dollar,
        &[
            ("$A", "env:A"),
            ("$A/$B_2.x", "${A}/${B_2}.x"),
            ("$5", "$5"),
            ("$", "$"),
            ("é$A", "é${A}"),
        ],
    );
    check(
        VariableSyntax::Curly,
        &[
            ("{env:A}", "env:A"),
            ("x{env:A}", "x${A}"),
            ("{file:x.txt}", "file:/there/x.txt"),
            ("{file:~/x}", "file:/srv/ana/x"),
            ("{file:/x}", "file:/x"),
            ("{\"a\": 1}", "{\"a\": 1}"),
            ("${A}", "$${A}"),
        ],
    );
    check(
        VariableSyntax::Plain,
        &[("${A}", "env:A"), ("x${A}", "x$${A}"), ("${A}${B}", "$${A}$${B}"), ("$A", "$A")],
    );
}

#[test]
fn a_text_that_starts_like_a_reference_stays_a_text() {
    for text in ["file:./dev.db", "env:x", "keyring:x"] {
        assert_eq!(
            said(VariableSyntax::Braces, text),
            (format!("${{TOOLSCOUT_PLAIN:-}}{text}"), 1)
        );
    }
    assert_eq!(said(VariableSyntax::Braces, "file:///x"), ("file:///x".to_owned(), 0));
}

#[test]
fn what_cannot_be_said_here_is_noted() {
    assert_eq!(said(VariableSyntax::Braces, "${input:api key}"), ("env:API_KEY".to_owned(), 1));
    assert_eq!(said(VariableSyntax::Braces, "${config:x.y}"), ("${config:x.y}".to_owned(), 1));
    assert_eq!(said(VariableSyntax::Curly, "a{file:b}"), ("a{file:b}".to_owned(), 1));
}

#[test]
fn any_text_has_a_variable_nearest_to_it() {
    assert_eq!(["a-b", "1x", "", "é"].map(variable), ["A_B", "_1X", "_", "_"]);
}
