//! As a source: lists, loads and calls; a tool's failure stays the tool's.

use super::{registry, tool};
use crate::{CodeTool, Conflict, Param, Registry, ToolBuilder};
use futures_util::StreamExt;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::time::Duration;
use toolscout_core::authorization::{AuthorizationContext, authorize};
use toolscout_core::{
    Caller, Cx, DiscoveryItem, ErrorKind, Source, SourceError, SourceId, SourceKind, ToolCall,
    ToolName, ToolOutput,
};

fn cx() -> Cx {
    Cx::new(Caller::Cli)
}

/// Calls a tool whether or not it is registered, so that the registry has to check.
pub(super) async fn call(
    registry: &Registry,
    name: &str,
    arguments: Value,
    cx: Cx,
) -> Result<ToolOutput, SourceError> {
    let mut tool = tool(name, "any").tool;
    tool.id.source = registry.id().clone();
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let now = AuthorizationContext::new(cx.caller);
    let call = authorize(ToolCall::new(tool.id.clone(), arguments), &tool, now).unwrap();
    registry.call(call, cx).await
}

/// The text of the output, marked if it is an error.
pub(super) fn text_of(output: &ToolOutput) -> String {
    let text = output.content()[0]["text"].as_str().unwrap_or_default().to_owned();
    if output.is_error() { format!("failed: {text}") } else { text }
}

fn only(tool: CodeTool) -> Registry {
    let registry = Registry::new();
    registry.register(tool).unwrap();
    registry
}

