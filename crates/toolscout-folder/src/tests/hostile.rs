//! Hostile folders: links out of the root, pipes, huge files, foreign owners, endless trees.

use super::{World, listing, tool_file};
use crate::matcher::Matcher;
use crate::walk::{WalkLimits, walk};
use std::os::unix::fs::symlink;

/// S3: a link to a file outside is refused; a link to a file inside is allowed.
#[tokio::test]
async fn links_out_of_the_folder_are_refused() {
    let outside = World::with(&[
        ("secret.tool.toml", &tool_file("secret", "")),
        ("more/x.tool.toml", &tool_file("x", "")),
    ]);
    let world = World::with(&[
        ("tools/a.tool.toml", &tool_file("a", "")),
        ("lib/b.tool.toml", &tool_file("b", "")),
    ]);
    symlink(outside.path("secret.tool.toml"), world.path("tools/s.tool.toml")).expect("a link");
    symlink(outside.path("more"), world.path("tools/t")).expect("a link");
    symlink(world.path("lib/b.tool.toml"), world.path("tools/u.tool.toml")).expect("a link");
    symlink(world.path("nowhere"), world.path("tools/v.tool.toml")).expect("a link");
    symlink(world.path("tools/a.tool.toml"), world.path("tools/w.tool.toml")).expect("a link");
    let page = world.page().await.replace(&outside.root.display().to_string(), "OUT");
    assert_eq!(
        page,
        "! Forbidden tools/s.tool.toml: it is a symbolic link that leads out of the folder, to `OUT/secret.tool.toml`\n\
         ! Forbidden tools/t: it is a symbolic link that leads out of the folder, to `OUT/more`\n\
         ! Unavailable tools/v.tool.toml: it is a broken symbolic link\n\
         a [ready] \n\
         b [ready] \n"
    );
}

/// S4: a tools folder that is itself a link out of the root is refused.
#[tokio::test]
async fn a_tools_folder_that_links_elsewhere_is_refused() {
    let outside = World::with(&[("x.tool.toml", &tool_file("x", ""))]);
    let world = World::with(&[("package.json", "{}")]);
    symlink(&outside.root, world.path("tools")).expect("a link");
    let page = world.page().await.replace(&outside.root.display().to_string(), "OUT");
    assert_eq!(
        page,
        "! Forbidden tools: it is a symbolic link that leads out of the folder, to `OUT`\n"
    );
}

/// S14: loops end, and every file is listed once, by its real path.
#[tokio::test]
async fn link_loops_terminate() {
    let world = World::with(&[
        ("tools/x/a.tool.toml", &tool_file("a", "")),
        ("lib/b.tool.toml", &tool_file("b", "")),
    ]);
    symlink(world.path("tools"), world.path("tools/x/up")).expect("a link");
    symlink(world.path("tools/x"), world.path("tools/again")).expect("a link");
    symlink(world.path("lib"), world.path("tools/lib")).expect("a link");
    symlink(world.path("tools/loop"), world.path("tools/loop")).expect("a link");
    let found = listing(&world.source()).await;
    assert_eq!(found.names(), ["b", "a"]);
    assert_eq!(found.tool("b").provenance.path, Some(world.path("tools/lib/b.tool.toml")));
}

/// S14: a tree that is too deep or too large is cut, with a diagnostic.
#[test]
fn deep_and_large_trees_are_limited() {
    let world = World::new();
    let deep = |levels: usize| format!("{}t.tool.toml", "d/".repeat(levels));
    world.file(&deep(40), "").file(&deep(41), "");
    let matcher = Matcher::new(&["**".to_owned()], &[]).expect("patterns");
    let walked = walk(&world.root, &matcher, WalkLimits::default());
    assert_eq!(walked.files.len(), 1);
    assert_eq!(
        walked.diagnostics[0].message,
        "more than 40 folders deep; deeper folders are skipped"
    );
    for at in 0..20 {
        world.file(&format!("{at}.txt"), "");
    }
    let walked = walk(&world.root, &matcher, WalkLimits { files: 10, depth: 1 });
    assert_eq!(walked.files.len(), 10);
    let messages: Vec<&str> =
        walked.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert!(messages.contains(&"more than 10 files; the rest is skipped"), "{messages:?}");
}

/// V-87: the configuration of a cloned repository may name `/` as a root.
#[test]
fn less_of_an_untrusted_root_is_listed() {
    let world = World::new();
    for at in 0..60 {
        world.file(&format!("{at}.txt"), "");
    }
    let matcher = Matcher::new(&["**/*.tool.toml".to_owned()], &[]).expect("patterns");
    let walked = walk(&world.root, &matcher, WalkLimits { files: 5, depth: 1 });
    assert_eq!(walked.diagnostics[0].message, "more than 50 entries; the rest is skipped");
    let (untrusted, trusted) = (WalkLimits::of_root(false), WalkLimits::of_root(true));
    assert!(untrusted.files * 20 <= trusted.files, "{untrusted:?} {trusted:?}");
}

