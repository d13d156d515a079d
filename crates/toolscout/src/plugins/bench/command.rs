//! `bench retrieval`: measures how well search finds the right tool, on the built-in query set or
//! another.

use super::learn::{Split, split};
use super::measure::{Measured, measure};
use super::ranking::How;
use super::report::{Circumstances, report};
use super::run_file::{self, Ranked};
use super::score::Scores;
use super::set::{Set, SetQuery};
use crate::{AppError, Command, RunCx};
use toolscout_core::BoxFuture;
use toolscout_index::RankingProfile;
use toolscout_surface::cli::{CommandSpec, OptionSpec, Parsed};
use toolscout_surface::codes::Exit;
use toolscout_surface::output::Format;

pub(super) struct RetrievalCommand;

impl Command for RetrievalCommand {
    fn spec(&self) -> CommandSpec {
        let profiles = RankingProfile::ALL.iter().map(ToString::to_string);
        CommandSpec::new("bench retrieval", "Measure how well search finds the right tool")
            .option(OptionSpec::text("data", "Read tools and queries from this folder").value("DIR"))
            .option(OptionSpec::text("run", "Write the ranked tools of each query to this file").value("FILE"))
            .option(
                OptionSpec::text("profile", "Ranking profile")
                    .value("PROFILE")
                    .choices(profiles)
                    .default(RankingProfile::default().to_string()),
            )
            .option(OptionSpec::switch("lexical", "Search by keywords only, without embeddings"))
            .option(
                OptionSpec::number("learn", "Learn from this share of each tool's queries, and measure the rest")
                    .value("FRACTION"),
            )
            .option(OptionSpec::help("Show this help"))
            .note("The folder contains `tools.jsonl` and `queries.jsonl`, each optionally with `.gz`. Your own tools are not used.")
            .example("toolscout bench retrieval")
            .example("toolscout bench retrieval --data sets/mine --lexical --run ranked.jsonl")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let cwd = cx.environment().cwd();
            let mut set = match cx.parsed.text("data") {
                Some(folder) => Set::read(&cwd.join(folder))?,
                None => Set::built_in()?,
            };
            set.notes.iter().for_each(|note| cx.say(&format!("note: {note}\n")));
            let how = how(&cx.parsed);
            let _line = cx.environment().progress().start("bench retrieval");
            let Split { observed, asked } =
                split(std::mem::take(&mut set.queries), share(&cx.parsed)?);
            let measured = measure(&set, how, &observed, &asked);
            let run = ranked(&set, &measured, &asked);
            if let Some(file) = cx.parsed.text("run") {
                run_file::write(&cwd.join(file), &run)?;
            }
            let circumstances = Circumstances { set: &set, how, observed: observed.len() };
            cx.print_value(&report(&circumstances, &measured, &scores(&run, &asked)), format(cx))?;
            Ok(Exit::Done)
        })
    }
}

fn how(parsed: &Parsed) -> How {
    let profile = parsed.text("profile").and_then(|value| value.parse().ok()).unwrap_or_default();
    How { profile, lexical: parsed.switch("lexical") }
}

/// The share of queries to learn from; below 1, so that some are left to measure.
fn share(parsed: &Parsed) -> Result<f64, AppError> {
    let Some(text) = parsed.text("learn") else { return Ok(0.0) };
    let share = text.parse().ok().filter(|value| (0.0..1.0).contains(value));
    share.ok_or_else(|| {
        AppError::invalid(
            "`--learn` must be a number from 0 to less than 1",
            "`--learn 0.5` learns from half of the queries",
        )
    })
}

fn ranked<'a>(set: &'a Set, measured: &Measured, asked: &'a [SetQuery]) -> Vec<Ranked<'a>> {
    let id = |at: &usize| set.tools.get(*at).map(|tool| tool.id.as_str());
    let line = |(query, places): (&'a SetQuery, &Vec<usize>)| Ranked {
        id: &query.id,
        ranked: places.iter().filter_map(id).collect(),
    };
    asked.iter().zip(&measured.ranked).map(line).collect()
}

fn scores(run: &[Ranked<'_>], asked: &[SetQuery]) -> Vec<(Option<String>, Scores)> {
    let pairs = run.iter().zip(asked);
    pairs
        .map(|(run, query)| (query.kind.clone(), Scores::of(&run.ranked, &query.relevant)))
        .collect()
}

/// The output format. There is no text format, so that one becomes JSON.
fn format(cx: &RunCx) -> Format {
    match cx.options().format() {
        Format::Text => Format::Json,
        format => format,
    }
}
