//! Operations whose output is a stream: it goes on until the client stops reading, or the process ends.

use super::output::{Render, Typed, redacted};
use super::{OperationError, OperationSpec, Text};
use crate::output::json;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use toolscout_core::{BoxStream, Cx, redact};

/// One thing toolscout can be asked to do that returns items as they come. Over HTTP the items are server-sent events; a
/// command prints one line for each.
pub trait StreamOperation<W>: Send + Sync + 'static {
    /// What it takes: becomes flags, path and query parameters.
    type Input: DeserializeOwned + JsonSchema + Send + 'static;
    /// What it returns, one at a time: becomes a line of `--json` and the data of an event.
    type Item: Serialize + JsonSchema + Send + 'static;

    /// Its name, access level and words.
    const SPEC: OperationSpec;

    /// Starts the stream. Dropping the stream ends it; an error is its last item.
    fn open(
        workspace: &W,
        input: Self::Input,
        cx: &Cx,
    ) -> impl Future<Output = Result<ItemStream<Self::Item>, OperationError>> + Send;

    /// The name of the item's event.
    fn event(item: &Self::Item) -> &'static str;

    /// The item for people, with its line break.
    fn text(item: &Self::Item, text: &Text) -> String;
}

/// The items of a stream.
pub type ItemStream<T> = BoxStream<'static, Result<T, OperationError>>;

/// An item of a stream, before a surface writes it.
pub struct StreamItem {
    /// The name of its event.
    pub event: &'static str,
    value: Box<dyn Render>,
}

impl StreamItem {
    pub(super) fn of<W: 'static, T: StreamOperation<W>>(item: T::Item) -> Self {
        Self {
            event: T::event(&item),
            value: Box::new(Typed {
                output: item,
                text: T::text,
                message: |_, _| String::new(),
                write_json: |item, writer| json::write(writer, item),
            }),
        }
    }

    /// As JSON on one line.
    pub fn to_json(&self) -> serde_json::Result<String> {
        self.value.json().and_then(redacted).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// As JSON on one line that is safe to look at, with its line break.
    pub fn to_json_line(&self) -> String {
        let value: serde_json::Value = self.to_json().and_then(|text| serde_json::from_str(&text)).unwrap_or_default();
        json::compact(&value) + "\n"
    }

    /// For people.
    pub fn text(&self, text: &Text) -> String {
        redact::values(&self.value.text(text)).into_owned()
    }
}
