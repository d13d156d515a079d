//! 1. What looks as if it were meant to deceive a model or a person is held, and what stands beside it is not.
//! 2. It is shown where it is reviewed, with nothing in it that acts on a terminal.

use super::scene::is_plain;
use crate::world::World;

/// A server of this kind is known: exactly these tools are held, nowhere found and not called; its others are.
fn holds(mode: &str, held: &[&str]) -> World {
    let world = World::trusted().server("s", mode, &[]);
    world.run(&["server", "refresh"]).exits(0).says(&["quarantined"]);
    let ids: Vec<_> = held.iter().map(|it| format!("s/{it}")).collect();
    assert_eq!(world.held(), ids);
    for id in &ids {
        world.run(&["run", id]).exits(4).says(&["is quarantined"]);
    }
    let all = world.run(&["search", "--json", "--limit", "100", ""]).exits(0).json();
    let is_found =
        |it: &String| all.as_array().is_some_and(|all| all.iter().any(|hit| hit["id"] == **it));
    assert!(!ids.iter().any(is_found), "{all}");
    assert!(is_found(&"s/echo".to_owned()), "{all}");
    assert_eq!(world.asked("s", "tools/call"), 0);
    world.run(&["run", "s/echo", "--text", "a"]).exits(0);
    assert_eq!(world.asked("s", "tools/call"), 1);
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
fn a_description_that_instructs_a_model_is_held() {
    holds("poison_desc", &["add_numbers"]);
}

/// T13: ten of ten places.
#[test]
fn instructions_are_found_wherever_they_stand() {
    let places = [
        "title", "annot", "pdesc", "pname", "enum", "default", "examples", "comment", "out", "icon",
    ]
    .map(|it| format!("ps_{it}"));
    holds("poison_schema", &places.each_ref().map(String::as_str));
}

/// T15. Names with what cannot be seen are refused altogether.
#[test]
fn hidden_characters_are_held_and_shown() {
    let world = holds("hidden_unicode", &["\u{435}cho", "bidi", "tags", "vs"]);
    world.run(&["review"]).exits(0).prints(&[
        "safe \\u{202e} tpircs live",
        "\\u{e0072}\\u{e0065}",
        "looks like s/echo",
    ]);
    world
        .run(&["tools"])
        .exits(0)
        .says(&["tool `ec\\u{200b}ho` is left out", "tool `\\u{202e}moc` is left out"]);
}

/// T16.
#[test]
fn escape_sequences_are_held_and_shown() {
    holds("ansi", &["ansi", "title"]).run(&["review"]).exits(0).prints(&["[8mhidden"]);
}

#[test]
fn a_description_that_says_how_to_use_the_tools_of_others_is_held() {
    holds("shadow_ref", &["weather"]);
}

#[test]
fn markup_that_a_page_would_run_is_held() {
    holds("html", &["icons", "md", "\"><b>x"]);
}

/// A name that is a path or a piece of shell makes no file and runs nothing, whatever is done with it.
#[test]
fn names_that_are_paths_or_shell_are_held() {
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
    let said = world.run(&["run", "s/$(touch pwned)"]).exits(0).out;
    assert_eq!(said, "ok $(touch pwned)\n", "approved, it is a name like any other");
    world.run(&["lock"]).exits(0);
    world.run(&["verify"]).exits(0);
    assert!(!world.path("pwned").exists() && !std::path::Path::new("/tmp/hostile_pwned").exists());
}

/// Those of our own tools are held; those of our commands are theirs only by their full name.
#[test]
fn a_server_does_not_stand_in_front_of_what_is_ours() {
    let world = holds("reserved", &["tool_search", "execute_tool"]);
    world.run(&["approval", "list"]).exits(0).says(&["2 tools quarantined"]);
    assert_eq!(world.run(&["run", "s/approve"]).exits(0).out, "ok approve\n");
    assert_eq!(world.run(&["run", "s/tools/list"]).exits(0).out, "ok tools/list\n");
}

/// Told apart by their bytes; those that look the same as another are held.
#[test]
fn names_that_look_alike_are_told_apart() {
    let world = holds(
        "fold_names",
        &["send\u{2011}email", "caf\u{e9}", "cafe\u{301}", "\u{ff53}end_email"],
    );
    for name in ["send_email", "Send_Email", "send-email", "sendEmail"] {
        assert_eq!(world.run(&["run", &format!("s/{name}")]).exits(0).out, format!("ok {name}\n"));
    }
}