/// S7: pipes and sockets are never opened; opening a pipe would block forever.
#[tokio::test]
async fn pipes_and_sockets_are_skipped() {
    let world = World::with(&[("tools/a.tool.toml", &tool_file("a", ""))]);
    let made =
        std::process::Command::new("mkfifo").arg(world.path("tools/pipe.tool.toml")).status();
    assert!(made.expect("mkfifo").success());
    let _socket =
        std::os::unix::net::UnixListener::bind(world.path("tools/s.sock")).expect("a socket");
    symlink("/dev/zero", world.path("tools/zero.py")).expect("a link");
    assert_eq!(
        world.page().await,
        "! Forbidden tools/pipe.tool.toml: it is a pipe, not a file\n\
         ! Forbidden tools/s.sock: it is a socket, not a file\n\
         ! Forbidden tools/zero.py: it is a symbolic link that leads out of the folder, to `/dev/zero`\n\
         a [ready] \n"
    );
}

/// S8: a huge file is refused by its size, before it is read.
#[tokio::test]
async fn huge_documents_are_not_read() {
    let world = World::with(&[
        ("tools/manifest.json", ""),
        ("tools/a.tool.toml", ""),
        ("tools/b.tool.toml", &tool_file("b", "")),
    ]);
    let sparse = |path: &str, size| {
        let file = std::fs::File::options().write(true).open(world.path(path)).expect("opened");
        file.set_len(size).expect("a sparse file");
    };
    sparse("tools/manifest.json", 10 << 30);
    sparse("tools/a.tool.toml", (1 << 20) + 1);
    assert_eq!(
        world.page().await,
        "! Limit tools/a.tool.toml: it is larger than 1024 KiB, so it is not read\n\
         b [ready] \n\
         ! Limit tools/manifest.json: it is larger than 1024 KiB, so it is not read\n"
    );
}

/// S12: world-writable files are not run.
#[tokio::test]
async fn world_writable_files_are_refused() {
    let world = World::with(&[
        ("tools/run.tool.toml", &tool_file("run", "")),
        ("tools/http.tool.toml", "name = \"http\"\n[http]\nurl = \"http://e/\"\n"),
        ("tools/py.tool.toml", "name = \"py\"\n[run]\ncommand = [\"python3\", \"py.py\"]\n"),
        ("tools/py.py", "print(1)"),
        ("tools/open/x.tool.toml", &tool_file("x", "")),
    ]);
    world.script("tools/a.sh", "#!/bin/sh\n# tool-schema\n");
    for path in
        ["tools/a.sh", "tools/run.tool.toml", "tools/http.tool.toml", "tools/py.py", "tools/open"]
    {
        world.mode(&world.path(path), 0o777);
    }
    assert_eq!(
        world.page().await,
        "! Forbidden tools/a.sh: this file is world-writable, so it is not run\n\
         http [ready]\n\
         ! Forbidden tools/open/x.tool.toml: its folder is world-writable, so it is not run\n\
         ! Forbidden tools/py.tool.toml: `tools/py.py`: this file is world-writable, so it is not run\n\
         ! Forbidden tools/run.tool.toml: this file is world-writable, so it is not run\n"
    );
}

/// S6: a hard link in a folder may refer to a setuid program; no tool needs the rights of another
/// user.
#[tokio::test]
async fn setuid_and_setgid_files_are_refused() {
    let world = World::new();
    world.script("tools/a.sh", "#!/bin/sh\n# tool-schema\n");
    world.mode(&world.path("tools/a.sh"), 0o4755);
    assert_eq!(
        world.page().await,
        "! Forbidden tools/a.sh: this file is setuid or setgid, so it is not run\n"
    );
}

/// S12: files of another owner are not run.
#[tokio::test]
async fn files_of_other_users_are_refused() {
    let world = World::new();
    world.script("tools/a.sh", "#!/bin/sh\n# tool-schema\n");
    if std::os::unix::fs::chown(world.path("tools/a.sh"), Some(54_321), None).is_err() {
        // Only root may change the owner of a file.
        return;
    }
    assert_eq!(
        world.page().await,
        "! Forbidden tools/a.sh: this file belongs to another user, so it is not run\n"
    );
}

#[tokio::test]
async fn names_that_are_not_utf8_are_skipped() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::with(&[("tools/a.tool.toml", &tool_file("a", ""))]);
    let name = std::ffi::OsStr::from_bytes(b"x\xff.tool.toml");
    if std::fs::write(world.path("tools").join(name), "").is_err() {
        // Some file systems reject such a name.
        return;
    }
    let found = listing(&world.source()).await;
    assert_eq!(found.names(), ["a"]);
    assert_eq!(found.diagnostics()[0].message, "its name is not UTF-8");
}
