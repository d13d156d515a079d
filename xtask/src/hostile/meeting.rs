//! One meeting: the commands in order, and all observations.

use super::expect::{MeetingExpectation, expected};
use super::probe::probes;
use super::terms::{MeetingTransport, TimeLimits};
use super::watched::Watched;
use super::world::HostileWorld;
use super::{HostilePrograms, survivors};
use serde_json::Value;

/// The kind of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StepKind {
    /// Queries servers.
    Ask,
    /// Shows cached data, and starts nothing.
    Read,
    /// Runs a tool; its output comes from the tool, not from toolscout.
    Run,
}

pub(crate) struct MeetingStep {
    /// The command as typed.
    pub(crate) name: String,
    pub(crate) kind: StepKind,
    pub(crate) watched: Watched,
}

pub(crate) struct Meeting {
    pub(crate) mode: String,
    pub(crate) transport: MeetingTransport,
    pub(crate) terms: TimeLimits,
    pub(crate) expected: MeetingExpectation,
    pub(crate) steps: Vec<MeetingStep>,
    /// The number of starts of the hostile server, and of its list requests.
    pub(crate) starts: usize,
    pub(crate) lists: usize,
    /// The number of starts by commands that only read.
    pub(crate) starts_by_reading: usize,
    pub(crate) survivors: usize,
    pub(crate) canary_hits: usize,
    /// Unexpected files outside our state, and files that contain a secret.
    pub(crate) strays: Vec<String>,
}

const REFRESH: &str = "server refresh";
const SERVERS: &str = "server list --json";
const TOOLS: &str = "tools --json";
const REVIEW: &str = "review --json";
const SEARCH: &str = "search echo a text --json";
pub(crate) const HONEST: &str = "run honest/echo";
pub(crate) const HOSTILE: &str = "run hostile/echo";

impl Meeting {
    /// A meeting with our own hostile server, and the full time limits.
    pub(crate) fn hold(
        programs: &HostilePrograms,
        mode: &str,
        transport: MeetingTransport,
    ) -> anyhow::Result<Self> {
        Self::of(programs, &programs.own_server(), mode, transport, &TimeLimits::FULL)
    }

    pub(crate) fn of(
        programs: &HostilePrograms,
        server: &[String],
        mode: &str,
        transport: MeetingTransport,
        terms: &TimeLimits,
    ) -> anyhow::Result<Self> {
        let terms = TimeLimits { ..*terms };
        let mut world = HostileWorld::new(programs, server, mode, transport, &terms)?;
        let before = world.files()?;
        let expected = expected(mode, transport);
        let mut steps = vec![ask(&world, &["server", "refresh"], true)?];
        if mode == "cache_tamper" {
            // Damaged records may be dropped, but must be discovered again. The hostile server
            // would only damage them again.
            steps = vec![ask(&world, &["server", "refresh", "honest"], false)?];
        }
        let starts = world.count("start", None);
        steps.extend(read_all(&world, &expected)?);
        let starts_by_reading = world.count("start", None) - starts;
        steps.push(step(&world, StepKind::Run, HONEST, &["run", "honest/echo", "--text", "hi"])?);
        steps.push(step(&world, StepKind::Run, HOSTILE, &["run", "hostile/echo", "--text", "hi"])?);
        for probe in probes(mode) {
            let words = ["run", &probe.tool, "--input", &world.input(&probe.input)?];
            steps.push(step(&world, StepKind::Run, &format!("run {}", probe.tool), &words)?);
        }
        steps.push(step(&world, StepKind::Read, "server list", &["server", "list"])?);
        world.end();
        Ok(Self {
            mode: mode.to_owned(),
            transport,
            terms,
            expected,
            steps,
            starts: world.count("start", None),
            lists: world.count("recv", Some("tools/list")),
            starts_by_reading,
            survivors: survivors::count(&world.mark),
            canary_hits: world.canary_hits(),
            strays: world.strays(&before)?,
        })
    }

    /// The first step with this name.
    pub(crate) fn step(&self, name: &str) -> Option<&Watched> {
        self.steps.iter().find(|step| step.name == name).map(|step| &step.watched)
    }

    pub(crate) fn refresh(&self) -> &Watched {
        &self.steps[0].watched
    }

    /// The highest peak memory of all steps.
    pub(crate) fn peak(&self) -> u64 {
        self.steps.iter().map(|step| step.watched.peak).max().unwrap_or(0)
    }

