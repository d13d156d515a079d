//! 1. Listing, loading and calls use the prefixed name.
//! 2. The source gets its own name.
//! 3. Other names are `NotMine`.
//! 4. A call with an expected digest expects the same definition of the source.

use super::{Fake, call, cx, list, load, name, wrap};
use crate::layer::Prefix;
use insta::assert_snapshot;
use serde_json::Map;
use toolscout_core::authorization::{AuthorizationContext, authorize};
use toolscout_core::{Caller, Digest, ToolCall};

#[tokio::test]
async fn clients_see_the_prefixed_name_and_the_source_its_own() {
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
        assert_eq!(
            call(&*source, other).await,
            format!("error: source `mail` has no tool `{other}`")
        );
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

#[tokio::test]
async fn a_call_expects_the_same_definition_under_the_shorter_name() {
    let (_, source) = wrap(Fake::new("mail", &["send"]), &Prefix("m_"));
    let tool = source.load(&name("m_send"), cx()).await.unwrap().unwrap();
    let call = async |expect: Digest| {
        let call = ToolCall::new(tool.id.clone(), Map::new());
        let mut authorized =
            authorize(call, &tool, AuthorizationContext::new(Caller::Cli)).unwrap();
        authorized = authorized.renamed(name("m_send"), Some(expect));
        source.call(authorized, cx()).await.map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(call(tool.digest()).await, Ok(()));
    let changed = Err("`mail/send` has changed since it was approved".to_owned());
    assert_eq!(call(Digest::of_bytes(b"another")).await, changed);
}
