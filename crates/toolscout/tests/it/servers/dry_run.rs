//! `--dry-run` prints the plan and changes nothing.

use crate::world::World;
use std::fs;

/// Everything that these commands could change, and the number of server starts.
fn all_there_is(world: &World) -> (String, String, String, usize) {
    let shown = |args: &[&str]| world.run(args).exits(0).out;
    let file = fs::read_to_string(world.path("toolscout.toml")).expect("the configuration");
    (file, shown(&["review", "--json"]), shown(&["trust", "--list"]), world.starts("bad"))
}

#[test]
fn a_dry_run_changes_nothing_and_starts_nothing() {
    let world = World::trusted().server("bad", "poison_desc", &[]);
    world.run(&["server", "refresh"]).exits(0);
    let before = all_there_is(&world);
    assert!(before.1.contains("bad/add_numbers"), "{}", before.1);
    let commands: [(&[&str], &str); 13] = [
        (&["approve", "bad/add_numbers"], "Would approve `bad/add_numbers`\n"),
        (&["reject", "bad/echo"], "Would reject `bad/echo`\n"),
        (&["review", "--accept", "bad"], "Would approve all tools of `bad`\n"),
        (&["policy", "set", "bad/echo", "deny"], "Would set the policy of `bad/echo` to deny\n"),
        (&["policy", "unset", "bad/echo"], "Would unset the policy of `bad/echo`\n"),
        (&["server", "remove", "bad"], "Would remove server `bad` from "),
        (&["server", "disable", "bad"], "Would disable server `bad`\n"),
        (&["server", "refresh"], "Would start bad and list its tools\n"),
        (&["server", "test", "bad"], "Would start server `bad` and list its tools\n"),
        (&["server", "start", "bad"], "Would start server `bad`\n"),
        (&["server", "restart", "bad"], "Would restart server `bad`\n"),
        (&["server", "host"], "Would host the servers of "),
        (&["trust"], "Would trust "),
    ];
    for (args, output) in commands {
        let words: Vec<&str> = ["--dry-run"].iter().chain(args).copied().collect();
        world.run(&words).exits(0).stderr_contains(&[output]);
        assert_eq!(all_there_is(&world), before, "{args:?}");
    }
}
