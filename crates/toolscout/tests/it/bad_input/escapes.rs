//! Ways out of the folder: paths, links, and files that change between a look and a run.

use super::{has_mark, lists_only_good_and, marking, project};
use crate::world::World;
use std::fs;
use std::os::unix::fs::symlink;

/// A project, and beside it a folder with a script that leaves the mark.
fn with_evil() -> World {
    let world = project();
    let script = marking(&world);
    let evil = world.path("../evil/run.sh").display().to_string();
    let tool = format!("name = \"outsider\"\n[run]\ncommand = [\"{evil}\"]\n");
    world.script("../evil/run.sh", &script).file("../evil/outsider.tool.toml", &tool)
}

fn manifest(path: &str) -> String {
    serde_json::json!({"tools": [{"name": "out", "path": path}]}).to_string()
}

/// S1: a manifest's path that climbs out.
#[test]
fn a_manifest_path_cannot_leave_its_folder() {
    for path in ["../../evil/run.sh", "../../../../../../../bin/sh", "x/../../../evil/run.sh"] {
        let world = with_evil().file("tools/manifest.json", &manifest(path));
        lists_only_good_and(&world, &[]).stderr_contains(&[
            "manifest.json",
            "is outside the folder, so it is refused",
            path,
        ]);
        world.run(&["run", "out"]).exits(5);
        assert!(!has_mark(&world));
    }
}

/// S2: an absolute path.
#[test]
fn a_manifest_cannot_use_an_absolute_path() {
    let world = with_evil();
    let evil = world
        .path("../evil/run.sh")
        .canonicalize()
        .expect("the script exists")
        .display()
        .to_string();
    let world = world.file("tools/manifest.json", &manifest(&evil));
    lists_only_good_and(&world, &[]).stderr_contains(&["is outside the folder, so it is refused"]);
    world.run(&["out"]).exits(5);
    assert!(!has_mark(&world));
}

/// S1, S2: the same from a tool file's command.
#[test]
fn a_tool_file_command_cannot_leave_its_folder() {
    for command in ["../../evil/run.sh", "./../../evil/run.sh"] {
        let tool = format!("name = \"out\"\n[run]\ncommand = [\"{command}\"]\n");
        let world = with_evil().file("tools/out.tool.toml", &tool);
        lists_only_good_and(&world, &[])
            .stderr_contains(&["out.tool.toml", "is outside the folder, so it is not run"]);
        assert!(!has_mark(&world));
    }
}

/// S3: a file that is a link to the outside.
#[test]
fn a_symlink_to_a_file_outside_the_project_is_not_followed() {
    let world = with_evil();
    symlink("../../evil/outsider.tool.toml", world.path("tools/link.tool.toml")).expect("a link");
    symlink("/etc/passwd", world.path("tools/passwd.tool.toml")).expect("a link");
    symlink("../../evil/run.sh", world.path("tools/run.sh")).expect("a link");
    let listed = lists_only_good_and(&world, &[]).stderr_contains(&[
        "link.tool.toml",
        "passwd.tool.toml",
        "a symbolic link that leads out",
    ]);
    assert!(!listed.err.contains("root:"), "the content of the file is not shown: {}", listed.err);
    world.run(&["outsider"]).exits(5);
    assert!(!has_mark(&world));
}

/// S4: a folder that is a link to the outside.
#[test]
fn a_symlink_to_a_folder_outside_the_project_is_not_followed() {
    let world = with_evil();
    symlink("../../evil", world.path("tools/more")).expect("a link");
    lists_only_good_and(&world, &[])
        .stderr_contains(&["tools/more", "a symbolic link that leads out"]);
    world.run(&["outsider"]).exits(5);
    assert!(!has_mark(&world));
}

/// S4: the folder of tools itself.
#[test]
fn a_tools_folder_that_is_a_symlink_to_the_outside_is_not_followed() {
    let world = with_evil();
    fs::rename(world.path("tools"), world.path("kept")).expect("rename");
    symlink("../evil", world.path("tools")).expect("a link");
    let listed =
        world.run(&["tools"]).exits(0).stderr_contains(&["a symbolic link that leads out"]);
    assert_eq!(listed.out, "");
}

