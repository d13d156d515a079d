//! Measures the overhead of a call besides its source, and of a view; the numbers depend on the
//! machine.

use super::actor::{Actor, agent};
use super::requests::{ByUser, by};
use super::{Fake, arguments, gateway};
use crate::Gateway;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use toolscout_core::{Caller, Cx, SourceId, ToolCall, ToolId, ToolName, ToolOutput};

const CALLS: u32 = 50_000;

#[tokio::test]
#[expect(clippy::print_stdout, reason = "prints the measurements")]
#[ignore = "slow: cargo test --release -p toolscout-gateway costs -- --ignored --nocapture"]
async fn measured_costs_of_a_call() {
    let plain = json!({"type": "object", "required": ["text"], "properties": {
        "text": {"type": "string", "description": "What to say"},
        "times": {"type": "integer", "minimum": 1, "maximum": 10, "default": 1},
    }});
    let involved = json!({"type": "object", "required": ["text"], "properties": {
        "text": {"type": "string", "minLength": 1, "pattern": "^[a-z]+$"},
        "times": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": null},
    }});
    let source = source_overhead();
    for (name, schema) in [("plain", plain), ("involved", involved)] {
        let mut fake = Fake::new("s", &[("say", schema)]);
        fake.tools[0].provenance.trusted = true;
        fake.tools[0].description = Some("Says something, as often as you like".to_owned());
        let gateway = gateway(&[&Arc::new(fake)]).await;
        let tool = gateway.resolve("say").unwrap();
        let call = ToolCall::new(tool.id.clone(), arguments(json!({"text": "hello"})));
        let started = Instant::now();
        for _ in 0..CALLS {
            gateway.call_tool(&tool, call.clone(), Cx::new(Caller::Mcp)).await.unwrap();
        }
        println!(
            "{name} schema: {:?} a call, {source:?} of that the source",
            started.elapsed() / CALLS
        );
    }
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "prints the measurements")]
#[ignore = "slow: cargo test --release -p toolscout-gateway costs -- --ignored --nocapture"]
async fn measured_costs_of_a_view() {
    let names: Vec<_> = (0..500)
        .map(|index| format!("tool_{index}: Does something of the sort of {index}"))
        .collect();
    let all = Actor::new("all", &names.iter().map(String::as_str).collect::<Vec<_>>());
    let gateway = Gateway::builder()
        .source(Arc::new(all))
        .request_sources(ByUser::for_any_user())
        .build()
        .unwrap();
    let started = Instant::now();
    gateway.refresh(&agent()).await;
    println!("first refresh of 500 tools: {:?}", started.elapsed());
    let started = Instant::now();
    gateway.refresh(&agent()).await;
    println!("the same again: {:?}", started.elapsed());
    for (name, cx) in [("all", agent()), ("own", by("ann"))] {
        let started = Instant::now();
        gateway.view(&cx).await;
        let first = started.elapsed();
        let started = Instant::now();
        for _ in 0..CALLS {
            std::hint::black_box(gateway.view(&cx).await);
        }
        println!(
            "view of what is for {name}: {first:?} at first, then {:?}",
            started.elapsed() / CALLS
        );
    }
}

/// The time for the source of this test and for creating a call.
fn source_overhead() -> Duration {
    let id = ToolId::new(SourceId::local(), ToolName::new("say").unwrap());
    let call = ToolCall::new(id, arguments(json!({"text": "hello", "times": 1})));
    let started = Instant::now();
    for _ in 0..CALLS {
        let arguments = Value::Object(call.clone().arguments).to_string();
        std::hint::black_box((Cx::new(Caller::Mcp), ToolOutput::text(arguments)));
    }
    started.elapsed() / CALLS
}
