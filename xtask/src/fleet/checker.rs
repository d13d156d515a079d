//! Compares the history of the clients with the log of the tool server and the audit log.

use super::client::CallResult;
use super::load::ClientOperation;
use super::site::FleetSite;
use anyhow::Context;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;

/// How often the tool server received each nonce.
pub(super) fn executions(log: &Path) -> anyhow::Result<BTreeMap<String, usize>> {
    let text = fs::read_to_string(log).with_context(|| log.display().to_string())?;
    let mut executions = BTreeMap::new();
    for line in text.lines() {
        // The last line of a killed server may be incomplete.
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        if event["ev"] == "recv" && event["method"] == "tools/call" {
            let params = event["params"].as_str().unwrap_or_default();
            let params: Value = serde_json::from_str(params).unwrap_or_default();
            if let Some(nonce) = nonce(&params["arguments"]) {
                *executions.entry(nonce).or_default() += 1;
            }
        }
    }
    Ok(executions)
}

/// The calls in the audit log of the fleet, by the name of the replica.
#[derive(Debug, Default)]
pub(super) struct AuditedCalls {
    ended: HashMap<String, HashSet<String>>,
    interrupted: HashMap<String, usize>,
}

impl AuditedCalls {
    /// Reads all pages through this replica.
    pub(super) fn read(site: &FleetSite, replica: usize) -> anyhow::Result<Self> {
        let mut client = site.client(replica)?;
        let mut calls = Self::default();
        let mut before = String::new();
        loop {
            let path = format!("/api/audit?kind=call&limit=1000{before}");
            let answer = client.api("GET", &path, None)?;
            let entries = answer.body["entries"].as_array();
            let entries =
                entries.with_context(|| format!("no page of the audit log: {answer:?}"))?;
            entries.iter().for_each(|entry| calls.add(entry));
            match answer.body["nextBefore"].as_u64() {
                Some(next) => before = format!("&before={next}"),
                None => return Ok(calls),
            }
        }
    }

    fn add(&mut self, entry: &Value) {
        let replica = entry["replica"].as_str().unwrap_or_default().to_owned();
        if entry["outcome"] == "interrupted" {
            *self.interrupted.entry(replica).or_default() += 1;
        } else if let Some(nonce) = nonce(&entry["arguments"]) {
            self.ended.entry(replica).or_default().insert(nonce);
        }
    }

    pub(super) fn interrupted(&self) -> usize {
        self.interrupted.values().sum()
    }

    /// The number of executed calls that are neither recorded with their arguments nor as
    /// interrupted.
    pub(super) fn missing(
        &self,
        history: &[ClientOperation],
        executed: &BTreeMap<String, usize>,
    ) -> usize {
        let mut unrecorded: HashMap<String, usize> = HashMap::new();
        for operation in history {
            let Some(nonce) = &operation.nonce else { continue };
            let replica = FleetSite::name(operation.replica);
            let is_ended = self.ended.get(&replica).is_some_and(|ended| ended.contains(nonce));
            if executed.contains_key(nonce) && !is_ended {
                *unrecorded.entry(replica).or_default() += 1;
            }
        }
        let interrupted = |replica: &String| self.interrupted.get(replica).copied().unwrap_or(0);
        unrecorded.iter().map(|(replica, count)| count.saturating_sub(interrupted(replica))).sum()
    }
}

/// The nonces that were executed more than once.
pub(super) fn repeated(executed: &BTreeMap<String, usize>) -> usize {
    executed.values().filter(|count| **count > 1).count()
}

/// Calls that succeeded for their client, and that the tool server never received.
pub(super) fn invented(history: &[ClientOperation], executed: &BTreeMap<String, usize>) -> usize {
    let is_invented = |operation: &&ClientOperation| {
        let is_executed = operation.nonce.as_ref().is_none_or(|nonce| executed.contains_key(nonce));
        operation.result == CallResult::Succeeded && !is_executed
    };
    history.iter().filter(is_invented).count()
}

/// The requests that failed or were lost, and the first of them.
pub(super) fn failures(history: &[ClientOperation]) -> (usize, Option<&CallResult>) {
    let failed = |operation: &&ClientOperation| operation.result != CallResult::Succeeded;
    let first = history.iter().find(failed).map(|operation| &operation.result);
    (history.iter().filter(failed).count(), first)
}

fn nonce(arguments: &Value) -> Option<String> {
    let nonce = arguments["label"].as_str().or_else(|| arguments["text"].as_str())?;
    Some(nonce.to_owned())
}
