//! Proves that
//! 1. the output of the suite is parsed correctly,
//! 2. an unexpected failure is a fault, and so is an expected failure that passes,
//! 3. a scenario that passes only directly is a fault,
//! 4. the product passes the suite, if it is installed.

use super::comparison::{self, Comparison};
use super::expected::ExpectedFailures;
use super::leg::{Leg, LegOutcome, LegRole};
use super::options::{self, Options};
use super::outcome::{self, Complaint, ScenarioOutcome};
use super::programs::ConformancePrograms;
use super::suite::Suite;
use super::world::Upstream;
use std::fs;

const CLIENT: Leg = Leg { role: LegRole::Client, revision: "2026-07-28" };
const SERVER: Leg = Leg { role: LegRole::Server(Upstream::Legacy), revision: "2026-07-28" };

fn outcome(scenario: &str, checks: &[&str]) -> ScenarioOutcome {
    let complaint = |text: &&str| Complaint { check: (*text).to_owned(), what: "no".to_owned() };
    let complaints = checks.iter().map(complaint).collect();
    ScenarioOutcome { scenario: scenario.to_owned(), passed: 1, failed: checks.len(), complaints }
}

#[test]
fn the_summary_and_the_checks_of_a_run_are_read_together() {
    let folder = tempfile::tempdir().unwrap();
    let write = |place: &str, text: &str| {
        fs::create_dir_all(folder.path().join(place)).unwrap();
        fs::write(folder.path().join(place).join("checks.json"), text).unwrap();
    };
    write(
        "auth/basic-2026-11-16T04-05",
        r#"[{"id":"a","status":"SUCCESS"},{"id":"b","status":"WARNING","description":"d"}]"#,
    );
    write(
        "auth/basic-more-2026-11-16T04-05",
        r#"[{"id":"c","status":"FAILURE","errorMessage":"e"}]"#,
    );
    let output = "noise\n✓ auth/basic: 2 passed, 0 failed, 1 warnings\n✗ auth/basic-more: 0 passed, 1 failed\n\
                ✗ gone: 0 passed, 1 failed\n  ✗ gone (extension)\nTotal: 2 passed\n";
    let read = outcome::read(output, folder.path()).unwrap();
    let seen = read.iter().map(|item| {
        (item.scenario.as_str(), item.passed, item.failed, item.complaints[0].what.as_str())
    });
    let expected =
        [("auth/basic", 2, 0, "d"), ("auth/basic-more", 0, 1, "e"), ("gone", 0, 1, "it broke off")];
    assert_eq!(seen.collect::<Vec<_>>(), expected);
    assert!(read[2].broke_off() && !read[1].broke_off());
    assert!(outcome::read("nothing", folder.path()).is_err());
}

#[test]
fn only_what_is_expected_may_fail_and_it_must() {
    let text = "client:\n  # whole\n  - a\n\n  # one of it\n  - b:x\n  # now and then\n  - e:y?\nserver behind legacy:\n  # there only\n  - c\n";
    let expected = ExpectedFailures::parse(text).unwrap();
    let faults = |leg, outcomes: &[ScenarioOutcome]| expected.judge(leg, outcomes).len();
    assert_eq!(
        faults(&CLIENT, &[outcome("a", &["y"]), outcome("b", &["x"]), outcome("d", &[])]),
        0
    );
    assert_eq!(
        faults(&CLIENT, &[outcome("b", &["x", "y"])]),
        1,
        "a check that was not expected to fail"
    );
    assert_eq!(faults(&CLIENT, &[outcome("a", &[])]), 1, "an expected failure that passes");
    assert_eq!(
        (faults(&CLIENT, &[outcome("c", &["x"])]), faults(&SERVER, &[outcome("c", &["x"])])),
        (1, 0)
    );
    assert_eq!(
        faults(&CLIENT, &[outcome("e", &["y"])]) + faults(&CLIENT, &[outcome("e", &[])]),
        0,
        "either way"
    );
    assert!(ExpectedFailures::parse("client:\n  - a\n").is_err(), "an entry without a reason");
    ExpectedFailures::read().unwrap();
}

#[test]
fn what_passes_directly_must_pass_through_toolscout() {
    let leg = Leg { role: LegRole::Server(Upstream::Dual), revision: "2025-11-25" };
    let silent = ScenarioOutcome { passed: 0, ..outcome("c", &[]) };
    let direct = vec![outcome("a", &[]), outcome("b", &["x"]), outcome("c", &[])];
    let through = vec![outcome("a", &["x"]), outcome("b", &["x"]), silent];
    let ran = LegOutcome { direct, through };
    let faults = comparison::faults(&leg, &ran);
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[0].contains(": a: ") && faults[1].contains(": c: "), "{faults:?}");
    let mut comparison = Comparison::default();
    comparison.add(&leg, &ran);
    let table = comparison.table().expect("a table");
    let expected = "| scenario | 2025-11-25, direct | 2025-11-25, through toolscout |\n\
                    |---|---:|---:|\n| a | 1 | 1 / 1 |\n| b | 1 / 1 | 1 / 1 |\n| c | 1 | 0 |";
    assert_eq!(table, expected);
}

#[test]
fn one_side_and_one_revision_can_be_wanted() {
    let legs = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Options::parse(&words).map(|option| option.legs.len()).ok()
    };
    assert_eq!((legs(&[]), legs(&["server"]), legs(&["client"])), (Some(8), Some(6), Some(2)));
    assert_eq!(
        (legs(&["client", "--revision", "2025-11-25"]), legs(&["--revision", "1999"])),
        (Some(1), None)
    );
    assert_eq!((legs(&["both"]), legs(&["--revision"])), (None, None));
}

#[test]
fn the_product_passes_the_official_suite() {
    let must = crate::repo::requires_all_programs();
    let (suite, programs) = match (Suite::find(), programs()) {
        (Ok(suite), Some(programs)) => (suite, programs),
        (suite, programs) => {
            assert!(!must, "{:?}, and programs: {}", suite.err(), programs.is_some());
            eprintln!(
                "skipped: needs the conformance suite, and `cargo build -p toolscout --bins --examples`"
            );
            return;
        }
    };
    let _alone = crate::repo::CAMPAIGN.lock();
    let faults = super::hold(&suite, &programs, &options::all()).unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The programs that `cargo test --workspace` has built.
fn programs() -> Option<ConformancePrograms> {
    let ours = std::env::current_exe().unwrap();
    let folder = ours.ancestors().nth(2).unwrap();
    let [toolscout, reference, client] =
        ["toolscout", "examples/hostile_server", "examples/conformance_client"]
            .map(|value| folder.join(value));
    let are_there = [&toolscout, &reference, &client].iter().all(|item| item.is_file());
    are_there.then_some(ConformancePrograms { toolscout, reference, client })
}
