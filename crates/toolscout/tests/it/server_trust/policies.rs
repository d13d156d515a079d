//! 1. Four words, said in four places; the tightest holds, and who said it is named.
//! 2. Saying one asks no server anything.
//! 3. Modes are for all tools at once; what is disabled or held stays so in each.

use crate::world::World;
use serde_json::{Value, json};
use std::fs;

/// A server with the tools of the honest one, known already.
fn known() -> World {
    let world = World::trusted().server("s", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    world
}

/// What a person's own configuration says.
fn own(world: World, text: &str) -> World {
    let folder = world.outside().join("config");
    fs::create_dir_all(&folder).expect("make a folder");
    fs::write(folder.join("config.toml"), text).expect("write the configuration");
    world
}

/// What holds for a tool, and why, as `policy --json` has it.
fn holding(world: &World, tool: &str) -> (String, String) {
    let all = world.run(&["policy", tool, "--json"]).exits(0).json()["tools"].clone();
    let text = |it: &Value| it.as_str().unwrap_or("?").to_owned();
    (text(&all[0]["policy"]), text(&all[0]["because"]))
}

/// Says something about what may be done, somewhere.
type Saying = fn(World) -> World;

const ADD: [&str; 6] = ["run", "s/add", "--a", "1", "--b", "2"];

/// L-02: not there at all, but for who asks for it by name.
#[test]
fn a_disabled_tool_is_nowhere() {
    let world = known();
    world
        .run(&["policy", "set", "s/add", "disable"])
        .exits(0)
        .says(&["Set the policy of s/add to disable in "]);
    let read = world.read_out();
    assert!(
        read.contains("s/echo") && !read.contains("Adds two numbers") && !read.contains("s/add"),
        "{read}"
    );
    let found = world.run(&["search", "--json", "adds two numbers"]).exits(0).json();
    assert!(!found.to_string().contains("s/add"), "{found}");
    for args in [
        &ADD[..],
        &["add", "--a", "1", "--b", "2"],
        &["describe", "s/add"],
        &["export", "openai", "s/add"],
    ] {
        world
            .run(args)
            .exits(4)
            .says(&["`s/add` is disabled by the project rule `s/add`", "toolscout policy"]);
    }
    assert_eq!(world.asked("s", "tools/call"), 0);
    world.run(&["policy", "unset", "s/add"]).exits(0).says(&["Removed the policy of s/add"]);
    assert_eq!(world.run(&ADD).exits(0).out, "3\n");
}

/// L-03: listed, described, refused, whoever said it and wherever.
#[test]
fn a_denied_tool_is_listed_and_refused_with_who_said_so() {
    let places: [(Saying, &str); 5] = [
        (|it| it.more("tools = { add = \"deny\" }"), "by the project rule `s/add`"),
        (
            |it| it.more("tools = { \"*\" = \"deny\", echo = \"allow\" }"),
            "by the project rule `s/*`",
        ),
        (|it| it.more("[policies]\n\"s/add\" = \"deny\""), "by the project rule `s/add`"),
        (
            |it| own(it, "[policies]\n\"*\" = \"deny\"\n\"s/echo\" = \"allow\""),
            "by the global rule `*`",
        ),
        (
            |it| own(it, "default_policy = \"deny\"\n[policies]\n\"s/echo\" = \"allow\""),
            "by the global default",
        ),
    ];
    for (say, by) in places {
        let world = say(known());
        assert_eq!(holding(&world, "s/add"), ("deny".to_owned(), by.to_owned()));
        world.run(&ADD).exits(4).says(&[
            &format!("`s/add` is denied {by}\n"),
            "`toolscout policy` shows which level decided",
        ]);
        assert!(world.names(&[]).contains(&"add".to_owned()));
        world.run(&["describe", "s/add"]).exits(0);
        world.run(&["run", "s/echo", "--text", "a"]).exits(0);
        assert_eq!(world.asked("s", "tools/call"), 1);
    }
}

/// L-06: the tightest value counts; a project may not set a looser one than the user's own configuration.
#[test]
fn the_tightest_policy_counts_and_a_looser_one_is_refused() {
    let words = ["allow", "ask", "deny", "disable"];
    let world = known();
    for (global, project) in [(0, 1), (1, 0), (2, 1), (0, 3), (2, 2)] {
        world.run(&["policy", "unset", "s/add"]).exits(0);
        world.run(&["policy", "set", "s/add", words[global], "--level", "global"]).exits(0);
        let set = world.run(&["policy", "set", "s/add", words[project]]);
        if project < global {
            let allowed = words[global..].join(", ");
            set.exits(2).says(&[
                &format!("`{}` is looser", words[project]),
                &format!("this level may say {allowed}"),
            ]);
        } else {
            set.exits(0);
        }
        assert_eq!(holding(&world, "s/add").0, words[global.max(project)]);
    }
    let allowed =
        world.run(&["policy", "s/add", "--json"]).exits(0).json()["tools"][0]["allowed"].clone();
    assert_eq!(
        allowed,
        json!(["deny", "disable"]),
        "values that are not looser than the user's own"
    );
    world.run(&["policy", "unset", "s/add"]).exits(0);
    world.run(&["policy", "unset", "s/add", "--level", "global"]).exits(0);
    assert_eq!(holding(&world, "s/add"), ("allow".to_owned(), "by default".to_owned()));
}

/// L-05: only what says that it changes nothing; and all but what is disabled or held, if the person themselves says so.
#[test]
fn modes_hold_for_all_tools() {
    let world = known().more("tools = { add = \"deny\", blob = \"disable\" }");
    world.run(&["reject", "s/fail"]).exits(0);
    let codes = |world: &World| {
        let calls: [&[&str]; 5] = [
            &["run", "s/echo", "--text", "a"],
            &ADD,
            &["run", "s/whoami"],
            &["run", "s/blob", "--bytes", "1"],
            &["run", "s/fail"],
        ];
        calls.map(|it| world.run(it).code)
    };
    assert_eq!(codes(&world), [0, 4, 0, 4, 4]);
    let world = own(world, "mode = \"read-only\"\n");
    assert_eq!(codes(&world), [0, 4, 4, 4, 4]);
    let refused = "`s/whoami` is denied in read-only mode: the tool is not marked read-only";
    world.run(&["run", "s/whoami"]).exits(4).says(&[refused]);
    let world = own(world, "mode = \"allow-all\"\n");
    assert_eq!(codes(&world), [0, 0, 0, 4, 4]);
}

/// A project may not loosen what a person wants.
#[test]
fn a_project_cannot_allow_all() {
    let world = known();
    let config = fs::read_to_string(world.path("toolscout.toml")).expect("the configuration");
    let world = world.file(
        "toolscout.toml",
        &format!("mode = \"allow-all\"\n{config}tools = {{ add = \"deny\" }}\n"),
    );
    world.run(&["tools"]).exits(0).says(&["which only a person's own configuration may say"]);
    world.run(&ADD).exits(4);
    assert_eq!(world.asked("s", "tools/call"), 0);
}

/// D-08: no server is asked, and none is taken for another one.
#[test]
fn saying_a_policy_starts_nothing_and_changes_no_server() {
    let world = known();
    world.run(&["lock"]).exits(0);
    let (starts, before) = (world.starts("s"), world.discovery("s"));
    for (tool, policy) in [
        ("s/add", "ask"),
        ("s/add", "deny"),
        ("s/*", "ask"),
        ("s/whoami", "disable"),
        ("s/add", "allow"),
    ] {
        world.run(&["policy", "set", tool, policy]).exits(0);
        world.run(&["tools"]).exits(0);
    }
    assert_eq!((world.starts("s"), world.discovery("s")), (starts, before));
    world.run(&["verify"]).exits(0);
    world.run(&ADD).exits(0);
    assert_eq!(world.held(), [""; 0]);
}

/// A rule that covers nothing was written for something.
#[test]
fn a_rule_about_what_is_not_there_is_warned_of() {
    let world = known();
    world.run(&["policy", "set", "s/renamed", "deny"]).exits(0);
    world.run(&["policy", "set", "nobody/x", "ask"]).exits(0);
    let warned =
        ["the project rule `s/renamed` names nothing", "the project rule `nobody/x` names nothing"];
    for args in [&["tools"][..], &["policy"], &["run", "s/whoami"]] {
        world.run(args).exits(0).says(&warned);
    }
    let misspelt =
        World::trusted().more("[policies]\n\"s/add\" = \"denied\"\n\"nonsense\" = \"deny\"");
    misspelt
        .run(&["tools"])
        .exits(0)
        .says(&["it is denied until then", "`nonsense` matches no tool"]);
}

/// What holds for servers holds for the project's own tools.
#[test]
fn a_tool_of_the_project_has_policies_too() {
    let world =
        World::project().echo("tools/a.tool.toml", "a", "description = \"Says what it was told\"");
    world.run(&["run", "a"]).exits(0);
    world
        .run(&["policy", "set", "a", "deny"])
        .exits(0)
        .says(&["Set the policy of local/a to deny"]);
    world.run(&["a"]).exits(4).says(&["`local/a` is denied by the project rule `local/a`"]);
    world.run(&["policy", "set", "local/*", "disable", "--level", "global"]).exits(0);
    for args in [
        &["tools"][..],
        &["tools", "--json"],
        &["tools", "--stream"],
        &["search", "--json", "told"],
    ] {
        let read = world.run(args).exits(0).out;
        assert!(!read.contains("Says what"), "{args:?}: {read}");
    }
    world.run(&["a"]).exits(4).says(&["`local/a` is disabled by the global rule `local/*`"]);
}

#[test]
fn policies_are_shown_for_all_for_a_source_and_for_one() {
    let world = known();
    world.run(&["policy", "set", "s/add", "ask"]).exits(0);
    let all = world.out(&["policy"]);
    assert_eq!(all.lines().count(), 6);
    assert!(
        all.contains(
            "  allow    s/echo (by default)\n  ask      s/add (by the project rule `s/add`)\n"
        ),
        "{all}"
    );
    assert_eq!((world.out(&["policy", "s"]), world.out(&["policy", "s/*"])), (all.clone(), all));
    for name in ["add", "s/add", "s:add"] {
        assert_eq!(
            world.out(&["policy", name]),
            "  ask      s/add (by the project rule `s/add`)\n"
        );
    }
    world
        .run(&["policy", "nothing"])
        .exits(5)
        .says(&["no tool or source `nothing`", "toolscout tools list"]);
    world.run(&["policy", "unset"]).exits(2).says(&["TOOL"]);
    // A set without a value must not remove the rule.
    world.run(&["policy", "set", "s/add"]).exits(2).says(&["POLICY"]);
    assert_eq!(holding(&world, "s/add").0, "ask");
    world.run(&["policy", "set", "add", "maybe"]).exits(2).says(&["allow, ask, deny, disable"]);
    world.run(&["policy", "set", "nothing", "deny"]).exits(2).says(&["`nothing` is no tool"]);
}
