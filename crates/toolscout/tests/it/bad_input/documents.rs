//! Tool files that cannot be read or must not be read.

use super::{has_mark, lists_only_good_and, marking, project};
use crate::world::World;
use std::fs::{self, File};
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::{Duration, Instant};

/// A valid tool file, which tests extend with invalid content.
const TOOL: &str = "name: bad\nrun:\n  command: [cat]\n";

/// S9
#[test]
fn malformed_documents_are_refused_with_the_reason() {
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
            "duplicate key `name`",
        ),
        ("list.tool.json", "[1, 2]", "a tool file must be a table"),
        ("cut.tool.json", "{\"name\": \"bad\"", "line 1"),
    ] {
        let world = project().file(&format!("tools/{name}"), text);
        lists_only_good_and(&world, &[]).stderr_contains(&[name, reason]);
    }
}

/// S9: a few lines that would expand to more than fits into memory.
#[test]
fn a_yaml_alias_bomb_is_refused() {
    let mut text =
        "name: bad\nrun:\n  command: [cat]\nannotations:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let above = format!("*a{}, ", level - 1).repeat(10);
        text += &format!("  a{level}: &a{level} [{}]\n", above.trim_end_matches(", "));
    }
    let world = project().file("tools/bomb.tool.yaml", &text);
    let started = Instant::now();
    lists_only_good_and(&world, &[]).stderr_contains(&["bomb.tool.yaml"]);
    assert!(started.elapsed() < Duration::from_secs(10), "it took {:?}", started.elapsed());
}

#[test]
fn a_binary_document_is_refused_with_its_path() {
    let world = project();
    fs::write(world.path("tools/bytes.tool.toml"), b"name = \"bad\"\n# \xff\xfe\n").expect("write");
    lists_only_good_and(&world, &[])
        .stderr_contains(&["bytes.tool.toml", "it is not UTF-8 at line 2 column 3"]);
}

/// S8: a manifest of 10 MB, and sparse files of 10 GB.
#[test]
fn a_manifest_that_is_too_large_is_not_read() {
    let entry = r#"{"name": "bad", "description": "x", "path": "x.sh"},"#;
    let many = format!("{{\"tools\": [{}{{}}]}}", entry.repeat((10 << 20) / entry.len()));
    assert!(many.len() > 10_000_000);
    let world = project().file("tools/manifest.json", &many);
    lists_only_good_and(&world, &[])
        .stderr_contains(&["manifest.json: it is larger than 1024 KiB, so it is not read"]);

    let sparse = project();
    for name in ["manifest.json", "huge.tool.toml", "huge.tool.json"] {
        File::create(sparse.path("tools").join(name))
            .and_then(|value| value.set_len(10 << 30))
            .expect("a sparse file");
    }
    let started = Instant::now();
    lists_only_good_and(&sparse, &[]).stderr_contains(&[
        "manifest.json",
        "huge.tool.toml",
        "huge.tool.json",
    ]);
    assert!(started.elapsed() < Duration::from_secs(10), "it took {:?}", started.elapsed());
}

/// S8
#[test]
fn only_the_start_of_a_huge_script_is_read() {
    let world = project().script("tools/huge.sh", "#!/bin/sh\n");
    File::options()
        .write(true)
        .open(world.path("tools/huge.sh"))
        .and_then(|value| value.set_len(10 << 30))
        .expect("grow the file");
    let started = Instant::now();
    lists_only_good_and(&world, &[]);
    assert!(started.elapsed() < Duration::from_secs(10), "it took {:?}", started.elapsed());
}

/// S7: discovery does not wait for any of them.
#[test]
fn pipes_sockets_and_devices_are_reported_and_skipped() {
    let world = project();
    let made = Command::new("mkfifo")
        .args([world.path("tools/pipe.tool.toml"), world.path("tools/pipe.sh")])
        .status();
    assert!(made.is_ok_and(|value| value.success()));
    let _socket = UnixListener::bind(world.path("tools/socket.tool.toml")).expect("a socket");
    std::os::unix::fs::symlink("/dev/zero", world.path("tools/device.tool.toml")).expect("a link");
    lists_only_good_and(&world, &[]).stderr_contains(&[
        "pipe.tool.toml: it is a pipe, not a file",
        "socket.tool.toml: it is a socket, not a file",
        "device.tool.toml: it is a symbolic link that leads out of the folder",
    ]);
}

/// S7: the same behind a manifest.
#[test]
fn a_manifest_entry_for_a_pipe_is_an_unavailable_tool() {
    let manifest = r#"{"tools": [{"name": "piped", "path": "pipe"}]}"#;
    let world = project().file("tools/manifest.json", manifest);
    assert!(
        Command::new("mkfifo")
            .arg(world.path("tools/pipe"))
            .status()
            .is_ok_and(|status| status.success())
    );
    lists_only_good_and(&world, &["piped"]).stderr_contains(&["is a pipe, not a file"]);
    world.run(&["piped"]).exits(3).stderr_contains(&["is a pipe, not a file"]);
}

/// S14
#[test]
fn discovery_ends_in_deep_trees_and_symlink_loops() {
    let deep = "d/".repeat(60);
    let world = project().echo("tools/one/two/three/deep.tool.toml", "reached", "").echo(
        &format!("tools/{deep}deep.tool.toml"),
        "too-deep",
        "",
    );
    std::os::unix::fs::symlink("../..", world.path("tools/one/back")).expect("a link");
    std::os::unix::fs::symlink(".", world.path("tools/one/self")).expect("a link");
    std::os::unix::fs::symlink("loop", world.path("tools/loop")).expect("a link");
    lists_only_good_and(&world, &["reached"]).stderr_contains(&["more than 40 folders deep"]);
}

/// S14, reduced: many files that are not tool files.
#[test]
fn many_unrelated_files_do_not_slow_down_discovery() {
    let world = project();
    for at in 0..1000 {
        fs::write(world.path(&format!("tools/note-{at}.txt")), "nothing").expect("write");
    }
    assert_eq!(lists_only_good_and(&world, &[]).err, "");
}

/// Names that look like options, paths or shell code, or that contain only invisible characters.
#[test]
fn ambiguous_tool_names_are_refused() {
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
        let listed = lists_only_good_and(&world, &[]).stderr_contains(&["bad.tool.json"]);
        assert!(
            !listed.err.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'),
            "{listed:?}"
        );
    }
    let long = "x".repeat(129);
    let world = project().echo("tools/long.tool.toml", &long, "").echo(
        "tools/longest.tool.toml",
        &long[1..],
        "",
    );
    lists_only_good_and(&world, &[&long[1..]])
        .stderr_contains(&["long.tool.toml", "the limit is 128"]);
}

#[test]
fn control_characters_are_escaped_in_output() {
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
        let output = world.run(args);
        let dangerous = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(
            !output.out.contains(dangerous) && !output.err.contains(dangerous),
            "{args:?} printed {output:?}"
        );
    }
}

#[test]
fn broken_files_do_not_cause_programs_to_start() {
    let world = project();
    let (script, mark) = (marking(&world), world.temp_dir().join("mark"));
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
        assert!(!has_mark(&world), "{args:?} started a program");
    }
}
