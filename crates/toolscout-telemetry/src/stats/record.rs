//! The fields of a journal record that the statistics need. The rest is not parsed, because a full
//! journal has more than a hundred thousand records.

use crate::journal::RecordedOutcome;
use serde::Deserialize;
use std::borrow::Cow;

/// A journal record. Fields that its kind does not have are empty.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CountedRecord<'a> {
    pub(super) at: &'a str,
    pub(super) kind: &'a str,
    #[serde(alias = "tookMs")]
    pub(super) duration_ms: Option<f64>,
    #[serde(borrow)]
    pub(super) caller: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) client: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) user: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) session: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) project: Option<Cow<'a, str>>,
    // Fields of `search`.
    #[serde(borrow)]
    pub(super) query: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) hits: Vec<CountedHit<'a>>,
    // Fields of `call`.
    #[serde(borrow)]
    pub(super) tool: Option<Cow<'a, str>>,
    pub(super) outcome: Option<RecordedOutcome>,
    #[serde(borrow)]
    pub(super) error_kind: Option<Cow<'a, str>>,
    // Fields of `context`.
    #[serde(borrow, alias = "what")]
    pub(super) form: Option<Cow<'a, str>>,
    pub(super) tokens: Option<u64>,
    pub(super) all_tokens: Option<u64>,
    // Fields of `discovery`.
    #[serde(borrow)]
    pub(super) source: Option<Cow<'a, str>>,
    #[serde(alias = "needed", default)]
    pub(super) cache_miss: bool,
    /// Also a field of `call`.
    #[serde(borrow)]
    pub(super) error: Option<Cow<'a, str>>,
    // Fields of `dropped`.
    pub(super) records: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CountedHit<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
}
