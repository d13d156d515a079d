//! Fuzzes the parsers of untrusted input; see docs/measurements/fuzzing.md.
//!
//! The targets are in `fuzz/`, a workspace of its own. They are built with the coverage
//! instrumentation of LLVM, which stable Rust accepts as a pass, and run by libFuzzer. Sanitizers
//! would need a nightly toolchain; our crates deny unsafe code.

use crate::repo;
use anyhow::{Context, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The largest input in bytes.
const MAX_INPUT: usize = 4096;
/// The time limit of one input, in seconds. A slower one is a finding.
const INPUT_TIMEOUT: u64 = 10;
/// Every edge is counted, and comparisons of integers guide the choice of inputs.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// The parameters of a campaign.
struct FuzzPlan {
    targets: Vec<String>,
    /// The time for each target.
    seconds: u64,
    /// Whether the corpora are replaced by the smallest set of inputs with the same coverage.
    minimizes: bool,
}

/// Arguments are names of targets, `--seconds N` for each of them, and `--minimize`.
pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let plan = FuzzPlan::parse(words, all_targets()?)?;
    let programs = build()?;
    println!("| target | executions | per second | coverage | inputs | findings |");
    println!("|---|---:|---:|---:|---:|---:|");
    let mut findings = 0;
    for target in &plan.targets {
        let campaign = Campaign::new(target, &programs)?;
        if plan.minimizes {
            campaign.minimize()?;
        } else {
            findings += campaign.fuzz(plan.seconds)?;
        }
    }
    ensure!(findings == 0, "{findings} findings; the inputs are in target/fuzz/artifacts");
    Ok(())
}

/// The names of the programs in `fuzz/src/bin`.
fn all_targets() -> anyhow::Result<Vec<String>> {
    let files = repo::files(&folder().join("src/bin"))?;
    let names = files.iter().filter_map(|file| file.file_stem()?.to_str());
    Ok(names.map(str::to_owned).collect())
}

fn folder() -> PathBuf {
    repo::root().join("fuzz")
}

fn output() -> PathBuf {
    repo::root().join("target/fuzz")
}

/// Builds all targets; returns the folder of the programs.
fn build() -> anyhow::Result<PathBuf> {
    let host = repo::host()?;
    let mut cargo = repo::cargo();
    cargo.args(["build", "--release", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
    // With a target, build scripts and macros are not instrumented.
    cargo.args(["--target-dir", "target/fuzz", "--target", &host]).env("RUSTFLAGS", FLAGS);
    repo::succeed(&mut cargo)?;
    Ok(output().join(host).join("release"))
}

/// One target with its folders.
struct Campaign<'a> {
    target: &'a str,
    program: PathBuf,
    /// The inputs that found something new; in the repository.
    corpus: PathBuf,
    /// The inputs that a campaign starts from; in the repository.
    seeds: PathBuf,
    /// The inputs of a running campaign.
    found: PathBuf,
    /// Failing inputs.
    artifacts: PathBuf,
}

impl<'a> Campaign<'a> {
    fn new(target: &'a str, programs: &Path) -> anyhow::Result<Self> {
        let campaign = Self {
            target,
            program: programs.join(target),
            corpus: folder().join("corpus").join(target),
            seeds: folder().join("seeds").join(target),
            found: output().join("found").join(target),
            artifacts: output().join("artifacts").join(target),
        };
        for folder in [&campaign.corpus, &campaign.found, &campaign.artifacts] {
            fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
        }
        Ok(campaign)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args([format!("-max_len={MAX_INPUT}"), format!("-timeout={INPUT_TIMEOUT}")]);
        command.arg(format!("-artifact_prefix={}/", self.artifacts.display()));
        command.arg("-print_final_stats=1").stdin(Stdio::null());
        command
    }

    /// Fuzzes the target, and prints a row of the table; returns the number of findings.
    fn fuzz(&self, seconds: u64) -> anyhow::Result<usize> {
        let mut command = self.command();
        command.args([format!("-max_total_time={seconds}"), "-reload=0".to_owned()]);
        // Leaks are found by a sanitizer only.
        command.arg("-detect_leaks=0").args([&self.found, &self.corpus, &self.seeds]);
        let started = Instant::now();
        let ended = command.output().with_context(|| format!("start {}", self.target))?;
        let log = String::from_utf8_lossy(&ended.stderr);
        let executions = statistic(&log, "stat::number_of_executed_units:").unwrap_or(0);
        let rate = executions / started.elapsed().max(Duration::from_secs(1)).as_secs();
        let coverage = log.lines().rev().find_map(|line| number_after(line, " cov: "));
        let inputs = fs::read_dir(&self.found)?.count();
        let findings = fs::read_dir(&self.artifacts)?.count();
        let (target, coverage) = (self.target, coverage.unwrap_or(0));
        println!("| `{target}` | {executions} | {rate} | {coverage} | {inputs} | {findings} |");
        if !ended.status.success() {
            let lines: Vec<_> = log.lines().rev().take(30).collect();
            eprintln!("{}", lines.into_iter().rev().collect::<Vec<_>>().join("\n"));
        }
        Ok(findings)
    }

    /// Replaces the corpus by few inputs with the coverage of everything found.
    fn minimize(&self) -> anyhow::Result<()> {
        let old = output().join("old").join(self.target);
        let _ = fs::remove_dir_all(&old);
        fs::create_dir_all(old.parent().unwrap_or(Path::new(".")))?;
        fs::rename(&self.corpus, &old).context("move the old corpus")?;
        fs::create_dir_all(&self.corpus)?;
        let mut command = self.command();
        command.arg("-set_cover_merge=1").args([&self.corpus, &self.seeds, &old, &self.found]);
        let ended = command.stderr(Stdio::null()).status()?;
        ensure!(ended.success(), "the corpus of `{}` cannot be minimized", self.target);
        println!("{}: {} inputs", self.target, fs::read_dir(&self.corpus)?.count());
        Ok(())
    }
}

/// The number in the last line that starts with this name.
fn statistic(log: &str, name: &str) -> Option<u64> {
    log.lines().rev().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

fn number_after(line: &str, label: &str) -> Option<u64> {
    line.split_once(label)?.1.split(' ').next()?.parse().ok()
}

impl FuzzPlan {
    fn parse(words: &[String], all: Vec<String>) -> anyhow::Result<Self> {
        let mut plan = Self { targets: Vec::new(), seconds: 60, minimizes: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--minimize" => plan.minimizes = true,
                "--seconds" => {
                    let number = words.next().context("`--seconds` needs a number")?;
                    plan.seconds = number.parse().context("`--seconds` needs a number")?;
                }
                target if all.iter().any(|item| item == target) => {
                    plan.targets.push(target.to_owned());
                }
                other => bail!("`{other}` is not a target; use one of {}", all.join(", ")),
            }
        }
        if plan.targets.is_empty() {
            plan.targets = all;
        }
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::{all_targets, folder};
    use std::fs;

    #[test]
    fn every_fuzz_target_has_seeds_and_a_row() {
        let page = fs::read_to_string(crate::repo::root().join("docs/measurements/fuzzing.md"));
        let page = page.unwrap();
        for target in all_targets().unwrap() {
            let seeds = fs::read_dir(folder().join("seeds").join(&target)).unwrap();
            assert!(seeds.count() > 0, "{target}");
            assert!(page.contains(&format!("| `{target}` |")), "{target}");
        }
    }
}
