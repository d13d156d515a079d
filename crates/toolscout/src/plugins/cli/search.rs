//! `search`: which tools fit a question.

use crate::{AppError, Command, RunCx};
use toolscout_core::BoxFuture;
use toolscout_gateway::{Profile, Query};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::search::{self, HitView};
use toolscout_surface::output::Format;

pub(super) struct SearchCommand;

impl Command for SearchCommand {
    fn spec(&self) -> CommandSpec {
        let profiles = Profile::ALL.iter().map(ToString::to_string);
        CommandSpec::new("search", "Find tools that fit a question")
            .positional(PositionalSpec::new("QUERY", "The question, in your own words").many())
            .option(
                OptionSpec::text("profile", "How to score")
                    .value("PROFILE")
                    .choices(profiles)
                    .default(Profile::default().to_string()),
            )
            .option(
                OptionSpec::text("limit", "At most this many hits")
                    .short('n')
                    .value("N")
                    .default(Query::DEFAULT_LIMIT.to_string()),
            )
            .option(OptionSpec::help("Show this help"))
            .example("toolscout search count the words of a text")
            .example("toolscout search --profile ladder email --json")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let gateway = cx.tools().known().await?;
            let text = cx.parsed.positionals.join(" ");
            let mut query = Query::new(&text);
            query.profile = cx.parsed.text("profile").and_then(|it| it.parse().ok()).unwrap_or_default();
            // Nonsense asks for the usual number: a search that is refused over its limit helps nobody.
            query.limit = cx.parsed.text("limit").and_then(|it| it.parse().ok()).unwrap_or(Query::DEFAULT_LIMIT);
            let request = cx.request();
            let view = gateway.view(&request).await;
            let (hits, notes) = gateway.search_beyond(&view, &query, None, gateway.search(&query), &request).await;
            notes.iter().for_each(|it| cx.say(&format!("note: {it}\n")));
            if hits.is_empty() {
                cx.say(&nothing_found(cx, gateway.snapshot().len()));
                gateway.notes().iter().for_each(|it| cx.say(&format!("  note: {it}\n")));
            }
            match cx.options().format() {
                Format::Text => cx.print(&search::lines(&hits, cx.surroundings().width()))?,
                format => cx.print_value(&hits.iter().map(HitView::from).collect::<Vec<_>>(), format)?,
            }
            Ok(Exit::Done)
        })
    }
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
