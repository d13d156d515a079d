//! What to run: everything, one role, or one revision.

use super::leg::{Leg, LegRole};
use super::world::Upstream;
use anyhow::{Context, bail};

/// The revisions for which the suite defines requirements.
pub(super) const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

const USAGE: &str = "usage: cargo xtask conformance [server | client] [--revision R] [--debug]";

pub(super) struct Options {
    pub(super) legs: Vec<Leg>,
    pub(super) is_debug: bool,
}

impl Options {
    pub(super) fn parse(words: &[String]) -> anyhow::Result<Self> {
        let (mut role, mut revision, mut is_debug) = (None, None, false);
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word {
                "server" | "client" => role = Some(word.to_owned()),
                "--revision" => revision = Some(words.next().context(USAGE)?.to_owned()),
                "--debug" => is_debug = true,
                _ => bail!("`{word}` is not an argument\n{USAGE}"),
            }
        }
        let legs = all().into_iter().filter(|item| {
            role.as_deref().is_none_or(|role| role == item.role.word())
                && revision.as_deref().is_none_or(|revision| revision == item.revision)
        });
        let legs: Vec<Leg> = legs.collect();
        if legs.is_empty() {
            bail!(
                "the suite has no requirements for revision `{}`; use one of {}",
                revision.unwrap_or_default(),
                REVISIONS.join(", ")
            );
        }
        Ok(Self { legs, is_debug })
    }
}

/// Both roles in both revisions; as a server in front of an upstream of each era, and of both.
pub(super) fn all() -> Vec<Leg> {
    let servers = |revision| {
        [Upstream::Modern, Upstream::Legacy, Upstream::Dual]
            .map(|value| Leg { role: LegRole::Server(value), revision })
    };
    REVISIONS
        .into_iter()
        .flat_map(|revision| {
            servers(revision).into_iter().chain([Leg { role: LegRole::Client, revision }])
        })
        .collect()
}
