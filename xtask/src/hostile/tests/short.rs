//! The short form of the campaign: two dozen quick modes, against the current build.

use crate::hostile::HostilePrograms;
use crate::hostile::build::beside_us;
use crate::hostile::meeting::Meeting;
use crate::hostile::terms::{MeetingTransport, TimeLimits};
use crate::hostile::verdict::reasons;
use parking_lot::Mutex;
use std::thread;
use std::time::Duration;

/// Servers get a second. A test build is slow, and the machine may be busy, so everything else gets
/// more.
const TERMS: TimeLimits = TimeLimits {
    patience: Duration::from_secs(1),
    reading: Duration::from_secs(10),
    reading_bombs: Duration::from_secs(10),
};

const STDIO: [&str; 17] = [
    "ansi",
    "cursor_same",
    "deep_json",
    "double_reply",
    "elicit_phish",
    "env_dump",
    "exit_mid_list",
    "exit_now",
    "hang_list",
    "hidden_unicode",
    "mixed_bad",
    "noise",
    "output_lie",
    "parent_probe",
    "path_names",
    "ref_remote",
    "validate_bomb",
];
const HTTP: [&str; 7] = [
    "ansi",
    "hang_list",
    "http_401_meta",
    "http_ctype",
    "http_redirect",
    "http_reset",
    "link_ssrf",
];

#[test]
fn two_dozen_hostile_servers_do_no_harm() {
    let Some(programs) = beside_us() else { return };
    let _alone = crate::repo::CAMPAIGN.lock();
    let base = meet(&programs, "honest", MeetingTransport::Stdio).peak();
    let stdio = STDIO.map(|stdio| (stdio, MeetingTransport::Stdio)).into_iter();
    let open = Mutex::new(stdio.chain(HTTP.map(|http| (http, MeetingTransport::Http))));
    let faults = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((mode, transport)) = { open.lock().next() } {
                    let meeting = meet(&programs, mode, transport);
                    let found = reasons(&meeting, base)
                        .into_iter()
                        .map(|reason| format!("{mode} over {transport}: {reason}"));
                    faults.lock().extend(found);
                }
            });
        }
    });
    let faults = faults.into_inner();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

fn meet(programs: &HostilePrograms, mode: &str, transport: MeetingTransport) -> Meeting {
    Meeting::of(programs, &programs.own_server(), mode, transport, &TERMS).unwrap()
}
