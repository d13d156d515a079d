//! 1. There are four policies on four levels. The strictest one applies, and its level is named.
//! 2. Setting a policy starts no server.
//! 3. A mode applies to all tools; disabled and quarantined tools stay blocked in each mode.

use crate::world::World;
use serde_json::{Value, json};
use std::fs;

/// A project with the discovered server `s`, of mode `honest`.
fn known() -> World {
    let world = World::trusted().server("s", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    world
}

/// Writes the user configuration.
fn own(world: World, text: &str) -> World {
    let folder = world.temp_dir().join("config");
    fs::create_dir_all(&folder).expect("make a folder");
    fs::write(folder.join("config.toml"), text).expect("write the configuration");
    world
}

/// The effective policy of a tool and its reason, from `policy --json`.
fn holding(world: &World, tool: &str) -> (String, String) {
    let all = world.run(&["policy", tool, "--json"]).exits(0).json()["tools"].clone();
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    (text(&all[0]["policy"]), text(&all[0]["reason"]))
}

/// Sets a policy on one of the levels.
type Saying = fn(World) -> World;

const ADD: [&str; 6] = ["run", "s/add", "--a", "1", "--b", "2"];

/// L-02: only commands that name the tool mention it, in the error.
#[test]
fn a_disabled_tool_is_hidden() {
    let world = known();
    world
        .run(&["policy", "set", "s/add", "disable"])
        .exits(0)
        .stderr_contains(&["Set the policy of s/add to disable in "]);
    let read = world.public_output();
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
        world.run(args).exits(4).stderr_contains(&[
            "`s/add` is disabled by the project rule `s/add`",
            "toolscout policy",
        ]);
    }
    assert_eq!(world.request_count("s", "tools/call"), 0);
    world
        .run(&["policy", "unset", "s/add"])
        .exits(0)
        .stderr_contains(&["Removed the policy of s/add"]);
    assert_eq!(world.run(&ADD).exits(0).out, "3\n");
}

/// L-03: the tool is listed and described, and a call names the rule and its level.
#[test]
fn a_denied_tool_is_listed_and_calls_name_the_rule() {
    let places: [(Saying, &str); 5] = [
        (|value| value.append_config("tools = { add = \"deny\" }"), "by the project rule `s/add`"),
        (
            |value| value.append_config("tools = { \"*\" = \"deny\", echo = \"allow\" }"),
            "by the project rule `s/*`",
        ),
        (
            |value| value.append_config("[policies]\n\"s/add\" = \"deny\""),
            "by the project rule `s/add`",
        ),
        (
            |value| own(value, "[policies]\n\"*\" = \"deny\"\n\"s/echo\" = \"allow\""),
            "by the global rule `*`",
        ),
        (
            |value| own(value, "default_policy = \"deny\"\n[policies]\n\"s/echo\" = \"allow\""),
            "by the global default",
        ),
    ];
    for (say, by) in places {
        let world = say(known());
        assert_eq!(holding(&world, "s/add"), ("deny".to_owned(), by.to_owned()));
        world.run(&ADD).exits(4).stderr_contains(&[
            &format!("`s/add` is denied {by}\n"),
            "run `toolscout policy` to see which level decided",
        ]);
        assert!(world.names(&[]).contains(&"add".to_owned()));
        world.run(&["describe", "s/add"]).exits(0);
        world.run(&["run", "s/echo", "--text", "a"]).exits(0);
        assert_eq!(world.request_count("s", "tools/call"), 1);
    }
}

