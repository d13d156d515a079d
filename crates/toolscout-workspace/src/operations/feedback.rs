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
    /// Show only records of this tool
    #[serde(default)]
    tool: Option<String>,
}

/// The records of relevance feedback.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Feedback {
    /// One record for each pair of query and tool.
    records: Vec<LearnedCall>,
    #[serde(skip)]
    about: String,
}

/// A search that was followed by a call.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LearnedCall {
    /// The called tool: `source/name`.
    tool: String,
    /// The query of the search before the call.
    query: String,
    /// The number of such calls.
    count: u64,
    /// The time of the last one; RFC 3339.
    #[schemars(with = "String")]
    last_used: Moment,
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
        let gateway = workspace.full_gateway().await?;
        let subject = FeedbackSubject::resolve(&gateway, input.tool);
        let record = |FeedbackRecord { tool, query, times, last }| LearnedCall {
            tool: ToolId::to_string(&tool),
            query,
            count: times,
            last_used: last,
        };
        let records = subject.records(&gateway, cx)?.into_iter().map(record).collect();
        Ok(Feedback { records, about: subject.suffix() })
    }

    fn text(output: &Feedback, _: &Text) -> String {
        let mut records: Vec<_> = output.records.iter().collect();
        records.sort_by(|one, other| one.tool.cmp(&other.tool));
        let by_tool = records.chunk_by(|one, other| one.tool == other.tool);
        by_tool
            .map(|records| format!("{}\n{}", escape::line(&records[0].tool), lines(records)))
            .collect()
    }

    fn write_json(output: &Feedback, writer: &mut dyn io::Write) -> io::Result<()> {
        json::write(writer, &output.records)
    }

    fn notes(output: &Feedback) -> Vec<String> {
        let nothing = || {
            format!(
                "No relevance feedback{} yet.\n  hint: run `toolscout search`, then run a tool that it found",
                output.about
            )
        };
        output.records.is_empty().then(nothing).into_iter().collect()
    }
}

fn lines(records: &[&LearnedCall]) -> String {
    let line = |record: &&LearnedCall| {
        let times = if record.count > 1 {
            counted(record.count as usize, "time") + ", last "
        } else {
            String::new()
        };
        format!(
            "  {} ({times}{} ago)\n",
            escape::line(&record.query),
            age(record.last_used.age(Moment::now()))
        )
    };
    records.iter().map(line).collect()
}

/// Erase records of relevance feedback.
pub(crate) struct ForgetFeedback;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForgetFeedbackInput {
    /// Erase only records of this tool
    #[serde(default)]
    tool: Option<String>,
    /// Erase all records
    #[serde(default)]
    all: bool,
}

/// The result of erasing records.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ForgottenFeedback {
    /// The number of erased records.
    forgotten: usize,
    #[serde(skip)]
    erased: String,
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
            return Err(OperationError::invalid("nothing selected to erase")
                .hint("use --tool NAME or --all"));
        }
        let gateway = workspace.full_gateway().await?;
        let subject = FeedbackSubject::resolve(&gateway, input.tool);
        let count = subject.records(&gateway, cx)?.len();
        let erased = match count {
            // The last search is not recorded yet, and is erased as well.
            0 if input.all => "the last searches".to_owned(),
            0 => {
                return Ok(ForgottenFeedback {
                    forgotten: 0,
                    erased: format!("nothing{}", subject.suffix()),
                });
            }
            count => counted(count, "feedback record") + &subject.suffix(),
        };
        gateway.delete_feedback(&erased, cx, |tool| subject.includes(tool))?;
        Ok(ForgottenFeedback { forgotten: count, erased })
    }

    fn text(output: &ForgottenFeedback, _: &Text) -> String {
        format!("Erased {}\n", output.erased)
    }
}

/// The tool of a request, installed or removed; all tools if `None`.
struct FeedbackSubject {
    name: Option<String>,
    tool: Option<ToolId>,
}

impl FeedbackSubject {
    fn resolve(gateway: &Gateway, name: Option<String>) -> Self {
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

    fn records(&self, gateway: &Gateway, cx: &Cx) -> Result<Vec<FeedbackRecord>, OperationError> {
        let all = gateway.feedback_records(cx)?;
        Ok(all.into_iter().filter(|record| self.includes(&record.tool)).collect())
    }

    /// ` about mail/send`, or nothing.
    fn suffix(&self) -> String {
        self.name
            .as_ref()
            .map(|name| format!(" about `{}`", escape::line(name)))
            .unwrap_or_default()
    }
}
