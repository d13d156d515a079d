//! Builds the model file, checks it against a plain implementation, and measures it; `cargo xtask
//! model` and `bench` run this.
//!
//! `make DIRECTORY FILE` · `check DIRECTORY < texts` · `time ROUNDS` · `first`

#![expect(clippy::print_stdout, reason = "a command-line program prints its results")]

mod plain;
mod time;

use plain::Plain;
use std::error::Error;
use std::io::{self, BufRead};
use std::path::Path;
use toolscout_encoder::MiniLm;

/// Minimum cosine similarity of a vector to that of 32-bit arithmetic.
const GOAL: f32 = 0.99;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["make", directory, file] => {
            let model = MiniLm::open(Path::new(directory))?;
            model.save(Path::new(file))?;
            println!("{}", model.id());
            Ok(())
        }
        ["check", directory] => check(Path::new(directory)),
        ["time", rounds] => time::run(rounds.parse()?),
        ["first"] => time::first(),
        _ => Err("say make, check, time or first".into()),
    }
}

/// Compares the vectors of these texts with those of a plain implementation in 32-bit arithmetic.
fn check(directory: &Path) -> Result<(), Box<dyn Error>> {
    let model = MiniLm::built_in()?;
    model.verify()?;
    let plain = Plain::open(directory)?;
    let texts: Vec<String> = io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let mut nearness: Vec<(f32, &str)> = Vec::new();
    for text in &texts {
        let expected = plain.encode(&model.tokens(text))?;
        nearness.push((plain::cosine(&expected, &model.encode(text)), text));
    }
    nearness.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mean = nearness.iter().map(|nearness| f64::from(nearness.0)).sum::<f64>()
        / nearness.len().max(1) as f64;
    println!("texts {}", texts.len());
    println!("mean {mean:.5}");
    for (cosine, text) in nearness.iter().take(3) {
        println!("lowest {cosine:.5} {text}");
    }
    // A text of one rare word may be below the goal, as long as few are.
    let far = nearness.iter().filter(|nearness| nearness.0 < GOAL).count();
    println!("below {GOAL}: {far}");
    if far * 100 > texts.len() { Err("too many are too far off".into()) } else { Ok(()) }
}
