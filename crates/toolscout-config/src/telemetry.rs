//! `[telemetry]`: where traces go. Only a person's own file says so: they tell what was done on this machine.

use super::document::Document;
use super::keys::{Keys, Wrong, did_you_mean};
use std::collections::BTreeMap;
use toolscout_mcp_client::Text;

const KEY: &str = "telemetry";
const KEYS: [&str; 4] = ["otlp", "headers", "service", "content"];

/// What is configured; every field may be left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TelemetrySettings {
    /// A collector's address, as `OTEL_EXPORTER_OTLP_ENDPOINT` has it.
    pub otlp: Option<Text>,
    /// Sent with each request; references, where they are secrets.
    pub headers: BTreeMap<String, Text>,
    /// What we are called there.
    pub service: Option<String>,
    /// Whether questions and arguments are told, too, as far as no secrets are seen in them.
    pub content: Option<bool>,
}

impl TelemetrySettings {
    pub(super) fn read(keys: &mut Keys, document: &Document) -> Result<Self, Wrong> {
        let Some(mut inner) = keys.inner(KEY)? else { return Ok(Self::default()) };
        let ours = |it: Wrong| wrong(it.reason);
        let text = |written: String| Text::new(written, Some(document.folder()));
        let settings = Self {
            otlp: inner.text("otlp").map_err(ours)?.map(text),
            headers: inner.table("headers").map_err(ours)?.into_iter().map(|(name, it)| (name, text(it))).collect(),
            service: inner.text("service").map_err(ours)?,
            content: inner.flag("content").map_err(ours)?,
        };
        match inner.left().next() {
            Some((_, key)) => Err(wrong(format!("unknown key `{key}`{}", did_you_mean(key, &KEYS)))),
            None => Ok(settings),
        }
    }
}

fn wrong(reason: String) -> Wrong {
    Wrong { key: KEY.to_owned(), reason: format!("`{KEY}`: {reason}") }
}
