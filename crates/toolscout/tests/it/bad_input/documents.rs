//! Files that cannot be read, or should not be.

use super::{has_mark, lists_only_good_and, marking, project};
use crate::world::World;
use std::fs::{self, File};
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::{Duration, Instant};

/// A whole tool but for what a test puts around it.
const TOOL: &str = "name: bad\nrun:\n  command: [cat]\n";

/// S9: each is refused with a reason of its own.
#[test]
fn documents_that_play_tricks_are_refused_with_the_reason() {
    for (name, text, reason) in [
        ("twice.tool.yaml", "name: bad\nname: bad\nrun:\n  command: [cat]\n", "name"),
        ("tab.tool.yaml", "name: bad\nrun:\n\tcommand: [cat]\n", "line"),
        ("mark.tool.yaml", &format!("\u{feff}{TOOL}"), "byte order mark"),
        ("nul.tool.yaml", &format!("{TOOL}# \0\n"), "NUL byte at line 4"),
        (
            "twice.tool.toml",
            "name = \"bad\"\nname = \"bad\"\n[run]\ncommand = [\"cat\"]\n",
            "line 2",
        ),
        (
            "twice.tool.json",
            "{\"name\": \"bad\", \"name\": \"bad\", \"run\": {\"command\": [\"cat\"]}}",
            "given twice",
        ),
        ("list.tool.json", "[1, 2]", "a tool file is a table"),
        ("cut.tool.json", "{\"name\": \"bad\"", "line 1"),
    ] {
        let world = project().file(&format!("tools/{name}"), text);
        lists_only_good_and(&world, &[]).says(&[name, reason]);
    }
}

/// S9: a few lines that would unfold to more than any memory.
#[test]
fn a_yaml_bomb_is_defused() {
    let mut text =
        "name: bad\nrun:\n  command: [cat]\nannotations:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let above = format!("*a{}, ", level - 1).repeat(10);
        text += &format!("  a{level}: &a{level} [{}]\n", above.trim_end_matches(", "));
    }
    let world = project().file("tools/bomb.tool.yaml", &text);
    let started = Instant::now();
    lists_only_good_and(&world, &[]).says(&["bomb.tool.yaml"]);
    assert!(started.elapsed() < Duration::from_secs(10), "it took {:?}", started.elapsed());
}

/// Not UTF-8 at all.
#[test]
fn a_document_that_is_not_text_is_refused_with_the_place() {
    let world = project();
    fs::write(world.path("tools/bytes.tool.toml"), b"name = \"bad\"\n# \xff\xfe\n").expect("write");
    lists_only_good_and(&world, &[]).says(&["bytes.tool.toml", "is not UTF-8 at line 2 column 3"]);
}

/// S8: a manifest of 10 MB, and one that claims to have 10 GB.
#[test]
fn a_manifest_that_is_too_large_is_not_read() {
    let entry = r#"{"name": "bad", "description": "x", "path": "x.sh"},"#;
    let many = format!("{{\"tools\": [{}{{}}]}}", entry.repeat((10 << 20) / entry.len()));
    assert!(many.len() > 10_000_000);
    let world = project().file("tools/manifest.json", &many);
    lists_only_good_and(&world, &[]).says(&["manifest.json", "has more than 1024 KiB"]);

    let sparse = project();
    for name in ["manifest.json", "huge.tool.toml", "huge.tool.json"] {
        File::create(sparse.path("tools").join(name))
            .and_then(|it| it.set_len(10 << 30))
            .expect("a sparse file");
    }
    let started = Instant::now();
    lists_only_good_and(&sparse, &[]).says(&["manifest.json", "huge.tool.toml", "huge.tool.json"]);
    assert!(started.elapsed() < Duration::from_secs(10), "it took {:?}", started.elapsed());
}

/// S8: a script of that size is looked at no further than its beginning.
#[test]
fn a_huge_script_does_not_stop_anything() {
    let world = project().script("tools/huge.sh", "#!/bin/sh\n");
    File::options()
        .write(true)
        .open(world.path("tools/huge.sh"))
        .and_then(|it| it.set_len(10 << 30))
        .expect("grow it");
    let started = Instant::now();
    lists_only_good_and(&world, &[]);
    assert!(started.elapsed() < Duration::from_secs(10), "it took {:?}", started.elapsed());
}

/// S7: pipes, sockets and devices in place of files; none is waited for.
#[test]
fn what_is_no_regular_file_is_named_and_passed_over() {
    let world = project();
    let made = Command::new("mkfifo")
        .args([world.path("tools/pipe.tool.toml"), world.path("tools/pipe.sh")])
        .status();
    assert!(made.is_ok_and(|it| it.success()));
    let _socket = UnixListener::bind(world.path("tools/socket.tool.toml")).expect("a socket");
    std::os::unix::fs::symlink("/dev/zero", world.path("tools/device.tool.toml")).expect("a link");
    lists_only_good_and(&world, &[]).says(&[
        "pipe.tool.toml: is a pipe, not a file",
        "socket.tool.toml: is a socket, not a file",
        "device.tool.toml: is a link that leads out",
    ]);
}

