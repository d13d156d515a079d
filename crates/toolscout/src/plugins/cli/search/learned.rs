//! `search learned`: which questions were answered by which tools.

use super::{or_question, search};
use crate::{AppError, Command, RunCx};
use toolscout_core::{BoxFuture, Moment, ToolId, escape};
use toolscout_gateway::FeedbackRecord;
use toolscout_surface::cli::{CommandSpec, OptionSpec};
use toolscout_surface::codes::Exit;
use toolscout_surface::ops::search::lessons::{self, LessonView};
use toolscout_surface::output::Format;

pub(in crate::plugins::cli) struct LearnedCommand;

impl Command for LearnedCommand {
    fn spec(&self) -> CommandSpec {
        or_question(CommandSpec::new("search learned", "Show what was learned from questions and calls"))
            .option(OptionSpec::text("tool", "Only about this tool").value("NAME"))
            .option(OptionSpec::help("Show this help"))
            .example("toolscout search learned")
            .example("toolscout search learned --tool github/create_issue --json")
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            if !cx.parsed.positionals.is_empty() {
                return search(cx, &format!("learned {}", cx.parsed.positionals.join(" "))).await;
            }
            let tool = About::of(cx).await?;
            let lessons = tool.lessons(cx)?;
            match cx.options().format() {
                Format::Text if lessons.is_empty() => cx.say(&tool.nothing()),
                Format::Text => cx.print(&lessons::lines(&lessons, Moment::now()))?,
                format => cx.print_value(&lessons.iter().map(LessonView::from).collect::<Vec<_>>(), format)?,
            }
            Ok(Exit::Done)
        })
    }
}

/// What a command about lessons is about: a tool, there or gone, or all.
pub(super) struct About {
    typed: Option<String>,
    tool: Option<ToolId>,
}

impl About {
    pub(super) async fn of(cx: &RunCx) -> Result<Self, AppError> {
        let Some(typed) = cx.parsed.text("tool").map(str::to_owned) else {
            return Ok(Self { typed: None, tool: None });
        };
        let tool = cx.tools().known_quietly().await?.resolve(&typed).ok().map(|it| it.id.clone());
        Ok(Self { typed: Some(typed), tool })
    }

    pub(super) fn is_meant(&self, id: &ToolId) -> bool {
        match (&self.tool, &self.typed) {
            (Some(tool), _) => tool == id,
            // One that is gone goes by what it was called.
            (None, Some(typed)) => id.name.as_str() == typed || id.to_string() == *typed,
            (None, None) => true,
        }
    }

    pub(super) fn lessons(&self, cx: &RunCx) -> Result<Vec<FeedbackRecord>, AppError> {
        let all = cx.tools().gateway().lessons(&cx.request())?;
        Ok(all.into_iter().filter(|it| self.is_meant(&it.tool)).collect())
    }

    /// `about mail/send`, or nothing where it is about all.
    pub(super) fn words(&self) -> String {
        self.typed.as_ref().map(|it| format!(" about `{}`", escape::line(it))).unwrap_or_default()
    }

    pub(super) fn nothing(&self) -> String {
        format!("Nothing was learned{} yet.\n  hint: search, then run what was found\n", self.words())
    }
}
