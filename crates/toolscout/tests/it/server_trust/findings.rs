//! 1. A definition that looks deceptive for models or users is quarantined; other tools are not.
//! 2. `review` shows it without any control sequences.

use super::fixture::is_plain;
use crate::world::World;

/// A discovered server of this mode: exactly these tools are quarantined, not found and not
/// callable. Its other tools work.
fn holds(mode: &str, quarantined: &[&str]) -> World {
    let world = World::trusted().server("s", mode, &[]);
    world.run(&["server", "refresh"]).exits(0).stderr_contains(&["quarantined"]);
    let ids: Vec<_> = quarantined.iter().map(|item| format!("s/{item}")).collect();
    assert_eq!(world.quarantined(), ids);
    for id in &ids {
        world.run(&["run", id]).exits(4).stderr_contains(&["is quarantined"]);
    }
    let all = world.run(&["search", "--json", "--limit", "100", ""]).exits(0).json();
    let is_found =
        |text: &String| all.as_array().is_some_and(|all| all.iter().any(|hit| hit["id"] == **text));
    assert!(!ids.iter().any(is_found), "{all}");
    assert!(is_found(&"s/echo".to_owned()), "{all}");
    assert_eq!(world.request_count("s", "tools/call"), 0);
    world.run(&["run", "s/echo", "--text", "a"]).exits(0);
    assert_eq!(world.request_count("s", "tools/call"), 1);
    for args in [
        &["review"][..],
        &["review", "--json"],
        &["review", "--output", "toon"],
        &["tools"],
        &["tools", "--json"],
    ] {
        let shown = world.run(args).exits(0);
        assert!(is_plain(&shown.out) && is_plain(&shown.err), "{args:?}: {shown:?}");
    }
    world
}

/// T13.
#[test]
fn a_description_with_instructions_for_a_model_is_quarantined() {
    holds("poison_desc", &["add_numbers"]);
}

/// T13: ten places in a definition.
#[test]
fn instructions_are_found_anywhere_in_a_definition() {
    let places = [
        "title", "annot", "pdesc", "pname", "enum", "default", "examples", "comment", "out", "icon",
    ]
    .map(|value| format!("ps_{value}"));
    holds("poison_schema", &places.each_ref().map(String::as_str));
}

/// T15. Names with invisible characters are refused.
#[test]
fn hidden_characters_are_quarantined_and_shown() {
    let world = holds("hidden_unicode", &["\u{435}cho", "bidi", "tags", "vs"]);
    world.run(&["review"]).exits(0).stdout_contains(&[
        "safe \\u{202e} tpircs live",
        "\\u{e0072}\\u{e0065}",
        "looks like s/echo",
    ]);
    world
        .run(&["tools"])
        .exits(0)
        .stderr_contains(&["tool `ec\\u{200b}ho` is skipped", "tool `\\u{202e}moc` is skipped"]);
}

/// T16.
#[test]
fn escape_sequences_are_quarantined_and_shown() {
    holds("ansi", &["ansi", "title"]).run(&["review"]).exits(0).stdout_contains(&["[8mhidden"]);
}

#[test]
fn a_description_about_tools_of_other_servers_is_quarantined() {
    holds("shadow_ref", &["weather"]);
}

#[test]
fn active_markup_is_quarantined() {
    holds("html", &["icons", "md", "\"><b>x"]);
}

/// A name that is a path or shell code creates no file and runs nothing.
#[test]
fn names_with_paths_or_shell_code_are_quarantined() {
    let odd = [
        "../../../../tmp/hostile_pwned",
        "/etc/passwd",
        "C:\\x",
        ".",
        "..",
        "-rf",
        "--help",
        "$(touch pwned)",
        "`id`",
        ";id",
        "| cat",
        "%2e%2e%2f",
        "a'b\"c",
        "{{7*7}}",
        "${jndi:ldap://x}",
        "'; DROP TABLE tools;--",
    ];
    let world = holds("path_names", &odd);
    world.run(&["review", "--accept", "s"]).exits(0);
    let output = world.run(&["run", "s/$(touch pwned)"]).exits(0).out;
    assert_eq!(output, "ok $(touch pwned)\n", "an approved name is an ordinary name");
    world.run(&["lock"]).exits(0);
    world.run(&["verify"]).exits(0);
    assert!(!world.path("pwned").exists() && !std::path::Path::new("/tmp/hostile_pwned").exists());
}

/// Tools with the names of our meta tools are quarantined. Tools with the names of our commands are
/// callable only by their full name.
#[test]
fn a_server_cannot_shadow_our_tools_and_commands() {
    let world = holds("reserved", &["tool_search", "execute_tool"]);
    world.run(&["approval", "list"]).exits(0).stderr_contains(&["2 tools quarantined"]);
    assert_eq!(world.run(&["run", "s/approve"]).exits(0).out, "ok approve\n");
    assert_eq!(world.run(&["run", "s/tools/list"]).exits(0).out, "ok tools/list\n");
}

/// Names are compared by bytes; names that look like another name are quarantined.
#[test]
fn confusable_names_are_quarantined() {
    let world = holds(
        "fold_names",
        &["send\u{2011}email", "caf\u{e9}", "cafe\u{301}", "\u{ff53}end_email"],
    );
    for name in ["send_email", "Send_Email", "send-email", "sendEmail"] {
        assert_eq!(world.run(&["run", &format!("s/{name}")]).exits(0).out, format!("ok {name}\n"));
    }
}
