//! Several processes write into one journal.

use super::{World, journal, pending, record};
use crate::journal::JournalQuery;
use crate::tests::{CHILD, again, child, myself};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};

const EACH: u64 = 200;

/// Pushes and flushes now and then, as several `serve` processes would.
fn work(state: &Path) {
    let journal = journal(state);
    journal.start();
    let process = u64::from(std::process::id());
    for at in 0..EACH {
        let body = format!(r#"{{"by":{process},"at":{at}}}"#);
        let build = move || crate::journal::JournalRecord { body, ..record(at) };
        journal.push(Box::new(build), None);
        if at.is_multiple_of(20) {
            journal.flush();
        }
    }
}

#[test]
fn ten_processes_write_one_chain_and_lose_nothing() {
    if let Some(state) = child() {
        return work(&state);
    }
    let world = World::new();
    let test = "journal::tests::processes::ten_processes_write_one_chain_and_lose_nothing";
    let children: Vec<_> =
        (0..10).map(|_| again(&myself(), test, world.state()).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(world.breaks(), [] as [String; 0]);
    let verdict = world.verify();
    assert_eq!((verdict.records, verdict.last), (10 * EACH, Some(10 * EACH)));
    let mut by: BTreeMap<String, u64> = BTreeMap::new();
    for line in world.newest(JournalQuery::default(), usize::MAX) {
        let process = line
            .text
            .split(r#""by":"#)
            .nth(1)
            .and_then(|part| part.split(',').next())
            .unwrap()
            .to_owned();
        *by.entry(process).or_default() += 1;
    }
    assert_eq!(by.into_values().collect::<Vec<_>>(), [EACH; 10]);
}

/// Writes records and acknowledges each, forever.
fn acknowledge(state: &Path) -> ! {
    let journal = journal(state);
    let mut out = std::io::stdout();
    for at in 0.. {
        journal.push(pending(at), None);
        journal.flush();
        writeln!(out, "written {at}").unwrap();
    }
    unreachable!("the parent kills this process first")
}

fn start(test: &str, state: &Path) -> Child {
    again(&myself(), test, state).env(CHILD, state).stdout(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_process_that_is_killed_loses_nothing_that_was_flushed() {
    if let Some(state) = child() {
        acknowledge(&state);
    }
    let world = World::new();
    let test = "journal::tests::processes::a_process_that_is_killed_loses_nothing_that_was_flushed";
    let mut acknowledged = 0;
    for round in 0..6 {
        let mut child = start(test, world.state());
        let out = BufReader::new(child.stdout.take().unwrap());
        // The child is killed at another moment in each round.
        let enough = 20 + round * 7;
        acknowledged += out
            .lines()
            .map_while(Result::ok)
            .filter(|line| line.starts_with("written "))
            .take(enough)
            .count();
        child.kill().unwrap();
        child.wait().unwrap();
    }
    world.write([1]);
    assert_eq!(world.breaks(), [] as [String; 0]);
    let verdict = world.verify();
    assert!(verdict.records > acknowledged as u64, "{} of {acknowledged}", verdict.records);
}

/// Begins three pieces of work, ends one, and is killed.
#[test]
fn work_of_a_killed_process_gets_a_record_once() {
    if let Some(state) = child() {
        let journal = journal(&state);
        let [one, two, three] = [1, 2, 3].map(|number| {
            let body = format!(r#"{{"work":{number}}}"#);
            journal.begin(record(number).at, &body).unwrap()
        });
        journal.push(pending(2), Some(two));
        journal.flush();
        writeln!(std::io::stdout(), "written").unwrap();
        std::thread::park();
        drop((one, three));
    }
    let world = World::new();
    let test = "journal::tests::processes::work_of_a_killed_process_gets_a_record_once";
    let mut child = start(test, world.state());
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(out.any(|line| line == "written"));
    world.write([4]);
    assert_eq!(works(&world), [] as [String; 0], "the process is alive");
    child.kill().unwrap();
    child.wait().unwrap();
    world.write([5]);
    assert_eq!(works(&world), ["1", "3"]);
    world.write([6]);
    assert_eq!(works(&world), ["1", "3"], "once");
    assert_eq!(world.breaks(), [] as [String; 0]);
}

/// The pieces of work that were recorded, oldest first.
fn works(world: &World) -> Vec<String> {
    let query = JournalQuery { kinds: &["call"], ..JournalQuery::default() };
    let lines = world.newest(query, usize::MAX).into_iter().rev();
    let work = |text: &str| Some(text.split_once(r#""work":"#)?.1.split(',').next()?.to_owned());
    lines.filter_map(|line| work(&line.text)).collect()
}
