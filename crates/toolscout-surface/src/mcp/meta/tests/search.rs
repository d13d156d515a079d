//! 1. Hits are returned as JSON text and as structured content, in the requested detail.
//! 2. A search without hits returns the fixed text, with possible reasons.
//! 3. The size of a result is limited; a note reports omissions.
//! 4. Every input is accepted.

use crate::mcp::meta::fixture::{gateway, raw, texts, tool};
use crate::mcp::meta::search_output::{MAX_BYTES, NO_TOOLS, render};
use crate::mcp::meta::search_request::{Detail, Request};
use crate::mcp::meta::signature;
use serde_json::{Value, json};
use std::sync::Arc;
use toolscout_core::{Caller, Cx, RawJson, ToolOutput};
use toolscout_gateway::{RankingProfile, SearchHit};

const MAIL: &str = r#"
    mail/list_emails -- Lists emails. -- {"type":"object","properties":{"limit":{"type":"integer"}}}
    mail/send_email -- Send an email to a recipient. Attachments too. -- {"type":"object","properties":{"to":{"type":"string","description":"Recipient"},"subject":{"type":"string"},"copies":{"type":["integer","null"]},"kind":{"enum":["html","plain"]},"tags":{"type":"array","items":{"type":"string"}}},"required":["to","subject"]}
    docs/create_pdf -- Creates a PDF.
"#;

fn search(arguments: Value) -> ToolOutput {
    search_in(MAIL, RankingProfile::Ladder, arguments)
}

fn search_in(tools: &str, ranking: RankingProfile, arguments: Value) -> ToolOutput {
    let (gateway, cx, arguments) = (gateway(tools), Cx::new(Caller::Mcp), raw(arguments));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let view = gateway.view(&cx).await;
        crate::mcp::meta::search(&view, &gateway, Some(&arguments), ranking, &cx).await
    })
}

/// X-02.
#[test]
fn a_search_returns_one_text_with_a_json_array_of_hits() {
    let output = search(json!({"query": "email"}));
    assert!(!output.is_error());
    let texts = texts(&output);
    assert_eq!(texts.len(), 1);
    let hits: Value = serde_json::from_str(&texts[0]).unwrap();
    assert_eq!(hits[0]["id"], "mail/list_emails");
    assert_eq!(hits[1]["inputSchema"]["required"], json!(["to", "subject"]));
    for hit in hits.as_array().unwrap() {
        let keys: Vec<_> = hit.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            ["id", "name", "source", "description", "score", "why", "digest", "inputSchema"]
        );
        assert_eq!(hit["digest"].as_str().unwrap().len(), 64);
    }
    assert_eq!(output.structured_content().unwrap(), json!({"results": hits, "notes": []}));
}

/// X-03.
#[test]
fn a_search_without_hits_returns_the_fixed_text() {
    let output = search(json!({"query": "zzz_no_such_thing"}));
    assert!(!output.is_error());
    assert_eq!(
        texts(&output)[0],
        "No tools found. Try different keywords or a broader search term."
    );
    assert_eq!(output.structured_content().unwrap()["results"], json!([]));
}

/// The fixed text comes first and alone; the possible reasons follow in a block of their own.
#[test]
fn notes_explain_a_search_without_hits() {
    let output = search_in(
        "!fs/read -- x\nfs/write_file -- x",
        RankingProfile::Substring,
        json!({"query": "wirte_file quuxly"}),
    );
    let texts = texts(&output);
    assert_eq!(texts[0], NO_TOOLS);
    for note in [
        "no tool mentions `wirte`, `quuxly`",
        "similar names: `fs/write_file`",
        "1 tool is quarantined",
    ] {
        assert!(texts[1].contains(&format!("note: {note}")), "{}", texts[1]);
    }
    let structured = output.structured_content().unwrap();
    assert_eq!(structured["notes"].as_array().unwrap().len(), texts[1].lines().count());
}

/// Weak hits are shown with a warning.
#[test]
fn weak_hits_are_shown_with_a_note() {
    let output = search_in(
        "fs/aaa_sum -- x",
        RankingProfile::Ladder,
        json!({"query": "sum zzzz yyyy xxxx wwww vvvv"}),
    );
    assert!(texts(&output)[0].contains("aaa_sum"), "{:?}", texts(&output));
    assert!(
        texts(&output)[1].starts_with("note: no good match: the best score is "),
        "{}",
        texts(&output)[1]
    );
}

