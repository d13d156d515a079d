//! Adding and removing a value leaves no trace, in files of any layout.

use super::*;
use proptest::prelude::*;

fn name() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9-]{0,6}"
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[ -~]{0,12}", "\\PC{0,8}"]
}

fn entries() -> impl Strategy<Value = Value> {
    let env = proptest::collection::btree_map("[A-Z_]{1,12}", text(), 0..12);
    let args = proptest::collection::vec(text(), 0..4);
    (text(), args, env, proptest::option::of(any::<bool>())).prop_map(
        |(command, args, env, enabled)| {
            let mut entry = json!({"command": command, "args": args});
            if !env.is_empty() {
                entry["env"] = json!(env);
            }
            if let Some(enabled) = enabled {
                entry["enabled"] = json!(enabled);
            }
            entry
        },
    )
}

/// The value of a key in a written file; the file must be readable.
fn value_in(file: &str, text: &str, keys: &[&str]) -> Option<Value> {
    let document: Value = match file {
        "x.toml" => ::toml::from_str(text).expect("TOML"),
        _ => jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default())
            .expect("JSON"),
    };
    keys.iter().try_fold(document, |value, key| value.get(*key).cloned())
}

/// A comment, of which a file may have many.
fn comment(sign: &'static str) -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just(String::new()),
        1 => Just("\n".to_owned()),
        1 => "[a-z ,{}\"\\[\\]=]{0,12}".prop_map(move |it| format!("{sign} {it}\n")),
        1 => "[a-z ]{0,6}".prop_map(move |it| format!("\n  {sign} {it}\n\n")),
    ]
}

fn toml_value() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("true".to_owned()),
        Just("[1, # one\n 2]".to_owned()),
        Just("'''\n# no comment\n[no.section]\n'''".to_owned()),
        Just("{ a = 1, b = { c = 'd' } }".to_owned()),
        Just("1979-05-27T07:32:00Z".to_owned()),
        "[a-z# ]{0,8}".prop_map(|value| format!("\"{value}\"")),
    ]
}

fn toml_keys() -> impl Strategy<Value = String> {
    let line = (comment("#"), toml_value(), prop_oneof!["", " # [a-z]{0,5}"]);
    proptest::collection::vec(line, 0..3).prop_map(|lines| {
        let line = |(at, (above, value, behind))| format!("{above}k{at} = {value}{behind}\n");
        lines.into_iter().enumerate().map(line).collect()
    })
}

/// TOML with settings, sections, servers in several styles, comments, and any line ending.
fn toml_text() -> impl Strategy<Value = String> {
    let sections = proptest::collection::vec((comment("#"), 0..5u8, toml_keys()), 0..4);
    let parts = (comment("#"), toml_keys(), sections, comment("#"), any::<bool>(), any::<bool>());
    parts.prop_map(|(opening, keys, sections, ending, breaks, windows)| {
        let sections: String = sections.into_iter().enumerate().map(toml_section).collect();
        let text = format!("{opening}{keys}{sections}{ending}");
        let text = if breaks { text } else { text.trim_end_matches('\n').to_owned() };
        if windows { text.replace('\n', "\r\n") } else { text }
    })
}

fn toml_section((at, (above, style, keys)): (usize, (String, u8, String))) -> String {
    match style {
        0 => format!("{above}[section{at}]\n{keys}"),
        1 => format!("{above}[servers.s{at}]\n{keys}"),
        2 => format!("{above}  [servers.s{at}.env] # here\n{keys}"),
        3 => format!("{above}[[list{at}]]\n{keys}[[list{at}]]\n"),
        _ => format!("{above}[other{at}]\na.b = 1\na.c = 2\n{keys}"),
    }
}

