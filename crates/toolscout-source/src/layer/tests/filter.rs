//! 1. Hidden tools are not listed.
//! 2. Loading or calling them is refused, and no call reaches the source.
//! 3. Names that the source does not have are left to other sources.
//! 4. A `*` stands for any text, and no other character is special.

use super::{Fake, call, list, load, problem, wrap};
use crate::layer::Filter;
use insta::assert_snapshot;

const TOOLS: &[&str] = &["allowed", "blocked"];

/// F-04: a tool that is not allowed is absent, and the error of a call reports that it is disabled.
#[tokio::test]
async fn tools_that_are_not_allowed_are_hidden_and_refused() {
    let (fake, source) = wrap(Fake::new("mail", TOOLS), &Filter::allow(["allowed"]));
    assert_snapshot!(list(&*source).await, @"mail/allowed");
    assert_snapshot!(load(&*source, "blocked").await, @r#"error: tool "mail__blocked" is disabled on server "mail""#);
    assert_snapshot!(call(&*source, "blocked").await, @r#"error: tool "mail__blocked" is disabled on server "mail""#);
    assert_snapshot!(call(&*source, "allowed").await, @"allowed of mail");
    assert!(!fake.log().contains("call blocked"));
}

#[tokio::test]
async fn denied_tools_are_hidden_and_refused() {
    let (_, source) = wrap(Fake::new("mail", TOOLS), &Filter::deny(["blocked".to_owned()]));
    assert_snapshot!(list(&*source).await, @"mail/allowed");
    assert_snapshot!(call(&*source, "blocked").await, @r#"error: tool "mail__blocked" is disabled on server "mail""#);
    assert_snapshot!(load(&*source, "allowed").await, @"mail/allowed");
}

#[tokio::test]
async fn a_custom_predicate_decides() {
    let (_, source) =
        wrap(Fake::new("mail", TOOLS), &Filter::from_fn(|name| name.as_str().len() > 6));
    assert_snapshot!(list(&*source).await, @"mail/allowed, mail/blocked");
    let (_, source) =
        wrap(Fake::new("mail", TOOLS), &Filter::from_fn(|name| name.as_str().starts_with('b')));
    assert_snapshot!(list(&*source).await, @"mail/blocked");
}

#[tokio::test]
async fn problems_are_never_hidden() {
    let fake = Fake { problem: Some(problem("a file is broken")), ..Fake::new("mail", TOOLS) };
    let (_, source) = wrap(fake, &Filter::allow([""; 0]));
    assert_snapshot!(list(&*source).await, @"problem: a file is broken");
}

#[tokio::test]
async fn a_name_the_source_does_not_have_is_not_refused() {
    let (_, source) = wrap(Fake::new("mail", TOOLS), &Filter::allow(["allowed"]));
    assert_snapshot!(call(&*source, "other").await, @"error: source `mail` has no tool `other`");
    assert_snapshot!(load(&*source, "other").await, @"nothing");
}

/// F-04, by patterns: a tool that is not included, or is excluded, is absent and refused.
#[tokio::test]
async fn patterns_include_and_exclude() {
    let tools = &["read_mail", "read_file", "write_file", "send"];
    let listed = async |include: Option<&[&str]>, exclude: &[&str]| {
        let owned = |value: &[&str]| value.iter().map(|item| (*item).to_owned()).collect();
        let (_, source) =
            wrap(Fake::new("s", tools), &Filter::patterns(include.map(owned), owned(exclude)));
        (list(&*source).await, call(&*source, "write_file").await)
    };
    let refused = r#"error: tool "s__write_file" is disabled on server "s""#;
    let all =
        ("s/read_mail, s/read_file, s/write_file, s/send".to_owned(), "write_file of s".to_owned());
    assert_eq!(listed(None, &[]).await, all);
    assert_eq!(listed(Some(&["*"]), &[]).await, all);
    assert_eq!(listed(Some(&[]), &[]).await, (String::new(), refused.to_owned()));
    assert_eq!(
        listed(Some(&["read_*", "send"]), &["*_file"]).await,
        ("s/read_mail, s/send".to_owned(), refused.to_owned())
    );
    assert_eq!(listed(None, &["write_*"]).await.1, refused);
}

#[test]
fn only_a_star_is_special_in_a_pattern() {
    let fits = |pattern: &str, name: &str| toolscout_core::NamePattern::new(pattern).matches(name);
    for (pattern, names) in [
        ("*", &["a", "", "a*b"][..]),
        ("a", &["a"]),
        ("a*", &["a", "ab", "a*"]),
        ("*a", &["a", "ba", "aa"]),
        ("a*a", &["aa", "aba", "aaa"]),
        ("a**a", &["aa", "aba"]),
        ("*b*", &["b", "abc", "bb"]),
        ("a*b*c", &["abc", "axbxc", "abbc", "abcbc"]),
        ("[a]?.\\", &["[a]?.\\"]),
    ] {
        names.iter().for_each(|name| assert!(fits(pattern, name), "{pattern} {name}"));
    }
    for (pattern, names) in [
        ("a", &["A", "aa", ""][..]),
        ("a*", &["ba", "A"]),
        ("a*a", &["a", "ab"]),
        ("*b*", &["ac"]),
        ("a*b*c", &["acb", "ab", "ac"]),
        ("a*bb*b", &["abb"]),
        ("?", &["a"]),
        ("", &["a"]),
    ] {
        names.iter().for_each(|name| assert!(!fits(pattern, name), "{pattern} {name}"));
    }
}
