//! 1. What is hidden is neither listed nor loaded.
//! 2. Calling it is refused, and never reaches the source.
//! 3. Names the source does not have are left to others.

use super::{Fake, call, list, load, problem, wrap};
use crate::layer::Filter;
use insta::assert_snapshot;

const TOOLS: &[&str] = &["allowed", "blocked"];

/// F-04: what is not allowed is absent, and a call says that it is disabled there.
#[tokio::test]
async fn what_is_not_allowed_is_absent_and_refused() {
    let (fake, source) = wrap(Fake::new("mail", TOOLS), &Filter::allow(["allowed"]));
    assert_snapshot!(list(&*source).await, @"mail/allowed");
    assert_snapshot!(load(&*source, "blocked").await, @"nothing");
    assert_snapshot!(call(&*source, "blocked").await, @"error: `blocked` is disabled on `mail`");
    assert_snapshot!(call(&*source, "allowed").await, @"allowed of mail");
    assert!(!fake.log().contains("call blocked"));
}

#[tokio::test]
async fn what_is_denied_is_absent_and_refused() {
    let (_, source) = wrap(Fake::new("mail", TOOLS), &Filter::deny(["blocked".to_owned()]));
    assert_snapshot!(list(&*source).await, @"mail/allowed");
    assert_snapshot!(call(&*source, "blocked").await, @"error: `blocked` is disabled on `mail`");
    assert_snapshot!(load(&*source, "allowed").await, @"mail/allowed");
}

#[tokio::test]
async fn a_rule_of_ones_own_decides() {
    let (_, source) = wrap(Fake::new("mail", TOOLS), &Filter::by(|name| name.as_str().len() > 6));
    assert_snapshot!(list(&*source).await, @"mail/allowed, mail/blocked");
    let (_, source) = wrap(Fake::new("mail", TOOLS), &Filter::by(|name| name.as_str().starts_with('b')));
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
}
