use super::{
    BoundOperation, Effect, Operation, OperationError, OperationSpec, Text, WorkspaceSlot,
    request_target,
};
use futures_util::FutureExt;
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use toolscout_core::change::{ChangeKind, PlannedChange};
use toolscout_core::event::{Event, EventKind, Observer, Observers};
use toolscout_core::{Caller, Cx, redact};

const SECRET: &str = "correct-horse-battery";

#[derive(Deserialize, JsonSchema)]
struct EchoInput {
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Echoed {
    text: String,
    number: u64,
}

fn echo(input: EchoInput) -> Echoed {
    Echoed { text: input.text, number: 123_456_789 }
}

/// An operation that only reads.
struct Read;
/// An operation that runs a tool.
struct Call;
/// An operation that changes something.
struct Change;

impl Operation<()> for Read {
    type Input = EchoInput;
    type Output = Echoed;
    const SPEC: OperationSpec = OperationSpec::read("read", "Read", "/read");

    async fn run(_: &(), input: EchoInput, _: &Cx) -> Result<Echoed, OperationError> {
        match input.text.as_str() {
            "" => Err(OperationError::invalid("nothing to echo")),
            "wait" => std::future::pending().await,
            _ => Ok(echo(input)),
        }
    }

    fn text(output: &Echoed, _: &Text) -> String {
        output.text.clone()
    }
}

impl Operation<()> for Call {
    type Input = EchoInput;
    type Output = Echoed;
    const SPEC: OperationSpec =
        OperationSpec { effect: Effect::Call, ..OperationSpec::read("call", "Call", "/call") };

    async fn run(_: &(), input: EchoInput, _: &Cx) -> Result<Echoed, OperationError> {
        Ok(echo(input))
    }

    fn text(output: &Echoed, _: &Text) -> String {
        output.text.clone()
    }
}

impl Operation<()> for Change {
    type Input = EchoInput;
    type Output = Echoed;
    const SPEC: OperationSpec = OperationSpec::change("change", "Change", "POST", "/change");

    async fn run(_: &(), input: EchoInput, cx: &Cx) -> Result<Echoed, OperationError> {
        let (subject, summary) = (input.text.clone(), format!("lock {}", input.text));
        cx.change(PlannedChange { kind: ChangeKind::Lock, subject, action: "changed", summary })?
            .commit();
        Ok(echo(input))
    }

    fn text(output: &Echoed, _: &Text) -> String {
        output.text.clone()
    }
}

fn bound<T: Operation<()>>() -> BoundOperation {
    BoundOperation::new::<(), T>(&WorkspaceSlot::from(std::sync::OnceLock::from(Arc::new(()))))
}

fn input(text: &str) -> Map<String, Value> {
    Map::from_iter([("text".to_owned(), text.into())])
}

#[derive(Default)]
struct Reported(Mutex<Vec<String>>);

impl Observer for Reported {
    fn observe(&self, event: &Event) {
        if let EventKind::Operation(operation) = &event.kind {
            self.0.lock().push(format!("{} {}", operation.name, operation.outcome));
        }
    }
}

#[tokio::test]
async fn every_run_is_reported_with_its_name_and_outcome() {
    let reported = Arc::new(Reported::default());
    let cx = Cx { observers: Observers::new(vec![reported.clone()]), ..Cx::new(Caller::Cli) };
    let dry_run = Cx { dry_run: true, ..cx.clone() };
    assert!(bound::<Read>().invoke(input("a"), cx.clone()).await.is_ok());
    assert!(bound::<Read>().invoke(input(""), cx.clone()).await.is_err());
    assert!(bound::<Read>().invoke(Map::new(), cx.clone()).await.is_err());
    assert!(bound::<Change>().invoke(input("a"), dry_run).await.is_ok());
    assert!(bound::<Change>().invoke(input("a"), cx.clone()).await.is_ok());
    assert!(bound::<Read>().invoke(input("wait"), cx).now_or_never().is_none());
    let expected = [
        "read succeeded",
        "read failed",
        "read failed",
        "change dry_run",
        "change succeeded",
        "read cancelled",
    ];
    assert_eq!(*reported.0.lock(), expected);
}

#[tokio::test]
async fn known_secrets_are_in_no_output_but_the_result_of_a_tool() {
    redact::add_secret(SECRET);
    redact::add_secret("123456789");
    let text = format!("it is {SECRET}\n");
    let (cx, style) = (Cx::new(Caller::Cli), Text::default());
    let read = bound::<Read>().invoke(input(&text), cx.clone()).await.expect("an output");
    let json = json!({"text": "it is [REDACTED]\n", "number": 123_456_789});
    let parsed = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).expect("JSON");
    assert_eq!(parsed(&read.to_json().expect("JSON")), json);
    let mut printed = Vec::new();
    read.write_json(&mut printed).expect("written");
    assert_eq!(parsed(&printed), json);
    assert_eq!(read.text(&style), "it is [REDACTED]\n");
    let dry_run = Cx { dry_run: true, ..cx.clone() };
    let planned = bound::<Change>().invoke(input(SECRET), dry_run).await.expect("an output");
    assert_eq!(planned.text(&style), "Would lock [REDACTED]\n");
    assert_eq!(parsed(&planned.to_json().expect("JSON"))["subject"], "[REDACTED]");
    let called = bound::<Call>().invoke(input(&text), cx).await.expect("an output");
    assert_eq!(called.text(&style), text);
    assert!(String::from_utf8_lossy(&called.to_json().expect("JSON")).contains(SECRET));
}

#[test]
fn a_list_is_repeated_in_a_query() {
    let route = OperationSpec::read("x", "", "/api/search/{id}").route;
    let input = json!({"id": "a/b", "q": ["one", "t w"], "none": null, "all": true});
    let (path, body) = request_target(&route, input.as_object().expect("an object").clone());
    assert_eq!((path.as_str(), body), ("/api/search/a%2Fb?q=one&q=t%20w&all=true", None));
}
