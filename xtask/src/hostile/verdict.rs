//! The conditions that must hold after every meeting, for all behaviour of the server.

use super::expect::{CallExpectation, ListingExpectation};
use super::meeting::{HONEST, HOSTILE, Meeting, MeetingStep, StepKind};
use super::probe::{Ends, probes};
use super::terms::MeetingTransport;
use super::watched::Watched;
use super::world::{GIVEN, SECRET};
use serde_json::Value;

/// The maximum memory above that with an honest server.
const ROOM: u64 = 64 << 20;

/// The maximum number of starts for a refresh and a call; each probe adds a call.
const STARTS: usize = 3;

/// The violated conditions; empty for a successful meeting.
pub(crate) fn reasons(meeting: &Meeting, base: u64) -> Vec<String> {
    let mut reasons: Vec<String> =
        meeting.steps.iter().flat_map(|step| of_step(meeting, step)).collect();
    reasons.extend(neighbour(meeting));
    reasons.extend(listing(meeting));
    reasons.extend(review(meeting));
    reasons.extend(search(meeting));
    reasons.extend(is_shown(meeting));
    reasons.extend(calling(meeting));
    reasons.extend(probing(meeting));
    reasons.extend(bounds(meeting, base));
    reasons
        .extend(meeting.strays.iter().filter(|stray| !is_its_own_doing(meeting, stray)).cloned());
    reasons
}

/// The conditions for any command.
fn of_step(meeting: &Meeting, step: &MeetingStep) -> Vec<String> {
    let MeetingStep { name, kind, watched } = step;
    let mut reasons = Vec::new();
    reasons.extend(alive(watched).map(|alive| format!("`{name}` {alive}")));
    reasons.extend(in_time(meeting, step));
    // The output of a tool belongs to the user who ran it, so it is not checked; everything else is
    // ours.
    let texts =
        [Some(watched.said()).filter(|_| *kind != StepKind::Run), Some(watched.complained())];
    let raw = texts.iter().flatten().find_map(|text| raw_character(text));
    reasons.extend(raw.map(|value| format!("`{name}` lets U+{:04X} through", u32::from(value))));
    if [watched.said(), watched.complained()].iter().any(|item| item.contains(SECRET)) {
        reasons.push(format!("`{name}` shows a secret of our environment"));
    }
    // A server may print its own secret; toolscout may not.
    if texts.iter().flatten().any(|text| text.contains(GIVEN)) {
        reasons.push(format!("`{name}` shows a secret of the server"));
    }
    reasons
}

fn alive(command: &Watched) -> Option<String> {
    match command.status {
        None => Some("did not end".to_owned()),
        Some(status) if status.code().is_none() || command.complained().contains("panicked at") => {
            Some(format!("broke down: {status}"))
        }
        Some(_) => None,
    }
}

fn in_time(meeting: &Meeting, step: &MeetingStep) -> Option<String> {
    let terms = &meeting.terms;
    let limit = match step.kind {
        StepKind::Ask => terms.asking(),
        StepKind::Run => terms.calling(),
        StepKind::Read if is_bomb(&meeting.mode) => terms.reading_bombs,
        StepKind::Read => terms.reading,
    };
    (step.watched.time > limit)
        .then(|| format!("`{}` took {} ms", step.name, step.watched.time.as_millis()))
}

/// Modes whose schemas are designed to be slow.
fn is_bomb(mode: &str) -> bool {
    matches!(
        mode,
        "ref_cycle" | "ref_bomb" | "validate_bomb" | "wide_schema" | "odd_dialect" | "ref_remote"
    )
}

/// The first character that controls a terminal or is invisible.
pub(super) fn raw_character(text: &str) -> Option<char> {
    text.chars().find(|c| {
        let is_control = c.is_control() && !['\n', '\t'].contains(c);
        let is_bidi = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
        let is_hidden = matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{e0000}'..='\u{e007f}');
        is_control || is_bidi || is_hidden
    })
}

fn neighbour(meeting: &Meeting) -> Option<String> {
    if !meeting.tools_of("honest").iter().any(|item| item == "echo") {
        return Some("the honest server's tools are missing".to_owned());
    }
    let call = meeting.step(HONEST)?;
    if !answers(call) {
        return Some(format!("the honest server's tool does not answer: {}", call.complained()));
    }
    let took = call.time.as_millis();
    (call.time > meeting.terms.reading).then(|| format!("the honest server's tool took {took} ms"))
}

