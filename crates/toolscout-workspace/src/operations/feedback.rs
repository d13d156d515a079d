//! `search learned` and `search forget`: the records of relevance feedback.

use crate::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use toolscout_core::{Cx, Moment, ToolId, escape};
use toolscout_gateway::{FeedbackRecord, Gateway};
use toolscout_surface::operation::{
    Access, Confirm, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::age;
use toolscout_surface::output::counted;
use toolscout_surface::output::json;

/// Show the records of relevance feedback.
pub(crate) struct ShowFeedback;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowFeedbackInput {
    /// Only about this tool.
    #[serde(default)]
    tool: Option<String>,
}

/// What was learned.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Feedback {
    records: Vec<LearnedCall>,
    #[serde(skip)]
    about: String,
}

/// A search that was followed by a call.
#[derive(Serialize, JsonSchema)]
struct LearnedCall {
    /// The tool that was called: `source/name`.
    tool: String,
    /// The search before it.
    question: String,
    /// How often.
    times: u64,
    /// When last.
    #[schemars(with = "String")]
    last: Moment,
}

impl Operation<Workspace> for ShowFeedback {
    type Input = ShowFeedbackInput;
    type Output = Feedback;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        examples: &[
            "toolscout search learned",
            "toolscout search learned --tool github/create_issue --json",
        ],
        ..OperationSpec::read(
            "search learned",
            "Show relevance feedback from searches and calls",
            "/api/feedback",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: ShowFeedbackInput,
        cx: &Cx,
    ) -> Result<Feedback, OperationError> {
        let gateway = workspace.discovered().await?;
        let subject = FeedbackSubject::of(&gateway, input.tool);
        let record = |FeedbackRecord { tool, question, times, last }| LearnedCall {
            tool: ToolId::to_string(&tool),
            question,
            times,
            last,
        };
        let records = subject.lessons(&gateway, cx)?.into_iter().map(record).collect();
        Ok(Feedback { records, about: subject.words() })
    }

    fn text(output: &Feedback, _: &Text) -> String {
        let mut records: Vec<_> = output.records.iter().collect();
        records.sort_by(|one, other| one.tool.cmp(&other.tool));
        let of_one = records.chunk_by(|one, other| one.tool == other.tool);
        of_one
            .map(|records| format!("{}\n{}", escape::line(&records[0].tool), lines(records)))
            .collect()
    }

    fn write_json(output: &Feedback, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, &output.records)
    }

    fn notes(output: &Feedback) -> Vec<String> {
        let nothing = || {
            format!(
                "Nothing was learned{} yet.\n  hint: run `toolscout search`, then run a tool it found",
                output.about
            )
        };
        output.records.is_empty().then(nothing).into_iter().collect()
    }
}

fn lines(records: &[&LearnedCall]) -> String {
    let line = |record: &&LearnedCall| {
        let times = if record.times > 1 {
            counted(record.times as usize, "time") + ", last "
        } else {
            String::new()
        };
        format!(
            "  {} ({times}{} ago)\n",
            escape::line(&record.question),
            age(record.last.age(Moment::now()))
        )
    };
    records.iter().map(line).collect()
}

/// Erase records of relevance feedback.
pub(crate) struct ForgetFeedback;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForgetFeedbackInput {
    /// Only about this tool.
    #[serde(default)]
    tool: Option<String>,
    /// All of it.
    #[serde(default)]
    all: bool,
}

/// What was erased.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ForgottenFeedback {
    /// How many searches.
    forgotten: usize,
    #[serde(skip)]
    what: String,
}

impl Operation<Workspace> for ForgetFeedback {
    type Input = ForgetFeedbackInput;
    type Output = ForgottenFeedback;

    const SPEC: OperationSpec = OperationSpec {
        confirm: Confirm::Always,
        examples: &[
            "toolscout search forget --tool github/create_issue",
            "toolscout search forget --all --yes",
        ],
        ..OperationSpec::change(
            "search forget",
            "Erase relevance feedback from searches and calls",
            "DELETE",
            "/api/feedback",
        )
    };

    async fn run(
        workspace: &Workspace,
        input: ForgetFeedbackInput,
        cx: &Cx,
    ) -> Result<ForgottenFeedback, OperationError> {
        if input.tool.is_some() == input.all {
            return Err(
                OperationError::invalid("nothing selected to forget").hint("--tool NAME, or --all")
            );
        }
        let gateway = workspace.discovered().await?;
        let subject = FeedbackSubject::of(&gateway, input.tool);
        let count = subject.lessons(&gateway, cx)?.len();
        let what = match count {
            // The last search is not recorded yet, and is erased as well.
            0 if input.all => "the last questions".to_owned(),
            0 => {
                return Ok(ForgottenFeedback {
                    forgotten: 0,
                    what: format!("nothing{}", subject.words()),
                });
            }
            count => counted(count, "question") + &subject.words(),
        };
        gateway.forget_lessons(&what, cx, |tool| subject.includes(tool))?;
        Ok(ForgottenFeedback { forgotten: count, what })
    }

    fn text(output: &ForgottenFeedback, _: &Text) -> String {
        format!("Forgot {}\n", output.what)
    }
}

/// The tool of a request, installed or removed; all tools if `None`.
struct FeedbackSubject {
    name: Option<String>,
    tool: Option<ToolId>,
}

impl FeedbackSubject {
    fn of(gateway: &Gateway, name: Option<String>) -> Self {
        let tool =
            name.as_deref().and_then(|name| gateway.resolve(name).ok()).map(|tool| tool.id.clone());
        Self { name, tool }
    }

    fn includes(&self, id: &ToolId) -> bool {
        match (&self.tool, &self.name) {
            (Some(tool), _) => tool == id,
            // A removed tool is identified by its former name.
            (None, Some(name)) => id.name.as_str() == name || id.to_string() == *name,
            (None, None) => true,
        }
    }

    fn lessons(&self, gateway: &Gateway, cx: &Cx) -> Result<Vec<FeedbackRecord>, OperationError> {
        let all = gateway.lessons(cx)?;
        Ok(all.into_iter().filter(|lesson| self.includes(&lesson.tool)).collect())
    }

    /// ` about mail/send`, or nothing.
    fn words(&self) -> String {
        self.name
            .as_ref()
            .map(|name| format!(" about `{}`", escape::line(name)))
            .unwrap_or_default()
    }
}
