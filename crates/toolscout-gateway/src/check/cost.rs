//! Estimates the work of checking a value against a schema, before the validator runs.
//!
//! The validator cannot be interrupted, and an attacker may choose both the schema and the value to
//! keep it busy: a few kilobytes of references that each lead to the next one twice take billions
//! of steps. So this module counts the steps that the validator would take. It visits each pair of
//! a referenced schema and a value once, however many paths lead there, so counting is quick even
//! if checking is not; and it stops as soon as the work is out of proportion.

use super::survey::SchemaSurvey;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Steps that any value may take. A step takes about 25 nanoseconds.
pub(super) const STEPS: u64 = 500_000;
/// Additional steps for each node of the value: larger data may take longer.
const STEPS_PER_NODE: u64 = 8;
/// The number of pattern states that the engine tries on one byte of text per step.
const STATES_PER_STEP: u64 = 8;
/// The number of bytes that a length check counts per step.
const BYTES_PER_STEP: u64 = 512;
/// Maximum depth of nested schemas and references, so that recursion does not depend on the stack
/// size.
const MAX_DEPTH: usize = 256;
/// Additional nodes for a reference to one of the standard's own schemas.
const STANDARD_NODES: u64 = 500;
/// Factor for `unevaluated*` keywords, which make the validator evaluate all other keywords again;
/// measured.
const UNEVALUATED_FACTOR: u64 = 3;

/// The reason why a value is not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum CostExceeded {
    #[error("checking a value against it would take too long")]
    Work,
    #[error("its references are nested too deep")]
    Deep,
}

/// The result of an estimate within the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    /// Whether collecting the violations is within the limits, too.
    pub(super) can_explain: bool,
}

pub(super) fn estimate(
    schema: &Value,
    survey: &SchemaSurvey<'_>,
    value: &Value,
) -> Result<Cost, CostExceeded> {
    let limit = size(value).saturating_mul(STEPS_PER_NODE).saturating_add(STEPS);
    if survey.has_odd_references {
        return upper_bound(survey, value, limit);
    }
    let mut walk = CostEstimator { root: schema, survey, remaining: limit, memo: HashMap::new() };
    match walk.visit(schema, SchemaSubject::Value(value), MAX_DEPTH) {
        Ok(steps) if steps.to_check > limit => Err(CostExceeded::Work),
        Ok(steps) => Ok(Cost { can_explain: steps.to_explain <= limit }),
        Err(CostError::TooMuch(reason)) => Err(reason),
        Err(CostError::Unresolved) => upper_bound(survey, value, limit),
    }
}

/// The exact number of steps of a check; `None` if it cannot be counted.
#[cfg(test)]
pub(super) fn steps(schema: &Value, survey: &SchemaSurvey<'_>, value: &Value) -> Option<u64> {
    let mut walk =
        CostEstimator { root: schema, survey, remaining: u64::MAX, memo: HashMap::new() };
    walk.visit(schema, SchemaSubject::Value(value), MAX_DEPTH).ok().map(|value| value.to_check)
}

/// Upper bound: every node against every value, on as many paths as this number of references
/// allows. Two references at each fork double the paths.
fn upper_bound(survey: &SchemaSurvey<'_>, value: &Value, limit: u64) -> Result<Cost, CostExceeded> {
    let forks = u32::try_from(survey.references.div_ceil(2)).unwrap_or(u32::MAX);
    let paths = 1u64.checked_shl(forks).unwrap_or(u64::MAX);
    let nodes = (survey.nodes as u64).saturating_add(STANDARD_NODES);
    let matching_steps = survey.states.saturating_mul(bytes(value)) / STATES_PER_STEP;
    let steps =
        nodes.saturating_mul(size(value)).saturating_add(matching_steps).saturating_mul(paths);
    if steps <= limit { Ok(Cost { can_explain: false }) } else { Err(CostExceeded::Work) }
}

/// Upper bound for the work of a schema without references, for any value: each part of the schema
/// meets each value at most once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WorkBound {
    nodes: u64,
    states: u64,
}

impl WorkBound {
    /// Returns `None` if a part of the schema may meet a value on several paths.
    pub(super) fn new(survey: &SchemaSurvey<'_>) -> Option<Self> {
        let is_tree =
            survey.references == 0 && survey.unevaluated == 0 && !survey.has_odd_references;
        is_tree.then_some(Self { nodes: survey.nodes as u64, states: survey.states })
    }

