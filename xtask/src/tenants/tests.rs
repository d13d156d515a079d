//! Proves that
//! 1. two thousand calls of eight tenants leak no data of another tenant,
//! 2. a server that confuses two tenants is detected, in every task,
//! 3. canaries are found anywhere in a text.

use super::task::TenantTask;
use super::{TenantPlan, canary, visit};
use crate::repo;
use std::path::PathBuf;

const SHORT: TenantPlan = TenantPlan { tenants: 8, sessions: 40, calls: 2_000, is_debug: true };

/// The program that `cargo test --workspace` has built; without it, the test is skipped.
fn toolscout() -> Option<PathBuf> {
    let ours = std::env::current_exe().unwrap();
    let program = ours.ancestors().nth(2).unwrap().join("toolscout");
    if !program.is_file() {
        assert!(!repo::requires_all_programs(), "there is no {}", program.display());
        eprintln!("skipped: needs `cargo build -p toolscout`");
    }
    program.is_file().then_some(program)
}

/// P-02, T28, T30, T32: the short form of the campaign.
#[test]
fn nobody_sees_what_is_anothers() {
    let Some(toolscout) = toolscout() else { return };
    let tally = visit(&toolscout, &SHORT, |tenant| tenant).unwrap();
    assert_eq!(tally.faults(), 0, "{}", tally.markdown());
    assert_eq!(tally.calls(), SHORT.calls);
}

/// Simulates a server that omits the tenant from a key, and so returns the data of another. Here
/// tenants really use the identity of their neighbours and receive their data; every such response
/// must be detected.
#[test]
fn a_server_that_takes_one_tenant_for_another_is_noticed() {
    let Some(toolscout) = toolscout() else { return };
    let plan = TenantPlan { calls: 400, ..SHORT };
    let tally = visit(&toolscout, &plan, |tenant| tenant ^ 1).unwrap();
    assert!(tally.foreign() > plan.calls / 2, "{}", tally.markdown());
}

#[test]
fn canaries_are_found_wherever_they_stand() {
    let (one, other) = (canary::of(1), canary::of(63));
    assert!(canary::all("nothing, canary, canaries").is_empty());
    let text = format!("\"{one}\\n{one}\" Bearer secret-of-{other}, {one}.");
    assert_eq!(canary::all(&text), [one, other]);
    let all: std::collections::HashSet<_> = (0..1_000).map(canary::of).collect();
    assert_eq!(all.len(), 1_000);
}

#[test]
fn every_task_has_its_turn() {
    let turns: Vec<_> = (0..400).map(TenantTask::of_turn).collect();
    assert!(TenantTask::ALL.iter().all(|item| turns.contains(item)));
}

#[test]
fn the_plan_is_what_the_words_say() {
    let plan = |words: &[&str]| {
        TenantPlan::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(
        plan(&[]).unwrap(),
        TenantPlan { tenants: 64, sessions: 1_000, calls: 100_000, is_debug: false }
    );
    assert_eq!(plan(&["--calls", "9", "--debug"]).unwrap().calls, 9);
    for wrong in [&["--calls"][..], &["--calls", "x"], &["--calls", "0"], &["calls"]] {
        assert!(plan(wrong).is_err(), "{wrong:?}");
    }
}