fn listing(meeting: &Meeting) -> Option<String> {
    let tools = meeting.tools_of("hostile");
    let (status, error) =
        (meeting.said_of_hostile("discoveryStatus"), meeting.said_of_hostile("discoveryError"));
    let refresh = meeting.refresh().code();
    match meeting.expected.listing {
        ListingExpectation::Finds(name, _) if !tools.iter().any(|tool| tool == name) => {
            Some(format!("`{name}` is missing: {error}"))
        }
        ListingExpectation::Finds(_, count) if tools.len() != count => {
            Some(format!("{} tools, not {count}", tools.len()))
        }
        ListingExpectation::Finds(..) if refresh != Some(0) => {
            Some(format!("`server refresh` ends with {refresh:?}, not 0"))
        }
        ListingExpectation::Finds(..) => None,
        ListingExpectation::Fails(_) if !tools.is_empty() => {
            Some(format!("{} tools out of nothing", tools.len()))
        }
        ListingExpectation::Fails(_) if status != "failed" => {
            Some(format!("its status is {status}"))
        }
        ListingExpectation::Fails(reason)
            if !error.as_str().is_some_and(|error| error.contains(reason)) =>
        {
            Some(format!("the error does not contain `{reason}`: {error}"))
        }
        ListingExpectation::Fails(_) if refresh != Some(3) => {
            Some(format!("`server refresh` ends with {refresh:?}, not 3"))
        }
        ListingExpectation::Fails(_) => None,
    }
}

fn review(meeting: &Meeting) -> Option<String> {
    let (held, expected) = (meeting.held(), meeting.expected.held);
    (held != expected).then(|| format!("{held} tools are quarantined, not {expected}"))
}

/// A search must find the honest tool, even if the hostile server manipulates the ranking.
fn search(meeting: &Meeting) -> Option<String> {
    let found = meeting.found();
    let is_there = found.iter().take(5).any(|item| item == "honest/echo");
    (!is_there).then(|| format!("a search finds {} before `honest/echo`", found.join(", ")))
}

/// The list must show the status of the server, its time, and the reason.
fn is_shown(meeting: &Meeting) -> Option<String> {
    let (status, since) =
        (meeting.said_of_hostile("discoveryStatus"), meeting.said_of_hostile("lastDiscovery"));
    let has_reason =
        matches!(meeting.said_of_hostile("discoveryError"), Value::String(it) if !it.is_empty());
    let is_known = status == "success" || (status == "failed" && has_reason);
    // Its record may be the damaged one; then the status is that of a new server.
    if meeting.mode == "cache_tamper" && status == "never" {
        return None;
    }
    (!is_known || since.is_null())
        .then(|| format!("`server list` is incomplete: status {status}, since {since}"))
}

fn calling(meeting: &Meeting) -> Option<String> {
    let call = meeting.step(HOSTILE)?;
    match meeting.expected.calling {
        CallExpectation::Answers if !answers(call) => {
            Some(format!("the call does not answer: {}", call.complained()))
        }
        CallExpectation::Fails(_) if call.code() == Some(0) => {
            Some("the call reported success".to_owned())
        }
        CallExpectation::Fails(reason) if !call.complained().contains(reason) => {
            Some(format!("the call does not say `{reason}`: {}", call.complained()))
        }
        CallExpectation::Says(text) if call.code() != Some(0) || !call.said().contains(text) => {
            Some(format!("the call does not say `{text}`: {}{}", call.said(), call.complained()))
        }
        _ => None,
    }
}

fn probing(meeting: &Meeting) -> Vec<String> {
    let faults = probes(&meeting.mode).into_iter().filter_map(|probe| {
        let name = format!("run {}", probe.tool);
        // The last step with this name: every meeting also calls `echo`.
        let call = &meeting.steps.iter().rev().find(|step| step.name == name)?.watched;
        let is_right = match probe.ends {
            Ends::Well => call.code() == Some(0) && call.err.is_empty(),
            Ends::Saying(text) => call.code() != Some(0) && call.complained().contains(text),
            Ends::Warning(text) => call.code() == Some(0) && call.complained().contains(text),
            Ends::Soon => true,
        };
        let ended = call.code();
        (!is_right).then(|| {
            format!("`{name}` ends with {ended:?}, not {:?}: {}", probe.ends, call.complained())
        })
    });
    faults.collect()
}

fn answers(call: &Watched) -> bool {
    call.code() == Some(0) && call.said().contains("hi")
}

fn bounds(meeting: &Meeting, base: u64) -> Vec<String> {
    let mut broken = Vec::new();
    let mut bound = |is_broken: bool, reason: String| is_broken.then(|| broken.push(reason));
    let above = meeting.peak().saturating_sub(base);
    bound(above > ROOM, format!("{} MB more than with an honest server", above >> 20));
    let starts = STARTS + probes(&meeting.mode).len();
    bound(
        meeting.transport == MeetingTransport::Stdio && meeting.starts > starts,
        format!("{} starts", meeting.starts),
    );
    bound(
        meeting.starts_by_reading > 0,
        format!("{} starts by commands that only read", meeting.starts_by_reading),
    );
    let lists = meeting.expected.lists + probes(&meeting.mode).len();
    bound(meeting.lists > lists, format!("{} lists", meeting.lists));
    bound(meeting.survivors > 0, format!("{} processes survive", meeting.survivors));
    // A server may connect to it by itself; that is not toolscout's doing, and the purpose of one
    // mode.
    let own = usize::from(meeting.mode == "fs_probe") * meeting.starts;
    bound(
        meeting.canary_hits > own,
        format!("{} connections to where none should go", meeting.canary_hits),
    );
    broken
}

/// One mode writes wherever it can, and a server that the user has configured is not sandboxed.
fn is_its_own_doing(meeting: &Meeting, stray: &str) -> bool {
    meeting.mode == "fs_probe" && stray.starts_with("home/")
}
