//! What was learned from questions and calls.

use crate::ops::list::counted;
use crate::ops::servers::age;
use serde::Serialize;
use toolscout_core::{Moment, ToolId, escape};
use toolscout_gateway::FeedbackRecord;

/// A lesson as `search learned --json` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LessonView {
    /// What was called: `source/name`.
    pub tool: String,
    /// What had been asked.
    pub question: String,
    /// How often.
    pub times: u64,
    /// When last; RFC 3339.
    pub last: String,
}

impl From<&FeedbackRecord> for LessonView {
    fn from(lesson: &FeedbackRecord) -> Self {
        let FeedbackRecord { tool, question, times, last } = lesson;
        Self { tool: tool.to_string(), question: question.clone(), times: *times, last: last.to_string() }
    }
}

/// For people: each tool, and under it what was asked before it was called, the newest first.
pub fn lines(lessons: &[FeedbackRecord], now: Moment) -> String {
    let mut tools: Vec<&ToolId> = lessons.iter().map(|it| &it.tool).collect();
    tools.sort_unstable();
    tools.dedup();
    let mut out = String::new();
    for tool in tools {
        out += &format!("{}\n", escape::line(&tool.to_string()));
        for lesson in lessons.iter().filter(|it| it.tool == *tool) {
            let times =
                if lesson.times > 1 { counted(lesson.times as usize, "time") + ", last " } else { String::new() };
            out += &format!("  {} ({times}{} ago)\n", escape::line(&lesson.question), age(lesson.last.age(now)));
        }
    }
    out
}
