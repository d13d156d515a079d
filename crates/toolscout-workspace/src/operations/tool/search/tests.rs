//! The text of explained hits.

use super::explain;
use std::sync::Arc;
use toolscout_core::{SourceId, Tool, ToolId, ToolName};
use toolscout_gateway::{Explanation, QueryReading, QueryWordReading, ScoreParts, SearchHit};
use toolscout_surface::operation::Text;

fn id(text: &str) -> ToolId {
    let (source, name) = text.split_once('/').unwrap();
    ToolId::new(SourceId::new(source).unwrap(), ToolName::new(name).unwrap())
}

fn word(word: &str, is_known: bool, corrected: &[&str], related: &[&str]) -> QueryWordReading {
    let owned = |all: &[&str]| all.iter().map(|item| (*item).to_owned()).collect();
    QueryWordReading {
        word: word.to_owned(),
        is_known,
        corrected: owned(corrected),
        related: owned(related),
    }
}

#[test]
fn an_explanation_shows_the_parsed_query_and_score_parts() {
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
        lexical: 0.5,
        semantic: Some(0.25),
        feedback: 0.125,
        is_approved: false,
    };
    let explanation = Explanation {
        reading: QueryReading { english: Some("send mail".to_owned()), words },
        parts: vec![Some(parts), None],
    };
    insta::assert_snapshot!(explain::explained_lines(&[hit.clone(), hit], &explanation, &Text::default()), @r"
    in English: send mail
    read as: send (or post), maill (corrected to mail), zz\u{202e} (no tool mentions it)
    0.90  mail/send - Sends mail
          score: keywords 0.50, similarity 0.25, feedback 0.12, source not approved
          because: `send` in name
    0.90  mail/send - Sends mail
          because: `send` in name
    ");
}