    /// Whether checking the value is so little work that an exact count is unnecessary.
    pub(super) fn is_little(self, value: &Value) -> bool {
        // A node takes a step for each of its keywords and some more for its lists, and it checks
        // names as well as values.
        let steps = self.nodes.saturating_mul(4).saturating_mul(size(value));
        let (bytes, lengths) = (bytes(value), self.nodes / BYTES_PER_STEP + 1);
        let texts =
            self.states.div_ceil(STATES_PER_STEP).saturating_add(lengths).saturating_mul(bytes);
        steps.saturating_add(texts) <= STEPS
    }
}

/// The subject of a schema: a value, or the name of a property.
#[derive(Clone, Copy)]
enum SchemaSubject<'a> {
    Value(&'a Value),
    Name(&'a str),
}

impl<'a> SchemaSubject<'a> {
    fn text(self) -> Option<&'a str> {
        match self {
            Self::Value(value) => value.as_str(),
            Self::Name(name) => Some(name),
        }
    }

    fn object(self) -> Option<&'a Map<String, Value>> {
        match self {
            Self::Value(value) => value.as_object(),
            Self::Name(_) => None,
        }
    }

    fn items(self) -> &'a [Value] {
        match self {
            Self::Value(Value::Array(items)) => items,
            _ => &[],
        }
    }

    /// The memory address, which is stable during the walk.
    fn address(self) -> usize {
        match self {
            Self::Value(value) => std::ptr::from_ref(value).addr(),
            Self::Name(name) => name.as_ptr().addr(),
        }
    }
}

/// The number of steps of all paths from one node.
#[derive(Clone, Copy, Default)]
struct CheckSteps {
    to_check: u64,
    /// To collect the violations, the validator checks each branch and then descends into it.
    to_explain: u64,
}

impl CheckSteps {
    fn new(steps: u64) -> Self {
        Self { to_check: steps, to_explain: steps }
    }

    fn add(&mut self, other: Self) {
        self.to_check = self.to_check.saturating_add(other.to_check);
        self.to_explain = self.to_explain.saturating_add(other.to_explain);
    }

    fn times(self, factor: u64) -> Self {
        Self {
            to_check: self.to_check.saturating_mul(factor),
            to_explain: self.to_explain.saturating_mul(factor),
        }
    }
}

enum CostError {
    TooMuch(CostExceeded),
    /// A reference that this estimator cannot resolve, although the validator may.
    Unresolved,
}

struct CostEstimator<'a> {
    root: &'a Value,
    survey: &'a SchemaSurvey<'a>,
    /// The steps that the walk itself may still take.
    remaining: u64,
    /// Steps by referenced schema and value. Pairs in progress have zero steps: the validator does
    /// not follow cycles.
    memo: HashMap<(usize, usize), CheckSteps>,
}

impl<'a> CostEstimator<'a> {
    fn visit(
        &mut self,
        schema: &'a Value,
        subject: SchemaSubject<'a>,
        depth: usize,
    ) -> Result<CheckSteps, CostError> {
        let own = self.own_steps(schema, subject);
        self.remaining =
            self.remaining.checked_sub(own).ok_or(CostError::TooMuch(CostExceeded::Work))?;
        let mut steps = CheckSteps::new(own);
        let Value::Object(keywords) = schema else { return Ok(steps) };
        let Some(depth) = depth.checked_sub(1) else {
            return Err(CostError::TooMuch(CostExceeded::Deep));
        };
        for (keyword, operand) in keywords {
            let mut steps_of_keyword = self.apply(keyword, operand, keywords, subject, depth)?;
            if matches!(keyword.as_str(), "anyOf" | "oneOf") {
                steps_of_keyword.to_explain =
                    steps_of_keyword.to_explain.saturating_add(steps_of_keyword.to_check);
            }
            steps.add(steps_of_keyword);
        }
        let has_unevaluated = keywords.contains_key("unevaluatedProperties")
            || keywords.contains_key("unevaluatedItems");
        Ok(if has_unevaluated { steps.times(UNEVALUATED_FACTOR) } else { steps })
    }

