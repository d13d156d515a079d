//! 1. Listing, loading and calls go by the longer name.
//! 2. The source hears the shorter one.
//! 3. Other names are not ours.

use super::{Fake, call, list, load, wrap};
use crate::layer::Prefix;
use insta::assert_snapshot;

#[tokio::test]
async fn tools_go_by_the_longer_name_and_the_source_hears_the_shorter() {
    let (fake, source) = wrap(Fake::new("mail", &["send", "read"]), &Prefix("m_"));
    assert_snapshot!(list(&*source).await, @"mail/m_send, mail/m_read");
    assert_snapshot!(load(&*source, "m_send").await, @"mail/m_send");
    assert_snapshot!(call(&*source, "m_send").await, @"send of mail");
    assert_snapshot!(fake.log(), @"list, load send, call send");
}

#[tokio::test]
async fn names_without_the_prefix_are_not_ours() {
    let (fake, source) = wrap(Fake::new("mail", &["send"]), &Prefix("m_".to_owned()));
    for other in ["send", "m_", "m-send"] {
        assert_eq!(load(&*source, other).await, "nothing");
        assert_eq!(call(&*source, other).await, format!("error: source `mail` has no tool `{other}`"));
    }
    assert_snapshot!(fake.log(), @"");
}

#[tokio::test]
async fn prefixes_add_up_from_the_inside() {
    let (_, inner) = wrap(Fake::new("mail", &["send"]), &Prefix("b_"));
    let source = toolscout_core::Layer::layer(&Prefix("a_"), inner);
    assert_snapshot!(list(&*source).await, @"mail/a_b_send");
    assert_snapshot!(call(&*source, "a_b_send").await, @"send of mail");
}
