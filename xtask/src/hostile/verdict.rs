//! What must hold after every meeting, whatever the server did.

use super::expect::{Calling, Expected, Listing, expected};
use super::meeting::{Meeting, Transport};
use super::watched::Watched;
use super::world::SECRET;
use serde_json::Value;

/// How much more memory than with an honest server is too much.
const ROOM: u64 = 64 << 20;

/// How often a server may be started for a refresh and a call.
const STARTS: usize = 6;

/// Why it did not go well; empty if it did.
pub(crate) fn reasons(meeting: &Meeting, base: u64) -> Vec<String> {
    let mut reasons = Vec::new();
    for (name, command) in meeting.commands() {
        reasons.extend(alive(command).map(|it| format!("`{name}` {it}")));
        // What a tool printed belongs to the person who ran it, so it is left as it is; everything else is ours.
        let is_ours = !name.starts_with("run ");
        let texts = [is_ours.then(|| command.said()), Some(command.complained())];
        let raw = texts.iter().flatten().find_map(|it| raw_character(it));
        reasons.extend(raw.map(|it| format!("`{name}` lets U+{:04X} through", u32::from(it))));
        if command.said().contains(SECRET) || command.complained().contains(SECRET) {
            reasons.push(format!("`{name}` shows a secret of our environment"));
        }
    }
    let expected = expected(&meeting.mode, meeting.transport);
    reasons.extend(neighbour(meeting));
    reasons.extend(listing(meeting, &expected));
    reasons.extend(calling(meeting, &expected));
    reasons.extend(bounds(meeting, &expected, base));
    reasons
}

fn alive(command: &Watched) -> Option<String> {
    match command.status {
        None => Some("did not end in time".to_owned()),
        Some(status) if status.code().is_none() || command.complained().contains("panicked at") => {
            Some(format!("broke down: {status}"))
        }
        Some(_) => None,
    }
}

/// The first character that steers a terminal or hides itself.
pub(super) fn raw_character(text: &str) -> Option<char> {
    text.chars().find(|it| {
        let is_control = it.is_control() && !['\n', '\t'].contains(it);
        let is_bidi = matches!(it, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
        let is_hidden = matches!(it, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{e0000}'..='\u{e007f}');
        is_control || is_bidi || is_hidden
    })
}

fn neighbour(meeting: &Meeting) -> Option<String> {
    if !meeting.tools_of("honest").iter().any(|it| it == "echo") {
        return Some("the honest server's tools are missing".to_owned());
    }
    let answers = meeting.honest.code() == Some(0) && meeting.honest.said().contains("hi");
    (!answers).then(|| format!("the honest server's tool does not answer: {}", meeting.honest.complained()))
}

fn listing(meeting: &Meeting, expected: &Expected) -> Option<String> {
    let tools = meeting.tools_of("hostile");
    match expected.listing {
        Listing::Finds(name) if !tools.iter().any(|it| it == name) => {
            Some(format!("`{name}` is missing: {}", meeting.said_of_hostile("error")))
        }
        Listing::Fails if !tools.is_empty() => Some(format!("{} tools out of nothing", tools.len())),
        Listing::Fails if meeting.said_of_hostile("status") != "failed" => {
            Some(format!("its status is {}", meeting.said_of_hostile("status")))
        }
        Listing::Fails if !matches!(meeting.said_of_hostile("error"), Value::String(it) if !it.is_empty()) => {
            Some("nothing says why it failed".to_owned())
        }
        Listing::Fails if meeting.refresh.code() != Some(3) => {
            Some(format!("`server refresh` ends with {:?}, not 3", meeting.refresh.code()))
        }
        _ => None,
    }
}

fn calling(meeting: &Meeting, expected: &Expected) -> Option<String> {
    let call = &meeting.hostile;
    let answers = call.code() == Some(0) && call.said().contains("hi");
    match expected.calling {
        Calling::Answers if !answers => Some(format!("the call does not answer: {}", call.complained())),
        Calling::Fails if call.code() == Some(0) => Some("the call is said to have worked".to_owned()),
        _ => None,
    }
}

fn bounds(meeting: &Meeting, expected: &Expected, base: u64) -> Vec<String> {
    let mut broken = Vec::new();
    let mut bound = |is_broken: bool, reason: String| is_broken.then(|| broken.push(reason));
    let above = meeting.peak().saturating_sub(base);
    bound(above > ROOM, format!("{} MB more than with an honest server", above >> 20));
    bound(meeting.transport == Transport::Stdio && meeting.starts > STARTS, format!("{} starts", meeting.starts));
    bound(meeting.lists > expected.lists, format!("{} lists", meeting.lists));
    bound(meeting.survivors > 0, format!("{} processes survive", meeting.survivors));
    // A server may connect to it by itself; that is its own business, and one mode's purpose.
    let own = usize::from(meeting.mode == "fs_probe") * meeting.starts;
    bound(meeting.canary_hits > own, format!("{} connections to where none should go", meeting.canary_hits));
    broken
}
