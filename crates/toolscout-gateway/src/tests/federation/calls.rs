//! F-06, T20, T24: calls of remote tools.

use super::*;
use toolscout_core::authorization::AuthorizationError;
use toolscout_core::{Caller, Digest, ToolCall};

fn denied(error: &Error) -> bool {
    matches!(error, Error::Refused(AuthorizationError::Denied { .. }))
}

/// F-06: a remote tool runs by every form of its name, and its result is passed on unchanged.
#[tokio::test]
async fn a_remote_tool_runs_by_every_form_of_its_name() {
    let remote = remote(json!([issue()]));
    let gateway = gateway(&[&remote], &[]).await;
    search(&gateway, "issue", 10, &agent()).await;
    let names = [
        "remote/github/create_issue",
        "remote__github__create_issue",
        "remote:github:create_issue",
        "remote/create_issue",
    ];
    for name in names {
        let output = call(&gateway, name, json!({"title": "x"})).await.unwrap();
        assert_eq!(output.raw().to_value()["_meta"], json!({"own": 1}), "{name}");
    }
    let order = json!({"name": "github/create_issue", "arguments": {"title": "x"}})
        .as_object()
        .unwrap()
        .clone();
    assert_eq!(remote.calls_of("execute_tool"), vec![order; names.len()]);
    assert_eq!(remote.calls_of("tool_search").len(), 1);
}

/// This gateway checks the arguments before it forwards them.
#[tokio::test]
async fn invalid_arguments_are_not_forwarded() {
    let remote = remote(json!([issue()]));
    let gateway = gateway(&[&remote], &[]).await;
    let error = call(&gateway, "remote/github/create_issue", json!({})).await.unwrap_err();
    assert!(matches!(error, Error::InvalidArguments { .. }), "{error}");
    assert!(remote.calls_of("execute_tool").is_empty());
}

/// A tool can be called without a search: it is looked up then. A tool that is not found is
/// forwarded by the given name.
#[tokio::test]
async fn a_remote_tool_is_looked_up_on_demand() {
    let remote = remote(json!([issue()]));
    let gateway = gateway(&[&remote], &[]).await;
    assert!(call(&gateway, "remote/github__create_issue", json!({"title": "x"})).await.is_ok());
    assert_eq!(remote.calls_of("execute_tool")[0]["name"], "github/create_issue");
    assert!(call(&gateway, "remote/other", json!({"any": 1})).await.is_ok());
    assert_eq!(remote.calls_of("execute_tool")[1]["name"], "other");
}

/// T20, T24: rules about a tool apply under every name, whether or not its definition is known.
#[tokio::test]
async fn rules_about_the_remote_tool_apply() {
    let rules = [("remote/github/create_issue", Policy::Deny)];
    let names = [
        "remote/github/create_issue",
        "remote__github__create_issue",
        "remote/create_issue",
        "remote/`create_issue`",
        "remote/ github/create_issue",
        "remote/GitHub/Create_Issue",
        "remote/github/\u{200b}create_issue",
    ];
    for finds in [json!([issue()]), json!([])] {
        let remote = remote(finds);
        let gateway = gateway(&[&remote], &rules).await;
        for name in names {
            let error = call(&gateway, name, json!({"title": "x"})).await.unwrap_err();
            assert!(denied(&error), "{name}: {error}");
        }
        let nested = call(&gateway, "remote/execute_tool", json!({"name": "github/create_issue"}))
            .await
            .unwrap_err();
        assert!(matches!(nested, Error::UnknownTool { .. }), "{nested}");
        assert!(remote.calls_of("execute_tool").is_empty());
    }
}

/// A disabled tool is neither found nor called; a tool with policy `ask` is pending approval, which
/// shows the inner tool.
#[tokio::test]
async fn disable_and_ask_policies_apply_to_remote_tools() {
    for pattern in ["remote/github/create_issue", "remote/execute_tool"] {
        let remote = remote(json!([issue()]));
        let disabled = gateway(&[&remote], &[(pattern, Policy::Disable)]).await;
        let error =
            call(&disabled, "remote/github/create_issue", json!({"title": "x"})).await.unwrap_err();
        assert!(matches!(error, Error::Refused(AuthorizationError::Disabled { .. })), "{error}");
        let with_approval = gateway(&[&remote], &[(pattern, Policy::Ask)]).await;
        let error = call(&with_approval, "remote/github/create_issue", json!({"title": "x"}))
            .await
            .unwrap_err();
        assert!(
            matches!(error, Error::Refused(AuthorizationError::NeedsApproval { .. })),
            "{error}"
        );
        assert!(remote.calls_of("execute_tool").is_empty());
        let waiting = with_approval.pending().unwrap();
        assert_eq!(waiting[0].tool.to_string(), "remote/github/create_issue");
        with_approval.decide_approval(&waiting[0].id, true, &Cx::new(Caller::Cli)).unwrap();
        assert!(
            call(&with_approval, "remote/github/create_issue", json!({"title": "x"})).await.is_ok()
        );
        // The approval is bound to this definition; the server receives its digest.
        assert_eq!(remote.calls_of("execute_tool")[0]["expect"], "abc");
    }
    let remote = remote(json!([issue()]));
    let disabled = gateway(&[&remote], &[("remote/github/create_issue", Policy::Disable)]).await;
    assert!(search(&disabled, "zebra", 10, &agent()).await.0.is_empty());
}

