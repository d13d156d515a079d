//! A cloned repository may contain links: nothing that is written into it changes a file elsewhere.

use crate::world::World;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// A project in which each of these paths is a link to a file or folder beside it.
fn linked(files: &[&str], folders: &[&str]) -> World {
    let mut world = World::trusted().file("../outside/folder/kept.txt", "mine\n");
    for file in files {
        world = world.file("../outside/file", "");
        let path = world.path(file);
        let _ = fs::remove_file(&path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("its folder");
        symlink(world.temp_dir().join("outside/file"), path).expect("a link");
    }
    for folder in folders {
        let path = world.path(folder);
        fs::create_dir_all(path.parent().expect("a folder")).expect("its folder");
        symlink(world.temp_dir().join("outside/folder"), path).expect("a link");
    }
    world
}

fn contents(folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            contents(&path, found);
        } else {
            let text = fs::read_to_string(&path).expect("a text");
            found.insert(path.display().to_string(), text);
        }
    }
}

/// V-123: S11, every command that writes into a project.
#[test]
fn no_command_writes_through_a_link_out_of_the_project() {
    let cases: &[(&[&str], &[&str], &[&str])] = &[
        (&["toolscout.toml"], &[], &["server", "add", "a", "--", "cat"]),
        (&["toolscout.toml"], &[], &["policy", "set", "local/*", "deny"]),
        (&[".mcp.json"], &[], &["connect", "claude-code", "--scope", "project"]),
        (&["toolscout.lock"], &[], &["lock"]),
        (&["tools/manifest.json"], &[], &["manifest", "build"]),
        (&[], &["tools"], &["manifest", "build"]),
        (&["tools/toolscout.d.ts"], &[], &["manifest", "types"]),
        (&[], &["tools"], &["new", "hello"]),
        (&[], &["tools"], &["wrap", "--yes", "--", "echo", "hello"]),
        (&[], &[".opencode"], &["export", "opencode", "--to", ".opencode/tools"]),
        (&[], &[".claude"], &["export", "skill", "--to", ".claude/skills"]),
        (
            &[".claude/skills/toolscout/SKILL.md"],
            &[],
            &["export", "skill", "--to", ".claude/skills"],
        ),
    ];
    for (files, folders, command) in cases {
        let world = linked(files, folders).echo("src/tools/calm.tool.toml", "calm", "");
        let outside = world.temp_dir().join("outside");
        let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
        contents(&outside, &mut before);
        let outcome = world.run(command);
        contents(&outside, &mut after);
        assert_eq!(before, after, "{command:?}");
        assert_ne!(outcome.code, 0, "{command:?}: {outcome:?}");
        let outcome = outcome.stderr_contains(&["is a link that leads out of the project"]);
        drop(outcome);
        for link in files.iter().chain(*folders) {
            assert!(world.path(link).is_symlink(), "{command:?} keeps the link");
        }
    }
}

/// A link within the project stays a link, and its target is written.
#[test]
fn a_link_within_the_project_is_followed() {
    let world = World::project().file("settings/own.toml", "");
    symlink("settings/own.toml", world.path("toolscout.toml")).expect("a link");
    world.run(&["server", "add", "a", "--", "cat"]).exits(0);
    assert!(world.path("toolscout.toml").is_symlink());
    let text = fs::read_to_string(world.path("settings/own.toml")).expect("the target");
    assert!(text.contains("[servers.a]"), "{text}");
}

/// V-124: a file that cannot be read as text was not written by an export.
#[test]
fn an_export_overwrites_no_file_that_it_cannot_read() {
    let world = World::trusted().file(".claude/skills/toolscout/SKILL.md", "");
    let file = world.path(".claude/skills/toolscout/SKILL.md");
    fs::write(&file, [0xff, 0xfe]).expect("written");
    let outcome = world.run(&["export", "skill", "--to", ".claude/skills"]);
    assert_ne!(outcome.code, 0, "{outcome:?}");
    assert_eq!(fs::read(&file).expect("a file"), [0xff, 0xfe]);
}

/// V-125: an edit that failed is not offered to be undone.
#[test]
fn a_failed_edit_leaves_nothing_to_undo() {
    let world = linked(&["toolscout.toml"], &[]);
    world.run(&["server", "add", "a", "--", "cat"]).stderr_contains(&["is a link"]);
    let readonly = World::project();
    let folder = readonly.path("");
    let set_mode = |mode| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(&folder, permissions).expect("the mode");
    };
    set_mode(0o555);
    let refused = readonly.run(&["server", "add", "a", "--", "cat"]);
    set_mode(0o755);
    for (world, is_refused) in [(world, true), (readonly, refused.code != 0)] {
        // Root may write to any folder.
        if is_refused {
            assert_eq!(
                world.run(&["undo", "--list", "--json"]).exits(0).json(),
                serde_json::json!([])
            );
        }
    }
}
