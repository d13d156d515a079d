//! Proves that
//! 1. ten crashes lose nothing, damage nothing and leave no process behind,
//! 2. every kind of fault is found, and a crash without one is not reported,
//! 3. a damaged store and a surviving process are detected,
//! 4. the same seed makes the same choices.

use super::aftermath::compare;
use super::operation::{CrashCommand, KINDS};
use super::place::{CommandResult, CrashProject};
use super::shadow::{ExpectedChange, Shadow};
use super::table::CrashTally;
use super::victim::Victim;
use super::world::{CrashWorld, CrashWorldSize};
use super::{CrashFinding, CrashFindingKind, CrashPlan, remains, ruin, sound};
use crate::hostile::build::beside_us;
use crate::random::SplitMix64;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::time::Duration;

const SMALL: CrashWorldSize = CrashWorldSize { tools: 50, patience_ms: 100 };

/// D-24: killed while it saves, toolscout leaves the old file or the new one, never a part; and an
/// acknowledged change is in effect.
#[test]
fn ten_crashes_lose_nothing() {
    let Some(programs) = beside_us() else { return };
    let _alone = crate::repo::CAMPAIGN.lock();
    let plan = CrashPlan { seed: 24, rounds: 10, is_debug: true };
    let tally = ruin(&programs, &plan, &SMALL).unwrap();
    assert_eq!(tally.faults(), 0, "\n{}", tally.markdown());
    assert!(tally.midway() > 0, "nothing was killed midway\n{}", tally.markdown());
}

#[test]
fn a_damaged_store_is_found() {
    let Some(programs) = beside_us() else { return };
    let world = CrashWorld::new(&programs, &SMALL).unwrap();
    assert_eq!(sound::check(&world.real).unwrap(), None);
    for name in ["state.db", "trust.db"] {
        let file =
            fs::File::options().read(true).write(true).open(world.twin.state().join(name)).unwrap();
        let middle = file.metadata().unwrap().len() / 2;
        let mut whole = vec![0; 20_000];
        let count = file.read_at(&mut whole, middle).unwrap();
        file.write_all_at(&vec![0xA5; count], middle).unwrap();
        let found = sound::check(&world.twin).unwrap().unwrap();
        assert!(found.contains(name), "{found}");
        file.write_all_at(&whole[..count], middle).unwrap();
        assert_eq!(sound::check(&world.twin).unwrap(), None);
    }
}

#[test]
fn a_process_that_stays_is_found() {
    let mark = format!("stays-{}", std::process::id());
    let mut child = Command::new("sh");
    child.args(["-c", "echo here; read line", &mark]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = child.spawn().unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0; 5]).unwrap();
    let ours = remains::children(std::process::id());
    assert_eq!(remains::left(&[&mark], &[], Duration::ZERO).len(), 1);
    assert_eq!(remains::left(&[&mark[1..]], &[], Duration::ZERO).len(), 0);
    assert!(!remains::left(&[], &ours, Duration::ZERO).is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(remains::left(&[&mark], &[], Duration::ZERO).len(), 0);
}

fn disable() -> CrashCommand {
    CrashCommand {
        words: Vec::new(),
        code: 0,
        acknowledges: " is now ",
        change: ExpectedChange::Config,
        is_first: false,
        beside: None,
    }
}

fn victim(code: Option<i32>, out: &str, err: &str) -> Victim {
    let ended = CommandResult { code, out: out.to_owned(), err: err.to_owned() };
    Victim {
        ended,
        is_midway: code.is_none(),
        took: Duration::ZERO,
        signs: 0,
        children: Vec::new(),
    }
}

fn shadow(config: &str) -> Shadow {
    let tools = BTreeMap::from([("calm".to_owned(), 6)]);
    Shadow { tools, held: BTreeSet::from(["wary/echo".to_owned()]), ..Shadow::of_config(config) }
}

const OLD: &str = "[servers.calm]\ncommand = 'x'\n";
const NEW: &str = "[servers.calm]\ncommand = 'x'\nenabled = true\n";

/// The findings after a command that should change the old file to the new one.
fn found(victim: &Victim, after: &Shadow) -> Vec<CrashFindingKind> {
    compare(&disable(), victim, [&shadow(OLD), &shadow(NEW), after])
        .iter()
        .map(|compare| compare.sort)
        .collect()
}

