//! The commands to kill: their arguments, their changes, and their acknowledgements.

use super::shadow::{ExpectedChange, Shadow};
use super::world::CrashWorld;
use crate::random::SplitMix64;
use anyhow::ensure;
use std::time::Duration;

/// A kind of command: a row of the table.
pub(super) struct CommandKind {
    pub(super) name: &'static str,
    /// How often it is chosen, relative to others.
    pub(super) weight: usize,
    pub(super) lasts: Lasts,
    /// Creates such a command; `None` if it is not possible in the current state.
    pub(super) make: fn(&Shadow, &CrashWorld, &mut SplitMix64) -> Option<CrashCommand>,
}

/// The duration of a command that is not killed.
pub(super) enum Lasts {
    UntilDone,
    /// It never ends by itself; this is the time to observe it.
    For(Duration),
}

/// One command.
pub(super) struct CrashCommand {
    pub(super) words: Vec<String>,
    /// The exit code if it is not killed.
    pub(super) code: i32,
    /// Its message on standard error once its change is made; empty if only the exit code
    /// acknowledges.
    pub(super) acknowledges: &'static str,
    pub(super) change: ExpectedChange,
    /// Whether it is the first command ever run: there is no state, not even a database.
    pub(super) is_first: bool,
    /// A second command that is not killed, started after this output of the first.
    pub(super) beside: Option<(&'static str, Vec<String>)>,
}

impl CrashCommand {
    /// The state after the command has completed, derived from the state before. The same command
    /// edits the files of the twin.
    pub(super) fn rehearse(&self, world: &CrashWorld, before: &Shadow) -> anyhow::Result<Shadow> {
        let config = match &self.change {
            ExpectedChange::Config | ExpectedChange::Policy(_) => self.edit_twin(world, before)?,
            _ => before.config.clone(),
        };
        let mut done = before.after(&self.change, config);
        if let ExpectedChange::Lock = self.change {
            done.lock = Some(world.real.run_plain(&["lock", "--print"])?.out);
        }
        Ok(done)
    }

