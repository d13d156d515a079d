//! `search`: which tools fit a question.

mod forget;
mod learned;
mod learning;

pub(super) use forget::ForgetCommand;
pub(super) use learned::LearnedCommand;
pub(super) use learning::{Settle, no_learn, rule};

use crate::{AppError, Command, RunCx, Tools};
use toolscout_core::{BoxFuture, Diagnostic, DiagnosticKind, ErrorKind, SourceId, escape};
use toolscout_gateway::{CatalogView, Gateway, Query, RankingProfile, SearchRequest, SearchResponse};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::search::explain::{self, ExplainedView};
use toolscout_surface::ops::search::{self, HitView, notes};
use toolscout_surface::output::Format;

pub(super) struct SearchCommand;

impl Command for SearchCommand {
    fn spec(&self) -> CommandSpec {
        let spec = CommandSpec::new("search", "Find tools that fit a question")
            .positional(PositionalSpec::new("QUERY", "The question, in your own words").many());
        options()
            .into_iter()
            .fold(spec, CommandSpec::option)
            .option(OptionSpec::help("Show this help"))
            .note("What is called after a question comes sooner the next time: `toolscout search learned` shows what was learned, `toolscout search forget` erases it.")
            .example("toolscout search count the words of a text")
            .example("toolscout search --source github --explain open an issue")
            .example("toolscout search --profile ladder email --json")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async { search(cx, &cx.parsed.positionals.join(" ")).await })
    }
}

/// What a question may be asked with.
fn options() -> Vec<OptionSpec> {
    let profiles = RankingProfile::ALL.iter().map(ToString::to_string);
    vec![
        OptionSpec::text("profile", "How to score")
            .value("PROFILE")
            .choices(profiles)
            .default(RankingProfile::default().to_string()),
        OptionSpec::text("limit", "At most this many hits")
            .short('n')
            .value("N")
            .default(Query::DEFAULT_LIMIT.to_string()),
        OptionSpec::text("source", "Only tools of this source").value("ID").repeat(),
        OptionSpec::switch("explain", "Say how the question was read, and what each score is made of"),
        OptionSpec::switch("lexical", "By words alone, without the meaning"),
    ]
}

/// Asks, and shows what was found.
async fn search(cx: &RunCx, text: &str) -> Result<Exit, AppError> {
    let gateway = cx.tools().known().await?;
    let request = cx.request();
    let view = gateway.view(&request).await;
    let sources = sources(cx, gateway, &view)?;
    let search = SearchRequest {
        profile: cx.parsed.text("profile").and_then(|it| it.parse().ok()).unwrap_or_default(),
        // Nonsense asks for the usual number: a search that is refused over its limit helps nobody.
        limit: cx.parsed.text("limit").and_then(|it| it.parse().ok()).unwrap_or(Query::DEFAULT_LIMIT),
        sources: sources.as_deref(),
        is_lexical: cx.parsed.switch("lexical"),
        ..SearchRequest::new(text)
    };
    let answer = gateway.answer(&view, &search, &request).await;
    tell(cx, &view, &search, &answer).await?;
    let width = cx.environment().width();
    let explanation = cx.parsed.switch("explain").then(|| gateway.explain(&view, &search, &answer.hits, &request));
    match (cx.options().format(), explanation) {
        (Format::Text, None) => cx.print(&search::lines(&answer.hits, width))?,
        (Format::Text, Some(why)) => cx.print(&explain::lines(&answer.hits, &why, width))?,
        (format, None) => cx.print_value(&answer.hits.iter().map(HitView::from).collect::<Vec<_>>(), format)?,
        (format, Some(why)) => cx.print_value(&ExplainedView::new(&answer.hits, &why), format)?,
    }
    Ok(Exit::Done)
}

/// Those that are asked for; an error where there is no such source.
fn sources(cx: &RunCx, gateway: &Gateway, view: &CatalogView) -> Result<Option<Vec<SourceId>>, AppError> {
    let typed = cx.parsed.texts("source");
    let absent = gateway.absent();
    let known = || view.sources().iter().map(|it| it.id()).chain(absent.iter().filter_map(|it| it.source.as_ref()));
    let find = |text: &String| {
        known().find(|it| it.as_str() == text).cloned().ok_or_else(|| {
            let hint = match toolscout_surface::cli::nearest(text, known().map(SourceId::as_str)) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!("there are: {}", known().map(SourceId::as_str).collect::<Vec<_>>().join(", ")),
            };
            let message = format!("there is no source `{}`", escape::line(text));
            AppError::Said { kind: ErrorKind::NotFound, message, hint: Some(hint) }
        })
    };
    let found = typed.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    Ok((!typed.is_empty()).then_some(found))
}

/// Says beside the data what could be wrong.
async fn tell(
    cx: &RunCx,
    view: &CatalogView,
    search: &SearchRequest<'_>,
    answer: &SearchResponse,
) -> Result<(), AppError> {
    answer.notes.iter().for_each(|it| cx.say(&format!("note: {it}\n")));
    if !answer.is_weak() {
        return Ok(());
    }
    if answer.hits.is_empty() {
        cx.say(&nothing_found(cx, view.snapshot().len()));
    }
    let gateway = cx.tools().gateway();
    let mut said = notes::about_question(view, search, answer);
    said.extend(notes::about_sources(view, &gateway.absent(), search.sources));
    let told = told(cx).await?;
    let is_told = |note: &String| told.iter().any(|it| note.starts_with(it));
    said.iter().filter(|it| !is_told(it)).for_each(|it| cx.say(&format!("  note: {it}\n")));
    Ok(())
}

/// What was said already when tools were discovered: all that went wrong, but for sources where those are many.
async fn told(cx: &RunCx) -> Result<Vec<String>, AppError> {
    let problems = cx.tools().discover(|_| ()).await?;
    let is_of_source = |it: &&Diagnostic| it.kind == DiagnosticKind::Source;
    let are_many = problems.iter().filter(is_of_source).count() > Tools::SOURCES;
    let is_told = |it: &&Diagnostic| !(cx.options().switch("quiet") || are_many && is_of_source(it));
    Ok(problems.iter().filter(is_told).map(|it| escape::line(&it.message).into_owned()).collect())
}

fn nothing_found(cx: &RunCx, known: usize) -> String {
    // A program may be put together without servers.
    let servers = match cx.commands().find("server add") {
        Some(_) => "; or use MCP servers: `toolscout import`, `toolscout server add ID -- COMMAND`",
        None => "",
    };
    match known {
        0 => format!(
            "No tools found: there are none yet.\n  hint: put one into `tools/`, then `toolscout doctor`{servers}\n"
        ),
        known => format!(
            "No tools found. Try different keywords or a broader search term.\n  hint: {known} tools are known; `toolscout tools` lists them\n"
        ),
    }
}

/// Of a command whose name could be the first words of a question: the rest of the question, and how it is asked.
fn or_question(spec: CommandSpec) -> CommandSpec {
    let spec = spec.positional(PositionalSpec::new("QUERY", "With more words, it is a question like any other").many());
    options().into_iter().map(OptionSpec::hidden).fold(spec, CommandSpec::option)
}
