//! Operations whose output is a stream: it continues until the client stops reading, or the
//! process ends.

use super::output::{Render, Typed, redacted};
use super::{OperationError, OperationSpec, Text};
use crate::output::json;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use toolscout_core::{BoxStream, Cx, redact};

/// An operation that returns items as they arrive. Over HTTP the items are server-sent events;
/// a command prints one line for each.
pub trait StreamOperation<W>: Send + Sync + 'static {
    /// The input: becomes flags, path and query parameters.
    type Input: DeserializeOwned + JsonSchema + Send + 'static;
    /// One item of the output: becomes a line of `--json` and the data of an event.
    type Item: Serialize + JsonSchema + Send + 'static;

    /// Name, access level, route and help texts.
    const SPEC: OperationSpec;

    /// Starts the stream. Dropping the stream ends it; an error is its last item.
    fn open(
        workspace: &W,
        input: Self::Input,
        cx: &Cx,
    ) -> impl Future<Output = Result<ItemStream<Self::Item>, OperationError>> + Send;

    /// The name of the item's event.
    fn event(item: &Self::Item) -> &'static str;

    /// The item as text for people, with its line break.
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
    pub(super) fn from_item<W: 'static, T: StreamOperation<W>>(item: T::Item) -> Self {
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
        self.value
            .json()
            .and_then(redacted)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// JSON on one line, with its line break and with unsafe characters escaped for a terminal.
    pub fn to_json_line(&self) -> String {
        let value: serde_json::Value =
            self.to_json().and_then(|text| serde_json::from_str(&text)).unwrap_or_default();
        json::compact(&value) + "\n"
    }

    /// The item as text for people, without known secrets.
    pub fn text(&self, text: &Text) -> String {
        redact::known_secrets(&self.value.text(text)).into_owned()
    }
}
