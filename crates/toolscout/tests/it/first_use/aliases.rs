//! Words that people type for a command with another name.

use crate::world::World;

/// U-05: each alias behaves as its command.
#[test]
fn an_alias_behaves_as_its_command() {
    let world = World::project().echo("tools/a.tool.toml", "alpha", "description = \"First\"");
    for (alias, command) in [
        (&["list"][..], &["tools"][..]),
        (&["ls", "--json"], &["tools", "--json"]),
        (&["--json", "list"], &["--json", "tools"]),
        (&["add", "--help"], &["server", "add", "--help"]),
        (&["rm", "nonesuch"], &["server", "remove", "nonesuch"]),
        (&["remove", "nonesuch"], &["server", "remove", "nonesuch"]),
        (&["logs", "nonesuch"], &["server", "logs", "nonesuch"]),
        (&["login", "nonesuch"], &["server", "login", "nonesuch"]),
        (&["logout", "nonesuch"], &["server", "logout", "nonesuch"]),
        (&["server", "ls"], &["server", "list"]),
        (&["version"], &["--version"]),
        (&["help"], &["--help"]),
        (&["help", "search"], &["search", "--help"]),
        (&["help", "server", "add"], &["server", "add", "--help"]),
        (&["help", "rm"], &["server", "remove", "--help"]),
        (&["help", "alpha"], &["alpha", "--help"]),
    ] {
        assert_eq!(world.run(alias), world.run(command), "{alias:?}");
    }
}

/// A mistyped command of a group is named with the nearest one, and help lists the group.
#[test]
fn the_commands_of_a_group_are_suggested_and_listed() {
    let world = World::project();
    for (typed, message) in [
        (&["server", "ad"][..], "Command not found: server ad\nDid you mean server add?\n"),
        (&["server", "nonesuch", "-v"], "Command not found: server nonesuch\n"),
        (&["policy", "ste", "pay"], "Command not found: policy ste\nDid you mean policy set?\n"),
    ] {
        let hint = format!("  hint: toolscout {} --help\n", typed[0]);
        world.run(typed).exits(5).stderr_contains(&[message, &hint]);
    }
    world.run(&["server", "list", "x"]).exits(2).stderr_contains(&["Unexpected argument: x"]);
    let help = world.stdout(&["server", "--help"]);
    assert!(help.starts_with("Usage: toolscout server [OPTIONS] [COMMAND]\n"), "{help}");
    assert!(help.contains("  add      Add a server: a command"), "{help}");
}

/// The topics of the help are sections of the manual page too.
#[test]
fn help_shows_topics_and_man_the_manual_page() {
    let world = World::project();
    for (topic, text) in [
        ("environment", "TOOLSCOUT_STATE_DIR is the folder"),
        ("files", "trust.db has trust and approvals"),
        ("exit-codes", "  130  interrupted"),
    ] {
        let shown = world.stdout(&["help", topic]);
        assert!(shown.contains(text), "{shown}");
    }
    let page = world.stdout(&["man"]);
    for line in [".SS server add", ".SH ENVIRONMENT", ".SH FILES", ".SH EXIT STATUS"] {
        assert!(page.lines().any(|found| found == line), "{line}:\n{page}");
    }
    assert!(!page.contains(".SS \\_"), "a hidden command:\n{page}");
}

/// U-06: a tool that is not trusted does not run in the place of an alias.
#[test]
fn an_alias_wins_over_a_tool_that_is_not_trusted() {
    let world = World::project().echo("tools/help.tool.toml", "help", "").echo(
        "tools/version.tool.toml",
        "version",
        "",
    );
    let note = "note: the tool `version` is not trusted; to run it, type `toolscout run version`";
    let shown = world.run(&["version"]).exits(0);
    assert_eq!(shown.out, world.stdout(&["--version"]));
    shown.stderr_contains(&[note]);
    assert!(world.run(&["help"]).exits(0).out.starts_with("Usage: toolscout"));
    assert_eq!(world.stdout(&["run", "version"]), "{}\n");
}

/// U-06: a trusted tool wins over the alias of its name, also for options that both have.
#[test]
fn a_trusted_tool_wins_over_an_alias_of_its_name() {
    let more = "[[parameters]]\nname = \"json\"\ntype = \"string\"";
    let world = World::trusted().echo("tools/list.tool.toml", "list", more).echo(
        "tools/version.tool.toml",
        "version",
        "",
    );
    assert_eq!(world.stdout(&["list", "--json", "x"]), "{\"json\":\"x\"}\n");
    assert_eq!(world.stdout(&["version"]), "{}\n");
    assert!(world.stdout(&["ls"]).contains("list"));
}

/// U-05: the version does not depend on the project.
#[test]
fn help_and_version_do_not_need_a_valid_configuration() {
    let world = World::project().file("toolscout.toml", "not toml [");
    assert_eq!(world.run(&["version"]).exits(0).out, world.run(&["--version"]).exits(0).out);
}