#[tokio::test]
async fn registered_tools_are_listed_with_diagnostics_for_duplicate_names() {
    let registry = registry(&["a", "b"]);
    registry.register(tool("a", "second")).unwrap();
    registry.clone().on_conflict(Conflict::Skip).register(tool("b", "second")).unwrap();
    let found: Vec<_> = registry.discover(cx()).map(|value| value.unwrap()).collect().await;
    let lines: Vec<_> = found
        .into_iter()
        .map(|item| match item {
            DiscoveryItem::Tool(tool) => tool.id.to_string(),
            DiscoveryItem::Diagnostic(problem) => {
                format!("{:?}: {}", problem.kind, problem.message)
            }
            _ => "?".to_owned(),
        })
        .collect();
    assert_snapshot!(lines.join("\n"), @r"
    app/a
    Collision: `a` is registered more than once; the later definition is used
    app/b
    Collision: `b` is registered more than once; the earlier definition is used
    ");
    assert_eq!(registry.kind(), SourceKind::Code);
}

#[tokio::test]
async fn it_loads_its_own_tools_and_no_others() {
    let registry = registry(&["a"]);
    let load = async |name| registry.load(&ToolName::new(name).unwrap(), cx()).await.unwrap();
    assert_eq!(load("a").await, registry.tool("a"));
    assert_eq!(load("b").await, None);
}

#[tokio::test]
async fn tools_belong_to_the_registry_they_are_in() {
    let registry = Registry::named(SourceId::new("mail").unwrap());
    registry.register(tool("send", "first")).unwrap();
    assert_eq!(registry.tool("send").unwrap().id.to_string(), "mail/send");
    let error = call(&registry, "list", json!({}), cx()).await.unwrap_err();
    assert_snapshot!(error, @"source `mail` has no tool `list`");
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn a_call_runs_the_closure_with_the_arguments() {
    let greet = ToolBuilder::new("greet").unwrap().run(|arguments, cx| async move {
        let name = arguments.get("name").and_then(Value::as_str).ok_or("no name")?;
        Ok(ToolOutput::text(format!("hello {name} from {}", cx.caller.as_str())))
    });
    let registry = only(greet);
    let output = call(&registry, "greet", json!({"name": "Ann"}), cx()).await.unwrap();
    assert_snapshot!(text_of(&output), @"hello Ann from cli");
    let output = call(&registry, "greet", json!({}), cx()).await.unwrap();
    assert_snapshot!(text_of(&output), @"failed: no name");
}

#[tokio::test]
async fn an_error_of_a_source_stays_one() {
    let tool = ToolBuilder::new("guarded")
        .unwrap()
        .run(|_, _| async { Err(SourceError::Refused { reason: "not today".to_owned() }.into()) });
    let error = call(&only(tool), "guarded", json!({}), cx()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
}

#[tokio::test]
async fn typed_arguments_must_fit() {
    #[derive(serde::Deserialize)]
    struct Sum {
        left: i64,
        right: i64,
    }
    let add = ToolBuilder::new("add").unwrap().run_typed(|sum: Sum, _| async move {
        Ok(ToolOutput::text((sum.left + sum.right).to_string()))
    });
    let registry = only(add);
    let output = call(&registry, "add", json!({"left": 2, "right": 3}), cx()).await.unwrap();
    assert_snapshot!(text_of(&output), @"5");
    let error = call(&registry, "add", json!({"left": 2}), cx()).await.unwrap_err();
    assert_snapshot!(error, @"arguments of `add`: missing field `right`");
    assert_eq!(error.kind(), ErrorKind::Invalid);
}

#[tokio::test]
async fn a_panic_is_the_tools_failure() {
    let registry = Registry::new();
    let at_once = |_, _| -> std::future::Ready<_> { panic!("at {}", "once") };
    let later = |_, _| async {
        tokio::task::yield_now().await;
        panic!("later")
    };
    registry.register(ToolBuilder::new("at_once").unwrap().run(at_once)).unwrap();
    registry.register(ToolBuilder::new("later").unwrap().run(later)).unwrap();
    let output = call(&registry, "at_once", json!({}), cx()).await.unwrap();
    assert_snapshot!(text_of(&output), @"failed: `at_once` panicked: at once");
    let output = call(&registry, "later", json!({}), cx()).await.unwrap();
    assert_snapshot!(text_of(&output), @"failed: `later` panicked: later");
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_when_the_request_is_due() {
    let registry = only(ToolBuilder::new("slow").unwrap().run(|_, _| std::future::pending()));
    let error =
        call(&registry, "slow", json!({}), cx().within(Duration::from_secs(60))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!(error.to_string().starts_with("source `app`: `slow` timed out after 59"), "{error}");
}

#[tokio::test]
async fn a_tool_unregistered_during_a_call_finishes_it() {
    let (go, wait) = tokio::sync::watch::channel(false);
    let tool = ToolBuilder::new("long").unwrap().run(move |_, _| {
        let mut wait = wait.clone();
        async move {
            wait.wait_for(|wait| *wait).await?;
            Ok(ToolOutput::text("done"))
        }
    });
    let registry = only(tool);
    let end = async {
        registry.unregister("long");
        go.send(true).unwrap();
    };
    let (output, ()) =
        futures_util::future::join(call(&registry, "long", json!({}), cx()), end).await;
    assert_snapshot!(text_of(&output.unwrap()), @"done");
}

fn letter() -> Registry {
    let address = [Param::string("street", "").required(), Param::string("note", "")];
    let letter = ToolBuilder::new("letter")
        .unwrap()
        .param(Param::string("to", "").required())
        .param(Param::string("subject", ""))
        .param(Param::string("body", "").required().allow_empty())
        .param(Param::string("kind", "").required().one_of(["", "bill"]))
        .param(Param::array_of("stops", "", Param::object("stop", "", address)));
    only(letter.run(|_, _| async { Ok(ToolOutput::text("sent")) }))
}

/// M-11c
#[tokio::test]
async fn an_empty_required_string_is_refused_before_the_closure_runs() {
    let registry = letter();
    let mut arguments = json!({
        "to": "a", "subject": "", "body": "", "kind": "", "stops": [{"street": "x", "note": ""}],
    });
    let output = call(&registry, "letter", arguments.clone(), cx()).await.unwrap();
    assert_eq!(text_of(&output), "sent");
    arguments["stops"] = json!([{"street": "x"}, {"street": ""}]);
    let error = call(&registry, "letter", arguments.clone(), cx()).await.unwrap_err();
    assert_eq!(error.to_string(), "required parameter cannot be empty: stops[1].street");
    arguments["to"] = json!("");
    let error = call(&registry, "letter", arguments, cx()).await.unwrap_err();
    assert_eq!(error.to_string(), "required parameter cannot be empty: to");
    assert_eq!(error.kind(), ErrorKind::Invalid);
}

/// M-11c: the author's own schema decides.
#[tokio::test]
async fn an_own_schema_decides_about_empty_strings() {
    let schema = json!({
        "type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"],
    });
    let tool = ToolBuilder::new("own").unwrap().input_schema(schema);
    let registry = only(tool.run(|_, _| async { Ok(ToolOutput::text("sent")) }));
    let output = call(&registry, "own", json!({"to": ""}), cx()).await.unwrap();
    assert_eq!(text_of(&output), "sent");
}