/// Links inside the project are an author's business.
#[test]
fn a_symlink_inside_the_project_is_followed() {
    let world = project().echo("shared/two.tool.toml", "two", "");
    symlink("../shared", world.path("tools/shared")).expect("a link");
    assert_eq!(lists_only_good_and(&world, &["two"]).err, "");
}

fn swapped() -> World {
    let tool = "name = \"swap\"\n[run]\ncommand = [\"./swap.sh\"]\n";
    with_evil()
        .script("tools/swap.sh", "#!/bin/sh\necho inside\n")
        .file("tools/swap.tool.toml", tool)
}

/// S5: a link takes the program's place after it was listed.
#[test]
fn a_program_replaced_by_a_symlink_is_not_run() {
    let world = swapped();
    assert_eq!(world.run(&["swap"]).exits(0).out, "inside\n");
    fs::remove_file(world.path("tools/swap.sh")).expect("remove");
    symlink("../../evil/run.sh", world.path("tools/swap.sh")).expect("a link");
    let refused = world.run(&["swap"]);
    assert!([3, 4, 5].contains(&refused.code), "{refused:?}");
    assert!(!has_mark(&world));
}

/// S5, reduced: every single run looks again, however often the two change places.
#[test]
fn a_program_that_alternates_with_a_symlink_is_never_run_as_the_symlink() {
    let world = swapped();
    let (program_path, parked_program, parked_link) =
        (world.path("tools/swap.sh"), world.path("tools/_inside"), world.path("tools/_outside"));
    fs::rename(&program_path, &parked_program).expect("rename");
    symlink("../../evil/run.sh", &parked_link).expect("a link");
    for _ in 0..10 {
        fs::rename(&parked_link, &program_path).expect("replace the script with the link");
        assert_ne!(world.run(&["swap"]).code, 0);
        fs::rename(&program_path, &parked_link)
            .and_then(|()| fs::rename(&parked_program, &program_path))
            .expect("replace the link with the script");
        assert_eq!(world.run(&["swap"]).exits(0).out, "inside\n");
        fs::rename(&program_path, &parked_program).expect("move the script away");
    }
    assert!(!has_mark(&world), "the link was followed");
}

/// S13, reduced: other content of the same size at the same time is seen.
#[test]
fn a_replaced_file_with_equal_size_and_time_is_detected() {
    let world = project().echo("tools/a.tool.toml", "a", "description = \"one\"");
    let file = world.path("tools/a.tool.toml");
    let long_ago =
        std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let age = || {
        fs::File::options()
            .write(true)
            .open(&file)
            .and_then(|value| value.set_modified(long_ago))
            .expect("set its time")
    };
    age();
    let description =
        || world.run(&["describe", "a", "--json"]).exits(0).json()["description"].clone();
    assert_eq!((description(), description()), ("one".into(), "one".into()));
    let other = fs::read_to_string(&file).expect("read").replace("one", "two");
    fs::write(&file, other).expect("write");
    age();
    assert_eq!(description(), "two");
}

/// S15: names that differ in case only, or in how a letter is composed.
#[test]
fn similar_names_are_distinguished_byte_by_byte() {
    let world = project()
        .echo("tools/a.tool.toml", "Report", "description = \"large\"")
        .echo("tools/b.tool.toml", "report", "description = \"small\"")
        .echo("tools/caf\u{e9}.tool.toml", "composed", "")
        .echo("tools/cafe\u{301}.tool.toml", "decomposed", "");
    let listed = lists_only_good_and(&world, &["Report", "report", "decomposed", "composed"]);
    listed.stderr_contains(&["warning: ", "`report` and `Report` differ only in case"]);
    assert_eq!(world.run(&["describe", "Report", "--json"]).json()["description"], "large");
    assert_eq!(world.run(&["describe", "report", "--json"]).json()["description"], "small");
    world.run(&["REPORT"]).exits(5);
}