    fn edit_twin(&self, world: &CrashWorld, before: &Shadow) -> anyhow::Result<String> {
        world.twin.write_config(&before.config)?;
        let ended = world.twin.run(&self.words)?;
        let is_done = ended.code == Some(self.code);
        ensure!(is_done, "`{}` does not work in the twin: {}", self.words.join(" "), ended.said());
        world.twin.config()
    }
}

/// The prefix of servers that are added and removed.
const EXTRA: &str = "extra-";
/// The maximum number of such servers.
const EXTRAS: usize = 4;
/// The maximum number of tokens.
const MAX_TOKENS: usize = 4;

/// In an order in which each is possible after the previous ones.
pub(super) const KINDS: &[CommandKind] = &[
    CommandKind {
        // It has the most moments to be killed in.
        weight: 3,
        ..kind("server refresh", |_, _, _| {
            Some(CrashCommand { code: 3, ..plain(&["server", "refresh"]) })
        })
    },
    kind("server refresh, new project", |_, _, _| {
        Some(CrashCommand { is_first: true, ..plain(&["server", "refresh", "calm", "family"]) })
    }),
    kind("server add --wait", |shadow, world, _| add(shadow, world, true)),
    kind("server add", |shadow, world, _| add(shadow, world, false)),
    kind("server disable", |shadow, _, chance| {
        let id = chance.one(&shadow.switched(true))?;
        Some(edit(&["server", "disable", &id], " is now "))
    }),
    kind("server enable", |shadow, _, chance| {
        let id = chance.one(&shadow.switched(false))?;
        Some(edit(&["server", "enable", &id], " is now "))
    }),
    kind("server remove", |shadow, _, chance| {
        let extras: Vec<String> =
            shadow.servers().into_keys().filter(|key| key.starts_with(EXTRA)).collect();
        let id = chance.one(&extras)?;
        Some(edit(&["server", "remove", &id], "Removed "))
    }),
    kind("policy", |shadow, _, chance| {
        let others: Vec<&str> =
            ["allow", "ask", "deny"].into_iter().filter(|item| *item != shadow.policy).collect();
        let word = chance.one(&others)?;
        Some(CrashCommand {
            change: ExpectedChange::Policy(word),
            ..edit(&["policy", "set", "calm/add", word], "Set the policy ")
        })
    }),
    kind("trust", |shadow, world, _| {
        let folder = world.elsewhere();
        let (words, acknowledges): (&[&str], _) = if shadow.is_trusted {
            (&["trust", "--remove", &folder], "No longer trusted")
        } else {
            (&["trust", &folder], "Trusted: ")
        };
        Some(CrashCommand {
            acknowledges,
            change: ExpectedChange::Trust(!shadow.is_trusted),
            ..plain(words)
        })
    }),
    kind("review --accept", |shadow, _, _| {
        let held: Vec<String> = shadow.held.iter().cloned().collect();
        let words = ["review", "--accept", "wary"];
        (!held.is_empty()).then(|| decide(&words, "Approved ", ExpectedChange::Hold(held, false)))
    }),
    kind("reject", |shadow, _, chance| {
        let free = ["echo", "add", "sleep"].map(|value| format!("wary/{value}"));
        let free: Vec<String> =
            free.into_iter().filter(|free| !shadow.held.contains(free)).collect();
        let tool = chance.one(&free)?;
        Some(decide(
            &["reject", &tool],
            "Rejected ",
            ExpectedChange::Hold(vec![tool.clone()], true),
        ))
    }),
    kind("approve", |shadow, _, chance| {
        let tool = chance.one(&shadow.held.iter().cloned().collect::<Vec<_>>())?;
        Some(decide(
            &["approve", &tool],
            "Approved ",
            ExpectedChange::Hold(vec![tool.clone()], false),
        ))
    }),
    kind("token create", |shadow, _, _| {
        let names = (0..MAX_TOKENS).map(|index| format!("key-{index}"));
        let name = names.into_iter().find(|name| !shadow.tokens.contains(name))?;
        let words = ["token", "create", "--name", &name, "--role", "operator"];
        Some(decide(&words, "Created the token", ExpectedChange::Token(name.clone(), true)))
    }),
    kind("token revoke", |shadow, _, chance| {
        let name = chance.one(&shadow.tokens.iter().cloned().collect::<Vec<_>>())?;
        let words = ["token", "revoke", &name];
        Some(decide(&words, "Revoked ", ExpectedChange::Token(name.clone(), false)))
    }),
    kind("lock", |_, _, _| Some(decide(&["lock"], "Wrote ", ExpectedChange::Lock))),
    kind("run", |shadow, _, chance| {
        let id = chance.one(&runnable(shadow))?;
        Some(plain(&["run", &format!("{id}/echo"), "--text", "hi"]))
    }),
    CommandKind {
        lasts: Lasts::For(Duration::from_millis(400)),
        ..kind("server host", |shadow, _, chance| {
            let id = chance.one(&runnable(shadow))?;
            let beside = ["server", "start", &id].map(str::to_owned).to_vec();
            Some(CrashCommand {
                beside: Some(("Hosting the servers", beside)),
                ..plain(&["server", "host"])
            })
        })
    },
];

const fn kind(
    name: &'static str,
    make: fn(&Shadow, &CrashWorld, &mut SplitMix64) -> Option<CrashCommand>,
) -> CommandKind {
    CommandKind { name, weight: 1, lasts: Lasts::UntilDone, make }
}

fn plain(words: &[&str]) -> CrashCommand {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    CrashCommand {
        words,
        code: 0,
        acknowledges: "",
        change: ExpectedChange::Nothing,
        is_first: false,
        beside: None,
    }
}

fn edit(words: &[&str], acknowledges: &'static str) -> CrashCommand {
    decide(words, acknowledges, ExpectedChange::Config)
}

fn decide(words: &[&str], acknowledges: &'static str, change: ExpectedChange) -> CrashCommand {
    CrashCommand { acknowledges, change, ..plain(words) }
}

fn add(shadow: &Shadow, world: &CrashWorld, waits: bool) -> Option<CrashCommand> {
    let there = shadow.servers();
    let id = (0..EXTRAS)
        .map(|index| format!("{EXTRA}{index}"))
        .find(|item| !there.contains_key(item))?;
    let mut operation = edit(&["server", "add", &id], "Added ");
    operation.words.extend(waits.then(|| "--wait".to_owned()));
    operation.words.push("--".to_owned());
    operation.words.extend(world.server.iter().cloned());
    Some(operation)
}

fn runnable(shadow: &Shadow) -> Vec<String> {
    let enabled = shadow.servers().into_iter().filter(|(_, enabled)| *enabled).map(|(id, _)| id);
    enabled.filter(|enabled| ["calm", "family"].contains(&enabled.as_str())).collect()
}