/// L-06, M-03a: a project cannot set a looser policy than the user configuration.
#[test]
fn the_strictest_policy_wins_and_a_looser_one_is_refused() {
    let words = ["allow", "ask", "deny", "disable"];
    let world = known();
    for (global, project) in [(0, 1), (1, 0), (2, 1), (0, 3), (2, 2)] {
        world.run(&["policy", "unset", "s/add"]).exits(0);
        world.run(&["policy", "set", "s/add", words[global], "--level", "global"]).exits(0);
        let set = world.run(&["policy", "set", "s/add", words[project]]);
        if project < global {
            let allowed = words[global..].join(", ");
            set.exits(2).stderr_contains(&[
                &format!("`{}` is looser", words[project]),
                &format!("at this level, use {allowed}"),
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

/// L-05: read-only mode allows only tools that are marked read-only. Allow-all mode, set by the
/// user, allows all tools except disabled and quarantined ones.
#[test]
fn modes_apply_to_all_tools() {
    let world = known().append_config("tools = { add = \"deny\", blob = \"disable\" }");
    world.run(&["reject", "s/fail"]).exits(0);
    let codes = |world: &World| {
        let calls: [&[&str]; 5] = [
            &["run", "s/echo", "--text", "a"],
            &ADD,
            &["run", "s/whoami"],
            &["run", "s/blob", "--bytes", "1"],
            &["run", "s/fail"],
        ];
        calls.map(|call| world.run(call).code)
    };
    assert_eq!(codes(&world), [0, 4, 0, 4, 4]);
    let world = own(world, "mode = \"read-only\"\n");
    assert_eq!(codes(&world), [0, 4, 4, 4, 4]);
    let refused = "`s/whoami` is denied by read-only mode: the tool is not marked read-only";
    world.run(&["run", "s/whoami"]).exits(4).stderr_contains(&[refused]);
    let world = own(world, "mode = \"allow-all\"\n");
    assert_eq!(codes(&world), [0, 0, 0, 4, 4]);
}

/// A project cannot loosen the policies of the user.
#[test]
fn a_project_cannot_allow_all() {
    let world = known();
    let config = fs::read_to_string(world.path("toolscout.toml")).expect("the configuration");
    let world = world.file(
        "toolscout.toml",
        &format!("mode = \"allow-all\"\n{config}tools = {{ add = \"deny\" }}\n"),
    );
    world
        .run(&["tools"])
        .exits(0)
        .stderr_contains(&["which is allowed only in your user configuration"]);
    world.run(&ADD).exits(4);
    assert_eq!(world.request_count("s", "tools/call"), 0);
}

/// D-08: no server is started, and no entry counts as changed.
#[test]
fn setting_a_policy_starts_and_changes_no_server() {
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
    assert_eq!(world.quarantined(), [""; 0]);
}

/// Such a rule is probably a mistake.
#[test]
fn a_rule_that_matches_no_tool_is_a_warning() {
    let world = known();
    world.run(&["policy", "set", "s/renamed", "deny"]).exits(0);
    world.run(&["policy", "set", "nobody/x", "ask"]).exits(0);
    let warned = [
        "the project rule `s/renamed` matches no tool or source",
        "the project rule `nobody/x` matches no tool or source",
    ];
    for args in [&["tools"][..], &["policy"], &["run", "s/whoami"]] {
        world.run(args).exits(0).stderr_contains(&warned);
    }
    let misspelt = World::trusted()
        .append_config("[policies]\n\"s/add\" = \"denied\"\n\"nonsense\" = \"deny\"");
    misspelt
        .run(&["tools"])
        .exits(0)
        .stderr_contains(&["`deny` applies", "`nonsense` is not a tool pattern"]);
}

#[test]
fn policies_apply_to_project_tools() {
    let world =
        World::project().echo("tools/a.tool.toml", "a", "description = \"Says what it was told\"");
    world.run(&["run", "a"]).exits(0);
    world
        .run(&["policy", "set", "a", "deny"])
        .exits(0)
        .stderr_contains(&["Set the policy of local/a to deny"]);
    world
        .run(&["a"])
        .exits(4)
        .stderr_contains(&["`local/a` is denied by the project rule `local/a`"]);
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
    world
        .run(&["a"])
        .exits(4)
        .stderr_contains(&["`local/a` is disabled by the global rule `local/*`"]);
}

#[test]
fn policy_show_filters_by_source_and_tool() {
    let world = known();
    world.run(&["policy", "set", "s/add", "ask"]).exits(0);
    let all = world.stdout(&["policy"]);
    assert_eq!(all.lines().count(), 6);
    assert!(
        all.contains(
            "  allow    s/echo (by default)\n  ask      s/add (by the project rule `s/add`)\n"
        ),
        "{all}"
    );
    assert_eq!(
        (world.stdout(&["policy", "s"]), world.stdout(&["policy", "s/*"])),
        (all.clone(), all)
    );
    for name in ["add", "s/add", "s:add"] {
        assert_eq!(
            world.stdout(&["policy", name]),
            "  ask      s/add (by the project rule `s/add`)\n"
        );
    }
    world
        .run(&["policy", "nothing"])
        .exits(5)
        .stderr_contains(&["no tool or source `nothing`", "toolscout tools list"]);
    world.run(&["policy", "unset"]).exits(2).stderr_contains(&["TOOL"]);
    // A set without a value must not remove the rule.
    world.run(&["policy", "set", "s/add"]).exits(2).stderr_contains(&["POLICY"]);
    assert_eq!(holding(&world, "s/add").0, "ask");
    world
        .run(&["policy", "set", "add", "maybe"])
        .exits(2)
        .stderr_contains(&["allow, ask, deny, disable"]);
    world
        .run(&["policy", "set", "nothing", "deny"])
        .exits(2)
        .stderr_contains(&["`nothing` is not a tool or pattern"]);
}
