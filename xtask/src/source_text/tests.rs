use super::{Passage, SourceText};

fn passages(found: &[Passage]) -> Vec<(usize, &str)> {
    found.iter().map(|passage| (passage.line, passage.text.as_str())).collect()
}

#[test]
fn comments_on_consecutive_lines_are_one_passage() {
    let source =
        "//! One.\n//! Two.\n\n/// Three.\nfn a() {} // Four.\n// Five.\n/* Six\n * seven. */\n";
    let text = SourceText::of_rust(source);
    assert_eq!(
        passages(&text.comments),
        [(1, "One.\nTwo."), (4, "Three."), (5, "Four."), (6, "Five."), (7, "Six\nseven.")]
    );
    assert_eq!(text.code.trim(), "fn a() {}");
    assert_eq!(text.code.lines().count(), source.lines().count());
}

#[test]
fn literals_are_found_in_every_form() {
    let source = r####"let a = "x // \" y"; let b = r#"raw " one"#; let c = br"two";
        let d = 'q'; let e = '\''; let f: &'a str = "z";"####;
    let text = SourceText::of_rust(source);
    assert_eq!(
        passages(&text.literals),
        [(1, r#"x // \" y"#), (1, "raw \" one"), (1, "two"), (2, "z")]
    );
    assert_eq!(passages(&text.comments), []);
    assert!(
        text.code.contains("let d = ' '; let e = '  '; let f: &'a str = \" \";"),
        "{}",
        text.code
    );
}

#[test]
fn a_literal_over_several_lines_keeps_the_line_numbers() {
    let text = SourceText::of_rust("let a = \"one\n  two\";\n// After.\n");
    assert_eq!(passages(&text.literals), [(1, "one\n  two")]);
    assert_eq!(passages(&text.comments), [(3, "After.")]);
}

#[test]
fn quotes_in_a_regular_expression_of_javascript_start_no_literal() {
    let source = "const a = /[\"'/]+/g; const b = 4 / 2; // \"Note\"\nf('one', `two ${x}`);\n";
    let text = SourceText::of_javascript(source);
    assert_eq!(passages(&text.literals), [(2, "one"), (2, "two ${x}")]);
    assert_eq!(passages(&text.comments), [(1, "\"Note\"")]);
}

#[test]
fn a_template_may_contain_another() {
    let text = SourceText::of_javascript("f(`a ${b ? `c ${d}` : \"e\"} f`, 'g');");
    assert_eq!(passages(&text.literals), [(1, "a ${b ? `c ${d}` : \"e\"} f"), (1, "g")]);
}

#[test]
fn names_of_classes_are_not_literals() {
    let text =
        SourceText::of_javascript("el({ class: \"a b\", id: \"c d\" }); e.className = `f g`;");
    assert_eq!(passages(&text.literals), [(1, "c d")]);
}