/// Q-17.
#[test]
fn an_empty_query_lists_all_tools_by_name() {
    for arguments in [
        json!({}),
        json!({"query": ""}),
        json!({"query": "  "}),
        json!({"query": null}),
        Value::Null,
    ] {
        let output = search(arguments);
        let hits: Value = serde_json::from_str(&texts(&output)[0]).unwrap();
        let names: Vec<_> =
            hits.as_array().unwrap().iter().map(|hit| hit["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["create_pdf", "list_emails", "send_email"]);
    }
}

#[test]
fn compact_detail_is_one_line_per_tool() {
    let output = search(json!({"query": "email", "detail": "compact"}));
    insta::assert_snapshot!(texts(&output)[0], @r#"
    mail/list_emails(limit?: int) – Lists emails.
    mail/send_email(to: string, subject: string, copies?: int|null, kind?: "html"|"plain", tags?: string[]) – Send an email to a recipient.
    "#);
    assert_eq!(output.structured_content().unwrap()["results"][0]["id"], "mail/list_emails");
}

#[test]
fn names_detail_has_only_ids() {
    let output = search(json!({"detail": "names"}));
    assert_eq!(texts(&output), ["docs/create_pdf\nmail/list_emails\nmail/send_email"]);
    assert_eq!(
        output.structured_content().unwrap()["results"][0],
        json!({"id": "docs/create_pdf"})
    );
}

#[test]
fn a_search_can_be_limited_to_a_source_and_unknown_sources_are_noted() {
    let output = search(json!({"source": "docs", "detail": "names"}));
    assert_eq!(texts(&output), ["docs/create_pdf"]);
    let output = search(json!({"query": "email", "source": "docs"}));
    assert_eq!(texts(&output)[0], NO_TOOLS);
    let output = search(json!({"query": "email", "source": "nobody"}));
    assert_eq!(
        texts(&output)[1],
        "note: unknown source `nobody`; known sources include `docs`, `mail`"
    );
}

/// Q-20, Q-21, and the same mistakes as in the arguments of tools.
#[test]
fn any_input_is_accepted() {
    let read = |arguments: Value| Request::parse(Some(&raw(arguments))).0;
    for odd in [json!(0), json!(-3), json!("x"), json!(null), json!([]), json!(0.5)] {
        assert_eq!(read(json!({"max_results": odd})).max_results, 10, "{odd}");
    }
    for (given, expected) in
        [(json!(1_000), 100), (json!(1e300), 100), (json!("7"), 7), (json!(5.0), 5), (json!(1), 1)]
    {
        assert_eq!(read(json!({"max_results": given})).max_results, expected, "{given}");
    }
    for wrapped in [
        json!("{\"query\":\"mail\"}"),
        json!({"arguments": {"query": "mail"}}),
        json!({"parameters": "{\"query\":\"mail\"}"}),
    ] {
        assert_eq!(read(wrapped.clone()).query, "mail", "{wrapped}");
    }
    assert_eq!(read(json!({"query": 5})).query, "5");
    let (request, given) =
        Request::parse(Some(&raw(json!({"query": "ü".repeat(1 << 20), "detail": "loud"}))));
    assert_eq!(
        (request.query.chars().count(), request.detail, given.len()),
        (2_000, Detail::Full, 2)
    );
    assert_eq!(Request::parse(None).0.max_results, 10);
}

fn hits(count: usize, schema_size: usize, description: usize) -> Vec<SearchHit> {
    let hit = |index: usize| {
        let mut tool = tool(&format!("big/tool_{index} -- {}", "d".repeat(description)));
        let property = json!({"type": "object", "properties": {"a": {"type": "string", "description": "x".repeat(schema_size)}}});
        tool.input_schema = RawJson::from_value(&property);
        SearchHit { tool: Arc::new(tool), score: 1.0, why: Vec::new() }
    };
    (0..count).map(hit).collect()
}

/// 3. The schemas of the last hits are dropped first.
#[test]
fn results_are_limited_and_the_first_schemas_are_kept() {
    let output = render(&hits(20, 10_000, 50), Detail::Full, Vec::new());
    let texts = texts(&output);
    assert!(texts[0].len() <= MAX_BYTES);
    let shown: Value = serde_json::from_str(&texts[0]).unwrap();
    assert_eq!(shown.as_array().unwrap().len(), 20);
    assert!(shown[0]["inputSchema"].is_object() && shown[0].get("signature").is_none());
    assert_eq!(shown[19]["signature"], "big/tool_19(a?: string)");
    assert!(shown[19].get("inputSchema").is_none());
    assert!(texts[1].starts_with("note: schemas omitted for the last 14 tools; "), "{}", texts[1]);
}

#[test]
fn results_are_limited_for_definitions_of_any_size() {
    for (count, schema, description) in
        [(1, 100_000, 10), (40, 60_000, 20_000), (100, 10, 3_000), (1, 10, 200_000)]
    {
        for detail in [Detail::Full, Detail::Compact, Detail::Names] {
            let output = render(&hits(count, schema, description), detail, Vec::new());
            assert!(
                texts(&output)[0].len() <= MAX_BYTES,
                "{count} {schema} {description} {detail:?}"
            );
            assert!(
                !output.structured_content().unwrap()["results"].as_array().unwrap().is_empty()
            );
        }
    }
}

/// T15: hidden characters are made visible, in every form of the result.
#[test]
fn hidden_characters_are_escaped() {
    let mut odd = tool("odd/tool -- Reads\u{202e} files\u{1b}[2J\u{200b}.");
    odd.input_schema =
        RawJson::parse("{\"description\":\"a\\u200bb\u{202e}\",\"properties\":{\"k\u{200b}\":{}}}")
            .unwrap();
    let hit = SearchHit { tool: Arc::new(odd), score: 1.0, why: vec!["na\u{200b}me".to_owned()] };
    for detail in [Detail::Full, Detail::Compact, Detail::Names] {
        let output = render(std::slice::from_ref(&hit), detail, Vec::new());
        assert!(!output.raw().as_str().contains(['\u{202e}', '\u{1b}', '\u{200b}']), "{detail:?}");
        assert!(!texts(&output)[0].contains(['\u{202e}', '\u{1b}', '\u{200b}']), "{detail:?}");
    }
    let output = render(&[hit], Detail::Full, Vec::new());
    let shown = output.structured_content().unwrap()["results"][0].clone();
    assert_eq!(shown["description"], "Reads\\u{202e} files\\u{1b}[2J\\u{200b}.");
    assert_eq!(shown["inputSchema"]["description"], "a\\u{200b}b\\u{202e}");
    assert!(
        shown["inputSchema"]["properties"].get("k\u{200b}").is_some(),
        "argument names stay unchanged"
    );
}

#[test]
fn signatures_have_short_type_names() {
    let schema = r##"{"type":"object","$defs":{"p":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},
        "required":["x"]}},"properties":{"at":{"$ref":"#/$defs/p"},"deep":{"anyOf":[{"type":"integer"},{"type":"null"}]},
        "list":{"type":"array","items":{"enum":["a",1]}},"odd key":{},"loop":{"$ref":"#/properties/loop"},"c":{"const":5}}}"##;
    let tool = tool(&format!("s/t -- One. Two. -- {}", schema.replace('\n', " ")));
    let expected = r#"s/t(at?: {x: number, y?: number}, deep?: int|null, list?: ("a"|1)[], "odd key"?: any, loop?: any, c?: 5) – One."#;
    assert_eq!(signature::line(&tool), expected);
}

#[test]
fn an_empty_catalog_notes_only_the_unknown_words() {
    let output = search_in("", RankingProfile::Ranked, json!({"query": "anything"}));
    assert_eq!(
        output.structured_content().unwrap()["notes"],
        json!(["no tool mentions `anything`"])
    );
}

#[test]
fn a_signature_reads_a_limited_number_of_alternatives() {
    let any_of = |count| json!({"anyOf": vec![json!({"type": "integer"}); count]});
    let schema = json!({"properties": {"few": any_of(64), "many": any_of(65)}});
    let tool = tool(&format!("s/t -- x -- {schema}"));
    assert_eq!(signature::signature(&tool), "s/t(few?: int, many?: int|…)");
}