/// S7: the same behind a manifest.
#[test]
fn a_manifest_that_names_a_pipe_gives_a_tool_that_cannot_run() {
    let manifest = r#"{"tools": [{"name": "piped", "path": "pipe"}]}"#;
    let world = project().file("tools/manifest.json", manifest);
    assert!(
        Command::new("mkfifo").arg(world.path("tools/pipe")).status().is_ok_and(|it| it.success())
    );
    lists_only_good_and(&world, &["piped"]).says(&["is a pipe, not a file"]);
    world.run(&["piped"]).exits(3).says(&["is a pipe, not a file"]);
}

/// S14: deep trees and loops end.
#[test]
fn a_deep_tree_and_a_loop_of_links_end() {
    let deep = "d/".repeat(60);
    let world = project().echo("tools/one/two/three/deep.tool.toml", "reached", "").echo(
        &format!("tools/{deep}deep.tool.toml"),
        "too-deep",
        "",
    );
    std::os::unix::fs::symlink("../..", world.path("tools/one/back")).expect("a link");
    std::os::unix::fs::symlink(".", world.path("tools/one/self")).expect("a link");
    std::os::unix::fs::symlink("loop", world.path("tools/loop")).expect("a link");
    lists_only_good_and(&world, &["reached"]).says(&["more than 40 folders deep"]);
}

/// S14, reduced: many files that are none of ours.
#[test]
fn many_files_that_are_no_tools_cost_nothing_but_a_look() {
    let world = project();
    for at in 0..1000 {
        fs::write(world.path(&format!("tools/note-{at}.txt")), "nothing").expect("write");
    }
    assert_eq!(lists_only_good_and(&world, &[]).err, "");
}

/// Names that are options, paths, pieces of shell, or nothing that can be seen.
#[test]
fn a_name_that_could_be_taken_for_something_else_is_refused() {
    for name in [
        "../../bin/sh",
        "/bin/sh",
        "a/b",
        "-rf",
        "--help",
        "a b",
        "$(id)",
        "a;b",
        "tab\\u0009",
        "\\u001b[31mred",
        "\\u202eabc",
        "a\\u0000b",
        "\\u00e9",
        "",
        " ",
        "..",
    ] {
        let world = project().file(
            "tools/bad.tool.json",
            &format!("{{\"name\": \"{name}\", \"run\": {{\"command\": [\"cat\"]}}}}"),
        );
        let listed = lists_only_good_and(&world, &[]).says(&["bad.tool.json"]);
        assert!(
            !listed.err.chars().any(|it| it.is_control() && it != '\n' || it == '\u{202e}'),
            "{listed:?}"
        );
    }
    let long = "x".repeat(129);
    let world = project().echo("tools/long.tool.toml", &long, "").echo(
        "tools/longest.tool.toml",
        &long[1..],
        "",
    );
    lists_only_good_and(&world, &[&long[1..]]).says(&["long.tool.toml", "at most 128 are allowed"]);
}

/// Texts of others are shown, never obeyed.
#[test]
fn control_characters_of_others_do_not_reach_the_terminal() {
    let evil = r#"description = "one\u001b]0;title\u0007 \u001b[2Jtwo\u202e""#;
    let world = World::project()
        .echo("tools/t.tool.toml", "t", evil)
        .file("tools/x\u{1b}[31m.tool.toml", "name = 1");
    for args in [
        &[][..],
        &["--help"],
        &["tools"],
        &["tools", "list"],
        &["search", "one"],
        &["describe", "t"],
        &["t", "--help"],
        &["doctor"],
        &["discover"],
        &["--verbose", "tools"],
    ] {
        let said = world.run(args);
        let dangerous = |it: char| it.is_control() && it != '\n' || it == '\u{202e}';
        assert!(
            !said.out.contains(dangerous) && !said.err.contains(dangerous),
            "{args:?} printed {said:?}"
        );
    }
}

/// Nothing that is only looked at is started, whatever is wrong beside it.
#[test]
fn broken_neighbours_start_nothing() {
    let world = project();
    let (script, mark) = (marking(&world), world.outside().join("mark"));
    let module = format!(
        "import fs from 'node:fs'; export const inputSchema = fs.writeFileSync('{}', '')",
        mark.display()
    );
    let world = world
        .script("tools/run.sh", &script)
        .script("tools/ask", &format!("{script}# tool-schema\n"))
        .file("tools/mod.mjs", &module)
        .file("tools/broken.tool.toml", "name = ");
    for args in [
        &["tools"][..],
        &["--help"],
        &["search", "x"],
        &["doctor"],
        &["discover", "--json"],
        &["export", "openai"],
    ] {
        world.run(args);
        assert!(!has_mark(&world), "{args:?} started something");
    }
}
