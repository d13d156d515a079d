//! Measures encoding: prints lines of a name and a number of microseconds, one for each run.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;
use toolscout_encoder::MiniLm;

/// Twelve tokens, including start and end.
const QUERY: &str = "post a note in the team channel about the release";
const TOOL: &str = "Searches the issues of a repository by words, labels, author and state, and gives back the newest first, each with \
    its title, number, author, labels and how many comments it has. Pages have at most one hundred issues; ask for the next one \
    with the cursor that came with the last. Closed issues are left out unless state says otherwise. Parameters: repository, words, \
    labels, author, state, sort order, page size, cursor, since when, whether to count reactions, and the language";
/// Tools that are encoded at once.
const TOOLS: usize = 64;

pub(crate) fn run(rounds: usize) -> Result<(), Box<dyn Error>> {
    let model = MiniLm::built_in()?;
    println!("pieces-of-query {}", model.tokens(QUERY).len());
    println!("pieces-of-tool {}", model.tokens(TOOL).len());
    println!("tools {TOOLS}");
    for _ in 0..rounds * 20 {
        timed("query", || drop(black_box(model.encode(QUERY))));
    }
    for threads in [1, 2] {
        for _ in 0..rounds.min(5) {
            timed(&format!("tools-{threads}"), || {
                drop(black_box(model.encode_all(&[TOOL; TOOLS], threads)))
            });
        }
    }
    Ok(())
}

/// The time to the first vector of a process, from its first line of code.
pub(crate) fn first() -> Result<(), Box<dyn Error>> {
    let since = Instant::now();
    let model = MiniLm::built_in()?;
    println!("load {}", since.elapsed().as_nanos() as f64 / 1e3);
    black_box(model.encode(QUERY));
    println!("first {}", since.elapsed().as_nanos() as f64 / 1e3);
    Ok(())
}

fn timed(name: &str, work: impl FnOnce()) {
    let since = Instant::now();
    work();
    println!("{name} {}", since.elapsed().as_nanos() as f64 / 1e3);
}
