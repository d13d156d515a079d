//! 1. Bytes are forwarded unchanged, whatever they are and however they are split.
//! 2. Tools are recognized in all forms that agents use, each once, however the stream is split.
//! 3. Long, excessive or invalid input costs no more memory, and hides nothing else.

use super::lines::MAX_LINE_BYTES;
use super::*;
use proptest::prelude::*;
use serde_json::json;
use toolscout_core::{Caller, Cx, MemoryStore, Source};

fn seen(stream: &[u8], cut: usize, server: Option<&str>) -> Vec<SeenTool> {
    let mut observer = TranscriptObserver::new(server);
    stream.chunks(cut.max(1)).for_each(|chunk| observer.feed(chunk));
    observer.finish()
}

fn names(tools: &[SeenTool]) -> Vec<String> {
    tools
        .iter()
        .filter_map(|tool| tool.tool_name())
        .map(|tool_name| tool_name.to_string())
        .collect()
}

/// A conversation as Claude Code prints it, shortened.
fn conversation() -> String {
    let lines = [
        json!({"type": "system", "subtype": "init", "cwd": "/home/ada", "tools": ["Task", "Bash", "mcp__github__create_issue", "mcp__github__search", "mcp__mail__send"], "mcp_servers": [{"name": "github", "status": "connected"}]}),
        json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Let me say \"tool_use\" and \"init\"."}, {"type": "tool_use", "id": "toolu_1", "name": "mcp__jira__search", "input": {"q": "x"}}, {"type": "tool_use", "id": "toolu_2", "name": "Bash", "input": {}}]}, "session_id": "s"}),
        json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "\"name\":\"mcp__no__no\""}]}}),
        json!({"type": "stream_event", "event": {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "mcp__slack__post", "input": {}}}}),
        json!({"type": "tool_use", "tool": {"name": "x"}}),
        json!({"type": "tool_use", "name": "y"}),
        json!({"type": "tool_use", "tool": {"name": "mcp__mail__send", "description": "Sends it", "input_schema": {"type": "object"}}}),
        json!({"type": "result", "subtype": "success", "result": "done"}),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

const NAMES: [&str; 6] =
    ["github/create_issue", "github/search", "mail/send", "jira/search", "slack/post", "x"];

