//! 1. The variable syntax of every client is converted to ours.
//! 2. Text that is not a variable there is not a variable here.

use super::super::references::{TextContext, VariableSyntax, translate, variable_name};
use std::path::Path;

fn translated(syntax: VariableSyntax, text: &str) -> (String, usize) {
    let context = TextContext {
        syntax,
        folder: Path::new("/there"),
        home: Some(Path::new("/srv/ana")),
        project: Path::new("/src/shop"),
    };
    let mut notes = Vec::new();
    let text = translate(text, &context, &mut notes);
    (text, notes.len())
}

fn check(syntax: VariableSyntax, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(translated(syntax, text), ((*expected).to_owned(), 0), "{syntax:?} {text:?}");
    }
}

#[test]
fn brace_variables_are_translated() {
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
fn other_variable_syntaxes_are_translated() {
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
fn plain_text_with_a_reference_prefix_is_escaped() {
    for text in ["file:./dev.db", "env:x", "keyring:x"] {
        assert_eq!(
            translated(VariableSyntax::Braces, text),
            (format!("${{TOOLSCOUT_PLAIN:-}}{text}"), 1)
        );
    }
    assert_eq!(translated(VariableSyntax::Braces, "file:///x"), ("file:///x".to_owned(), 0));
}

#[test]
fn untranslatable_references_are_noted() {
    assert_eq!(
        translated(VariableSyntax::Braces, "${input:api key}"),
        ("env:API_KEY".to_owned(), 1)
    );
    assert_eq!(
        translated(VariableSyntax::Braces, "${config:x.y}"),
        ("${config:x.y}".to_owned(), 1)
    );
    assert_eq!(translated(VariableSyntax::Curly, "a{file:b}"), ("a{file:b}".to_owned(), 1));
}

#[test]
fn any_text_maps_to_a_valid_variable_name() {
    assert_eq!(["a-b", "1x", "", "é"].map(variable_name), ["A_B", "_1X", "_", "_"]);
}