#[test]
fn old_or_new_is_right_and_nothing_in_between() {
    let midway = victim(None, "", "");
    assert_eq!(found(&midway, &shadow(OLD)), []);
    assert_eq!(found(&midway, &shadow(NEW)), []);
    assert_eq!(
        found(&midway, &shadow("[servers.calm]\ncommand = 'x'\nena")),
        [CrashFindingKind::Corrupt]
    );
    let released = Shadow { held: BTreeSet::new(), ..shadow(OLD) };
    assert_eq!(found(&midway, &released), [CrashFindingKind::Corrupt]);
}

#[test]
fn what_was_acknowledged_must_be_there() {
    for acknowledged in [victim(Some(0), "", ""), victim(None, "", "calm is now enabled\n")] {
        assert_eq!(found(&acknowledged, &shadow(OLD)), [CrashFindingKind::Lost]);
        assert_eq!(found(&acknowledged, &shadow(NEW)), []);
    }
    let forgetful = Shadow { tools: BTreeMap::new(), ..shadow(OLD) };
    assert_eq!(found(&victim(None, "", ""), &forgetful), [CrashFindingKind::Lost]);
    let counted = victim(None, "calm: 7 tools (0.1 s)\nstuck: failed: timeout\n", "");
    assert_eq!(counted.counted(), [("calm".to_owned(), 7)]);
    assert_eq!(found(&counted, &shadow(OLD)), [CrashFindingKind::Lost]);
}

#[test]
fn a_command_that_fails_by_itself_is_found() {
    assert_eq!(found(&victim(Some(5), "", "error: no"), &shadow(OLD)), [CrashFindingKind::Stuck]);
}

#[test]
fn litter_is_what_nobody_has_put_there() {
    let top = tempfile::tempdir().unwrap();
    let place = CrashProject::new(top.path().join("place"), "toolscout".as_ref(), OLD).unwrap();
    fs::write(place.project().join("toolscout.lock"), "").unwrap();
    assert!(place.litter().unwrap().is_empty());
    fs::write(place.project().join(".toolscout.toml.toolscout-1-0"), "").unwrap();
    assert_eq!(place.litter().unwrap().len(), 1);
}

#[test]
fn the_same_seed_makes_the_same_choices() {
    let choices = |seed, round| {
        let mut chance = SplitMix64::of_round(seed, round);
        (0..5).map(|_| chance.below(1_000)).collect::<Vec<_>>()
    };
    assert_eq!(choices(7, 3), choices(7, 3));
    assert_ne!(choices(7, 3), choices(7, 4));
    assert_ne!(choices(7, 3), choices(8, 3));
    let longest = Duration::from_millis(80);
    assert!((0..100).all(|index| SplitMix64::of_round(7, index).within(longest) <= longest));
}

#[test]
fn options_are_read() {
    let parse = |words: &[&str]| {
        CrashPlan::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    };
    let plan = parse(&["--rounds", "3", "--seed", "9"]).unwrap();
    assert_eq!((plan.rounds, plan.seed), (3, 9));
    assert_eq!(parse(&[]).unwrap().rounds, 200);
    assert!(
        parse(&["--rounds", "many"]).is_err()
            && parse(&["--rounds"]).is_err()
            && parse(&["all"]).is_err()
    );
}

#[test]
fn the_table_counts_each_sort_of_fault() {
    let mut tally = CrashTally::default();
    let lock = KINDS.iter().find(|kind| kind.name == "lock").unwrap();
    tally.add(lock, true, &[]);
    tally.add(lock, false, &[CrashFinding::new(CrashFindingKind::Lost, "gone")]);
    tally.litter = 1;
    let table = "\
| operation | kills | killed midway | surviving processes | lost changes | corrupt | stuck | verdict |
|---|---:|---:|---:|---:|---:|---:|---|
| `lock` | 2 | 1 | 0 | 1 | 0 | 0 | **fail** |
| all | 2 | 1 | 0 | 1 | 0 | 0 | **fail** |

1 temporary files left behind, 0 of them permanently.
";
    assert_eq!(tally.markdown(), table);
    assert_eq!((tally.faults(), tally.turns(lock)), (1, 2));
}