#[test]
fn tools_are_observed_in_every_form_and_chunking() {
    let stream = conversation();
    for cut in [1, 2, 7, 64, 1_000, stream.len()] {
        let tools = seen(stream.as_bytes(), cut, None);
        assert_eq!(names(&tools), NAMES, "cut at {cut}");
        assert_eq!(
            (&*tools[2].description, tools[2].input_schema.as_str()),
            ("Sends it", r#"{"type":"object"}"#)
        );
        assert_eq!((&*tools[5].description, tools[5].input_schema.as_str()), ("", "{}"));
    }
    let unended = stream.trim_end().rsplit_once('\n').expect("lines").0;
    assert_eq!(names(&seen(unended.as_bytes(), 9, None)), NAMES);
}

#[test]
fn a_known_name_hides_no_new_one_and_no_definition() {
    let using = |names: &[&str]| {
        let blocks: Vec<_> = names
            .iter()
            .map(|name| json!({"type": "tool_use", "name": name, "input": {}}))
            .collect();
        json!({"type": "assistant", "message": {"content": blocks}}).to_string() + "\n"
    };
    let defined =
        json!({"type": "tool_use", "tool": {"name": "mcp__a__b", "description": "Does b"}})
            .to_string()
            + "\n";
    let written = using(&["mcp__a__bcd"]).replace("bcd", "b\\u0063d");
    let stream = using(&["mcp__a__b"])
        + &written
        + &using(&["mcp__a__b", "mcp__a__bc"])
        + &using(&["mcp__a__b"])
        + &defined;
    let tools = seen(stream.as_bytes(), BLOCK_BYTES, None);
    assert_eq!(names(&tools), ["a/b", "a/bcd", "a/bc"]);
    assert_eq!(tools[0].description, "Does b");
}

/// M-05e
#[test]
fn a_name_may_contain_its_server_in_both_forms() {
    let init = json!({"type": "system", "subtype": "init", "tools": ["Bash", "mcp__github__search", "mail__send"]});
    let use_of = |name: &str| {
        let block = json!({"type": "tool_use", "name": name, "input": {}});
        json!({"type": "assistant", "message": {"content": [block]}})
    };
    let defined = |name: &str| json!({"type": "tool_use", "tool": {"name": name}});
    let lines = [
        init,
        use_of("github__search"),
        use_of("mail__send"),
        use_of("jira__list__all"),
        defined("slack__post"),
        defined("__init__"),
        defined("plain"),
    ];
    let stream: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let named = names(&seen(stream.as_bytes(), 64, Some("rube")));
    let expected = [
        "github/search",
        "mail/send",
        "jira/list__all",
        "slack/post",
        "rube/__init__",
        "rube/plain",
    ];
    assert_eq!(named, expected);
}

#[test]
fn the_given_server_applies_to_tools_without_one() {
    let tools = seen(conversation().as_bytes(), 100, Some("rube"));
    assert!(
        names(&tools).contains(&"rube/x".to_owned())
            && names(&tools).contains(&"mail/send".to_owned())
    );
}

#[test]
fn invalid_messages_are_ignored() {
    let good = b"\n{\"type\":\"tool_use\",\"tool\":{\"name\":\"good\"}}\r\n";
    let bad: [&[u8]; 9] = [
        b"\"tool_use\"",
        b"{\"type\":\"tool_use\",\"tool\":",
        b"{\"type\":\"tool_use\",\"tool\":{\"name\":5}}",
        b"{\"type\":\"tool_use\",\"tool\":{\"name\":\"\"}}",
        b"{\"type\":[\"tool_use\"]}",
        b"\xff\xfe\"tool_use\"\0\0",
        b"{\"type\":\"assistant\",\"message\":{\"content\":\"\\\"tool_use\\\" \\\"init\\\"\"}}",
        b"{\"type\":\"system\",\"subtype\":\"init\",\"tools\":{\"a\":1}}",
        b"{\"type\":\"system\",\"subtype\":\"init\",\"tools\":[1,null,\"mcp__\",\"mcp__a\",\"mcp____\"]}",
    ];
    let stream: Vec<u8> = bad.iter().flat_map(|item| [*item, &good[..]].concat()).collect();
    assert_eq!(names(&seen(&stream, 11, None)), ["good"]);
    let deep = format!("{}\"tool_use\"{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(seen(deep.as_bytes(), 4_096, None).is_empty());
}

#[test]
fn a_line_that_is_too_long_is_skipped() {
    let mut stream =
        b"{\"type\":\"tool_use\",\"tool\":{\"name\":\"long\",\"description\":\"".to_vec();
    stream.resize(stream.len() + MAX_LINE_BYTES, b'a');
    stream.extend_from_slice(b"\"}}\n{\"type\":\"tool_use\",\"tool\":{\"name\":\"short\"}}\n");
    for cut in [BLOCK_BYTES, stream.len()] {
        assert_eq!(names(&seen(&stream, cut, None)), ["short"], "cut at {cut}");
    }
    let mut observer = TranscriptObserver::new(None);
    for _ in 0..200 {
        observer.feed(&[b'"'; 64 << 10]);
        assert!(observer.lines.len() <= MAX_LINE_BYTES);
    }
}

#[test]
fn the_number_of_observed_tools_is_limited() {
    let mut stream = String::new();
    for at in 0..seen_tools::MAX_TOOLS + 50 {
        stream += &format!("{{\"type\":\"tool_use\",\"tool\":{{\"name\":\"t{at}\"}}}}\n");
    }
    assert_eq!(seen(stream.as_bytes(), BLOCK_BYTES, None).len(), seen_tools::MAX_TOOLS);
    let large =
        json!({"type": "tool_use", "tool": {"name": "large", "description": "d".repeat(100_000)}});
    assert_eq!(seen(large.to_string().as_bytes(), BLOCK_BYTES, None)[0].description, "");
}

#[tokio::test]
async fn observed_tools_are_listed_and_the_newest_are_kept() {
    let observed = Observed::new(std::sync::Arc::new(MemoryStore::default()), "p".to_owned());
    assert!(ObservedSource::new(observed.clone()).is_none());
    observed.add(&seen(conversation().as_bytes(), 100, None)).expect("the tools are stored");
    observed.add(&[SeenTool::new(None, "x").expect("a name")]).expect("the tools are stored");
    let source = ObservedSource::new(observed.clone()).expect("tools were observed");
    let found: Vec<_> =
        futures_util::StreamExt::collect(source.discover(Cx::new(Caller::Cli))).await;
    assert_eq!(found.len(), NAMES.len());
    assert!(observed.clear().expect("the tools are removed") && observed.tools().is_empty());
}

/// A reader that returns its data in pieces and is interrupted now and then.
struct Halting<'a>(&'a [u8], bool);

impl Read for Halting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let count = self.0.len().min(3).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

#[test]
fn a_write_error_ends_forwarding_and_keeps_observed_tools() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut observer = TranscriptObserver::new(None);
    let error =
        observer.forward(conversation().as_bytes(), Full).expect_err("the output is closed");
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn forwarded_bytes_are_unchanged(mut stream in prop::collection::vec(any::<u8>(), 0..2_000), at in 0usize..2_000) {
        let at = at.min(stream.len());
        stream.splice(at..at, conversation().into_bytes());
        let (mut out, mut observer) = (Vec::new(), TranscriptObserver::new(None));
        observer.forward(Halting(&stream, false), &mut out).expect("the input is forwarded");
        prop_assert_eq!(out, stream);
    }
}