    fn apply(
        &mut self,
        keyword: &str,
        operand: &'a Value,
        keywords: &'a Map<String, Value>,
        subject: SchemaSubject<'a>,
        depth: usize,
    ) -> Result<CheckSteps, CostError> {
        match (keyword, operand) {
            ("$ref" | "$dynamicRef", Value::String(reference)) => {
                self.follow(reference, subject, depth)
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                self.sum(schemas.iter().map(|schema| (schema, subject)), depth)
            }
            ("not" | "if" | "then" | "else", _) => self.visit(operand, subject, depth),
            ("propertyNames", _) => {
                let names = subject.object().into_iter().flat_map(Map::keys);
                self.sum(names.map(|name| (operand, SchemaSubject::Name(name))), depth)
            }
            ("dependentSchemas" | "dependencies", Value::Object(schemas))
                if subject.object().is_some() =>
            {
                self.sum(schemas.values().map(|schema| (schema, subject)), depth)
            }
            ("properties", Value::Object(schemas)) => {
                let Some(object) = subject.object() else { return Ok(CheckSteps::default()) };
                let given = schemas.iter().filter_map(|(name, schema)| {
                    Some((schema, SchemaSubject::Value(object.get(name)?)))
                });
                self.sum(given, depth)
            }
            ("patternProperties", Value::Object(schemas)) => {
                let values = |schema| {
                    subject
                        .object()
                        .into_iter()
                        .flat_map(Map::values)
                        .map(move |value| (schema, SchemaSubject::Value(value)))
                };
                self.sum(schemas.values().flat_map(values), depth)
            }
            ("additionalProperties" | "unevaluatedProperties", _) => {
                let named = keywords.get("properties");
                let others = subject.object().into_iter().flatten();
                let others =
                    others.filter(|(name, _)| named.is_none_or(|named| named.get(name).is_none()));
                self.sum(others.map(|(_, value)| (operand, SchemaSubject::Value(value))), depth)
            }
            ("prefixItems" | "items", Value::Array(schemas)) => self
                .sum(schemas.iter().zip(subject.items().iter().map(SchemaSubject::Value)), depth),
            ("items" | "additionalItems" | "unevaluatedItems" | "contains", _) => self.sum(
                subject.items().iter().map(|item| (operand, SchemaSubject::Value(item))),
                depth,
            ),
            _ => Ok(CheckSteps::default()),
        }
    }

    fn sum(
        &mut self,
        pairs: impl Iterator<Item = (&'a Value, SchemaSubject<'a>)>,
        depth: usize,
    ) -> Result<CheckSteps, CostError> {
        let mut sum = CheckSteps::default();
        for (schema, subject) in pairs {
            sum.add(self.visit(schema, subject, depth)?);
        }
        Ok(sum)
    }

    fn follow(
        &mut self,
        reference: &str,
        subject: SchemaSubject<'a>,
        depth: usize,
    ) -> Result<CheckSteps, CostError> {
        let target = self.survey.target(self.root, reference).ok_or(CostError::Unresolved)?;
        let pair = (std::ptr::from_ref(target).addr(), subject.address());
        if let Some(steps) = self.memo.get(&pair) {
            return Ok(*steps);
        }
        self.memo.insert(pair, CheckSteps::default());
        let steps = self.visit(target, subject, depth)?;
        self.memo.insert(pair, steps);
        Ok(steps)
    }

    /// The steps of a schema without its subschemas: one step per keyword, and more for keywords
    /// that take longer.
    fn own_steps(&self, schema: &Value, subject: SchemaSubject<'_>) -> u64 {
        let Value::Object(keywords) = schema else { return 1 };
        let extra_steps = |(keyword, operand): (&String, &Value)| match (keyword.as_str(), operand)
        {
            ("enum", Value::Array(items)) => self.survey.comparisons(items),
            ("required", Value::Array(names)) => names.len() as u64 / 4,
            ("properties", Value::Object(schemas)) if subject.object().is_some() => {
                schemas.len() as u64 / 4
            }
            ("minLength" | "maxLength", _) => {
                subject.text().map_or(0, str::len) as u64 / BYTES_PER_STEP
            }
            ("pattern", Value::String(pattern)) => {
                self.matching(pattern, subject.text().map_or(0, str::len))
            }
            ("patternProperties", Value::Object(schemas)) => {
                let names =
                    subject.object().map_or(0, |object| object.keys().map(String::len).sum());
                schemas.keys().fold(0u64, |sum, key| sum.saturating_add(self.matching(key, names)))
            }
            _ => 0,
        };
        keywords
            .iter()
            .fold(1, |sum, keyword| sum.saturating_add(1).saturating_add(extra_steps(keyword)))
    }

    fn matching(&self, pattern: &str, bytes: usize) -> u64 {
        self.survey.states_of(pattern).saturating_mul(bytes as u64) / STATES_PER_STEP
    }
}

/// The number of nodes in a value, including itself.
pub(super) fn size(value: &Value) -> u64 {
    super::survey::nodes(value).count() as u64
}

/// The number of bytes of text in a value, including property names.
fn bytes(value: &Value) -> u64 {
    let own = |value: &Value| match value {
        Value::String(text) => text.len(),
        Value::Object(map) => map.keys().map(String::len).sum(),
        _ => 0,
    };
    super::survey::nodes(value).map(|node| own(node) as u64).sum()
}
