//! The text of explained hits.

use super::explain;
use std::sync::Arc;
use toolscout_core::{SourceId, Tool, ToolId, ToolName};
use toolscout_gateway::{Explanation, QueryReading, QueryWordReading, ScoreParts, SearchHit};

fn id(text: &str) -> ToolId {
    let (source, name) = text.split_once('/').unwrap();
    ToolId::new(SourceId::new(source).unwrap(), ToolName::new(name).unwrap())
}

fn word(word: &str, is_known: bool, corrected: &[&str], related: &[&str]) -> QueryWordReading {
    let owned = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect();
    QueryWordReading {
        word: word.to_owned(),
        is_known,
        corrected: owned(corrected),
        related: owned(related),
    }
}

#[test]
fn an_explanation_says_how_the_question_was_read_and_what_scores_are_made_of() {
    let tool = Tool { description: Some("Sends mail".to_owned()), ..Tool::new(id("mail/send")) };
    let hit =
        SearchHit { tool: Arc::new(tool), score: 0.9, why: vec!["`send` in name".to_owned()] };
    let words = vec![
        word("send", true, &[], &["post"]),
        word("maill", false, &["mail"], &[]),
        word("zz\u{202e}", false, &[], &[]),
    ];
    let parts = ScoreParts {
        is_named: false,
        words: 0.5,
        meaning: Some(0.25),
        learned: 0.125,
        is_approved: false,
    };
    let explanation = Explanation {
        reading: QueryReading { english: Some("send mail".to_owned()), words },
        parts: vec![Some(parts), None],
    };
    insta::assert_snapshot!(explain::explained_lines(&[hit.clone(), hit], &explanation, None), @r"
    in English: send mail
    read as: send (or post), maill (taken for mail), zz\u{202e} (no tool has it)
    0.90  mail/send - Sends mail
          made of: words 0.50, meaning 0.25, learned 0.12, source not approved
          because: `send` in name
    0.90  mail/send - Sends mail
          because: `send` in name
    ");
}
