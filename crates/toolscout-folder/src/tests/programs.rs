//! Executables and modules: how a file shows that it is a tool.

use super::{World, listing};
use crate::run::fixture::has;
use toolscout_core::{DiagnosticKind, DiagnosticLevel};

/// In an untrusted folder nothing is started; files are listed by their names, with one warning for
/// all.
#[tokio::test]
async fn files_with_tool_markers_are_listed_by_name() {
    if !has("node") || !has("python3") {
        return;
    }
    let world = World::with(&[
        ("tools/zod.mjs", "export default { name: 'z', inputSchema: {}, handler() {} }"),
        ("tools/open.js", "export default tool({})"),
        ("tools/deco.py", "@tool\ndef a(): pass\n"),
        ("tools/head.py", "# tool: from-header\n# description: Known\ndef a(): pass\n"),
    ]);
    world.script("tools/answer.sh", "#!/bin/sh\n[ \"$1\" = tool-schema ]\n");
    world.script(
        "tools/known.sh",
        "#!/bin/sh\n# tool: known\n# param x int\ncase $1 in tool-schema) ;; esac\n",
    );
    world.script("tools/binary.tool", "\u{7f}ELF\u{0}");
    world.script(
        "tools/script.py",
        "#!/usr/bin/env python3\n# tool: plain-python\n# input: stdin\nprint(1)\n",
    );
    let found = listing(&world.source()).await;
    assert_eq!(
        world.show(&found),
        "! Untrusted .: this folder is not trusted, so its files are not started to list their tools\n\
         answer [unprobed]\n\
         binary [unprobed]\n\
         deco [unprobed]\n\
         from-header [static] Known\n\
         known [static]\n\
         open [unprobed]\n\
         plain-python [ready]\n\
         zod [unprobed]\n"
    );
    let reason = found.tool("answer").status.reason().map(str::to_owned);
    assert_eq!(
        reason,
        Some(format!("its folder is not trusted; run `toolscout trust {}`", world.root.display()))
    );
    let untrusted = found
        .diagnostics()
        .into_iter()
        .find(|diagnostic| diagnostic.kind == DiagnosticKind::Untrusted)
        .expect("a diagnostic for untrusted files");
    assert_eq!(untrusted.hint, Some(format!("toolscout trust {}", world.root.display())));
}

/// O-03: a tool that cannot be started is a warning with the fix.
#[tokio::test]
async fn a_tool_that_is_not_executable_is_a_warning() {
    let world = World::with(&[
        ("tools/a.sh", "#!/bin/sh\ncase $1 in tool-schema) ;; esac\n"),
        ("tools/b.sh", "#!/bin/sh\n# tool: b\n"),
    ]);
    let found = listing(&world.source()).await;
    assert_eq!(
        world.show(&found),
        "! Broken tools/a.sh: it looks like a tool, but is not executable\n\
         ! Broken tools/b.sh: it looks like a tool, but is not executable\n"
    );
    assert_eq!(
        found.diagnostics()[0].hint,
        Some(format!("chmod +x {}", world.path("tools/a.sh").display()))
    );
}

/// a file that shows no tool is reported at debug level only.
#[tokio::test]
async fn programs_without_tool_markers_are_debug_diagnostics() {
    let world = World::with(&[("tools/lib.js", "export const x = 1")]);
    world.script("tools/build.sh", "#!/bin/sh\nmake\n");
    let found = listing(&world.source()).await;
    let messages: Vec<_> = found
        .diagnostics()
        .into_iter()
        .map(|diagnostic| (diagnostic.level, diagnostic.message.as_str()))
        .collect();
    assert_eq!(
        messages,
        [
            (DiagnosticLevel::Debug, "Ignored: no `# tool:` header"),
            (DiagnosticLevel::Debug, "Ignored: the module does not look like a tool")
        ]
    );
}

/// Only the beginning of a long script is searched.
#[tokio::test]
async fn markers_far_down_a_file_do_not_count() {
    let world = World::new();
    world.script("tools/long.sh", &format!("#!/bin/sh\n{}# tool-schema\n", "#\n".repeat(200_000)));
    world.script("tools/near.sh", &format!("#!/bin/sh\n# tool-schema\n{}", "#\n".repeat(200_000)));
    assert_eq!(listing(&world.source()).await.names(), ["near"]);
}