/// JSON with a table of servers, in common styles.
fn json_text() -> impl Strategy<Value = String> {
    let server = (comment("//"), prop_oneof!["", " // [a-z,{}]{0,5}", Just(" /* , */".to_owned())]);
    let servers = proptest::collection::vec(server, 0..4);
    (servers, 0..3u8, any::<bool>(), comment("//"), any::<bool>()).prop_map(
        |(servers, style, comma, ending, windows)| {
            let text = match style {
                _ if servers.is_empty() => "{\n  \"mcpServers\": {}\n}\n".to_owned(),
                0 => json_line(servers.len(), comma),
                1 => json_lines(&servers, comma, &ending, "  "),
                _ => json_lines(&servers, comma, &ending, "\t"),
            };
            if windows { text.replace('\n', "\r\n") } else { text }
        },
    )
}

fn json_line(count: usize, comma: bool) -> String {
    let all: Vec<String> =
        (0..count).map(|index| format!("\"s{index}\": {{\"command\": \"x\"}}")).collect();
    format!("{{\"mcpServers\": {{{}{}}}}}", all.join(", "), if comma { "," } else { "" })
}

fn json_lines(servers: &[(String, String)], comma: bool, ending: &str, unit: &str) -> String {
    let line = |(at, (above, behind)): (usize, &(String, String))| {
        let comma = if comma || at + 1 < servers.len() { "," } else { "" };
        format!("{above}{unit}{unit}\"s{at}\": {{\"command\": \"x\"}}{comma}{behind}\n")
    };
    let lines: String = servers.iter().enumerate().map(line).collect();
    format!("{{ // servers\n{unit}\"mcpServers\": {{\n{lines}{ending}{unit}}}\n}}\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn adding_and_removing_restores_the_toml_text(text in toml_text(), id in name(), entry in entries()) {
        let id = format!("new-{id}");
        let added = after("x.toml", &text, set(&["servers", &id], entry)).map_err(TestCaseError::fail)?;
        prop_assert!(added.starts_with(&text), "what was there stays in front");
        let back = after("x.toml", &added, remove(&["servers", &id])).map_err(TestCaseError::fail)?;
        prop_assert_eq!(back, text);
    }

    #[test]
    fn adding_and_removing_restores_the_json_text(text in json_text(), id in name(), entry in entries()) {
        let id = format!("new-{id}");
        let added = after("x.json", &text, set(&["mcpServers", &id], entry)).map_err(TestCaseError::fail)?;
        let back = after("x.json", &added, remove(&["mcpServers", &id])).map_err(TestCaseError::fail)?;
        prop_assert_eq!(back, text);
    }

    #[test]
    fn setting_and_removing_a_key_restores_the_text(text in toml_text(), at in 0..4u8, entry in entries()) {
        let id = format!("s{at}");
        let command = set(&["servers", &id, "command"], entry["command"].clone());
        let base = after("x.toml", &text, command).map_err(TestCaseError::fail)?;
        let off = after("x.toml", &base, set(&["servers", &id, "enabled"], json!(false))).map_err(TestCaseError::fail)?;
        let back = after("x.toml", &off, remove(&["servers", &id, "enabled"])).map_err(TestCaseError::fail)?;
        prop_assert_eq!(back, base);
    }

    /// For any file content, an edit is applied exactly or not at all, and nothing panics.
    #[test]
    fn any_text_is_edited_correctly_or_not_at_all(text in "[\\[\\]{}=\"'#/*,:.\\na-c \\r]{0,40}", keys in proptest::collection::vec("[a-c]", 1..4)) {
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        for file in ["x.toml", "x.json"] {
            for value in [json!({"x": 1}), json!(1)] {
                if let Ok(changed) = after(file, &text, set(&keys, value.clone())) {
                    prop_assert_eq!(value_in(file, &changed, &keys), Some(value), "{} became {}", text, changed);
                }
            }
            if let Ok(changed) = after(file, &text, remove(&keys)) {
                prop_assert_eq!(value_in(file, &changed, &keys), None, "{} became {}", text, changed);
            }
        }
    }
}