/// Rules can allow one tool and the search, without allowing everything behind the same meta tool.
#[tokio::test]
async fn one_remote_tool_may_be_allowed_while_others_are_denied() {
    let remote = remote(json!([issue(), {"name": "other"}]));
    let rules = [
        ("remote/*", Policy::Deny),
        ("remote/tool_search", Policy::Allow),
        ("remote/github/create_issue", Policy::Allow),
    ];
    let gateway = gateway(&[&remote], &rules).await;
    assert!(call(&gateway, "remote/github/create_issue", json!({"title": "x"})).await.is_ok());
    for name in ["remote/other", "remote/unseen"] {
        let error = call(&gateway, name, json!({})).await.unwrap_err();
        assert!(denied(&error), "{name}: {error}");
    }
    assert_eq!(remote.calls_of("execute_tool").len(), 1);
}

/// A rule about a tool that only the remote search finds is not dangling.
#[tokio::test]
async fn a_rule_about_a_hidden_tool_does_not_dangle() {
    let gateway =
        gateway(&[&remote(json!([]))], &[("remote/github/create_issue", Policy::Deny)]).await;
    assert!(gateway.dangling().is_empty(), "{:?}", gateway.dangling());
}

/// The digest refers to the definition that was found; another one is refused here, and the
/// server's own digest is forwarded.
#[tokio::test]
async fn a_call_is_bound_to_the_definition_that_was_found() {
    let remote = remote(json!([issue()]));
    let gateway = gateway(&[&remote], &[]).await;
    let (hits, _) = search(&gateway, "zebra", 10, &agent()).await;
    let tool = hits[0].tool.clone();
    let with = |expect| {
        let arguments = json!({"title": "x"}).as_object().unwrap().clone();
        ToolCall { expect: Some(expect), ..ToolCall::new(tool.id.clone(), arguments) }
    };
    let error =
        gateway.call_tool(&tool, with(Digest::of_bytes(b"other")), agent()).await.unwrap_err();
    assert!(matches!(error, Error::Refused(AuthorizationError::Changed { .. })), "{error}");
    assert!(remote.calls_of("execute_tool").is_empty());
    gateway.call_tool(&tool, with(tool.digest()), agent()).await.unwrap();
    assert_eq!(remote.calls_of("execute_tool")[0]["expect"], "abc");
}

/// Results of one user's search are not available to another.
#[tokio::test]
async fn remote_definitions_are_cached_per_user() {
    let remote = remote(json!([issue()]));
    let gateway = gateway(&[&remote], &[]).await;
    let user = |name: &str| Cx { user: Some(name.into()), ..agent() };
    search(&gateway, "zebra", 10, &user("alice")).await;
    *remote.finds.lock() = json!({"content": [], "structuredContent": {"results": []}});
    let alice = gateway.find("remote/github/create_issue", &user("alice")).await.unwrap();
    let bob = gateway.find("remote/github/create_issue", &user("bob")).await.unwrap();
    assert_eq!(
        (alice.description.as_deref(), bob.description.as_deref()),
        (Some("Opens an issue"), None)
    );
}

/// The path of a call is forwarded; a path with too many gateways is refused.
#[tokio::test]
async fn a_call_through_too_many_gateways_is_refused() {
    let remote = remote(json!([issue()]));
    let gateway = gateway(&[&remote], &[]).await;
    search(&gateway, "zebra", 10, &agent()).await;
    let through = |names: &[&str]| Cx {
        via: names.iter().map(|name| (*name).to_owned()).collect(),
        ..agent()
    };
    let arguments = || json!({"title": "x"}).as_object().unwrap().clone();
    gateway.call("remote/github/create_issue", arguments(), through(&["a", "b"])).await.unwrap();
    assert_eq!(remote.last_meta()["toolscout/via"].as_array().unwrap().len(), 3);
    let error = gateway
        .call("remote/github/create_issue", arguments(), through(&["a", "b", "c"]))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("3 gateways"), "{error}");
    assert_eq!(remote.calls_of("execute_tool").len(), 1);
}