    /// The names of the listed tools of this server.
    pub(crate) fn tools_of(&self, source: &str) -> Vec<String> {
        let its = self.list(TOOLS).into_iter().filter(|item| item["source"] == source);
        its.filter_map(|its| its["name"].as_str().map(str::to_owned)).collect()
    }

    /// A field of the hostile server in `server list`.
    pub(crate) fn said_of_hostile(&self, field: &str) -> Value {
        self.list(SERVERS)
            .iter()
            .find(|item| item["id"] == "hostile")
            .map_or(Value::Null, |value| value[field].clone())
    }

    /// The number of quarantined tools.
    pub(crate) fn held(&self) -> usize {
        self.list(REVIEW).len()
    }

    /// The results of a search for an echo, best first.
    pub(crate) fn found(&self) -> Vec<String> {
        self.list(SEARCH).iter().filter_map(|item| item["id"].as_str().map(str::to_owned)).collect()
    }

    fn list(&self, name: &str) -> Vec<Value> {
        let read = self
            .step(name)
            .and_then(|step| serde_json::from_slice::<Value>(&step.out).ok())
            .unwrap_or_default();
        let list = if name == SERVERS { &read["servers"] } else { &read };
        list.as_array().cloned().unwrap_or_default()
    }

    /// The cells of the table: discovery status, tools, quarantined tools, starts, lists, and the
    /// exit code of the call.
    pub(crate) fn counts(&self) -> String {
        let status = self.said_of_hostile("discoveryStatus");
        let status = status.as_str().unwrap_or_default();
        let (tools, held) = (self.tools_of("hostile").len(), self.held());
        let ended = self
            .step(HOSTILE)
            .and_then(Watched::code)
            .map_or("killed".to_owned(), |code| code.to_string());
        format!("{status} | {tools} | {held} | {} | {} | {ended}", self.starts, self.lists)
    }

    /// The reason of a failed discovery, or else of a failed call; empty if both succeeded.
    pub(crate) fn reason(&self) -> String {
        match self.said_of_hostile("discoveryError").as_str() {
            Some(error) if !error.is_empty() => error.to_owned(),
            _ => self.step(HOSTILE).map_or(String::new(), first_complaint),
        }
    }
}

/// The reason of a failed call in our own words; the tool's text is left out, because this table is
/// published.
fn first_complaint(command: &Watched) -> String {
    if command.code() == Some(0) {
        return String::new();
    }
    let said = command.complained();
    let ours = said.lines().next().and_then(|line| line.strip_prefix("error: "));
    ours.map_or("the tool reported a failure", |ours| ours.trim_start_matches("source `hostile`: "))
        .to_owned()
}

/// Runs every read-only command once: all of them must handle any output of a server.
fn read_all(
    world: &HostileWorld,
    expected: &MeetingExpectation,
) -> anyhow::Result<Vec<MeetingStep>> {
    let tool = format!("hostile/{}", expected.shown);
    let commands: [&[&str]; 11] = [
        &["server", "list", "--json"],
        &["tools", "--json"],
        &["tools"],
        &["server", "show", "hostile"],
        &["server", "show", "hostile", "--json"],
        &["search", "echo a text"],
        &["search", "echo a text", "--json"],
        &["describe", &tool],
        &["run", &tool, "--help"],
        &["review"],
        &["review", "--json"],
    ];
    let read = |words: &&[&str]| step(world, StepKind::Read, &words.join(" "), words);
    commands.iter().map(read).collect()
}

fn ask(world: &HostileWorld, words: &[&str], is_logged: bool) -> anyhow::Result<MeetingStep> {
    let logged = ["--verbose", "--log-format", "json"];
    let before = if is_logged { &logged[..] } else { &[] };
    let words: Vec<&str> = before.iter().chain(words).copied().collect();
    step(world, StepKind::Ask, REFRESH, &words)
}

/// A slow read is measured again: the machine may have been busy.
fn step(
    world: &HostileWorld,
    kind: StepKind,
    name: &str,
    words: &[&str],
) -> anyhow::Result<MeetingStep> {
    let mut watched = world.run(words)?;
    let mut left = if kind == StepKind::Read { 3 } else { 0 };
    while left > 0 && watched.time > TimeLimits::FULL.reading_bombs {
        left -= 1;
        let again = world.run(words)?;
        if again.time < watched.time {
            watched.time = again.time;
        }
    }
    Ok(MeetingStep { name: name.to_owned(), kind, watched })
}
