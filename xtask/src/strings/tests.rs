use super::{is_sentence, texts};

/// The texts of a file, as `kind line: text`.
fn shown(file: &str, source: &str) -> Vec<String> {
    let found = texts(file, source).unwrap().into_iter();
    found.map(|text| format!("{:?} {}: {}", text.kind, text.line, text.text)).collect()
}

#[test]
fn literals_are_sorted_by_the_code_around_them() {
    let source = r#"
const SPEC: OperationSpec = OperationSpec {
    notes: &["Starts no server."],
    ..OperationSpec::read("tools", "List all tools", "/api/tools")
};
fn run() -> String {
    tracing::info!(event = "server_started", "a server started");
    report(Diagnostic::warning(kind, format!("{name} is left out: {reason}")));
    fail(OperationError::invalid("no such tool").hint("toolscout tools --all"));
    connection.query("SELECT a FROM b");
    option.expect("set at the start");
    format!("{} {}", a, b) + "two words"
}
#[derive(thiserror::Error)]
enum Error {
    #[error("cannot read {path}")]
    Read,
}
#[cfg(test)]
mod tests {
    const INPUT: &str = "not for users";
}
"#;
    assert_eq!(
        shown("crates/x/src/a.rs", source),
        [
            "Help 3: Starts no server.",
            "Help 4: List all tools",
            "Logs 7: server_started",
            "Logs 7: a server started",
            "Notes 8: {name} is left out: {reason}",
            "Errors 9: no such tool",
            "Errors 9: toolscout tools --all",
            "Output 12: two words",
            "Errors 16: cannot read {path}",
        ]
    );
}

#[test]
fn doc_comments_count_if_they_are_part_of_a_schema() {
    let source = "
/// Not shown.
struct Plain;
/// The input
/// of a command.
#[derive(Deserialize, JsonSchema)]
struct AddInput {
    /// The id.
    id: String,
}
#[derive(Serialize, JsonSchema)]
enum State {
    /// It runs.
    Running,
}
";
    let found = shown("crates/x/src/a.rs", source);
    assert_eq!(found, ["Help 4: The input of a command.", "Help 8: The id.", "Api 13: It runs."]);
}

#[test]
fn translations_are_pairs() {
    let table = "table! {\n    Usage: \"Usage\", \"使い方\";\n}\n";
    assert_eq!(shown("crates/x/src/words.rs", table), ["Japanese 2: Usage → 使い方"]);
    let file = "# head\n\nList tools\nツールを一覧表示する\n";
    assert_eq!(
        shown("crates/x/src/words/ja.txt", file),
        ["Japanese 3: List tools → ツールを一覧表示する"]
    );
}

#[test]
fn the_web_ui_shows_sentences_and_labels() {
    let folder = "crates/toolscout-surface/src/page/site";
    let script =
        "el(\"span\", { class: \"quiet note\" }, \"Stop\", `${n} tools are quarantined`);\n";
    assert_eq!(
        shown(&format!("{folder}/a.js"), script),
        ["WebUi 1: Stop", "WebUi 1: ${n} tools are quarantined"]
    );
    let page = "<p class=\"a\">\n<a title=\"All tools\">Tools</a></p>\n";
    assert_eq!(shown(&format!("{folder}/a.html"), page), ["WebUi 2: All tools", "WebUi 2: Tools"]);
}

#[test]
fn a_sentence_has_words_besides_placeholders() {
    assert!(is_sentence("{count} tools") && is_sentence("no such tool"));
    assert!(!is_sentence("{a} {b}") && !is_sentence("{tools of} {x}"));
    assert!(!is_sentence("text/plain; charset=utf-8") && !is_sentence("tools"));
    assert!(!is_sentence("UPDATE kept SET value = ?1"));
}
