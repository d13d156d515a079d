//! A JSON Schema from an untrusted source, used within limits.

use super::cost::WorkBound;
use super::survey::SchemaSurvey;
use super::{Violation, cost, plain, unrolled};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;
use std::sync::OnceLock;
use toolscout_core::RawJson;

const MAX_BYTES: usize = 64 * 1024;
const MAX_NODES: usize = 5_000;
/// Maximum number of states of all patterns together; more take too long to build.
const MAX_STATES: u64 = 20_000;
/// Maximum number of nodes that the validator has to unroll; more take too long to prepare.
const MAX_UNROLLED: u64 = 20_000;
/// Maximum number of reported violations; after that, the value is not checked further.
const MAX_VIOLATIONS: usize = 20;

pub(super) struct Schema {
    value: Value,
    /// The number of nodes, if the schema is plain.
    plain: Option<u64>,
    /// The upper bound of the work; `None` if it has to be estimated for each value.
    bound: OnceLock<Option<WorkBound>>,
    /// Built on first use by a value that the plain check cannot confirm: building takes far longer
    /// than checking.
    validator: OnceLock<Result<Validator, String>>,
}

impl Schema {
    /// Parses the schema. The error describes why it cannot be used.
    pub(super) fn read(raw: &RawJson) -> Result<Self, String> {
        let length = raw.as_str().len();
        if length > MAX_BYTES {
            return Err(format!("it is {length} bytes long; the limit is {MAX_BYTES}"));
        }
        let value = raw.to_value();
        if !value.is_object() {
            return Err("it is not a JSON object".to_owned());
        }
        let plain = plain::is_plain(&value)
            .then(|| cost::size(&value))
            .filter(|nodes| *nodes <= MAX_NODES as u64);
        Ok(Self { value, plain, bound: OnceLock::new(), validator: OnceLock::new() })
    }

    pub(super) fn value(&self) -> &Value {
        &self.value
    }

    /// The violations of the schema by the value, or the reason why they cannot be determined. The
    /// time is limited in proportion to the size of the value.
    pub(super) fn violations(&self, value: &Value) -> Result<Vec<Violation>, String> {
        if self.surely_fits(value)
            || (self.is_little_work(value) && self.validator()?.is_valid(value))
        {
            return Ok(Vec::new());
        }
        let survey = SchemaSurvey::new(&self.value);
        if survey.nodes > MAX_NODES {
            return Err(format!("it has more than {MAX_NODES} nodes"));
        }
        if survey.states > MAX_STATES {
            return Err("its patterns are too large".to_owned());
        }
        if survey.unevaluated > 0
            && (survey.has_odd_references || unrolled::size(&self.value, &survey) > MAX_UNROLLED)
        {
            return Err("it has too many references for its `unevaluated` keywords".to_owned());
        }
        let cost =
            cost::estimate(&self.value, &survey, value).map_err(|error| error.to_string())?;
        let validator = self.validator()?;
        if validator.is_valid(value) {
            return Ok(Vec::new());
        }
        if !cost.can_explain {
            return Ok(vec![unexplained()]);
        }
        Ok(validator
            .iter_errors(value)
            .take(MAX_VIOLATIONS)
            .map(|error| violation(&error))
            .collect())
    }

    /// Whether the plain check confirms the value. Each node of the value meets at most one part of
    /// a plain schema, so the product of the sizes bounds the work; if it is small, no exact count
    /// is necessary.
    fn surely_fits(&self, value: &Value) -> bool {
        let Some(nodes) = self.plain else { return false };
        nodes.saturating_mul(cost::size(value)) <= cost::STEPS && plain::fits(&self.value, value)
    }

    fn is_little_work(&self, value: &Value) -> bool {
        let bound = self.bound.get_or_init(|| {
            let survey = SchemaSurvey::new(&self.value);
            WorkBound::new(&survey)
                .filter(|_| survey.nodes <= MAX_NODES && survey.states <= MAX_STATES)
        });
        bound.is_some_and(|bound| bound.is_little(value))
    }

    fn validator(&self) -> Result<&Validator, String> {
        self.validator.get_or_init(|| validator(&self.value)).as_ref().map_err(Clone::clone)
    }
}

/// Builds the validator. It never fetches anything: a `$ref` that leaves the schema is an error.
pub(super) fn validator(schema: &Value) -> Result<Validator, String> {
    let draft = match Draft::Draft202012.detect(schema) {
        // A custom dialect most likely uses mostly standard keywords.
        Draft::Unknown => Draft::Draft202012,
        known => known,
    };
    jsonschema::options()
        .with_draft(draft)
        .offline()
        .should_ignore_unknown_formats(true)
        // An engine that runs in linear time, so a hostile pattern cannot backtrack.
        .with_pattern_options(PatternOptions::regex().size_limit(1 << 20).dfa_size_limit(1 << 20))
        .build(schema)
        .map_err(|error| error.to_string())
}

fn violation(error: &ValidationError<'_>) -> Violation {
    let missing = match error.kind() {
        ValidationErrorKind::Required { property } => property.as_str().map(str::to_owned),
        _ => None,
    };
    Violation {
        path: error.instance_path().to_string(),
        message: error.masked_with("the value").to_string(),
        missing,
    }
}

fn unexplained() -> Violation {
    let message =
        "the value does not match the schema, which is too complex to say where".to_owned();
    Violation { path: String::new(), message, missing: None }
}
